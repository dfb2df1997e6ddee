package checker

import (
	"strings"
	"testing"
)

// Parts of histories of re-entrant locks.
const (
	// innerReleased is a hold with an inner acquisition that is released.
	innerReleased = "c0 acquire 1 5; c0 acquire 6 7 depth=1; c0 release 8 9; "
	// strayStory is one that an old release of the same client follows.
	strayStory = "reentrant; lease; names k; c0 acquire 1 3 sent=2 lease=90; c0 release 4 5 info; " +
		"c0 acquire 6 8 sent=7 lease=200; c0 acquire 9 10 depth=1 sent=9 lease=200; c0 release 11 12; " +
		"c1 acquire 2 30 sent=28 lease=100; c0 release 50 51; c1 release 60 61"
	strayTrace = "0 1 2 3 n0 SETNX k a -> 1\n0 1 4 5 n0 DEL k -> 1\n0 2 7 8 n0 SETNX k a -> 1\n"
	strayNext  = "1 1 28 29 n0 SETNX k b -> 1\n"
	// atOnce are two grants that overlap, of which the token of the first is larger.
	atOnce = "lease; fencing; c0 acquire 1 60 sent=2 lease=20 token=9; c1 acquire 3 50 sent=40 " +
		"lease=100 token=5; c0 release 70 71; c1 release 72 73"
	// takesOld: the resource accepts client 0's write although client 1, whose token is later, wrote
	// before.
	takesOld = "fencing; workload fenced; c0 acquire 1 5 token=1; c1 acquire 6 8 token=2; " +
		"c1 write 9 10 value=1; c0 write 11 12 value=2"
	// oneGrant is a grant with the word of the lock that it is good until 103.
	oneGrant = "validity; names k; c0 acquire 1 20 sent=2 valid=103"
)

