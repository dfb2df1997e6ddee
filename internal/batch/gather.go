package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// EmptyDir makes a directory, or takes one that is empty. Flag is named in the error.
func EmptyDir(dir, flag string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	if len(entries) > 0 {
		return "", fmt.Errorf("%s %s is not empty; remove what is there, or name another directory",
			flag, dir)
	}
	return dir, nil
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
