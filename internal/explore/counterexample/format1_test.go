package counterexample

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/nemesis"
)

// TestFormat1 reads the files of the first version, and wants back the same when they are written
// as they are today.
func TestFormat1(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "testdata", "corpus", "*.yaml"))
	if len(files) < 30 {
		t.Fatalf("the corpus has %d files", len(files))
	}
	files = append(files, filepath.Join("..", "..", "format1", "testdata", "old",
		"counterexample.yaml"))
	for _, name := range files {
		b, err := os.ReadFile(name)
		if strings.Contains(string(b), "\nformat: 2\n") {
			continue
		}
		if err != nil || !strings.Contains(string(b), "\nformat: 1\n") {
			t.Errorf("%s is not of format 1: %v", name, err)
		}
		c, err := ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, s := range c.Steps {
			if s.Kind != Fault {
				continue
			}
			if _, ok := nemesis.ActionOf(s.Fault.Do); !ok {
				t.Errorf("%s: %q is no action", name, s.Fault.Do)
			}
		}
		written := text(t, c)
		again, err := Read(strings.NewReader(written))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(c, again); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !strings.Contains(written, "\nformat: 2\n") || c.Plan.Environment != "sim" {
			t.Errorf("%s: written as %s", name, written)
		}
	}
}

// TestFormat1Deviations gives the deviations of a fault at any place their name of today.
func TestFormat1Deviations(t *testing.T) {
	c := Counterexample{Format: 1, Deviations: map[string]int{"strike before next c0>n0.4": 1,
		"next c1>n0.2 ~2": 3}}
	c.upgrade()
	want := map[string]int{"inject before next c0>n0.4": 1, "next c1>n0.2 ~2": 3}
	if c.Format != Format || !maps.Equal(c.Deviations, want) {
		t.Errorf("%+v", c)
	}
}
