package checker

import "testing"

func TestTimedOut(t *testing.T) {
	const text = "c0 acquire 10 90; c0 release 100 110"
	for name, c := range map[string]struct {
		fault, trace string
		want         int
	}{
		"answered": {"", "0 1 20 30 n0 SETNX k a -> 1", 0},
		"two without a fault": {
			"", "0 1 20 70 n0 SETNX k a -> !timeout\n0 1 71 80 n1 SETNX k a -> !timeout", 2},
		"another error": {"", "0 1 20 30 n0 SETNX k a -> !EOF", 0},
		"another error of a call of unknown outcome": {"; c1 acquire 12 40 info",
			"1 1 20 30 n0 SETNX k a -> !EOF", 0},
		"an error that only speaks of one": {
			"", "0 1 20 30 n0 SETNX k a -> !no timeout, but EOF", 0},
		// the client was killed, or told to stop
		"never answered": {"", "0 1 20 0 n0 SETNX k a ->", 0},
		"the client was told of an earlier attempt": {"; clienttimeout 1000",
			"0 1 20 25 n0 SETNX k a -> !timeout", 0},
		"it was under way for a time": {"; clienttimeout 1000",
			"0 1 20 70 n0 SETNX k a -> !timeout", 1},
		"its link was cut": {"; fault cut c0>* 15 40", "0 1 20 70 n0 SETNX k a -> !timeout", 0},
		"its server was stopped": {"; fault pause-node n0 25 40", "0 1 20 70 n0 SETNX k a -> !timeout",
			0},
		"another's link was cut": {"; fault cut c1>* 15 40", "0 1 20 70 n0 SETNX k a -> !timeout", 1},
		"the fault was over":     {"; fault cut c0>* 11 15", "0 1 20 70 n0 SETNX k a -> !timeout", 1},
		"a clock holds nobody back": {"; fault node-clock n0 15 40", "0 1 20 70 n0 SETNX k a -> !timeout",
			1},
	} {
		v := Check(story(t, text+c.fault), commands(t, c.trace), Options{})
		if v.Evidence.TimedOut != c.want {
			t.Errorf("%s: %d timed out, not %d", name, v.Evidence.TimedOut, c.want)
		}
	}
}

// TestNothingTried says what clients were told instead of a grant: a server's own words, and not
// that the lock is taken.
func TestNothingTried(t *testing.T) {
	const none = "no client acquired the lock, so nothing was tried"
	for text, want := range map[string]string{
		"c0 acquire 1 5 fail": none,
		"c0 acquire 1 5 fail; c1 acquire 1 6 info err=i/o_timeout; c0 acquire 7 9 info err=EOF; " +
			"c1 acquire 8 9 info err=EOF": none + "; 2 of 4 calls ended with: EOF",
		"c0 acquire 1 5 fail err=taken": none,
		"c0 acquire 1 5 fail why=server-refused err=OOM_command_not_allowed; c1 acquire 1 6 fail " +
			"why=taken err=held": none + "; 1 of 2 calls ended with: OOM command not allowed",
	} {
		v := Check(story(t, text), nil, Options{Properties: []string{"S"}})
		if got := v.Properties[0].Reason; got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}
