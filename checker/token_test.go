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
	const another = "; c2 acquire 1 4 sent=2 lease=3; c2 release 21 26"
	for _, c := range []struct {
		name, property, story, trace string
		want                         bool
	}{
		{"a script lets in who has the token", "L", twins, seen + take("1795649509 2000") +
			drop("1795649509 2000", "1795649509 2000"), true},
		{"each client has its own token", "L", twins, seen + take("1795649510 2000") +
			drop("1795649509 2000", "1795649510 2000"), false},
		{"a take of a free key does not compare", "L", twins, "0 1 12 15 n0 SETNX k 1795649509 -> 1\n" +
			"0 1 20 21 n0 DEL k -> 1\n1 1 30 31 n0 SETNX k 1795649509 -> 1\n", false},
		{"a deletion that compares", "L", twins + another, had + deletes("DELIFEQ k 1795649509"), true},
		{"a deletion that does not compare", "L", twins + another, had + deletes("DEL k"), false},
		{"a deletion after a look at the token", "L", twins + another, had +
			"2 1 21 22 n0 GET k -> 1795649509\n" + deletes("DEL k"), true},
		{"a deletion after a look at another value", "L", twins + another, had +
			"2 1 21 22 n0 GET k -> 1795649510\n" + deletes("DEL k"), false},
		{"a deletion after a look of another call", "L", twins + another, had +
			"2 2 21 22 n0 GET k -> 1795649509\n" + deletes("DEL k"), false},
		{"a deletion after a look by another client", "L", twins + another, had +
			"1 1 20 21 n0 GET k -> 1795649509\n" + deletes("DEL k"), false},
		{"a deletion after a look at another server", "L", twins + another, had +
			"2 1 21 22 n1 GET k -> 1795649509\n" + deletes("DEL k"), false},
		{"a deletion before a look", "L", twins + another, had +
			"2 1 26 27 n0 GET k -> 1795649509\n" + deletes("DEL k"), false},
		{"a write after a look", "L", twins, "0 1 12 15 n0 SETNX k 1795649509 -> 1\n" +
			"1 1 28 29 n0 GET k -> 1795649509\n1 1 30 31 n0 SET k 1795649509 -> OK\n", false},
		{"O, a deletion that compares", "O", twins + another, had + deletes("DELIFEQ k 1795649509"),
			true},
		{"O, a deletion that does not compare", "O", twins + another, had + deletes("DEL k"), false},

		// Whose token it is.
		{"a deletion in the background, by the owner for its earlier hold", "L",
			"lease; ttl 17956495000000; names k; c0 acquire 1 4 sent=2 lease=3; c0 release 5 8; " +
				"c0 acquire 10 20 sent=12 lease=2000000; c1 acquire 11 32 sent=30 lease=2000000; " +
				"c0 release 60 70; c1 release 80 90",
			"0 1 2 3 n0 SET k 1795649509 NX PX 1 -> OK\n" +
				"0 2 12 15 n0 SET k 1795649509 NX PX 2000000 -> OK\n" +
				"0 1 22 25 n0 DELIFEQ k 1795649509 -> 1\n" +
				"1 1 30 31 n0 SET k 1795649510 NX PX 2000000 -> OK\n", false},
		{"a deletion that names the owner's value, as its client read it", "L", twins + another,
			"2 1 2 3 n0 SET k 1795649508 NX PX 1 -> OK\n" + deletes("DELIFEQ k 1795649509"), false},
		{"a deletion by a script that names no token", "L", twins + another, had +
			deletes("EVAL drop 1 k"), false},
		{"a deletion by a client whose grant is not in the trace", "L", twins + another,
			deletes("DELIFEQ k 1795649509"), false},
		{"a deletion by a client that only counted", "L", twins + another,
			"2 1 2 3 n0 INCR k -> 1\n" + deletes("DELIFEQ k 1795649509"), false},

		// Which values of a script are tokens: those that it writes, if its commands are known.
		{"the scripts ask for one field", "L", twins,
			"0 1 12 15 n0 EVAL take 1 k a holders-of-k -> 1 | hget k holders-of-k | hincrby k a 1\n" +
				"1 1 30 31 n0 EVAL take 1 k b holders-of-k -> 1 | hget k holders-of-k | hincrby k b 1\n" +
				drop("a holders-of-k", "b holders-of-k"), false},
		{"the scripts name one lease first", "L", twins,
			"0 1 12 15 n0 EVAL take 1 k 2000 a -> 1 | hincrby k a 1\n" +
				"1 1 30 31 n0 EVAL take 1 k 2000 b -> 1 | hincrby k b 1\n" + drop("2000 a", "2000 b"), false},
		{"the scripts name one resource, too", "L", twins,
			"0 1 12 15 n0 EVAL take 1 k resource-7 a -> 1 | hincrby k a 1\n" +
				"1 1 30 31 n0 EVAL take 1 k resource-7 b -> 1 | hincrby k b 1\n" +
				drop("resource-7 a", "resource-7 b"), false},
		{"the scripts only count, and name one token", "L", twins,
			"0 1 12 15 n0 EVAL take 1 k 1795649509 -> 1 | incr k\n" +
				"1 1 30 31 n0 EVAL take 1 k 1795649509 -> 1 | incr k\n" +
				drop("1795649509", "1795649509"), true},

		{"the token is a field, and its value is a count", "L", twins,
			"0 1 12 15 n0 EVAL take 1 k 1795649509 -> 1 | hset k 1795649509 1\n" +
				"1 1 30 31 n0 EVAL take 1 k 1795649509 -> 1 | hset k 1795649509 1\n" +
				drop("1795649509", "1795649509"), true},
		{"the clients count their fields up by one number", "L", twins,
			"0 1 12 15 n0 EVAL take 1 k a 20000000 -> 1 | hincrby k a 20000000\n" +
				"1 1 30 31 n0 EVAL take 1 k b 20000000 -> 1 | hincrby k b 20000000\n" +
				drop("a 20000000", "b 20000000"), false},

		// If its commands are unknown: those that the release names as well.
		{"the clients have one lease", "L", twins, unseen("a 17956495", "b 17956495") +
			drop("a 17956495", "b 17956495"), false},
		{"the clients have one number", "L", twins, unseen("a 1", "b 1") + drop("a 1", "b 1"), false},
		{"the clients have one queue, which no release names", "L", twins,
			unseen("a queue-of-k", "b queue-of-k") + drop("a", "b"), false},
		{"the clients have one queue, which a renewal names", "L", twins,
			unseen("a queue-of-k", "b queue-of-k") + "0 1 21 22 n0 EVAL renew 1 k a queue-of-k -> 1\n" +
				"1 1 33 34 n0 EVAL renew 1 k b queue-of-k -> 1\n" + drop("a", "b"), false},
		{"releases that do not say of which acquisition they are", "L", twins,
			unseen("1795649509", "1795649509") + "0 0 61 62 n0 EVAL drop 1 k 1795649509 -> 1\n" +
				"1 0 81 82 n0 EVAL drop 1 k 1795649509 -> 1\n", true},
		{"releases without a script", "L", twins, unseen("1795649509", "1795649509") +
			"0 1 61 62 n0 DELIFEQ k 1795649509 -> 1\n1 1 81 82 n0 DELIFEQ k 1795649509 -> 1\n", true},
		{"releases of another value", "L", twins, unseen("1795649509", "1795649509") +
			"0 1 61 62 n0 DELIFEQ k -5 -> 1\n1 1 81 82 n0 DELIFEQ k -5 -> 1\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{c.property}})
			p := v.Properties[0]
			says := strings.Contains(p.Explanation, "have one token")
			if says && !strings.Contains(p.Explanation, oneToken) || says != c.want ||
				p.Verdict != Violated {
				t.Errorf("%s: %s%s", p.Verdict, p.Explanation, p.Reason)
			}
		})
	}
}

