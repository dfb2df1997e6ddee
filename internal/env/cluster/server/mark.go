package server

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/base/units"
)

// markName is the name of a file. Sweep recognizes a folder of Scratch by it.
const markName = ".lockbench-scratch"

// markText is the content of the mark of a folder. It names the folder by its number in the file
// system, so that a copy of the folder is not marked.
func markText(dir string) (string, error) {
	inode, err := proc.Owned(dir)
	return fmt.Sprintf("lockbench removes this folder, %d, when its run is over.\n", inode), err
}

// mark marks a folder as one of lockbench's own.
func mark(dir string) error {
	text, err := markText(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, markName), []byte(text), 0o600)
}

// marked reports whether this user owns a folder and its mark, and lockbench wrote the mark.
func marked(dir string) bool {
	file := filepath.Join(dir, markName)
	want, err := markText(dir)
	if err != nil {
		return false
	}
	if _, err := proc.Owned(file); err != nil {
		return false
	}
	got, err := units.ReadFile(file)
	return err == nil && string(got) == want
}
