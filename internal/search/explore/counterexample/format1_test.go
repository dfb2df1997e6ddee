package counterexample

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestFormat1 reads the files of the first version, and wants back the same when they are written
// as they are today.
func TestFormat1(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("../testdata", "corpus", "*.yaml"))
	if len(files) < 30 {
		t.Fatalf("the corpus has %d files", len(files))
	}
	files = append(files, filepath.Join("../../../format1", "testdata", "old",
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
		if !strings.Contains(written, "\nformat: 3\n") || c.Plan.Environment != "sim" {
			t.Errorf("%s: written as %s", name, written)
		}
	}
}

// TestLossesOfOldSteps: why a reply was not read was only in the text of an error.
func TestLossesOfOldSteps(t *testing.T) {
	for text, want := range map[string]history.Loss{"": "", "EOF": history.BrokenOff,
		"read tcp c1->c1>n0: i/o timeout": history.TimedOut, "context canceled": history.Canceled,
		"dial tcp c0>n4: connect: connection refused": history.NotSent,
		"context deadline exceeded":                   history.Expired} {
		for format := range Format {
			c := Counterexample{Format: format + 1, Steps: []Step{{Kind: Recv, Err: text},
				{Kind: Mark, Reply: text}}}
			c.upgrade()
			if format+1 == Format {
				want = ""
			}
			if got := c.Steps[0].Loss; got != want {
				t.Errorf("%q of format %d: %q, want %q", text, format+1, got, want)
			}
			if got := c.Steps[1].CalledOff; got != (want == history.Canceled) {
				t.Errorf("%q of format %d: called off is %v", text, format+1, got)
			}
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
