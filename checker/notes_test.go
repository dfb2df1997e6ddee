package checker

// Parts of histories of locks that also use keys which are no lock.
const (
	twoHolds = longHold + "; c1 acquire 1 4 sent=2 lease=200000000; c1 release 5 9"
)

// noteCases are cases of counters, notes, markers, signals and queues beside the key of a lock, in
// any order.
var noteCases = []propertyCase{
	// Which of the keys of a script is the lock's.
	{"a script makes a counter once, and names it first", "V", twoHolds,
		"1 1 2 3 n0 EVAL take 2 fence:k k bbbbbbbb 200 -> 1 | EXISTS fence:k | SET fence:k 0 | " +
			"SET k bbbbbbbb NX PX 200\n1 1 6 7 n0 DEL k -> 1\n0 1 12 13 n0 EVAL take 2 fence:k " +
			"k aaaaaaaa 200 -> 1 | EXISTS fence:k | SET k aaaaaaaa NX PX 200\n" + longFreed,
		Valid, ""},
	{"a script makes a counter once, and names it second", "V", twoHolds,
		"1 1 2 3 n0 EVAL take 2 k fence:k bbbbbbbb 200 -> 1 | EXISTS fence:k | SET fence:k 0 | " +
			"SET k bbbbbbbb NX PX 200\n1 1 6 7 n0 DEL k -> 1\n0 1 12 13 n0 EVAL take 2 k " +
			"fence:k aaaaaaaa 200 -> 1 | EXISTS fence:k | SET k aaaaaaaa NX PX 200\n" +
			longFreed, Valid, ""},
	{"a script makes a counter by SETNX, and names it first", "V", twoHolds,
		"1 1 2 3 n0 EVAL take 2 fence:k k bbbbbbbb 200 -> OK | SETNX fence:k 0 | SET k " +
			"bbbbbbbb NX PX 200\n1 1 6 7 n0 DEL k -> 1\n0 1 12 13 n0 EVAL take 2 fence:k k " +
			"aaaaaaaa 200 -> OK | SETNX fence:k 0 | SET k aaaaaaaa NX PX 200\n" + longFreed,
		Valid, ""},
	{"a re-entrant lock whose throttle comes first", "V", twoHolds,
		"1 1 2 3 n0 EVAL take 2 meta:k k bbbbbbbb 200 -> (nil) | EXISTS meta:k | HSET meta:k v " +
			"1 | HINCRBY k bbbbbbbb 1 | PEXPIRE k 200\n1 1 6 7 n0 DEL k -> 1\n" +
			"0 1 12 13 n0 EVAL take 2 meta:k k aaaaaaaa 200 -> (nil) | EXISTS meta:k | HINCRBY " +
			"k aaaaaaaa 1 | PEXPIRE k 200\n" + longFreed, Valid, ""},
	{"a re-entrant lock whose throttle comes first, two inside", "S",
		leased + "c1 acquire 1 4 sent=2 lease=200000000; " +
			"c0 acquire 10 60 sent=12 lease=200000000; c1 release 3000000 3000001; " +
			"c0 release 4000000 4000010",
		"1 1 2 3 n0 EVAL take 2 meta:k k bbbbbbbb 200 -> (nil) | EXISTS meta:k | HSET meta:k v " +
			"1 | HINCRBY k bbbbbbbb 1 | PEXPIRE k 200\n1 1 5 5 n0 DEL k -> 1\n" +
			"0 1 12 13 n0 EVAL take 2 meta:k k aaaaaaaa 200 -> (nil) | EXISTS meta:k | HINCRBY " +
			"k aaaaaaaa 1 | PEXPIRE k 200\n" + longFreed, Violated, DoubleGrant},
	{"a fair lock whose queue comes first", "V", twoHolds + "; c2 acquire 2 4 fail",
		"1 1 2 3 n0 EVAL take 2 queue:k k bbbbbbbb 200 -> (nil) | EXISTS k | HINCRBY k " +
			"bbbbbbbb 1 | PEXPIRE k 200\n2 1 3 4 n0 EVAL take 2 queue:k k cccccccc 200 -> 200 " +
			"| EXISTS k | HSET queue:k cccccccc 1\n" +
			"1 1 6 7 n0 EVAL rel 2 queue:k k bbbbbbbb -> 1 | DEL k | HDEL queue:k bbbbbbbb\n" +
			"0 1 12 13 n0 EVAL take 2 queue:k k aaaaaaaa 200 -> (nil) | EXISTS k | HGET " +
			"queue:k aaaaaaaa | HINCRBY k aaaaaaaa 1 | PEXPIRE k 200\n0 1 4000001 4000005 n0 " +
			"EVAL rel 2 queue:k k aaaaaaaa -> 1 | DEL k | HDEL queue:k aaaaaaaa\n", Valid, ""},
	{"a counter that comes first is there on each of three servers", "V",
		leased + "masters 3; c0 acquire 10 60 sent=12 lease=200000000; " +
			"c0 release 4000000 4000010; c1 acquire 1 4 sent=2 lease=200000000; c1 release 5 9",
		onEach("1 1 1 2", "EVAL take 2 meta:k k bbbbbbbb 200 -> 1 | EXISTS meta:k | SET meta:k 1 | "+
			"SET k bbbbbbbb NX PX 200") +
			onEach("1 1 5 6", "DEL k -> 1") +
			onEach("0 1 12 15", "EVAL take 2 meta:k k aaaaaaaa 200 -> 1 | EXISTS meta:k | "+
				"SET k aaaaaaaa NX PX 200") +
			onEach("0 1 4000001 4000005", "DEL k -> 1"), Valid, ""},
	{"refused, and queued by the same script, the queue first", "V", inside,
		"1 1 5 6 n0 EVAL take 2 queue:k k bbbbbbbb -> 1 | SETNX k bbbbbbbb\n" +
			"0 1 12 15 n0 EVAL take 2 queue:k k aaaaaaaa -> 0 | EXISTS k | HSET queue:k " +
			"aaaaaaaa 1\n" + givesBack, Violated, NoServer},
	{"a lock that ends by itself, beside a counter that has its name", "V",
		leftInside + "; c1 acquire 1 4 sent=2 lease=200; c1 kill 5",
		"1 1 2 3 n0 EVAL take 2 k lock:k bbbbbbbb 200 -> 1 | EXISTS k | SET k 0 | SET lock:k " +
			"bbbbbbbb NX PX 0.000001\n0 1 12 13 n0 EVAL take 2 k lock:k aaaaaaaa 200 -> 1 | " +
			"EXISTS k | SET lock:k aaaaaaaa NX PX 200\n0 0 70 75 n0 PTTL lock:k -> 150\n",
		Valid, ""},
	{"an INCR lock beside a set that ends", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 13 n0 INCR lock:k -> 1\n0 1 14 15 n0 PEXPIRE lock:k 200 -> 1\n" +
			"0 1 16 17 n0 SADD seen:k c0 -> 1\n0 1 18 19 n0 EXPIRE seen:k 60 -> 1\n" +
			"1 1 40 45 n0 DEL lock:k -> 1\n0 1 101 105 n0 DEL lock:k -> 0\n",
		Violated, ReleasedByNonOwner},
	{"a short INCR lock beside a set that ends", "V", longHold,
		"0 1 12 13 n0 INCR lock:k -> 1\n0 1 14 15 n0 PEXPIRE lock:k 20 -> 1\n" +
			"0 1 16 17 n0 SADD seen:k c0 -> 1\n0 1 18 19 n0 EXPIRE seen:k 60 -> 1\n" +
			"0 1 4000001 4000005 n0 DEL lock:k -> 1\n", Violated, PromisedTooLong},
	{"a fair lock whose queue comes first, and whose release deletes both keys", "V",
		twoHolds + "; c2 acquire 2 4 fail",
		"1 1 2 3 n0 EVAL take 2 queue:k k bbbbbbbb 200 -> (nil) | EXISTS k | HINCRBY k " +
			"bbbbbbbb 1 | PEXPIRE k 200\n2 1 3 4 n0 EVAL take 2 queue:k k cccccccc 200 -> 200 " +
			"| EXISTS k | HSET queue:k cccccccc 1\n" +
			"1 1 6 7 n0 EVAL rel 2 queue:k k bbbbbbbb -> 1 | DEL k | DEL queue:k\n" +
			"0 1 12 13 n0 EVAL take 2 queue:k k aaaaaaaa 200 -> (nil) | EXISTS k | HGET " +
			"queue:k aaaaaaaa | HINCRBY k aaaaaaaa 1 | PEXPIRE k 200\n" +
			"0 1 4000001 4000005 n0 EVAL rel 2 queue:k k aaaaaaaa -> 1 | DEL k | DEL queue:k\n",
		Valid, ""},
	{"refused, and queued by the same script, and a release deletes both keys", "V", inside,
		"1 1 5 6 n0 EVAL take 2 queue:k k bbbbbbbb -> 1 | SETNX k bbbbbbbb\n" +
			"0 1 12 15 n0 EVAL take 2 queue:k k aaaaaaaa -> 0 | EXISTS k | HSET queue:k " +
			"aaaaaaaa 1\n" +
			"0 1 101 105 n0 EVAL rel 2 queue:k k aaaaaaaa -> 1 | DEL k | DEL queue:k\n",
		Violated, NoServer},
	{"a re-entrant lock beside a counter that has its name", "V", twoHolds,
		"1 1 2 3 n0 EVAL take 2 k lock:k bbbbbbbb 200 -> (nil) | EXISTS k | SET k 0 | HINCRBY " +
			"lock:k bbbbbbbb 1 | PEXPIRE lock:k 200\n1 1 6 7 n0 DEL lock:k -> 1\n" +
			"0 1 12 13 n0 EVAL take 2 k lock:k aaaaaaaa 200 -> (nil) | EXISTS k | HINCRBY " +
			"lock:k aaaaaaaa 1 | PEXPIRE lock:k 200\n0 1 4000001 4000005 n0 DEL lock:k -> 1\n",
		Valid, ""},
	{"a lock that ends by itself, and reads a setting that has its name", "V", leftInside,
		"0 1 12 13 n0 EVAL take 2 k lock:k aaaaaaaa 200 -> 1 | GET k | HSET lock:k o aaaaaaaa " +
			"| PEXPIRE lock:k 200\n0 0 70 75 n0 PTTL lock:k -> 150\n", Valid, ""},
	{"a lock that ends by itself, and a counter, and neither has its name", "V",
		leftInside + "; c1 acquire 1 4 sent=2 lease=200; c1 kill 5",
		"1 1 2 3 n0 EVAL take 2 meta:k lock:k bbbbbbbb 200 -> (nil) | EXISTS meta:k | HSET " +
			"meta:k v 1 | HINCRBY lock:k bbbbbbbb 1 | PEXPIRE lock:k 0.000001\n" +
			"0 1 12 13 n0 EVAL take 2 meta:k lock:k aaaaaaaa 200 -> (nil) | EXISTS meta:k | " +
			"HINCRBY lock:k aaaaaaaa 1 | PEXPIRE lock:k 200\n0 0 70 75 n0 PTTL lock:k -> 150\n",
		Valid, ""},
	{"a lock that is a set, with a short note of its owner", "V", longHold,
		"0 1 12 13 n0 SADD lock:k aaaaaaaa -> 1\n0 1 14 15 n0 PEXPIRE lock:k 200 -> 1\n" +
			"0 1 16 17 n0 SET owner:k aaaaaaaa PX 20 -> OK\n" +
			"0 1 4000001 4000002 n0 SREM lock:k aaaaaaaa -> 1\n" +
			"0 1 4000003 4000005 n0 DEL owner:k -> 1\n", Valid, ""},
	{"a script that takes one lock, and finds another taken", "V",
		"environment process; lease; names k,j; c1 acquire 1 4 key=1 sent=2 lease=200000000; " +
			"c0 acquire 10 60 key=0 sent=12 lease=200000000; c0 release 70 80; c1 release 90 95",
		"1 1 2 3 n0 EVAL take 2 j k bbbbbbbb -> (nil) | HINCRBY j bbbbbbbb 1 | PEXPIRE j 200\n" +
			"0 1 12 13 n0 EVAL take 2 j k aaaaaaaa -> (nil) | EXISTS j | HINCRBY k aaaaaaaa 1 " +
			"| PEXPIRE k 200\n0 1 71 75 n0 DEL k -> 1\n1 1 91 92 n0 DEL j -> 1\n", Valid, ""},
}
