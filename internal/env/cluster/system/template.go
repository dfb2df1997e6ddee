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

// fromTemplate fills the folder of a server, if it is empty, with a copy of a template in the
// user's cache. Program makes the template, which takes seconds, once for each edition of the
// program and its arguments. Args returns the arguments for a folder to fill.
func fromTemplate(c server.NodeConfig, program string, args func(folder string) []string) error {
	if there, err := os.ReadDir(c.Dir); err != nil || len(there) > 0 {
		return err // the server comes back with its old files
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

// makeTemplate makes a template in a scratch folder and then moves it to its place in one step. If
// two processes do this, one works in vain. Other users can enter the scratch folder, since a user
// without rights fills the template.
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

// keep copies a complete template to its place.
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
