package study

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// cellsOf says what is wrong with rows and columns of a table: what the matrix does not have, or
// where nothing can be run.
func cellsOf(rows, columns []string) (wrong []string) {
	for _, name := range rows {
		i := slices.IndexFunc(matrix.Rows(), func(r matrix.Row) bool { return r.Name == name })
		if i < 0 {
			wrong = append(wrong, "there is no lock "+name)
			continue
		}
		for _, fault := range columns {
			j := slices.IndexFunc(matrix.Columns(), func(c matrix.Column) bool { return c.Name == fault })
			if j < 0 {
				wrong = append(wrong, "there is no fault "+fault)
			} else if why := matrix.Impossible(matrix.Rows()[i], matrix.Columns()[j]); why != "" {
				wrong = append(wrong, name+", "+fault+": "+why)
			}
		}
	}
	return wrong
}

func properties(t *testing.T, letters string) {
	t.Helper()
	for _, l := range split(letters) {
		if !slices.Contains(batch.Properties, l) || strings.Count(letters, l) > 1 {
			t.Errorf("%q: %s is no property, or there twice", letters, l)
		}
	}
}

// TestExplanationsAreOfCells: each is of locks and faults that there are and of properties that can
// be found there, and says something.
func TestExplanationsAreOfCells(t *testing.T) {
	x := explanations()
	for name, list := range map[string][]explanation{"chances": x.Chances, "simulator": x.Simulator} {
		if len(list) < 4 {
			t.Errorf("%s: only %d", name, len(list))
		}
		for _, e := range list {
			if wrong := cellsOf(e.Rows, e.Columns); len(wrong) > 0 {
				t.Errorf("%s: %q", name, wrong)
			}
			if e.Properties == "" || len(e.Reason) < 20 || len(e.Rows) == 0 {
				t.Errorf("%s: of what is this, or what does it say: %+v", name, e)
			}
			properties(t, e.Properties)
		}
	}
}

// TestEachExplanationIsTheFirstOfItsCells: one that stands behind a more general one would never be
// shown.
func TestEachExplanationIsTheFirstOfItsCells(t *testing.T) {
	x := explanations()
	for _, list := range [][]explanation{x.Chances, x.Simulator} {
		for _, e := range list {
			shown := false
			for _, row := range e.Rows {
				for _, c := range matrix.Columns() {
					for _, l := range split(e.Properties) {
						shown = shown || among(list, matrix.Difference{Row: row, Column: c.Name, Property: l,
							Expected: e.Missing}) == e.Reason
					}
				}
			}
			if !shown {
				t.Errorf("never shown: %s", e.Reason)
			}
		}
	}
}

// TestClaimsAreOfCells: what decides a claim is there, and is one thing.
func TestClaimsAreOfCells(t *testing.T) {
	for _, c := range claims() {
		if wrong := cellsOf(slices.DeleteFunc([]string{c.Row, c.Slower, c.Than}, func(s string) bool {
			return s == ""
		}), c.Columns); len(wrong) > 0 {
			t.Errorf("%s: %q", c.Text, wrong)
		}
		properties(t, c.Breaks)
		properties(t, c.Keeps)
		ways := 0
		for _, way := range []bool{c.Result != "", c.Slower != "", c.Breaks != "", c.Keeps != ""} {
			ways += batch.Truth(way)
		}
		if ways != 1 || (c.Row != "") != (len(c.Columns) > 0) ||
			(c.Row != "") != (c.Breaks+c.Keeps != "") {
			t.Errorf("%s: %d ways to decide it", c.Text, ways)
		}
		if (c.Slower != "") != (c.Than != "") || (c.Slower != "") != (c.Cost != "") ||
			!slices.Contains([]string{"", "acquire", "commands"}, c.Cost) {
			t.Errorf("%s: what is compared with what: %+v", c.Text, c)
		}
		if !slices.Contains([]Outcome{"", Confirmed, Refuted, Depends, NotTested}, c.Result) {
			t.Errorf("%s: %q is no outcome that is known before", c.Text, c.Result)
		}
		if c.Quote == "" || c.Result == Depends && c.Condition == "" {
			t.Errorf("%s: without the document's words, or the condition on which it depends", c.Text)
		}
		for _, trial := range c.Trials {
			if trial.Hits > trial.Of || trial.Of == 0 || trial.What == "" {
				t.Errorf("%s: %+v", c.Text, trial)
			}
		}
	}
}

// TestMitigationsHavePlans makes the plan of each trial. With the mitigation it must be another.
func TestMitigationsHavePlans(t *testing.T) {
	o := matrix.Options{Environment: "process", Seed: 1}
	for _, m := range mitigations() {
		if m.Name == "" || m.Line == "" || len(m.Scenarios) == 0 {
			t.Errorf("%+v", m)
		}
		for _, s := range m.Scenarios {
			if wrong := cellsOf([]string{s.Row}, nil); s.Line == "" || change[s.Replica] == nil ||
				len(wrong) > 0 {
				t.Errorf("%s: %+v %q", m.Name, s, wrong)
				continue
			}
			without, err := mitigationPlan(o, m, s, false, 1)
			with, err2 := mitigationPlan(o, m, s, true, 1)
			if err != nil || err2 != nil {
				t.Errorf("%s, %s: %v, %v", m.Name, s.Nemesis, err, err2)
			}
			if without.TTL == with.TTL && without.WaitReplicas == with.WaitReplicas &&
				len(without.RedisConfig) == len(with.RedisConfig) {
				t.Errorf("%s, %s: nothing is switched on", m.Name, s.Nemesis)
			}
		}
		for _, with := range []bool{false, true} {
			if _, err := mitigationCost(o, m, with); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
	}
}

// TestEachViolationOfALibraryHasAdvice wants a line for each run of a library with a violation that
// decides it, and the library's own option where one was measured to stay clean.
func TestEachViolationOfALibraryHasAdvice(t *testing.T) {
	b, err := ReadBook(os.DirFS("../results"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, r := range b.Libraries.Rows {
		for _, c := range b.Libraries.Columns {
			for _, run := range b.Libraries.Cell(r.Name, c.Name).Runs {
				if _, found := decided(run).Worst(); !found || run.Control {
					continue
				}
				n++
				if mend(r, c.Name, run) == "" {
					t.Errorf("%s under %s: no advice", r.Name, run.Nemesis)
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d violations", n)
	}
	own := "D (crash, failover): With this library, use redis-py: timeout=<lease>."
	if lines := mends(b.Libraries, "redis-py"); !slices.Contains(lines, own) {
		t.Errorf("redis-py: %q", lines)
	}
}
