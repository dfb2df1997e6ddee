package checker

// Parts of histories in which another key than the lock's looks like it.
const (
	lockTaken  = "0 1 12 13 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n"
	shortLock  = "0 1 12 13 n0 SET lock:k aaaaaaaa NX PX 20 -> OK\n"
	endsTaken  = "0 1 12 13 n0 SET lock:k a NX PX 300 -> OK\n"
	endsDenied = "1 1 70 75 n0 SET lock:k b NX PX 300 -> (nil)\n"
	fieldCount = "0 1 14 15 n0 HINCRBY stats:k acquired 1 -> 1\n"
	lockStolen = "1 1 30 35 n0 SET lock:k bbbbbbbb NX PX 200 -> (nil)\n" +
		"1 1 40 45 n0 DEL lock:k -> 1\n"
	leftInside = leased + "c0 acquire 10 60 sent=12 lease=200000000; c0 kill 90; end 200"
	ranked     = "0 1 13 14 n0 ZADD k 1 aaaaaaaa -> 1\n0 1 14 15 n0 ZRANK k aaaaaaaa -> 0\n" +
		"0 1 16 17 n0 PEXPIRE k 200 -> 1\n"
	ownNames = leased + "masters 3; c0 acquire 10 60 sent=12 lease=200000000; " +
		"c0 release 4000000 4000010"
	ownTakes = "0 1 12 15 n0 SET a:k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 12 15 n1 SET b:k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 12 15 n2 SET c:k aaaaaaaa NX PX 200 -> OK\n"
	lookedNote = "0 1 14 15 n0 GET holder:k -> (nil)\n0 1 16 17 n0 SET holder:k aaaaaaaa"
)

