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

// TestTheCauseOfALostCounter: F says which server lost the counter, if one did.
func TestTheCauseOfALostCounter(t *testing.T) {
	for fault, want := range map[string]string{
		"fault kill n0 40 41; ": "n0 was started again at 0.000 s without the counter of the " +
			"tokens: client 0 had token 7, and client 1 got token 1 later.",
		"": "",
	} {
		p := Check(story(t, fault+tokenLost), nil, Options{Properties: []string{"F"}}).Properties[0]
		if p.Verdict != Violated || p.Cause != want {
			t.Errorf("%q: %s: %q, want %q", fault, p.Verdict, p.Cause, want)
		}
	}
}
