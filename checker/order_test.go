package checker

import "strings"

// The client that was granted the lock first may read its reply last. Which value a deletion found
// follows from the order at the server, as far as that is known. Each case has one next to it in
// which the same commands mean something else.
const (
	// crossed: client 0 returns first and releases at 60, client 1 returns next.
	crossed = "lease; names k; c2 acquire 1 4 sent=2 lease=300; c2 release 5 16; " +
		"c0 acquire 10 20 sent=12 lease=200; c1 acquire 9 22 sent=11 lease=200; c0 release 60 70; " +
		"c1 release 80 90; "
	twoReleases = "2 1 2 3 n0 SETNX k c -> 1\n2 1 5 15 n0 DEL k -> 1\n"
	// swapped: client 3 releases, after its lease, while client 2 holds the lock.
	swapped = "lease; names k; c3 acquire 1 4 sent=2 lease=5; " +
		"c2 acquire 19 30 sent=20 lease=200; "
	swappedEnd   = "c3 release 32 46; c2 release 150 160; c1 release 170 180"
	swappedTrace = "3 1 2 3 n0 SET k d NX PX 0.000005 -> OK\n2 1 20 22 n0 SETNX k c -> 1\n" +
		"3 1 32 45 n0 DEL k -> 1\n"
	// movedFirst: client 2 still releases when client 0 is granted the lock, after n0's clock was
	// moved.
	movedFirst = "c2 acquire 1 4 sent=2 lease=300; c2 release 5 16; " + lostHold +
		"fault node-clock n0 8 200"
	earlierOnN0 = "2 1 2 3 n0 SET k c NX PX 300 -> OK\n2 1 6 14 n0 DEL k -> 1\n"
)

