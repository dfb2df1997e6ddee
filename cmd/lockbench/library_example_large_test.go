package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
)

// TestTheRequirementsChooseTheLibrary: the adapter of docs/examples/library runs the version of the
// repository's requirements.txt, and after a change of that file the new one.
func TestTheRequirementsChooseTheLibrary(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	testenv.Part(t, "redis")
	testenv.Part(t, "python3")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(examples+"/library")); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"5.0.4", "6.4.0"} {
		file := filepath.Join(dir, "requirements.txt")
		if err := os.WriteFile(file, []byte("redis=="+version+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		said := in(t, dir, 0, "lockbench", "adapters", "check", ".")
		if !strings.Contains(said, "redis-py:"+version) {
			t.Errorf("redis==%s is required, but this ran:\n%s", version, said)
		}
	}
}
