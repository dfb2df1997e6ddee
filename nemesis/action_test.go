package nemesis

import (
	"strings"
	"testing"
)

// TestActions looks at what every row must have, and that no fact of it contradicts another.
func TestActions(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range actions {
		fault := Step{Do: a.Name}.Fault()
		switch {
		case seen[a.Name]:
			t.Errorf("%s stands twice", a.Name)
		case fault != (a.Begin != "") || fault && strings.Count(a.Begin, "%s") != 1:
			t.Errorf("%s has the words %q", a.Name, a.Begin)
		case a.End != "" && len(a.Undo) == 0:
			t.Errorf("%s has words for an end that never comes", a.Name)
		case (a.Kind == Lasting) != (len(a.Undo) > 0 || a.Again || a.Kills):
			t.Errorf("%s lasts and cannot be undone, or the other way round", a.Name)
		case (a.Family != "") != (a.Target == Link && a.Kind == Lasting):
			t.Errorf("%s has the family %q", a.Name, a.Family)
		case a.Kind == Lasting && a.Breaks == Nothing:
			t.Errorf("%s lasts and breaks no assumption", a.Name)
		case a.by.use == nil && (a.Target == Node || a.Target == Copy || a.Target == Link):
			t.Errorf("no environment can %s", a.Name)
		}
		seen[a.Name] = true
		for _, undo := range a.Undo {
			if u, ok := ActionOf(undo); !ok || u.Kind != Repair || u.Target != a.Target {
				t.Errorf("%s is undone by %s, which is no repair of the same kind of target", a.Name, undo)
			}
		}
	}
}

// TestTell is about faults that are not in the table, and the second links.
func TestTell(t *testing.T) {
	for _, row := range []struct{ action, target, begin, end string }{
		{KillNode, "n0", "n0 was killed", "n0 was started again"},
		{Crash, "c1", "client 1 was killed", ""},
		{Redirect, Spare, "newer connections took the second links", ""},
		{"flood", "n0", `the fault "flood" hit n0`, `the fault "flood" of n0 ended`},
		{"flood", "", `the fault "flood" began`, `the fault "flood" ended`},
	} {
		if begin, end := Tell(row.action, row.target); begin != row.begin || end != row.end {
			t.Errorf("%s %s: %q, %q", row.action, row.target, begin, end)
		}
	}
}

func TestTargetNames(t *testing.T) {
	for target, want := range map[string]string{
		"b>*n0*": "the bus between n0 and all other nodes", Bus("n0", "n1"): "the bus from n0 to n1",
		"n0": "n0", "c3": "client 3", "*": "every client", "n0>n1": "the link from n0 to n1",
		"c1>n0": "client 1's link to n0", "c1>*": "every link of client 1",
		"*>n0": "every link to n0", "n0>*": "every link of n0", "c1+>n0": "client 1's second link to n0",
		"c2+>*": "every second link of client 2",
	} {
		if got := TargetName(target); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}
