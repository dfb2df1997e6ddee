package system

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/lockbench/lockbench/internal/cluster/proc"
)

// fromTemplate fills an empty folder of a database with a copy of one that was made before, in the
// user's cache: making it takes seconds. make is called with a folder that is to be filled, once
// for each name.
func fromTemplate(folder, name string, make func(folder string) *exec.Cmd) error {
	if there, err := os.ReadDir(folder); err != nil || len(there) > 0 {
		return err // it comes back with what it left behind
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	template := filepath.Join(cache, "lockbench", "systems", name)
	if _, err := os.Stat(template); err != nil {
		if err := makeTemplate(template, make); err != nil {
			return err
		}
	}
	return os.CopyFS(folder, os.DirFS(template))
}

// makeTemplate makes a template beside and puts it into its place at once: of two processes that do
// this, one has worked in vain. It is made in a folder that is open to all: the user without rights
// makes it.
func makeTemplate(template string, make func(folder string) *exec.Cmd) error {
	scratch, err := os.MkdirTemp("", "lockbench-template-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	fresh := filepath.Join(scratch, "fresh")
	if err := cmp.Or(os.Chmod(scratch, 0o711), os.Mkdir(fresh, 0o700)); err != nil {
		return err
	}
	c := make(fresh)
	if err := proc.Unprivileged(c, fresh); err != nil {
		return err
	}
	c.Dir, c.Env = scratch, proc.Environ()
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.300s", filepath.Base(c.Path), err, said)
	}
	return keep(fresh, template)
}

// keep copies a template that is complete to its place.
func keep(fresh, template string) error {
	above := filepath.Dir(template)
	if err := os.MkdirAll(above, 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(above, "part-")
	if err != nil {
		return err
	}
	if err := os.CopyFS(part, os.DirFS(fresh)); err != nil {
		os.RemoveAll(part)
		return err
	}
	if err := os.Rename(part, template); err != nil {
		os.RemoveAll(part)
		if _, there := os.Stat(template); there != nil {
			return err
		}
	}
	return nil
}
