package matrix

import (
	"slices"
	"testing"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// TestWhatRunsWeigh: a lock on three masters asks three, and what is no process of a lock of
// lockbench weighs three times as much; --jobs is in runs of the lightest.
func TestWhatRunsWeigh(t *testing.T) {
	rows, err := FindRows([]string{"setnx", "redlock per call"})
	if err != nil {
		t.Fatal(err)
	}
	library := Row{Name: "redis-py", Adapter: "redis-py"}
	for _, c := range []struct {
		environment string
		row         Row
		want        int
	}{{"process", rows[0], 1}, {"process", rows[1], 3}, {"process", library, 3},
		{"docker", rows[0], 3}, {"sim", rows[1], 9}} {
		if got := (Options{Environment: c.environment}).weight(c.row); got != c.want {
			t.Errorf("%s in %s weighs %d, not %d", c.row.Name, c.environment, got, c.want)
		}
	}
	for _, c := range []struct {
		environment string
		rows        []Row
		want        int
	}{{"process", rows, 4}, {"process", rows[1:], 12}, {"docker", rows, 12}, {"process", nil, 12}} {
		var tasks []Task
		for _, r := range c.rows {
			tasks = append(tasks, Task{Row: r})
		}
		o := Options{Environment: c.environment, Jobs: 4}
		if len(tasks) == 0 {
			c.want = o.room(nil)
		}
		if got := o.room(tasks); got != c.want {
			t.Errorf("4 jobs of %d rows in %s: %d, not %d", len(c.rows), c.environment, got, c.want)
		}
	}
}

// TestLocksTakeTurns: the runs of each lock are spread over the whole, from its last column on.
func TestLocksTakeTurns(t *testing.T) {
	var tasks []Task
	for _, name := range []string{"a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3"} {
		tasks = append(tasks, Task{Row: Row{Name: name[:1]}, Column: name[1:]})
	}
	var order []string
	for _, t := range byTurns(tasks) {
		order = append(order, t.Row.Name+t.Column)
	}
	want := []string{"a6", "b3", "a5", "a4", "b2", "a3", "a2", "b1", "a1"}
	if !slices.Equal(order, want) {
		t.Errorf("%q, not %q", order, want)
	}
}

// TestBroken looks for rows of which every run broke.
func TestBroken(t *testing.T) {
	broke := batch.Finding{HarnessError: "killed"}
	got := Broken([]Result{
		{Row: "a", Finding: broke}, {Row: "b", Finding: broke}, {Row: "a", Column: "pause"},
		{Row: "b", Column: "pause", Finding: broke}, {Row: "c"},
	})
	if len(got) != 1 || got[0].Row != "b" || got[0].Column != "" {
		t.Errorf("%+v", got)
	}
}

// TestTheReasonOfARepetitionIsTrue: a run that broke on a quiet machine does not blame the machine.
func TestTheReasonOfARepetitionIsTrue(t *testing.T) {
	for want, first := range map[string]batch.Finding{
		"1 run was repeated, because it broke: a under none": {HarnessError: "no Redis"},
		"1 run was repeated, because the machine was too busy: a under none": {Stalled: true,
			HarnessError: "no Redis"},
		"1 run was repeated, because an expected violation was missed: a under none": {},
	} {
		got := Repeated([]Result{{Row: "a", Nemesis: "none", Finding: first},
			{Row: "a", Nemesis: "none", Alone: true}})
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