// letterConditions are histories for single conditions of the other properties.
var letterConditions = []propertyCase{
	// Owner.
	{"its own key while it is inside", "O", "lease; c0 acquire 10 20 sent=12 lease=100; " +
		"c1 acquire 11 30 fail; c0 release 70 80",
		"0 1 12 15 n0 SETNX k a -> 1\n0 1 40 45 n0 DEL k -> 1\n", Valid, ""},

	// Orphans, and what class they have.
	{"refused by another client's write that was never answered", "R", "names k; " + nobodyStory +
		"c2 acquire 20 25 fail", "2 1 21 0 n0 SETNX k c ->\n" + refusedR, Violated, ""},
	{"refused by its own write of an earlier acquisition", "R", "lease; c0 acquire 10 20 sent=12 " +
		"lease=100; c0 release 22 24; c1 acquire 25 29 fail; c1 acquire 45 90 fail",
		nobodyTrace + "0 1 22 23 n0 DEL k -> 1\n1 1 26 0 n0 SETNX k b ->\n1 2 50 55 n0 SETNX k b -> 0",
		Violated, ""},
	{"refused by its own write, of which it knew", "R", nobodyStory,
		nobodyTrace + "1 1 41 42 n0 SET k b -> OK\n" + refusedR, Violated, ""},
	{"refused after its own write was answered and taken back", "R", nobodyStory,
		nobodyTrace + "1 1 41 42 n0 SETNX k b -> 1\n1 1 43 44 n0 DEL k -> 1\n" + refusedR, Violated, ""},
	{"votes whose taking back timed out, on a Redis of the user's", "R",
		"environment external; " + voteStory, voteTrace + "0 1 31 0 n0 EVAL drop 1 k a ->\n" +
			"0 1 31 0 n1 EVAL drop 1 k a ->\n" + deniedVotes, Unknown, ""},
	{"a release timed out long ago, and the key does not end", "R", "environment sim; names k; " +
		"c0 acquire 10 20; c0 release 30 40 info; c1 acquire 11 90 fail",
		nobodyTrace + "0 1 31 0 n0 DEL k ->\n" + refusedR, Unknown, ""},
	{"a release timed out, and a fault held another command back long before", "R",
		"environment sim; names k; ttl 100; lease; c2 acquire 1 9 fail; fault cut c2>* 4 8; " +
			"c0 acquire 510 520 sent=512 lease=100; c0 release 530 540 info; c1 acquire 511 590 fail",
		"2 1 5 0 n0 GET k ->\n0 1 512 515 n0 SETNX k a -> 1\n0 1 531 0 n0 DEL k ->\n" +
			"1 1 560 565 n0 SETNX k b -> 0", Unknown, ""},
	{"a fault held the release back, and a later command has no answer", "R",
		"environment sim; names k; ttl 1000; lease; c0 acquire 10 20 sent=12 lease=1000; " +
			"fault cut c0>* 30 36; c0 release 31 40 info; c1 acquire 11 90 fail",
		nobodyTrace + "0 1 32 0 n0 DEL k ->\n1 1 45 0 n0 GET k ->\n" + refusedR, Violated, ""},
	{"a refusal of one acquisition and a refusal of the next", "R", voteStory +
		"c2 acquire 50 400 fail; c2 acquire 401 900 fail",
		voteTrace + "0 1 31 33 n0 EVAL drop 1 k a -> 1\n0 1 31 33 n1 EVAL drop 1 k a -> 1\n" +
			"0 1 31 33 n2 EVAL drop 1 k a -> 1\n2 1 390 510 n0 SET k b NX PX 1000 -> (nil)\n" +
			"2 2 505 520 n1 SET k b NX PX 1000 -> (nil)\n", Valid, ""},
	{"an old lease, and another client writes before it is tried again", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40 info; c1 acquire 11 150 sent=140 " +
			"lease=100", nobodyTrace + "1 1 50 55 n0 SETNX k b -> 0\n2 1 60 61 n0 EXPIRE k 5 -> 1\n" +
			"1 1 140 145 n0 SETNX k b -> 1", Violated, ""},
	{"the release broke off, and no fault explains it", "R", nobodyStory,
		nobodyTrace + "0 1 31 38 n0 DEL k -> !EOF\n" + refusedR, Unknown, ""},
	{"a read of the release broke off, and no fault explains it", "R", nobodyStory,
		nobodyTrace + "0 1 31 38 n0 GET k -> !EOF\n" + refusedR, Unknown, ""},
	{"a read broke off of a call that wrote nothing", "R", nobodyStory + "c2 acquire 20 39 info",
		nobodyTrace + "2 1 31 38 n0 GET k -> !EOF\n" + refusedR, Violated, ""},
	{"a read broke off of a call that may have written", "R", nobodyStory + "c2 acquire 20 39 info",
		nobodyTrace + "2 1 22 0 n0 SETNX k c -> \n2 1 31 38 n0 GET k -> !EOF\n" + refusedR, Unknown, ""},
	{"the release broke off after a fault", "R", "fault pause-node n0 1 2; " + nobodyStory,
		nobodyTrace + "0 1 31 38 n0 DEL k -> !EOF\n" + refusedR, Violated, ""},
	{"the release broke off by a fault that began then", "R", "fault cut c0>* 33 39; " + nobodyStory,
		nobodyTrace + "0 1 31 38 n0 DEL k -> !EOF\n" + refusedR, Violated, ""},
	{"a command of a release broke off, and the release succeeded", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40; c1 acquire 11 90 fail",
		nobodyTrace + "0 1 31 33 n0 DEL k -> !EOF\n0 1 34 38 n0 DEL k -> 1\n" + refusedR, Violated, ""},

	// Fencing.
	{"granted by scripts of which only their author knows what they did", "F", atOnce,
		"0 1 2 5 n0 EVAL s 1 k a -> 1\n1 1 40 45 n0 EVAL s 1 k b -> 1", Valid, ""},
	{"two writes with the same token", "F", "fencing; workload fenced; c0 acquire 1 5 token=1; " +
		"c0 write 6 7 value=1; c0 write 8 9 value=2; c0 release 10 11", "", Valid, ""},
	{"an older token, and others may have deleted the counter", "F", "environment external; " +
		"fencing; c0 acquire 1 5 token=2; c0 release 6 7; c1 acquire 8 9 token=1", "", Violated,
		Vanished},
	{"an older token, and no others can have deleted the counter", "F", "environment process; " +
		"fencing; c0 acquire 1 5 token=2; c0 release 6 7; c1 acquire 8 9 token=1", "", Violated,
		OldToken},
	{"one token twice, which no deleted counter explains", "F", "environment external; fencing; " +
		"c0 acquire 1 9 token=2; c0 release 10 11; c1 acquire 2 8 token=2", "", Violated, OldToken},
	{"the resource takes an older token, and others may have deleted the counter", "F",
		"environment external; " + takesOld, "", Violated, OldToken},
	{"the resource takes an older token, and the lock's server was restarted", "F", takesOld +
		"; fault kill n0 2 3", "", Violated, OldToken},

	// The validity of a grant.
	{"no grant", "V", "validity; c0 acquire 1 20 fail", "", NA, ""},
	{"said of a lease that does not end", "V", oneGrant, "", Valid, ""},
	{"the command sets no lease, and the lock names none", "V", oneGrant,
		"0 1 2 12 n0 SET k a NX -> OK", Valid, ""},
	{"the command sets no lease, and the lock names one", "V", oneGrant + " lease=100",
		"0 1 2 12 n0 SETNX k a -> 1", Violated, PromisedTooLong},
	{"the command names the end by the server's clock", "V",
		"validity; names k; c0 acquire 1 20 sent=2 valid=9000000",
		"0 1 2 12 n0 SET k a NX PXAT 2 -> OK", Valid, ""},
	{"a node refuses, and its successor grants", "V", "names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 5 n0 SET k a NX PX 1 -> (error) READONLY You can't write\n" +
			"0 1 6 9 n1 SET k a NX PX 1 -> OK", Valid, ""},
	{"over when the second vote arrives that was not given back", "V",
		"validity; masters 3; names k; c0 acquire 1 40 sent=2 valid=20; c0 release 50 51",
		"0 1 2 11 n0 SET k a NX PX 1 -> OK\n0 1 2 12 n1 SET k a NX PX 1 -> OK\n" +
			"0 1 13 14 n0 DEL k -> 1\n0 1 2 22 n2 SET k a NX PX 1 -> OK", Violated, OverWhenDelivered},
	{"a vote that was given back without an answer is none", "V",
		"validity; masters 3; names k; c0 acquire 1 40 sent=2 valid=20; c0 release 50 51",
		"0 1 2 11 n0 SET k a NX PX 1 -> OK\n0 1 2 12 n1 SET k a NX PX 1 -> OK\n" +
			"0 1 13 0 n0 DEL k ->\n0 1 2 22 n2 SET k a NX PX 1 -> OK", Violated, OverWhenDelivered},
	{"a vote that is given a time to live", "V",
		"validity; masters 3; names k; c0 acquire 1 40 sent=2 valid=20; c0 release 50 51",
		"0 1 2 11 n0 SETNX k a -> 1\n0 1 2 12 n1 SETNX k a -> 1\n0 1 13 14 n0 EXPIRE k 5 -> 1\n" +
			"0 1 2 30 n2 SETNX k a -> 1", Valid, ""},
	{"the server had refused what a command had written that ended in an error", "V",
		"names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 3 n0 SET k a NX PX 1 -> !EOF\n0 1 5 12 n0 SET k a NX PX 1 -> (nil)", NA, ""},
	{"the server had refused, and neither a write nor its taking back were answered", "V",
		"names k; c0 acquire 1 20; c0 release 30 31", "0 1 2 0 n0 SET k a NX PX 1 ->\n" +
			"0 1 3 0 n0 DEL k ->\n0 1 5 12 n0 SET k a NX PX 1 -> (nil)", NA, ""},

	// Notice.
	{"an imported history that declares leases", "N", "imported; lease; c0 acquire 1 5; " +
		"c1 acquire 2 20; c0 release 40 41; c1 release 42 43", "", Violated, ""},
	{"an imported history that declares nothing", "N", "imported; c0 acquire 1 5; c1 acquire 2 20; " +
		"c0 release 40 41; c1 release 42 43", "", NA, ""},
	{"the second one had been refused, and comes in by mistake", "N", "names k; c0 acquire 1 5; " +
		"c1 acquire 6 20; c0 release 40 41; c1 release 42 43",
		"0 1 2 3 n0 SET k a NX -> OK\n1 1 7 8 n0 SET k b NX -> (nil)\n1 1 42 43 n0 DEL k -> 0", NA,
		""},
	{"a late one that had been told when its hold is over", "N", "lease; c0 acquire 30 35 sent=31 " +
		"lease=200; c1 acquire 1 50 sent=2 lease=20 valid=22; c1 release 70 71; c0 release 90 91", "",
		Valid, ""},

	// Re-entry.
	{"refused between two leases", "E", "reentrant; lease; c0 acquire 1 5 sent=1 lease=5; " +
		"c0 acquire 10 12 fail; c0 extend 20 sent=15 lease=100; c0 release 50 51", "", Valid, ""},
	{"free after the inner release, and the machine stalled", "E", "reentrant; ttl 8; " +
		innerReleased +
		"c-1 gap 12 gap=3; c1 acquire 2 14; c0 release 20 21; c1 release 23 24", "", Violated,
		DoubleGrant},
	{"free after another client's inner release", "E", "reentrant; c0 acquire 1 5; c2 acquire 2 6; " +
		"c2 acquire 7 8 depth=1; c2 release 9 10; c1 acquire 3 20; c2 release 25 26; c0 release 30 31; " +
		"c1 release 34 35", "", Valid, ""},
	{"free after an inner release of another lock", "E", "reentrant; c0 acquire 1 5 key=0; " +
		"c0 acquire 6 7 key=1; c0 acquire 8 9 depth=1 key=1; c0 release 10 11 key=1; " +
		"c1 acquire 2 14 key=0; c0 release 20 21 key=0 n=1; c1 release 23 24 key=0", "", Valid, ""},
	{"free after an inner release", "E", strayStory, strayTrace + strayNext, Violated, DoubleGrant},
	{"free after an inner release, but by an old release that came again", "E", strayStory,
		strayTrace + "0 1 20 25 n0 DEL k -> 1\n" + strayNext, Valid, ""},

	// Whose attempt it was.
	{"its own vote of an earlier attempt of the call that was granted then", "L", lostVotesOf,
		"1 1 30 35 n2 SET k b NX PX 100 -> OK\n1 1 40 45 n2 DEL k -> 1\n" + ownerVotes + winnerVotes,
		Violated, DoubleGrant},
	{"the owner's vote, by an earlier attempt of the call that was granted then", "L", lostVotesOf,
		"1 1 40 45 n1 DEL k -> 1\n" + ownerVotes + winnerVotes, Violated, ReleasedByNonOwner},
}

