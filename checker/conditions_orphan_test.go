package checker

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
}