const (
	// seen is client 0's take by a script whose commands its node showed.
	seen = "0 1 12 15 n0 EVAL take 1 k 1795649509 2000 -> 1 | hincrby k 1795649509 1\n"
	// had is a hold of client 2 with client 0's token.
	had = "2 1 2 3 n0 SET k 1795649509 NX PX 1 -> OK\n"
)

// take is client 1's take by a script with these arguments.
func take(arguments string) string { return "1 1 30 31 n0 EVAL take 1 k " + arguments + " -> 1\n" }

// unseen are both clients' takes by a script whose commands no node showed.
func unseen(first, second string) string {
	return "0 1 12 15 n0 EVAL take 1 k " + first + " -> 1\n" + take(second)
}

// drop are both clients' releases by a script with these arguments.
func drop(first, second string) string {
	return "0 1 61 62 n0 EVAL drop 1 k " + first + " -> 1\n1 1 81 82 n0 EVAL drop 1 k " + second +
		" -> 1\n"
}

// deletes is client 2's deletion of client 0's key, before client 1 is granted the lock.
func deletes(what string) string {
	return "0 1 12 15 n0 SET k 1795649509 NX PX 2000000 -> OK\n2 1 22 25 n0 " + what + " -> 1\n" +
		"1 1 30 31 n0 SET k 1795649510 NX PX 2000000 -> OK\n"
}
