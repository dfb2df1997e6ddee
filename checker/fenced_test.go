package checker

import "testing"

// TestWhatAFencedResourceRefuses counts, for a resource that looks at tokens, the holds that began
// while another client was inside, and the old writes that it refused.
func TestWhatAFencedResourceRefuses(t *testing.T) {
	const late = "fencing; workload fenced; c0 acquire 1 5 token=1; c1 acquire 6 8 token=2; " +
		"c1 write 9 10 value=1; "
	for _, c := range []struct {
		name, history   string
		together, older int
	}{
		{"a late holder is refused", late + "c0 write 11 12 value=2 fail; c0 release 13 14", 1, 1},
		{"a late holder writes nothing", late + "c0 release 13 14", 1, 0},
		{"one after the other", "fencing; workload fenced; c0 acquire 1 5 token=1; " +
			"c0 write 5 6 value=1; c0 release 7 8; c1 acquire 2 9 token=2; c1 write 9 10 value=2", 0, 0},
		{"another resource", "fencing; c0 acquire 1 5 token=1; c1 acquire 6 8 token=2; " +
			"c0 write 11 12 value=2 fail", 0, 0},
	} {
		v := Check(story(t, c.history), nil, Options{Properties: []string{"F", "U", "D"}})
		if v.Evidence.Together != c.together || v.Evidence.OldWrites != c.older {
			t.Errorf("%s: %d together and %d refused, not %d and %d", c.name, v.Evidence.Together,
				v.Evidence.OldWrites, c.together, c.older)
		}
	}
}