// TestNoticeIsForTheLoser: of two clients that are inside at once the one that has lost its hold
// should have been told, whichever came in first.
func TestNoticeIsForTheLoser(t *testing.T) {
	for name, c := range map[string]struct{ story, trace, want string }{
		"the first one's lease had ended": {"lease; c0 acquire 1 5 sent=2 lease=10; " +
			"c1 acquire 6 20 sent=15 lease=100; c0 release 40 41; c1 release 42 43", "",
			"Client 0 was not told"},
		"the second one is late: its lease had ended before it came in": {"lease; " +
			"c0 acquire 30 35 sent=31 lease=200; c1 acquire 1 50 sent=2 lease=20; c1 release 70 71; " +
			"c0 release 90 91", "", "Client 1 was not told"},
		"the second one is late: it was granted first": {"names k; c0 acquire 30 35; c1 acquire 1 50; " +
			"c1 release 70 71; c0 release 90 91",
			"1 1 2 12 n0 SET k b NX -> OK\n0 1 31 33 n0 SET k a NX -> OK", "Client 1 was not told"},
		"the second one was granted first, but its lease is the one that runs": {"lease; names k; " +
			"c0 acquire 30 35 sent=31 lease=9; c1 acquire 1 50 sent=2 lease=200; c1 release 70 71; " +
			"c0 release 90 91", "1 1 2 12 n0 SET k b NX -> OK\n0 1 31 33 n0 SET k a NX -> OK",
			"Client 0 was not told"},
		"only the grant of the late one is in the trace": {"names k; c0 acquire 30 35; " +
			"c1 acquire 1 50; c1 release 70 71; c0 release 90 91", "1 1 2 12 n0 SET k b NX -> OK",
			"Client 0 was not told"},
		"both leases had ended": {"lease; c0 acquire 30 35 sent=31 lease=9; " +
			"c1 acquire 1 50 sent=2 lease=20; c1 release 70 71; c0 release 90 91", "",
			"Client 0 was not told"},
		"the grants were under way at the same time": {"names k; c0 acquire 30 35; c1 acquire 1 50; " +
			"c1 release 70 71; c0 release 90 91",
			"1 1 2 32 n0 SET k b NX -> OK\n0 1 31 33 n0 SET k a NX -> OK", "Client 0 was not told"},
	} {
		v := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{"N"}})
		if p := v.Properties[0]; p.Verdict != Violated || !strings.Contains(p.Explanation, c.want) {
			t.Errorf("%s: %s: %s%s", name, p.Verdict, p.Explanation, p.Reason)
		}
	}
}
