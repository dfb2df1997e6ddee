package view_test

import (
	"testing"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/view"
)

// TestAKeyLeftBehindHasItsSeconds counts from the last holder's leaving, or from a later write, to
// the next grant of the same lock.
func TestAKeyLeftBehindHasItsSeconds(t *testing.T) {
	const ms = 1e6
	hold := func(key int, from, to int64) record.Hold {
		return record.Hold{Key: key, From: from * ms, End: to * ms}
	}
	before, other := hold(0, 100, 200), hold(1, 500, 600)
	for _, c := range []struct {
		holds []record.Hold
		wrote int64
		want  string
	}{
		{[]record.Hold{before, other, hold(0, 2100, 2200), hold(0, 3000, 3100)}, 90,
			"From 0.200 s on no client held lock 0, and its key kept others out for 1.90 s."},
		{[]record.Hold{before, other, hold(0, 2100, 2200)}, 300,
			"From 0.300 s on no client held lock 0, and its key kept others out for 1.80 s."},
		{[]record.Hold{before, other}, 90,
			"From 0.200 s on no client held lock 0, and its key kept others out until the run ended."},
	} {
		w := &checker.Witness{Commands: []checker.WitnessCommand{
			{Kind: "write", Command: history.Command{Sent: c.wrote * ms, Recv: 95 * ms}},
			{Kind: "denial", Command: history.Command{Sent: 390 * ms, Recv: 400 * ms}}}}
		v := &view.View{Record: &record.Record{Holds: c.holds},
			Run: &store.Run{Verdict: &checker.Verdict{Properties: []checker.Property{{Property: "R",
				Verdict: checker.Violated, Reported: true, Witness: w}}}}}
		if got := view.LeftBehind(v); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := view.LeftBehind(&view.View{Run: &store.Run{Verdict: &checker.Verdict{}}}); got != "" {
		t.Errorf("no key was left behind: %q", got)
	}
}
