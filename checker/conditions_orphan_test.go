package checker

import (
	"strings"
	"testing"
)

// Parts of histories of a lock whose clients first take another key, which says that one of them is
// busy.
const (
	guardedOnce = "names k; lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40; "
	guardTrace  = "0 1 11 12 n0 SETNX busy:k a -> 1\n0 1 12 15 n0 SETNX lock:k a -> 1\n" +
		"0 1 31 32 n0 DEL lock:k -> 1\n"
	guardTaken = "1 1 50 55 n0 SETNX busy:k b -> 0\n"
)

// orphanConditions are histories for single conditions of R: without the condition the verdict
// would be another (see TestNoConditionIsIdle).
var orphanConditions = []propertyCase{
	// Whether a refused call needed the key that it found.
	{"refused a guard, looked at it, and tried for the lock", "R", guardedOnce +
		"c1 acquire 45 90 info", guardTrace + guardTaken + "1 1 56 57 n0 GET busy:k -> a\n" +
		"1 1 60 0 n0 SETNX lock:k b ->\n", NA, ""},
	{"the same, and the call says that the lock is taken", "R", guardedOnce +
		"c1 acquire 45 90 fail", guardTrace + guardTaken + "1 1 60 0 n0 SETNX lock:k b ->\n",
		NA, ""},
	{"refused a guard that the call gives back, and had no time for more", "R", guardedOnce +
		"c1 acquire 45 90 info", guardTrace + "0 1 16 17 n0 DEL busy:k -> 1\n" +
		"2 1 41 42 n0 SETNX busy:k c -> 1\n" + guardTaken, NA, ""},
	{"refused a key beside a place in a sorted set, and granted the lock", "R", guardedOnce +
		"c1 acquire 45 90 sent=70 lease=100; c1 release 95 99",
		"0 1 11 12 n0 ZADD lock:k 1 a -> 1\n0 1 31 32 n0 ZREM lock:k a -> 1\n" +
			"0 1 33 34 n0 DEL busy:k -> 0\n2 1 41 42 n0 SETNX busy:k c -> 1\n" +
			"1 1 46 47 n0 ZADD lock:k 1 b -> 1\n1 1 50 55 n0 SET busy:k b NX -> (nil)\n" +
			"1 1 96 97 n0 ZREM lock:k b -> 1\n", NA, ""},

	// Until when an open call may have had the lock.
	{"a client was killed in its call long ago", "R", "lease; c0 acquire 10 20 sent=12 " +
		"lease=100; c0 release 30 40 info; c2 acquire 25; c2 kill 35; c2 exit 36 planned; " +
		"c1 acquire 11 6000000000 fail", nobodyTrace +
		"1 1 5000000000 5000000005 n0 SETNX k b -> 0\n", Violated, ""},

	// For how long the key of a client that was killed may stay.
	{"a client was killed before it gave its key a lease", "R", killedTaking, killedTrace +
		killedRefused, NA, ""},
	{"the same, and its EXPIRE was never answered", "R", killedTaking, killedTrace +
		"2 1 24 0 n0 EXPIRE k 1 ->\n" + killedRefused, NA, ""},
	{"the same, and its EXPIRE was answered", "R", killedTaking, killedTrace +
		"2 1 24 25 n0 EXPIRE k 1 -> 1\n" + killedRefused, Violated, ""},
	{"the same, and a script may have given it a lease", "R", killedTaking, strings.Replace(
		killedTrace, "n0 SETNX k c", "n0 EVAL x 1 k c", 1) + killedRefused, Violated, ""},
	{"a client was killed, and another one left the key", "R", killedTaking +
		"c3 acquire 40 50 fail; ", killedTrace + "2 1 26 27 n0 DEL k -> 1\n" +
		"3 1 41 42 n0 SETNX k d -> 1\n" + killedRefused, Violated, ""},
}

// Parts of histories of a client that is killed after it took the key, long before another client
// is refused.
const (
	killedTaking = "lease; ttl 100; c0 acquire 10 20 sent=12 lease=100; c0 release 21 23; " +
		"c2 acquire 11; c2 kill 35; c2 exit 36 planned; c1 acquire 11 6000000000 fail; "
	killedTrace = nobodyTrace + "0 1 16 17 n0 EXPIRE k 1 -> 1\n0 1 21 22 n0 DEL k -> 1\n" +
		"2 1 22 23 n0 SETNX k c -> 1\n"
	killedRefused = "1 1 5000000000 5000000005 n0 SETNX k b -> 0\n"
)

// TestOrphansThatStay wants to know of a key that was left behind whether its lease may end it.
func TestOrphansThatStay(t *testing.T) {
	const (
		left   = "c0 acquire 10 20 sent=12 lease=100; c0 release 30 40 info; c1 acquire 45 90 fail"
		leased = "0 1 16 17 n0 EXPIRE k 1 -> 1\n"
		lost   = "0 1 31 0 n0 DEL k ->\n"
	)
	for _, c := range []struct {
		name, story, trace string
		want               bool
	}{
		{"its lease was answered", "lease; " + left, nobodyTrace + leased + lost, false},
		{"the command for its lease was lost", "lease; " + left, nobodyTrace +
			strings.Replace(leased, "17 n0 EXPIRE k 1 -> 1", "0 n0 EXPIRE k 1 ->", 1) + lost, true},
		{"its lease is a time in its value", "lease; " + left, nobodyTrace + lost, false},
		{"the lock has no lease", left, nobodyTrace + lost, true},
	} {
		v := Check(story(t, c.story), commands(t, c.trace+refusedR), Options{Properties: []string{"R"}})
		p := v.Properties[0]
		if p.Verdict != Violated || p.Stays != c.want ||
			strings.Contains(p.Explanation, "may stay for good") != c.want {
			t.Errorf("%s: got %s, stays %v\n%s%s", c.name, p.Verdict, p.Stays, p.Explanation, p.Reason)
		}
	}
}