var orderCases = []propertyCase{
	{"order: the key of the client that read its reply last was deleted", "S", crossed,
		twoReleases + "1 1 11 21 n0 SETNX k b -> 1\n2 1 12 15 n0 DEL k -> 1\n" +
			"0 1 16 18 n0 SETNX k a -> 1\n", Violated, ReleasedByNonOwner},
	{"order: one deletion alone freed it for the first of them", "S", crossed,
		twoReleases + "1 1 11 21 n0 SETNX k b -> 1\n0 1 16 18 n0 SETNX k a -> 1\n", Violated,
		DoubleGrant},
	// What its sender knows to be answered came before what it sent then.
	{"order: the client that is granted the lock had deleted another's key before", "S",
		"lease; names k; c2 acquire 1 7 info; " +
			"c0 acquire 5 12 sent=10 lease=200; c1 acquire 6 20 sent=15 lease=200; c0 release 60 70; " +
			"c1 release 80 90",
		"2 1 2 3 n0 SETNX k c -> 1\n0 1 8 10 n0 DEL k -> 1\n0 1 10 11 n0 SETNX k a -> 1\n" +
			"1 1 15 19 n0 SETNX k b -> 1\n", Violated, DoubleGrant},
	// A deletion that compares with its own value leaves another's alone.
	{"order: a client takes back its own votes when the clocks were moved", "L",
		"masters 3; lease; names k; script drop free [1-9].* 0; c0 acquire 10 20 sent=12 lease=200; " +
			"c1 acquire 11 90 sent=80 lease=100; fault node-clock n0 22 23; fault node-clock n1 22 23; " +
			"c0 release 150 160; c1 release 170 180",
		ownerVotes + "1 1 30 0 n1 SET k b NX PX 100 ->\n1 1 40 45 n1 EVAL drop 1 k b -> 1\n" +
			winnerVotes, Violated, Clock},
	// A script that compares leaves what another script wrote with another owner.
	{"order: the release of an earlier hold when both grants were under way", "S",
		"lease; names k; script take take 1 0; script drop free 1 0; c1 acquire 1 4 sent=2 lease=20; " +
			"c1 release 30 36; c0 acquire 5 90 sent=31 lease=200; c1 acquire 40 50 sent=45 lease=200; " +
			"c0 release 150 160; c1 release 170 180",
		"1 1 2 3 n0 EVAL take 1 k 20 b:1 -> 1\n1 1 30 35 n0 EVAL drop 1 k 20 b:1 -> 1\n" +
			"0 1 31 80 n0 EVAL take 1 k 200 a:1 -> 1\n1 2 45 46 n0 EVAL take 1 k 200 b:1 -> 1\n",
		Violated, DoubleGrant},
	{"order: the release of an earlier hold does not say whose", "S",
		"lease; names k; script take take 1 0; script drop free 1 0; c1 acquire 1 4 sent=2 lease=20; " +
			"c1 release 30 36; c0 acquire 5 90 sent=29 lease=200; c1 acquire 40 50 sent=45 lease=200; " +
			"c0 release 150 160; c1 release 170 180",
		"1 1 2 3 n0 EVAL take 1 k 20 -> 1\n1 1 30 35 n0 EVAL drop 1 k 20 -> 1\n" +
			"0 1 29 80 n0 EVAL take 1 k 200 -> 1\n1 2 45 46 n0 EVAL take 1 k 200 -> 1\n",
		Violated, ReleasedByNonOwner},
	// A server's clock ends no key that has no expiry.
	{"order: a server's clock was moved, and the key has an expiry", "L",
		lostHold + "fault node-clock n0 22 23", ownerOnN0 + winnerOnN0, Violated, Clock},
	{"order: a server's clock was moved, and the key has no expiry", "L",
		lostHold + "fault node-clock n0 22 23", "0 1 12 15 n0 SETNX k a -> 1\n" +
			"1 1 80 85 n0 SETNX k b -> 1\n", Violated, DoubleGrant},
	{"order: the clock was moved, and a deletion was never answered", "L",
		"c2 acquire 1 4 sent=2 lease=3; c2 release 5 9 info; fault node-clock n0 22 23; " + lostHold,
		"2 1 2 3 n0 SET k c NX PX 3 -> OK\n2 1 6 0 n0 DEL k ->\n" + ownerOnN0 + winnerOnN0, Violated,
		Clock},
	{"order: no clock was moved, and a deletion was never answered", "L",
		"c2 acquire 1 4 sent=2 lease=3; c2 release 5 9 info; " + lostHold,
		"2 1 2 3 n0 SET k c NX PX 3 -> OK\n2 1 6 0 n0 DEL k ->\n" + ownerOnN0 + winnerOnN0, Violated,
		LateMessage},
	// What did not leave its client was not executed.
	{"order: the late deletion freed the key, and many others did not leave their client", "L",
		movedFirst, earlierOnN0 + strings.Repeat("1 1 7 9 n0 DEL k -> !not-sent\n", 70) + ownerOnN0 +
			winnerOnN0, Violated, ReleasedByNonOwner},
	{"order: a deletion that did not leave its client deletes nothing", "L",
		"c2 acquire 1 4 sent=2 lease=3; c2 release 5 9 info; " + lostHold,
		"2 1 2 3 n0 SET k c NX PX 3 -> OK\n2 1 6 22 n0 DEL k -> !not-sent\n" + ownerOnN0 + winnerOnN0,
		Violated, DoubleGrant},
	// Who writes the key over deletes what is its own.
	{"order: a client takes the key over and gives it back", "O",
		lostHold + "c2 acquire 30 36 sent=31 lease=200 node=n0; c2 release 40 46",
		"0 1 12 15 n0 SETNX k a -> 1\n2 1 31 35 n0 GETSET k c -> a\n2 1 41 0 n0 DEL k ->\n" +
			"1 1 80 85 n0 SETNX k b -> 1\n", Valid, ""},
	{"order: a client gives back what another took over", "O",
		lostHold + "c2 acquire 30 36 sent=31 lease=200 node=n0; c2 release 40 46",
		"0 1 12 15 n0 SETNX k a -> 1\n2 1 41 0 n0 DEL k ->\n1 1 80 85 n0 SETNX k b -> 1\n", Violated,
		ReleasedByNonOwner},
	// A swap that was told that the key was free came after the deletion that was under way with it.
	{"order: a swap found the key free, so the deletion came first", "O", swapped +
		"c1 acquire 9 60 sent=31 lease=200; " + swappedEnd, swappedTrace +
		"1 1 31 40 n0 GETSET k b -> (nil)\n", Violated, ReleasedByNonOwner},
	{"order: a swap found the value, so the deletion hit the swap's", "O", swapped +
		"c1 acquire 9 60 sent=31 lease=200; " + swappedEnd, swappedTrace +
		"1 1 31 40 n0 GETSET k b -> c\n", Violated, ReleasedByNonOwner},
	{"order: a swap found the key free, and the owner's own release was under way", "O", swapped +
		"c1 acquire 9 42 sent=31 lease=200; c3 release 32 46; c2 release 33 46; c1 release 170 180",
		swappedTrace + "1 1 31 40 n0 GETSET k b -> (nil)\n2 1 33 44 n0 DEL k -> 1\n", Valid, ""},
	{"order: a client was lent the key by a swap that let no one in, and deletes it", "O",
		"lease; names k; c2 acquire 19 35 sent=20 lease=200; c1 acquire 9 60 fail; " +
			"c2 release 150 160", "2 1 20 22 n0 SETNX k c -> 1\n" +
			"1 1 23 25 n0 GETSET k b -> c\n1 1 32 45 n0 DEL k -> 1\n", Violated, ReleasedByNonOwner},
	{"order: a deletion was sent before the grant, and only it can have hit the key", "O",
		"lease; names k; c3 acquire 1 4 sent=2 lease=5; c3 release 18 46; c2 acquire 19 30 sent=20 " +
			"lease=200; c2 release 150 160", "3 1 2 3 n0 SETNX k d -> 1\n3 1 18 45 n0 DEL k -> 1\n" +
			"0 1 19 19 n0 DEL k -> 1\n2 1 20 22 n0 SETNX k c -> 1\n", Violated, ReleasedByNonOwner},
	{"order: a deletion was sent before the grant, and may have freed the key for it", "O",
		"lease; names k; c3 acquire 1 4 sent=2 lease=5; c3 release 18 46; c2 acquire 19 30 sent=20 " +
			"lease=200; c2 release 150 160", "3 1 2 3 n0 SETNX k d -> 1\n3 1 18 45 n0 DEL k -> 1\n" +
			"2 1 20 22 n0 SETNX k c -> 1\n", Valid, ""},
	{"order: a deletion that was answered after the holder had begun to release", "O", swapped +
		"c1 acquire 9 60 sent=31 lease=200; c2 release 42 60; c1 release 70 71; c3 release 32 46",
		swappedTrace + "1 1 31 40 n0 GETSET k b -> (nil)\n", Valid, ""},
	{"order: a client deletes the owner's vote when the clocks were moved", "L",
		"masters 3; lease; names k; c0 acquire 10 20 sent=12 lease=200; " +
			"c1 acquire 11 90 sent=80 lease=100; fault node-clock n0 22 23; fault node-clock n1 22 23; " +
			"c0 release 150 160; c1 release 170 180",
		ownerVotes + "1 1 40 45 n1 DEL k -> 1\n" + winnerVotes, Violated, ReleasedByNonOwner},
}
