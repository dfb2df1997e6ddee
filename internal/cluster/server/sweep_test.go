package server

import (
	"os"
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
	// above the kernel's largest process number
	dead := filepath.Join(tmp, ScratchPrefix+"4194305-x")
	other := filepath.Join(tmp, ScratchPrefix+"unowned")
	for _, d := range []string{dead, other} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	Sweep()
	for dir, want := range map[string]bool{mine: true, dead: false, other: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: there is %v", dir, err == nil)
		}
	}
}
