package matrix

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/nemesis"
)

func TestEveryCellHasAnExpectation(t *testing.T) {
	for _, r := range rows {
		if Why(r.Name) == "" {
			t.Errorf("%s: no reason for what is expected", r.Name)
		}
		for _, c := range columns {
			letters, known := Expected(r.Name, c.Name)
			switch why := Impossible(r, c); {
			case why != "" && known:
				t.Errorf("%s, %s: %v are expected although it is not possible: %s", r.Name, c.Name, letters,
					why)
			case why == "" && !known:
				t.Errorf("%s, %s: nothing is expected", r.Name, c.Name)
			}
			if !slices.Equal(letters, batch.InOrder(letters)) {
				t.Errorf("%s, %s: %v has letters that nobody knows", r.Name, c.Name, letters)
			}
			if slices.Contains(letters, "L") && !slices.Contains(letters, "S") {
				t.Errorf("%s, %s: L implies S", r.Name, c.Name)
			}
		}
	}
	for _, e := range expectations {
		if n := len(e.cells()); n != len(columns) {
			t.Errorf("%s has %d cells for %d columns", e.row, n, len(columns))
		}
	}
	if len(expectations) != len(rows) {
		t.Errorf("%d expectations for %d rows", len(expectations), len(rows))
	}
}

func TestEveryLockAndEveryFaultIsInTheMatrix(t *testing.T) {
	for _, e := range impls.All() {
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.Impl == e.Name }) {
			t.Errorf("lock %s is in no row", e.Name)
		}
	}
	aimed := map[string]bool{}
	for _, c := range columns {
		for _, a := range c.Aims {
			name, _, _ := strings.Cut(a.Nemesis, ":")
			aimed[name] = true
		}
	}
	for _, e := range nemesis.All() {
		// latency shows nothing that late does not; the sentinels are slow and have a command of their
		// own.
		if !aimed[e.Name] && e.Name != "latency" && e.Name != "failover-sentinel" && e.Name != "random" {
			t.Errorf("fault %s is in no column", e.Name)
		}
	}
}

// TestEveryCellHasAnAim wants a run for every cell that is possible, and one that is no control.
func TestEveryCellHasAnAim(t *testing.T) {
	for _, r := range rows {
		for _, c := range columns {
			ts := (Options{}).cell(r, c, 1)
			hit := slices.ContainsFunc(ts, func(t Task) bool { return !t.Aim.Control })
			if possible := Impossible(r, c) == ""; possible != hit {
				t.Errorf("%s, %s: possible %v, aimed at %v", r.Name, c.Name, possible, hit)
			}
		}
	}
}

func TestEveryTaskHasAPlan(t *testing.T) {
	o := Options{Environment: "process"}
	ts, err := o.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	seeds, names := map[uint64]string{}, map[string]bool{}
	for _, task := range ts {
		p, err := o.Plan(task)
		if err != nil {
			t.Errorf("%s: %v", task.key(), err)
		}
		if other := seeds[p.Seed]; other != "" {
			t.Errorf("%s and %s have the same seed", task.key(), other)
		}
		seeds[p.Seed] = task.key()
		dir := (&campaign{}).dir(task)
		if names[dir] {
			t.Errorf("two runs go to %s", dir)
		}
		names[dir] = true
	}
	t.Log(len(ts), "runs")
}

func TestSubsets(t *testing.T) {
	o := Options{Rows: []string{"token-lua"}, Columns: []string{"pause", "none"}}
	m, err := NewMatrix(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Rows) != 2 || len(m.Columns) != 2 || m.Columns[0].Name != "pause" {
		t.Errorf("%d rows, %d columns", len(m.Rows), len(m.Columns))
	}
	for _, o := range []Options{{Rows: []string{"token"}}, {Columns: []string{"pauses"}}} {
		if _, err := NewMatrix(o, nil); err == nil {
			t.Errorf("%v is no part of the matrix", o)
		}
	}
}
