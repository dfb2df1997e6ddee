package batch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// EmptyDir makes a directory, or takes an empty one, and locks it as Lock does. Errors name the
// flag.
func EmptyDir(dir, flag string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	_, err := os.Stat(filepath.Join(dir, lockFile))
	if locked := err == nil; !locked { // do not write into a foreign directory
		if err := empty(dir, flag); err != nil {
			return nil, err
		}
	}
	lock, err := Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	if err := empty(dir, flag); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// empty returns an error if a directory has other files than Lock's.
func empty(dir, flag string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	for _, e := range entries {
		if e.Name() != lockFile {
			return fmt.Errorf("%s %s is not empty; empty it, or name another directory",
				flag, dir)
		}
	}
	return nil
}

// GatherRuns copies the runs of shards into the directory of the whole. It returns an error if a
// file exists already.
func GatherRuns(out string, shards []string) error {
	to := filepath.Join(out, "runs")
	for _, d := range shards {
		from := filepath.Join(d, "runs")
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue // a shard without runs
		}
		err := os.MkdirAll(to, 0o755)
		if err == nil {
			err = os.CopyFS(to, os.DirFS(from))
		}
		if err != nil {
			return fmt.Errorf("the runs of %s: %w", d, err)
		}
	}
	return nil
}
