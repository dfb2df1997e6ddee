package system

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// fromTemplate fills the folder of a server, if it is empty, with a copy of one that was made
// before, in the user's cache: making it takes seconds. The program makes it, once for each edition
// of it and its arguments; args has these, with the folder that it is to fill.
func fromTemplate(c server.NodeConfig, program string, args func(folder string) []string) error {
	if there, err := os.ReadDir(c.Dir); err != nil || len(there) > 0 {
		return err // it comes back with what it left behind
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	edition, err := c.Programs().Edition(program)
	if err != nil {
		return err
	}
	wanted := sha256.Sum256([]byte(strings.Join(args("FOLDER"), "\n")))
	template := filepath.Join(cache, "lockbench", "systems", fmt.Sprintf("%s-%x", edition, wanted[:4]))
	if _, err := os.Stat(template); err != nil {
		if err := makeTemplate(template, func(folder string) error {
			return c.Programs().Fill(folder, program, args)
		}); err != nil {
			return err
		}
	}
	return os.CopyFS(c.Dir, os.DirFS(template))
}

// makeTemplate makes a template beside and puts it into its place at once: of two processes that do
// this, one has worked in vain. It is made in a folder that is open to all: the user without rights
// makes it.
func makeTemplate(template string, fill func(folder string) error) error {
	scratch, err := os.MkdirTemp("", "lockbench-template-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	fresh := filepath.Join(scratch, "fresh")
	if err := cmp.Or(os.Chmod(scratch, 0o711), os.Mkdir(fresh, 0o700)); err != nil {
		return err
	}
	if err := fill(fresh); err != nil {
		return err
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
