package locktest

import (
	"slices"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// replay repeats a counterexample, and fails the test if the violation occurs again.
func replay(t *testing.T, file string) {
	t.Helper()
	x, err := counterexample.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := simrun.CaseOf(x).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range counterexample.Lines(r.Steps) {
		t.Log(line)
	}
	switch p, ok := r.Confirm(x.Verdict.Property); {
	case ok:
		t.Errorf("%s is violated again: %s", p.Property, p.Explanation)
		return
	case !slices.ContainsFunc(r.History.Events, func(e history.Event) bool {
		return e.F == history.Acquire && e.Type == history.OK
	}):
		t.Errorf("%s was not tried: no client was granted the lock", p.Property)
		return
	}
	t.Logf("%s is not violated any more", x.Verdict.Property)
	if k, same := counterexample.Diverge(x.Steps, r.Steps); !same {
		t.Logf("the steps differ from step %d on, as they do when the lock was mended", k+1)
	}
}
