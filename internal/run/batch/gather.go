package batch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// EmptyDir makes a directory, or takes one that is empty, and makes this process the only one that
// works in it, as Lock does. Flag is named in the error.
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

// empty says why a directory is not, but for what Lock has put there.
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

// GatherRuns copies the runs of shards into the directory of the whole. A file that is there
// already is an error.
func GatherRuns(out string, shards []string) error {
	to := filepath.Join(out, "runs")
	for _, d := range shards {
		from := filepath.Join(d, "runs")
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue // a shard that had nothing to run
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
