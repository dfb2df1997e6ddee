//go:build linux

package stepped_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/foreign/stepped"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// TestAProgramThatServedBeforeDoesTheSame: a program has a thread that looks every 70 ms. If it has
// served another run, it looks at the same moments of the next run.
func TestAProgramThatServedBeforeDoesTheSame(t *testing.T) {
	testenv.SkipRace(t)
	stepped.EndSpares()
	defer stepped.EndSpares()
	j := simrun.Job{Plan: planOf(t, "testdata/ticking", "heed")}
	fresh := events(t, j)
	if !strings.Contains(fresh, "lost") {
		t.Fatalf("no client was told that its lease is over:\n%s", fresh)
	}
	for try := range 3 {
		if again := events(t, j); again != fresh {
			t.Fatalf("after %d runs:\n%s\nand with fresh programs:\n%s", try+1, again, fresh)
		}
	}
}

// TestAProgramWaitsForAnotherThatItStarts: a program starts another one without the shim before it
// is ready. The run must not begin without it.
func TestAProgramWaitsForAnotherThatItStarts(t *testing.T) {
	testenv.SkipRace(t)
	defer stepped.EndSpares()
	if all := events(t, simrun.Job{Plan: planOf(t, "testdata/starting", "mutex")}); all == "" {
		t.Error("nothing happened")
	}
}

// events returns the events of a run with their times.
func events(t *testing.T, j simrun.Job) string {
	j.Chooser = sim.Recorded(nil)
	r, err := j.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.HarnessError != nil {
		t.Fatal(r.HarnessError)
	}
	var b strings.Builder
	for _, e := range r.History.Events {
		fmt.Fprintln(&b, e.T, e.Process, e.Type, e.F, e.N, e.Err)
	}
	return b.String()
}
