package study

import (
	"os"
	"slices"
	"testing"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// TestDifferencesFromRedisHaveACause compares the recorded table with what was measured: each
// difference has a reason that is written down and shown by a run, and nothing is written down
// that is not there.
func TestDifferencesFromRedisHaveACause(t *testing.T) {
	b, err := ReadBook(os.DirFS("../results"))
	if err != nil {
		t.Fatal(err)
	}
	used := map[*explanation]bool{}
	for _, g := range b.Exhaustive.gaps(b.measured) {
		e := g.cause()
		if e == nil {
			t.Errorf("%s, %s: %s (in the simulator: %v) has no reason", g.Row, g.Column, g.letter, g.here)
			continue
		}
		used[e] = true
	}
	for i := range explanations().Simulator {
		e := &explanations().Simulator[i]
		if !used[e] {
			t.Errorf("%v, %v, %s: there is no difference any more", e.Rows, e.Columns, e.Properties)
		}
		if len(e.Shown) == 0 {
			t.Errorf("%v, %v, %s: the reason is shown by nothing", e.Rows, e.Columns, e.Properties)
		}
		for _, p := range e.Shown {
			if len(e.Rows) > 0 && !slices.Contains(e.Rows, p.Row) ||
				len(e.Columns) > 0 && !slices.Contains(e.Columns, p.Column) {
				t.Errorf("%s, %s shows nothing of %v, %v", p.Row, p.Column, e.Rows, e.Columns)
			}
		}
	}
}

// TestCausesAreShown does the runs that show them.
func TestCausesAreShown(t *testing.T) {
	testenv.SkipRace(t)
	for _, e := range explanations().Simulator {
		for _, p := range e.Shown {
			t.Run(p.Row+" under "+p.Column+" "+p.Letters, func(t *testing.T) {
				t.Parallel()
				if p.Scenarios != "" {
					p.count(t)
					return
				}
				for _, letter := range split(p.Letters) {
					p.show(t, letter)
				}
			})
		}
	}
}

// show looks for a letter in a space where it must be, or must not.
func (p proof) show(t *testing.T, letter string) {
	rs, cs, err := matrix.RowsAndColumns([]string{p.Row}, []string{p.Column})
	if err != nil {
		t.Fatal(err)
	}
	r := rs[slices.IndexFunc(rs, func(r matrix.Row) bool { return r.Name == p.Row })]
	x := newSearch(r, cs[0], explore.Bounds{Clients: p.Clients, Rounds: p.Rounds, Tries: p.Tries,
		Preemptions: p.Preemptions, Expiries: p.Expiries})
	x.Properties, x.KeepGoing, x.Slowest = []string{letter}, false, 0
	if p.Leaps {
		x.Pace = explore.Leaps
	}
	o := &x.Options
	o.Hold, o.Think, o.Poll, o.AcquireTimeout = p.Hold, p.Think, p.Poll, p.Timeout
	hits, covered, _, err := x.Find(t.Context())
	if err != nil || (len(hits) == 0) != p.Absent || p.Absent && !covered.Whole {
		t.Errorf("%s: %v", covered, err)
	}
}

// count does the scenarios that ran on Redis in the simulator, each some times, with the options of
// the measurement.
func (p proof) count(t *testing.T) {
	o := matrix.Options{Environment: "sim", Rows: []string{p.Row}, Columns: []string{p.Column},
		Repeat: 20}
	if p.Scenarios == "mostly" {
		o.Repeat = 4
	}
	tasks, err := o.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	hits := map[string]map[int]bool{} // by letter and attempt
	for _, task := range tasks {
		if task.Row.Name != p.Row || p.Nemesis != "" && task.Aim.Nemesis != p.Nemesis {
			continue
		}
		plan, err := o.Plan(task)
		if err != nil {
			t.Fatal(err)
		}
		r, err := simrun.Job{Plan: plan, Chooser: sim.Seeded{Seed: plan.Seed}}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range r.Suspects(split(p.Letters)) {
			if _, ok := r.Confirm(l); ok {
				if hits[l] == nil {
					hits[l] = map[int]bool{}
				}
				hits[l][task.Attempt] = true
			}
		}
	}
	for _, l := range split(p.Letters) {
		often, n := "sometimes", len(hits[l])
		switch {
		case n == 0:
			often = "never"
		case 2*n >= o.Repeat:
			often = "mostly"
		}
		if often != p.Scenarios || len(tasks) == 0 {
			t.Errorf("%s is found in %d of %d: %s, not %s", l, n, o.Repeat, often, p.Scenarios)
		}
	}
}
