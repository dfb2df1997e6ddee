package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestSweepRemovesOnlyWhatIsDead(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	mine, err := Scratch()
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(tmp, ScratchPrefix+"1-x") // the number of a process that lives
	other := filepath.Join(tmp, ScratchPrefix+"doctor-1")
	short := filepath.Join(tmp, ScratchPrefix+"-1")
	for _, d := range []string{dead, other, short} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// As another PID namespace sees it: no process here has the number of this folder, but its run
	// lives. A child inherits no lock, so that the run alone holds it.
	hidden := filepath.Join(tmp, ScratchPrefix+"4194305-x") // above the kernel's largest number
	if err := os.Rename(mine.Path, hidden); err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	if n := Sweep(); n != 1 {
		t.Errorf("%d folders were removed, not 1", n)
	}
	for dir, want := range map[string]bool{hidden: true, dead: false, other: true, short: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: there is %v", dir, err == nil)
		}
	}
	if err := mine.held.Close(); err != nil { // as at the end of the process
		t.Fatal(err)
	}
	if n := Sweep(); n != 1 {
		t.Errorf("the folder of a run that was killed: %d folders were removed, not 1", n)
	}
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
