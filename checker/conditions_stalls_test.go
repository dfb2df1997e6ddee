package checker

import "strings"

// Parts of histories in which only a release that was never answered can have deleted the owner's
// key; see unanswered. A stall of 10 ns may be why.
const (
	inferred = "ttl 160; " + unanswered + "; "
	// eitherDeleted: one of two deletions hit the key of client 0, and the other one that of a call
	// of unknown outcome.
	eitherDeleted = "ttl 160; lease; names k; c0 acquire 10 20 sent=12 lease=200; " +
		"c4 acquire 11 99 info; c1 acquire 13 90 sent=80 lease=100; c0 release 150 160; "
	eitherTrace = "0 1 12 15 n0 SETNX k a -> 1\n2 1 30 40 n0 DEL k -> 1\n" +
		"3 1 35 45 n0 DEL k -> 1\n4 1 36 39 n0 SETNX k e -> 1\n1 1 80 85 n0 SETNX k b -> 1\n"
	// innerFrees is a client whose inner release seems to let another one in.
	innerFrees = "ttl 1000; lease; loss; reentrant; c0 acquire 1 5; c0 acquire 6 8 depth=1; " +
		"c0 release 10 12 n=2; c1 acquire 9 1500000000; c0 release 1600000000 1600000001 n=1; " +
		"c1 release 1700000000 1700000001; "
	broken = "c3 acquire 25 60 info; "
	// noLease are three servers whose keys stay; a command to n0 lost its connection.
	noLease = "masters 3; poll 1; c3 acquire 5 9 info; " + split
)

// stallConditions are histories for single conditions of what excuses an O that no reply told, and
// of lost connections: without the condition the verdict would be another (see
// TestNoConditionIsIdle).
var stallConditions = []propertyCase{
	// When the machine stood still.
	{"a deletion that only follows", "O", inferred, unansweredTrace, Violated, LateMessage},
	{"a deletion that only follows, and the machine stalled since the grant", "O", inferred +
		"c-1 gap 70 gap=40", unansweredTrace, Unknown, ""},
	{"the same, for a moment", "O", inferred + "c-1 gap 70 gap=9", unansweredTrace, Violated,
		LateMessage},
	{"the same, before the grant", "O", inferred + "c-1 gap 19 gap=12", unansweredTrace, Violated,
		LateMessage},
	{"the same, afterwards", "O", inferred + "c-1 gap 140 gap=40", unansweredTrace, Violated,
		LateMessage},
	{"the same, as the plan wants it", "O", inferred + "fault pause c1 25 75; c1 gap 70 gap=40",
		unansweredTrace, Violated, LateMessage},
	{"one of two answered deletions, and the machine stalled", "O", eitherDeleted +
		"c-1 gap 70 gap=40", eitherTrace, Unknown, ""},
	{"one of two answered deletions", "O", eitherDeleted, eitherTrace, Violated, ReleasedByNonOwner},
	{"certain: a deletion that a reply told, and the machine stalled", "O", "ttl 160; " +
		robberyStory + "; c-1 gap 74 gap=12", robberyTrace + deletion, Violated, ReleasedByNonOwner},
	{"certain: a late deletion that a reply told, and the machine stalled", "O", "ttl 160; lease; " +
		"names k; c3 acquire 1 4 sent=2 lease=5; c3 release 18 46; c2 acquire 19 30 sent=20 " +
		"lease=200; c2 release 150 160; c-1 gap 44 gap=12", "3 1 2 3 n0 SETNX k d -> 1\n" +
		"3 1 18 45 n0 DEL k -> 1\n0 1 19 19 n0 DEL k -> 1\n2 1 20 22 n0 SETNX k c -> 1\n", Violated,
		ReleasedByNonOwner},
	{"an inner release that frees the lock", "E", innerFrees, "", Violated, DoubleGrant},
	{"an inner release that may free the lock, and the session may have ended in a stall", "E",
		innerFrees + "c0 gap 1400000000 gap=1000000000", "", Unknown, ""},

	// When a command was lost.
	{"a deletion that only follows, and a command timed out since the grant", "O", inferred,
		unansweredTrace + "3 1 30 60 n0 GET k -> !timeout\n", Unknown, ""},
	{"a deletion that only follows, and a command timed out before", "O", inferred,
		"3 1 18 19 n0 GET k -> !timeout\n" + unansweredTrace, Violated, LateMessage},
	{"a deletion that only follows, and a command timed out afterwards", "O", inferred,
		unansweredTrace + "3 1 100 110 n0 GET k -> !timeout\n", Violated, LateMessage},
	{"a connection is lost before any fault", "O", inferred + broken + "fault pause c1 70 75",
		unansweredTrace + "3 1 30 31 n0 GET k -> !EOF\n", Unknown, ""},
	{"a connection is lost after a fault of a server that may be its replica", "O", inferred +
		broken + "fault pause-node n1 2 3", unansweredTrace + "3 1 30 31 n0 GET k -> !EOF\n",
		Violated, LateMessage},
	{"a connection to one of several masters is lost", "D", noLease, lostOnN0, Unknown, ""},
	{"a connection is lost after a fault of another master", "D", noLease + "fault pause-node n1 1 2",
		lostOnN0, Unknown, ""},
	{"a connection is lost after a fault of that master", "D", noLease + "fault pause-node n0 1 2",
		lostOnN0, Violated, ""},
	{"a connection is lost before a fault of that master", "D", noLease + "fault pause-node n0 9 10",
		lostOnN0, Unknown, ""},
	{"a connection is lost after a fault of its client", "D", noLease + "fault pause c3 1 2", lostOnN0,
		Violated, ""},
	{"a connection is lost after a fault of another client", "D", noLease + "fault pause c2 1 2",
		lostOnN0, Unknown, ""},
	{"a connection is lost after a fault of another client's link", "D", noLease +
		"fault reset c2>n0 1 2", lostOnN0, Unknown, ""},

	// No command shows whether the key is absent.
	{"absent: only another key is asked for", "D", once + "names k; c1 acquire 10 1500000000 fail",
		strings.ReplaceAll(refusals(1, 1, 20, 15), "SET k", "SET q"), Violated, ""},
}

// lostOnN0 is a command that lost its connection, and what two clients see afterwards.
var lostOnN0 = "3 1 6 8 n0 SET k d NX -> !EOF\n" + deadVotes()
