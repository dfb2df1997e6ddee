package gate

import "testing"

// TestAPartThatSaysAnotherThingIsNotPassed: each run of a part says what no run of the same entries
// said.
func TestAPartThatSaysAnotherThingIsNotPassed(t *testing.T) {
	then := Says{Of: 27, Forms: map[string]int{"EVAL": 27}}
	for _, c := range []struct {
		runs int
		want Outcome
	}{{1, Passed}, {6, Unknown}, {9, Failed}} {
		now := Says{Of: c.runs, Forms: map[string]int{"DEL": c.runs}}
		e := then.judge(now, heard{then: c.runs, same: c.runs}, "process")
		if e.Result != c.want {
			t.Errorf("%d runs: %s, not %s: %s", c.runs, e.Result, c.want, e.Claim)
		}
	}
}
