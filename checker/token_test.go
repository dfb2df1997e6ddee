package checker

import (
	"strings"
	"testing"
)

// twins are two clients that hold one lock at once. Each has a token that a script compares.
const twins = "lease; ttl 17956495000000; names k; c0 acquire 10 20 sent=12 lease=2000000; " +
	"c1 acquire 11 32 sent=30 lease=2000000; c0 release 60 70; c1 release 80 90"

const oneToken = `Both clients have one token, "1795649509", so that the lock takes one for the other.`

// TestOneToken: a story says that two clients have one token where a command that compares it has
// passed for the owner's, and nowhere else.
func TestOneToken(t *testing.T) {
	scripts := func(second, release string) string {
		return "0 1 12 15 n0 EVAL take 1 k 1795649509 2000 -> 1 | hincrby k 1795649509 1\n" +
			"1 1 30 31 n0 EVAL take 1 k " + second + " -> 1\n" +
			"0 1 61 62 n0 EVAL drop 1 k 1795649509 2000 -> 1\n1 1 81 82 n0 EVAL drop 1 k " + release +
			" -> 1\n"
	}
	deletes := func(what string) string {
		return "2 1 2 3 n0 SET k 1795649509 NX PX 1 -> OK\n" +
			"0 1 12 15 n0 SET k 1795649509 NX PX 2000000 -> OK\n2 1 22 25 n0 " + what + " -> 1\n" +
			"1 1 30 31 n0 SET k 1795649510 NX PX 2000000 -> OK\n"
	}
	const another = "; c2 acquire 1 4 sent=2 lease=3; c2 release 21 26"
	for _, c := range []struct {
		name, property, story, trace string
		want                         bool
	}{
		{"a script lets in who has the token", "L", twins, scripts("1795649509 2000",
			"1795649509 2000"), true},
		{"each client has its own token", "L", twins, scripts("1795649510 2000", "1795649510 2000"),
			false},
		{"the clients have one lease", "L", twins, "0 1 12 15 n0 EVAL take 1 k a 17956495 -> 1\n" +
			"1 1 30 31 n0 EVAL take 1 k b 17956495 -> 1\n" +
			"0 1 61 62 n0 EVAL drop 1 k a 17956495 -> 1\n1 1 81 82 n0 EVAL drop 1 k b 17956495 -> 1\n",
			false},
		{"a take of a free key does not compare", "L", twins, "0 1 12 15 n0 SETNX k 1795649509 -> 1\n" +
			"0 1 20 21 n0 DEL k -> 1\n1 1 30 31 n0 SETNX k 1795649509 -> 1\n", false},
		{"a deletion that compares", "L", twins + another, deletes("DELIFEQ k 1795649509"), true},
		{"a deletion that does not compare", "L", twins + another, deletes("DEL k"), false},
		{"O, a deletion that compares", "O", twins + another, deletes("DELIFEQ k 1795649509"), true},
		{"O, a deletion that does not compare", "O", twins + another, deletes("DEL k"), false},
	} {
		v := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{c.property}})
		p := v.Properties[0]
		if p.Verdict != Violated || strings.Contains(p.Explanation, oneToken) != c.want {
			t.Errorf("%s: %s: %s%s", c.name, p.Verdict, p.Explanation, p.Reason)
		}
	}
}