// helperCases are cases in which a helper of a lock looks like the lock.
var helperCases = []propertyCase{
	// Clients of a semaphore all count one field up.
	{"helper: killed, with a count of all grants", "D", oneKilled, endsTaken + fieldCount + endsDenied,
		Unknown, ""},
	{"helper: killed, and the lock is a count", "D", oneKilled, "0 1 14 15 n0 HINCRBY k a 1 -> " +
		"1\n" +
		"1 1 70 75 n0 HEXISTS k b -> 0\n", Violated, ""},
	{"helper: a short lease, with a count of all grants", "V", leftInside, shortLock + fieldCount,
		Violated, PromisedTooLong},
	{"helper: a killed holder's key is deleted, with a count of all grants", "O", leased +
		"c0 acquire 10 20 sent=12 lease=200000000; c0 kill 100; c1 acquire 25 60 fail", lockTaken +
		fieldCount + lockStolen, Violated, ReleasedByNonOwner},
	{"helper: the release lets the key expire, with a count of all grants", "O", inside +
		"c1 acquire 25 60 fail", lockTaken + fieldCount + lockStolen +
		"0 1 101 105 n0 PEXPIRE lock:k 0 -> 0\n", Violated, ReleasedByNonOwner},

	// A helper may have the lock's name, and the lock another word with it.
	{"helper: killed, and a token has the lock's name", "D", oneKilled, endsTaken +
		"0 1 14 15 n0 INCR k -> 1\n" + endsDenied, Unknown, ""},
	{"helper: killed, and a token that is made before has the lock's name", "D", oneKilled,
		endsTaken + "0 1 13 14 n0 SET k 0 NX -> OK\n0 1 14 15 n0 INCR k -> 1\n" + endsDenied,
		Unknown, ""},
	{"helper: a short note has the lock's name", "V", longHold, lockTaken +
		"0 1 14 15 n0 SET k aaaaaaaa PX 20 -> OK\n0 1 4000001 4000005 n0 DEL lock:k -> 1\n", Valid, ""},
	{"helper: the lock is a counter, and a short note is cleared with it", "V", longHold,
		"0 1 12 13 n0 INCR k -> 1\n0 1 13 14 n0 PEXPIRE k 200 -> 1\n" +
			"0 1 14 15 n0 SET holder:k aaaaaaaa PX 20 -> OK\n" + longFreed +
			"0 1 4000006 4000007 n0 DEL holder:k -> 1\n", Valid, ""},
	{"helper: a token has the lock's name, and another deletes the lock", "O", inside +
		"c1 acquire 25 60 fail", lockTaken + "0 1 14 15 n0 INCR k -> 1\n" + lockStolen +
		"0 1 101 105 n0 DEL lock:k -> 0\n", Violated, ReleasedByNonOwner},
	{"helper: a note has the lock's name, and another deletes it", "O", inside +
		"c1 acquire 25 60 fail", lockTaken + "0 1 14 15 n0 SET k aaaaaaaa -> OK\n" +
		"1 1 40 45 n0 DEL k -> 1\n0 1 101 105 n0 DEL lock:k -> 1\n", Valid, ""},

	// A note that was read before may be the lock.
	{"helper: a short note that was read before, and killed", "V", leftInside, lockTaken +
		lookedNote + " PX 20 -> OK\n", Valid, ""},
	{"helper: a note that was read before, and both are short", "V", leftInside, shortLock +
		lookedNote + " PX 20 -> OK\n", Violated, PromisedTooLong},
	{"helper: killed, with a note that was read before", "D", oneKilled, endsTaken + lookedNote +
		" -> OK\n" + endsDenied, Unknown, ""},
	{"helper: another deletes a note that was read before", "O", inside + "c1 acquire 25 60 fail",
		lockTaken + lookedNote + " -> OK\n1 1 40 45 n0 DEL holder:k -> 1\n" +
			"0 1 101 105 n0 DEL lock:k -> 1\n0 1 106 107 n0 DEL holder:k -> 0\n", Unknown, ""},
	{"helper: a short lease after a promise, with a note that was read before", "V", leased +
		"c0 acquire 10 60 sent=12 lease=200000000 valid=200000012; c0 kill 90; end 200", lockTaken +
		lookedNote + " PX 20 -> OK\n", Valid, ""},

	{"helper: the lock is short, and has its name, with a longer note that was read before", "V",
		leftInside, "0 1 12 13 n0 SET k aaaaaaaa NX PX 20 -> OK\n" + lookedNote + " PX 200 -> OK\n",
		Violated, PromisedTooLong},
	{"helper: the lock has two keys, and another deletes one", "O", inside + "c1 acquire 25 60 " +
		"fail",
		"0 1 10 11 n0 SETNX two:k aaaaaaaa -> 1\n" + lockTaken + lockStolen +
			"0 1 101 105 n0 DEL lock:k -> 0\n0 1 106 107 n0 DEL two:k -> 1\n", Violated,
		ReleasedByNonOwner},

	{"helper: an unknown script tries twice, and another deletes its key", "O", inside +
		"c1 acquire 25 60 fail", "0 1 11 12 n0 EVAL tk 1 lock:k aaaaaaaa -> 640\n" +
		"0 1 13 14 n0 EVAL tk 1 lock:k aaaaaaaa -> OK\n1 1 40 45 n0 DEL lock:k -> 1\n" +
		"0 1 101 105 n0 DEL lock:k -> 0\n", Violated, ReleasedByNonOwner},
	{"helper: an unknown script names a queue second, and another deletes its first key", "O", inside +
		"c1 acquire 25 60 fail", "0 1 12 13 n0 EVAL tk 2 lock:k queue:k aaaaaaaa -> 1\n" +
		"1 1 40 45 n0 DEL lock:k -> 1\n0 1 101 105 n0 EVAL rel 2 lock:k queue:k aaaaaaaa -> 0\n",
		Violated, ReleasedByNonOwner},

	// The lock is a place in a sorted set, and a note is the only key that a client surely wrote.
	{"helper: a short note beside a place in a sorted set", "V", longHold, "0 1 12 13 n0 SET " +
		"beat:k " +
		"aaaaaaaa PX 20 -> OK\n" + ranked + "0 1 4000001 4000005 n0 ZREM k aaaaaaaa -> 1\n", Valid, ""},
	{"helper: killed in a place in a sorted set, with a note", "D", oneKilled, ranked +
		"0 1 20 21 n0 SET owner:k a -> OK\n1 1 76 77 n0 ZRANK k b -> 1\n", Unknown, ""},
	{"helper: killed in a place in a sorted set that ends", "D", oneKilled, ranked +
		"1 1 76 77 n0 ZRANK k b -> 1\n", Unknown, ""},
	{"helper: killed in a place that a script takes, with a note", "D", oneKilled, "0 1 12 13 " +
		"n0 EVAL " +
		"tk 1 lock:k a 300 -> 1 | ZADD lock:k 1 a | PEXPIRE lock:k 300\n" +
		"0 1 14 15 n0 SET owner:k a -> OK\n1 1 76 77 n0 ZRANK k b -> 1\n", Unknown, ""},
	{"helper: killed, and an unknown script may have set an end", "D", oneKilled,
		"0 1 12 13 n0 SETNX k a -> 1\n0 1 14 15 n0 EVAL ends 1 k 300 -> 1\n" +
			"1 1 70 75 n0 SETNX k b -> 0\n", Unknown, ""},
	{"helper: killed, and an unknown script is about a token", "D", oneKilled,
		"0 1 12 13 n0 SETNX k a -> 1\n0 1 14 15 n0 EVAL next 1 fence:k -> 1\n" +
			"1 1 70 75 n0 SETNX k b -> 0\n", Violated, ""},
	{"helper: killed, and only a note ends", "D", oneKilled, "0 1 12 13 n0 SETNX k a -> 1\n" +
		"0 1 14 15 n0 SET holder:k a PX 20 -> OK\n1 1 70 75 n0 SETNX k b -> 0\n", Violated, ""},
	{"helper: another deletes a note beside a place in a sorted set", "O", inside +
		"c1 acquire 25 60 fail", ranked + "0 1 18 19 n0 SET owner:k aaaaaaaa -> OK\n" +
		"1 1 40 45 n0 DEL owner:k -> 1\n0 1 101 105 n0 ZREM k aaaaaaaa -> 1\n", Unknown, ""},
	{"helper: a short note beside an unknown script", "V", leftInside, "0 1 12 13 n0 EVAL tk 1 " +
		"lock:k " +
		"aaaaaaaa 200 -> 1\n0 1 14 15 n0 SET holder:k aaaaaaaa PX 20 -> OK\n", Valid, ""},
	{"helper: a short note before an unknown script", "V", leftInside, "0 1 11 12 n0 SET " +
		"holder:k " +
		"aaaaaaaa PX 20 -> OK\n0 1 12 13 n0 EVAL tk 1 lock:k aaaaaaaa 200 -> 1\n", Valid, ""},
	{"helper: a short throttle beside a place in a sorted set", "V", leftInside, "0 1 12 13 n0 " +
		"SET " +
		"busy:k aaaaaaaa NX PX 20 -> OK\n0 1 14 15 n0 ZADD lock:k 1 aaaaaaaa -> 1\n" +
		"0 1 16 17 n0 PEXPIRE lock:k 200 -> 1\n", Valid, ""},

	{"helper: a throttle that is given back, beside a place in a sorted set", "V", longHold,
		"0 1 11 12 n0 SET busy:k aaaaaaaa NX PX 20 -> OK\n" + ranked +
			"0 1 4000001 4000005 n0 DEL busy:k -> 1\n", Valid, ""},
	{"helper: a short lease, with a place in a queue", "V", leftInside, shortLock +
		"0 1 14 15 n0 ZADD queue:k 1 aaaaaaaa -> 1\n", Violated, PromisedTooLong},
	{"helper: a short lease, with a longer note", "V", leftInside, shortLock +
		"0 1 14 15 n0 SET holder:k aaaaaaaa PX 200 -> OK\n", Violated, PromisedTooLong},
	{"helper: a short lease, and an unknown script is about a token", "V", leftInside, shortLock +
		"0 1 14 15 n0 EVAL next 1 fence:k -> 1\n", Violated, PromisedTooLong},
	{"helper: killed, and a script sets an end of a heartbeat alone", "D", oneKilled, "0 1 12 " +
		"13 n0 " +
		"EVAL tk 2 k beat:k a 300 -> 1 | SETNX k a | PEXPIRE beat:k 300\n" +
		"1 1 70 75 n0 EVAL tk 2 k beat:k b 300 -> 0 | SETNX k b\n", Violated, ""},

	// A count of a field is the lock, and another key is taken before it.
	{"helper: killed in a counted lock behind a throttle", "V", leftInside, "0 1 11 12 n0 SET " +
		"busy:k " +
		"aaaaaaaa NX PX 20 -> OK\n0 1 12 13 n0 HINCRBY k aaaaaaaa 1 -> 1\n" +
		"0 1 14 15 n0 PEXPIRE k 200 -> 1\n", Valid, ""},
	{"helper: killed in a lock that a script counts behind a throttle", "V", leftInside,
		"0 1 11 12 n0 SET busy:k aaaaaaaa NX PX 20 -> OK\n0 1 12 13 n0 EVAL tk 1 k aaaaaaaa -> 1" +
			bySeen, Valid, ""},
	{"helper: a counted lock, and a short note that is cleared with it", "V", longHold,
		"0 1 12 13 n0 HINCRBY lock:k aaaaaaaa 1 -> 1\n0 1 13 14 n0 PEXPIRE lock:k 200 -> 1\n" +
			"0 1 14 15 n0 SET holder:k aaaaaaaa PX 20 -> OK\n" +
			"0 1 4000001 4000005 n0 DEL lock:k -> 1\n0 1 4000006 4000007 n0 DEL holder:k -> " +
			"1\n", Valid,
		""},
	{"helper: a short guard that the call deletes", "V", leftInside, "0 1 11 12 n0 SET guard:k " +
		"aaaaaaaa NX PX 20 -> OK\n0 1 13 14 n0 SET lock:k aaaaaaaa PX 200 -> OK\n" +
		"0 1 15 16 n0 DEL guard:k -> 1\n", Valid, ""},
	{"helper: another frees a lock of an unknown script, beside a note", "S", freedBetween,
		"0 1 12 13 n0 EVAL tk 1 k aaaaaaaa -> 1\n0 1 14 15 n0 SET seen:k aaaaaaaa -> OK\n" +
			"1 1 40 45 n0 DEL k -> 1\n2 1 70 75 n0 EVAL tk 1 k cccccccc -> 1\n" +
			"2 1 76 77 n0 SET seen:k cccccccc -> OK\n", Violated, ReleasedByNonOwner},

	// The lock has an own name on each server.
	{"helper: own names, and a short note on each server", "V", ownNames, ownTakes +
		onEach("0 1 20 22", "SET note:k aaaaaaaa PX 20 -> OK"), Valid, ""},
	{"helper: own names, and two are short", "V", ownNames,
		"0 1 12 15 n0 SET a:k aaaaaaaa NX PX 20 -> OK\n" +
			"0 1 12 15 n1 SET b:k aaaaaaaa NX PX 20 -> OK\n" +
			"0 1 12 15 n2 SET c:k aaaaaaaa NX PX 200 -> OK\n", Violated, PromisedTooLong},
	{"helper: refused by two servers, with a token on each", "V", leased + "masters 3; c0 " +
		"acquire 10 " +
		"60 sent=12 lease=200000000; c0 release 4000000 4000010", "0 1 12 15 n0 SET k aaaaaaaa " +
		"NX PX " +
		"200 -> OK\n0 1 12 15 n1 SET k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 12 15 n2 SET k aaaaaaaa NX PX 200 -> (nil)\n" +
		onEach("0 1 20 22", "SET note:k aaaaaaaa PX 20 -> OK"), Valid, ""},
}
