package checker

// Parts of histories in which client 3 deletes the key of client 2 from 32 to 45. A question that
// was never answered hides the order of the commands; only their replies tell it.
const (
	// hitInside: client 2 holds the lock, and client 3 had it long before.
	hitInside = "lease; names k; c3 acquire 1 4 sent=2 lease=5; c2 acquire 19 30 sent=20 lease=200; " +
		"c3 release 32 46; c2 release 150 160; "
	hitTrace = "3 1 2 3 n0 SET k d NX PX 0.000005 -> OK\n2 1 20 22 n0 SETNX k c -> 1\n" +
		lostQuestion + "3 1 32 45 n0 DEL k -> 1\n"
	lostQuestion = "0 1 25 0 n0 GET k ->\n"
	// tookOver: client 1 takes the key of client 2 over, and gives it back.
	tookOver = "lease; names k; c2 acquire 19 30 sent=20 lease=200; " +
		"c1 acquire 9 36 sent=31 lease=200; c1 release 40 46; c2 release 150 160; "
	tookOverTrace = "2 1 20 22 n0 SETNX k c -> 1\n1 1 31 35 n0 SET k b XX -> OK\n" +
		"1 1 41 45 n0 DEL k -> 1\n"
)

// ownerConditions are histories for single conditions of the rule that finds a deletion of
// another's key by the orders of the commands: without the condition the verdict would be another
// (see TestNoConditionIsIdle).
var ownerConditions = []propertyCase{
	// Whose value a deletion hit.
	{"order: a deletion hit the only value that was there", "O", hitInside, hitTrace, Violated,
		ReleasedByNonOwner},
	{"order: the same, and a script had counted it up", "O", hitInside,
		"2 1 20 22 n0 EVAL take 1 k c -> 1 | incr k\n" + lostQuestion + "3 1 32 45 n0 DEL k -> 1\n",
		Violated, ReleasedByNonOwner},
	{"order: the same, and programs other than the clients may delete keys", "O",
		"environment external; " + hitInside, hitTrace, Valid, ""},
	{"order: the same, and the commands do not say of which acquisition they are", "O", hitInside,
		"3 0 2 3 n0 SET k d NX PX 0.000005 -> OK\n2 0 20 22 n0 SETNX k c -> 1\n" + lostQuestion +
			"3 0 32 45 n0 DEL k -> 1\n", Violated, ReleasedByNonOwner},
	{"order: the same, and the key's own lease was over before the answer", "O", hitInside,
		"3 1 2 3 n0 SET k d NX PX 0.000005 -> OK\n2 1 20 22 n0 SET k c NX PX 0.00002 -> OK\n" +
			lostQuestion + "3 1 32 45 n0 DEL k -> 1\n", Valid, ""},
	{"order: a script says that it deleted the key, which its holder had deleted before", "O",
		hitInside, "3 1 2 3 n0 SET k d NX PX 0.000005 -> OK\n2 1 20 22 n0 SETNX k c -> 1\n" +
			"2 1 23 24 n0 DEL k -> 1\n" + lostQuestion +
			"3 1 32 45 n0 EVAL drop 1 k -> 1 | DEL k\n", Valid, ""},
	{"order: it may have hit a key from before a restart", "O", "fault kill n0 0 1; lease; names k; " +
		"c3 acquire 1 4 sent=2 lease=5; c3 release 18 46; c2 acquire 19 30 sent=20 lease=200; " +
		"c2 release 150 160", "3 1 18 45 n0 DEL k -> 1\n2 1 20 22 n0 SETNX k c -> 1\n", Valid, ""},
	{"order: it may have hit what its own client wrote meanwhile", "O", "lease; names k; " +
		"c2 acquire 19 30 sent=20 lease=200; c3 acquire 29 60 info; c2 release 150 160",
		"2 1 20 22 n0 SETNX k c -> 1\n3 1 31 40 n0 SET k d -> OK\n3 1 32 45 n0 DEL k -> 1\n", Valid, ""},
	{"order: it may have hit what the holder had left behind before", "O", "lease; names k; " +
		"c2 acquire 4 8 sent=5 lease=200; c2 release 10 13 info; c3 acquire 1 3 sent=2 lease=2; " +
		"c3 release 18 46; c2 acquire 19 30 sent=20 lease=200; c2 release 150 160",
		"2 1 5 7 n0 SETNX k c -> 1\n2 1 11 0 n0 DEL k ->\n3 1 18 45 n0 DEL k -> 1\n" +
			"2 2 20 22 n0 SETNX k c -> 1\n", Valid, ""},
	{"order: it hit what the holder wrote by an inner acquisition", "O", "reentrant; " + hitInside +
		"c2 acquire 31 41 depth=1 sent=33 lease=200", hitTrace + "2 2 33 40 n0 SET k c -> OK\n",
		Violated, ReleasedByNonOwner},

	// Whether its sender had the key itself.
	{"order: a client takes the key over and deletes it", "O", tookOver, tookOverTrace, Valid, ""},
	{"order: the same by a call of unknown outcome", "O", "lease; names k; " +
		"c2 acquire 19 30 sent=20 lease=200; c1 acquire 9 46 info; c2 release 150 160", tookOverTrace,
		Valid, ""},
	{"order: the same, and another client has the lock afterwards", "O", tookOver +
		"c0 acquire 59 62 sent=60 lease=5; c0 release 63 67", tookOverTrace +
		"0 1 60 61 n0 SETNX k a -> 1\n0 1 64 66 n0 DEL k -> 1\n", Valid, ""},
	{"order: a client takes the key over, loses it to another, and deletes that one's", "O",
		"lease; names k; c1 acquire 9 18 sent=12 lease=200; c2 acquire 19 30 sent=20 lease=200; " +
			"c1 release 32 46; c2 release 150 160", "1 1 12 15 n0 SETNX k b -> 1\n" +
			"2 1 20 22 n0 GETSET k c -> b\n" + lostQuestion + "1 1 32 45 n0 DEL k -> 1\n", Violated,
		ReleasedByNonOwner},
	{"order: a client has the key on another server, and deletes one here", "O", hitInside,
		"3 1 2 3 n1 SET k d NX PX 300 -> OK\n2 1 20 22 n0 SETNX k c -> 1\n" + lostQuestion +
			"3 1 32 45 n0 DEL k -> 1\n", Violated, ReleasedByNonOwner},
	{"order: a client asks whose key it is, and deletes it", "O", hitInside, hitTrace +
		"3 1 30 31 n0 GET k -> c\n", Violated, ReleasedByNonOwner},
	{"order: a client deletes the key and takes it at once", "O", "lease; names k; " +
		"c3 acquire 1 4 sent=2 lease=5; c3 release 18 25; c2 acquire 19 30 sent=20 lease=200; " +
		"c3 acquire 28 60 info; c2 release 150 160",
		hitTrace + "3 2 33 50 n0 SETNX k d -> 1\n", Violated, ReleasedByNonOwner},
}
