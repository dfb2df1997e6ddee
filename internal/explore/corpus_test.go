package explore

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// corpus are the counterexamples that are kept: testdata/corpus.
func corpus(t testing.TB) map[string]*Counterexample {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d counterexamples: %v", len(files), err)
	}
	all := map[string]*Counterexample{}
	for _, f := range files {
		c, err := ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(f), ".yaml")] = c
	}
	return all
}

// TestCorpus does every counterexample again in the simulator.
func TestCorpus(t *testing.T) {
	for name, c := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := c.Replay(context.Background())
			if err != nil || !o.Confirmed {
				t.Errorf("%v %v", o, err)
			}
		})
	}
}
