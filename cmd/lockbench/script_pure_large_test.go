package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestPureScript runs the scripts that need no server, as TestScript runs those that do.
func TestPureScript(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testscript.Run(t, pureScriptsIn(t, "testdata/pure"))
}

// pureScriptsIn are scripts for which there is lockbench and a shell, and nothing else on the
// machine: what they start cannot depend on more.
func pureScriptsIn(t *testing.T, dir string) testscript.Params {
	t.Helper()
	bin := t.TempDir()
	for _, name := range []string{"lockbench", "sh", "bash", "cat", "head", "mkfifo", "script", "sed",
		"stty", "tr", "truncate", "cp", "ln"} {
		file, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(file, filepath.Join(bin, name))
		}
		if err != nil && !errors.Is(err, exec.ErrNotFound) {
			t.Fatal(err)
		}
	}
	p := scriptsIn(dir)
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		err := setup(e)
		e.Setenv("PATH", bin)
		e.Setenv("CHECKOUT", "")
		e.Setenv("DOCKER_HOST", "unix://"+filepath.Join(bin, "none.sock"))
		return err
	}
	return p
}
