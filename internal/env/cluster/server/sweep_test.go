package server

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestSweepRemovesAFolderWhenItsProcessIsGone(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	mine, err := Scratch()
	if err != nil {
		t.Fatal(err)
	}
	// As another PID namespace sees it: no process here has the number of this folder, but its run
	// lives. A child inherits no lock, so that the run alone holds it.
	hidden := filepath.Join(Home(), ScratchPrefix+"4194305-x") // above the kernel's largest number
	if err := os.Rename(mine.Path, hidden); err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	if n := Sweep(); n != 0 || !exists(hidden) {
		t.Errorf("the run lives, and %d folders were removed", n)
	}
	if err := mine.held.Close(); err != nil { // as at the end of the process
		t.Fatal(err)
	}
	if n := Sweep(); n != 1 || exists(hidden) {
		t.Errorf("the run was killed, and %d folders were removed, not 1", n)
	}
}

// TestSweepRemovesNoFolderOfAUser tries folders that a user may have where the folders of runs are.
func TestSweepRemovesNoFolderOfAUser(t *testing.T) {
	for name, fill := range map[string]func(dir, run string) error{
		"that has the name of a run": func(string, string) error { return nil },
		"with a mark of the user's own": func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, markName), []byte("mine\n"), 0o600)
		},
		"that is a copy of a run's": func(dir, run string) error {
			return os.CopyFS(dir, os.DirFS(run))
		},
		"with a mark that is a link": func(dir, run string) error {
			return os.Symlink(filepath.Join(run, markName), filepath.Join(dir, markName))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			run, err := Scratch()
			if err != nil {
				t.Fatal(err)
			}
			defer run.Close()
			dir := filepath.Join(Home(), ScratchPrefix+"1-store")
			if err := errors.Join(os.Mkdir(dir, 0o755), fill(dir, run.Path)); err != nil {
				t.Fatal(err)
			}
			if n := Sweep(); n != 0 || !exists(dir) {
				t.Errorf("%d folders were removed", n)
			}
		})
	}
}

// TestSweepLeavesTheFoldersOfOthers: root may remove everything, and does not.
func TestSweepLeavesTheFoldersOfOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	t.Setenv("TMPDIR", t.TempDir())
	other, err := Scratch()
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.Chown(other.Path, 65534, 65534), other.held.Close())
	if err != nil {
		t.Fatal(err)
	}
	if n := Sweep(); n != 0 || !exists(other.Path) {
		t.Errorf("%d folders were removed", n)
	}
}

func exists(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

// TestHomeIsWhatTheUserSays: and without that a folder which is there.
func TestHomeIsWhatTheUserSays(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if got := Home(); got != tmp {
		t.Errorf("%s, not TMPDIR", got)
	}
	t.Setenv("TMPDIR", "")
	if i, err := os.Stat(Home()); err != nil || !i.IsDir() {
		t.Error(err)
	}
}

func TestAFolderThatVanished(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := Scratch()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Vanished(); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(f.Path); err != nil {
		t.Fatal(err)
	}
	if f.Vanished() == nil {
		t.Error("it is not there, and was not missed")
	}
	if err := os.Mkdir(f.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	if f.Vanished() == nil {
		t.Error("another is in its place, and it was not missed")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
