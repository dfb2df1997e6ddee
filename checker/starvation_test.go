package checker

import (
	"fmt"
	"strings"
	"testing"
)

// TestExpectedStarvation: it decides where it is expected, and only there.
func TestExpectedStarvation(t *testing.T) {
	for _, c := range []struct {
		name, story, expect string
		exit                int
	}{
		{"it is there", turns(25, ""), "starved", ExitExpected},
		{"it is there, and not expected", turns(25, ""), "valid", ExitExpected},
		{"it is not there", inBetween(38), "starved", ExitUnexpected},
		{"no client can have starved in so few turns", inBetween(20), "starved", ExitUnknown},
		{"it is not there yet", turns(19, ""), "starved", ExitUnknown},
		{"too little was seen", turns(1, ""), "starved", ExitUnknown},
		{"there is another violation", turns(15, "c0 acquire 1601 1602; c1 acquire 1603 1604; end 1700"),
			"starved", ExitUnexpected},
		{"there is another violation, too", turns(25, "c0 acquire 2601 2602; c1 acquire 2603 2604"),
			"starved", ExitExpected},
	} {
		h := story(t, c.story)
		h.Header.System, h.Header.Requires.Contended = "postgres", 5
		v := Check(h, nil, Options{Properties: []string{"S"}, Expect: c.expect})
		if v.Exit != c.exit || v.AsExpected != (c.exit == ExitExpected) {
			t.Errorf("%s: exit code %d, not %d: %s", c.name, v.Exit, c.exit, show(v))
		}
	}
}

// turns is a history of three clients in which client 2 asks all the time; the others take n turns.
func turns(n int, more string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "names k; c2 acquire 1 %d fail; ", 100*n+50)
	for i := range n {
		t := 100*i + 10
		fmt.Fprintf(&b, "c%d acquire %d %d; c%d release %d %d; ", i%2, t-5, t, i%2, t+80, t+82)
	}
	return b.String() + more
}

// inBetween is turns in which client 2 is granted the lock in the middle.
func inBetween(n int) string {
	last, middle := fmt.Sprintf("c2 acquire 1 %d fail", 100*n+50), 100*(n/2)
	return strings.Replace(turns(n, ""), last, fmt.Sprintf("c2 acquire 1 %d; c2 release %d %d; "+
		"c2 acquire %d %d fail", middle-4, middle-3, middle-2, middle-1, 100*n+50), 1)
}

// TestStarvation: a client that is passed over more often than chance explains is told of, and it
// decides nothing.
func TestStarvation(t *testing.T) {
	for _, c := range []struct {
		name, story string
		starved     bool
	}{
		{"so often that chance does not explain it", turns(25, ""), true},
		{"it waits until the run ends", strings.Replace(turns(25, ""), "2550 fail", "2550 info", 1),
			true},
		{"less often", turns(19, ""), false},
		{"it was granted the lock in between", strings.Replace(turns(25, ""), "c2 acquire 1 2550 fail",
			"c2 acquire 1 1006; c2 release 1007 1008; c2 acquire 1009 2550 fail", 1), false},
		{"the history is another tool's", "imported; " + turns(25, ""), false},
		{"a fault was under way", turns(25, "fault pause c2 2 2600"), false},
		{"its calls were never answered", strings.Replace(turns(25, ""), "2550 fail",
			"2550 fail why=unreachable", 1), false},
		{"the lock declares a preference", "preference; " + turns(25, ""), false},
	} {
		h := story(t, c.story)
		h.Header.System = "postgres"
		v := Check(h, nil, Options{Properties: []string{"S", "D"}})
		s := v.Evidence.Starved
		if (s != nil) != c.starved || s != nil && (s.Client != 2 || s.Others != 25 || s.Tries != 1) {
			t.Errorf("%s: %+v", c.name, s)
		}
		if v.Verdict.String() == string(Violated) {
			t.Errorf("%s: it decides: %s", c.name, show(v))
		}
	}
}
