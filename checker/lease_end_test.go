package checker

import (
	"testing"
)

// TestLeaseOfAViolation: a violation names the lease that ran when it happened. What its client
// asked for afterwards does not belong to it.
func TestLeaseOfAViolation(t *testing.T) {
	const (
		flushed = "lease; names k; c0 acquire 10 20 sent=12 lease=1000 node=n0; " +
			"fault flush n0 25 26; c1 acquire 11 40 sent=30 lease=500 node=n0; c1 release 100 110; " +
			"c0 release 800 810; "
		robbed = "lease; names k; c1 acquire 1 3 sent=2 lease=3; c0 acquire 11 20 sent=12 lease=1000; " +
			"c1 release 30 36; c0 release 800 810; "
		robbedTrace = "1 1 2 3 n0 SET k b NX PX 0.000003 -> OK\n0 1 12 15 n0 SETNX k a -> 1\n" +
			"1 1 31 35 n0 DEL k -> 1\n"
	)
	for _, c := range []struct {
		name, property, story, trace string
		end                          int64 // of the lease of client 0
	}{
		{"never prolonged", "L", flushed, "", 1012},
		{"taken anew after the overlap", "L", flushed +
			"reentrant; c0 acquire 300 330 depth=1 sent=310 lease=1000; c0 release 700 701 n=2", "", 1012},
		{"prolonged after the overlap", "L", flushed + "c0 extend 330 n=1 sent=310 lease=1000", "", 1012},
		{"prolonged inside the overlap", "L", flushed + "c0 extend 60 n=1 sent=55 lease=1000", "", 1055},
		{"prolonged before", "L", flushed + "c0 extend 24 n=1 sent=22 lease=1000", "", 1022},
		{"deleted, and prolonged after it", "O", robbed + "c0 extend 330 n=1 sent=310 lease=1000",
			robbedTrace, 1012},
		{"deleted, and prolonged before", "O", robbed + "c0 extend 26 n=1 sent=22 lease=1000",
			robbedTrace, 1022},
	} {
		v := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{c.property}})
		w := v.Properties[0].Witness
		if w == nil {
			t.Errorf("%s: %+v", c.name, v.Properties[0])
			continue
		}
		for _, h := range w.Holds {
			if h.Process == 0 && h.LeaseEnd != c.end {
				t.Errorf("%s: the lease ends at %d, not %d: %+v", c.name, h.LeaseEnd, c.end,
					w.Holds)
			}
		}
	}
}
