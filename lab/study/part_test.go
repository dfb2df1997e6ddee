package study

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// found is what the cells of a matrix show: "setnx none -; setnx pause SL".
func found(m *matrix.Matrix) string {
	var cells []string
	for i := range m.Cells {
		cells = append(cells, m.Cells[i].Row+" "+m.Cells[i].Column+" "+m.Cells[i].String())
	}
	return strings.Join(cells, "; ")
}

// measuredAs is a matrix of these locks and faults in which every run that is no control found the
// letters.
func measuredAs(t *testing.T, rows, columns, version, letters string) *matrix.Matrix {
	t.Helper()
	o := matrix.Options{Rows: strings.Split(rows, ","), Columns: strings.Split(columns, ","),
		Environment: "fake"}
	tasks, err := o.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	var results []matrix.Result
	for _, task := range tasks {
		r := matrix.Result{Row: task.Row.Name, Column: task.Column, Nemesis: task.Aim.Nemesis,
			Control: task.Aim.Control, Attempt: task.Attempt, Finding: batch.NewFinding(nil, nil)}
		for _, l := range strings.Split("SLORD", "") {
			r.Properties[l] = checker.Valid
			if strings.Contains(letters, l) && !task.Aim.Control {
				r.Properties[l] = checker.Violated
			}
		}
		results = append(results, r)
	}
	m, err := matrix.New(o, results)
	if err != nil {
		t.Fatal(err)
	}
	m.Versions = map[string]string{"lockbench": version}
	return m
}

// TestAPartTakesItsPlace: what was measured anew replaces what was there, and nothing else.
func TestAPartTakesItsPlace(t *testing.T) {
	old := measuredAs(t, "setnx,getset", "none,pause", "v1", "S")
	for _, c := range []struct {
		name string
		part *matrix.Matrix
		want string
	}{
		{"a cell", measuredAs(t, "getset", "pause", "v2", "L"),
			"setnx none S; setnx pause S; getset none S; getset pause SL"}, // S without a fault, so here
		{"a new fault", measuredAs(t, "setnx", "crash", "v2", "D"),
			"setnx none S; setnx crash SD; setnx pause S; " +
				"getset none S; getset crash ·; getset pause S"},
		{"a new lock", measuredAs(t, "setpx-del", "none", "v2", "O"),
			"setnx none S; setnx pause S; getset none S; getset pause S; setpx-del none O; " +
				"setpx-del pause ·"},
		{"a lock that is sound now", measuredAs(t, "getset", "none,pause", "v2", ""),
			"setnx none S; setnx pause S; getset none -; getset pause -"},
	} {
		m, err := withPart(old, c.part)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, found(m)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if v := m.Versions["lockbench"]; v != "v1, v2" {
			t.Errorf("%s: of version %q", c.name, v)
		}
	}
	const before = "setnx none S; setnx pause S; getset none S; getset pause S"
	if d := cmp.Diff(before, found(old)); d != "" {
		t.Errorf("the old matrix was changed: %s", d)
	}
	other := measuredAs(t, "getset", "pause", "v2", "")
	other.Seed++
	if _, err := withPart(old, other); err == nil || !strings.Contains(err.Error(), "--seed") {
		t.Errorf("another seed: %v", err)
	}
	part := measuredAs(t, "getset", "pause", "v2", "")
	part.Repeat++
	if _, err := withPart(old, part); err != nil {
		t.Errorf("more runs: %v", err)
	}
	if _, err := withPart(part, old); err == nil || !strings.Contains(err.Error(), "fewer runs") {
		t.Errorf("fewer runs: %v", err)
	}
}

// unseen is the trait of a lock that is not in Redis.
const unseen impls.Trait = "unseen"

// TestAPartBringsItsRow wants a row that was measured before a trait of it was known to have it
// once a part has: else the cells of the part would not be possible.
func TestAPartBringsItsRow(t *testing.T) {
	old, part := measuredAs(t, "setnx", "none", "v1", ""), measuredAs(t, "setnx", "pause", "v2", "S")
	part.Rows[0].Traits = append(part.Rows[0].Traits, unseen)
	m, err := withPart(old, part)
	if err != nil || !m.Rows[0].Has(unseen) || m.Cell("setnx", "pause").String() != "S" {
		t.Errorf("%v: %+v, %s", err, m.Rows, found(m))
	}
}
