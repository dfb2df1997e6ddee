package checker

// In these histories a lock also writes helper keys.
const (
	twoHolds  = longHold + "; c1 acquire 1 4 sent=2 lease=200000000; c1 release 5 9"
	incrTakes = "0 1 111 112 n0 INCR k -> 1\n0 1 131 133 n0 DEL k -> 1\n" +
		"0 1 134 135 n0 SET signal:k 1 -> OK\n1 1 152 155 n0 INCR k -> 1\n" +
		"1 1 171 173 n0 DEL x -> 0\n1 1 174 175 n0 SET signal:k 1 -> OK\n" +
		"0 2 210 215 n0 INCR k -> 2\n0 2 8000000000 8000000010 n0 INCR k -> 3\n"
	hsetTakes = "0 1 111 112 n0 HSETNX k o aaaaaaaa -> 1\n0 1 131 133 n0 DEL k -> 1\n" +
		"0 1 134 135 n0 SET signal:k 1 -> OK\n1 1 152 155 n0 HSETNX k o bbbbbbbb -> 1\n" +
		"1 1 171 173 n0 DEL x -> 0\n1 1 174 175 n0 SET signal:k 1 -> OK\n" +
		"0 2 210 215 n0 HSETNX k o aaaaaaaa -> 0\n" +
		"0 2 8000000000 8000000010 n0 HSETNX k o aaaaaaaa -> 0\n"
	unknownTakes = "0 1 111 112 n0 EVAL tk 1 k aaaaaaaa -> 1\n" +
		"0 1 131 133 n0 EVAL rel 1 k aaaaaaaa -> 1\n0 1 134 135 n0 SET signal:k 1 -> OK\n" +
		"1 1 152 155 n0 EVAL tk 1 k bbbbbbbb -> 1\n1 1 171 173 n0 EVAL rel 1 k bbbbbbbb -> 0\n" +
		"1 1 174 175 n0 SET signal:k 1 -> OK\n0 2 210 215 n0 EVAL tk 1 k aaaaaaaa -> 0\n" +
		"0 2 8000000000 8000000010 n0 EVAL tk 1 k aaaaaaaa -> 0\n"
	queueShown = "0 1 112 115 n0 EVAL take 2 k queue:k aaaaaaaa -> 1 | EXISTS k | LINDEX " +
		"queue:k 0 | SET k aaaaaaaa\n0 1 131 135 n0 DEL k -> 1\n1 1 152 155 n0 EVAL take 2 k " +
		"queue:k bbbbbbbb -> 1 | EXISTS k | LINDEX queue:k 0 | SET k bbbbbbbb\n" +
		"1 1 171 175 n0 DEL k -> 1\n0 2 210 215 n0 EVAL take 2 k queue:k aaaaaaaa -> 0 | " +
		"EXISTS k | LINDEX queue:k 0 | RPUSH queue:k aaaaaaaa\n0 2 8000000000 8000000010 n0 " +
		"EVAL take 2 k queue:k aaaaaaaa -> 0 | EXISTS k | LINDEX queue:k 0\n"
)

// In noteCases a lock also writes counters, notes, markers, signals or queues, before or after its
// key.
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

	// A script or a release reads a note.
	{"a refused script leaves a note, and names it first", "R",
		inside + "c1 acquire 25 60 fail; c1 acquire 200 260 sent=240 lease=200000000; " +
			"c1 release 300 310",
		"0 1 12 15 n0 EVAL take 2 last:k k aaaaaaaa -> 1 | SET k aaaaaaaa NX PX 200\n" +
			"1 1 30 35 n0 EVAL take 2 last:k k bbbbbbbb -> 0 | SET k bbbbbbbb NX PX 200 | SET " +
			"last:k bbbbbbbb\n" + givesBack + "1 2 210 215 n0 GET last:k -> bbbbbbbb\n" +
			"1 2 240 245 n0 EVAL take 2 last:k k bbbbbbbb -> 1 | SET k bbbbbbbb NX PX 200\n" +
			"1 2 301 305 n0 DEL k -> 1\n", Valid, ""},
	{"a refused client leaves a note by a script", "R", inside + "c1 acquire 25 60 fail; " +
		"c1 acquire 200 260 sent=240 lease=200000000; c1 release 300 310",
		takes + "1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
			"1 1 36 37 n0 EVAL note 1 last:k bbbbbbbb -> 1 | SET last:k bbbbbbbb\n" + givesBack +
			"1 2 210 215 n0 GET last:k -> bbbbbbbb\n" +
			"1 2 240 245 n0 SET k bbbbbbbb NX PX 200 -> OK\n1 2 301 305 n0 DEL k -> 1\n",
		Valid, ""},
	{"a renewal that comes too late only reads its note", "R",
		inside + "c1 acquire 25 60 fail; c1 acquire 400 450 sent=410 lease=200000000; " +
			"c1 release 470 480",
		takes + "0 0 50 55 n0 EVAL renew 2 k beat:k aaaaaaaa -> 1 | GET k | PEXPIRE k 200 | " +
			"GET beat:k | SET beat:k 1\n1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
			givesBack +
			"0 0 300 305 n0 EVAL renew 2 k beat:k aaaaaaaa -> 0 | GET k | GET beat:k\n" +
			"1 2 410 415 n0 SET k bbbbbbbb NX PX 200 -> OK\n1 2 471 475 n0 DEL k -> 1\n",
		Valid, ""},
	{"a renewal that comes too late only reads its note, the one key of its script", "R",
		inside + "c1 acquire 25 60 fail; c1 acquire 400 450 sent=410 lease=200000000; " +
			"c1 release 470 480",
		takes + "0 0 50 55 n0 EVAL renew 1 beat:k aaaaaaaa -> 1 | GET beat:k | SET beat:k 1\n" +
			"1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" + givesBack +
			"0 0 300 305 n0 EVAL renew 1 beat:k aaaaaaaa -> 0 | GET beat:k\n" +
			"1 2 410 415 n0 SET k bbbbbbbb NX PX 200 -> OK\n1 2 471 475 n0 DEL k -> 1\n",
		Valid, ""},
	{"a release that is told no only reads its note", "R", leased +
		"c0 acquire 10 20 sent=12 lease=200; c1 acquire 15 60 fail; c0 release 500 510 fail; " +
		"c1 acquire 700 750 sent=710 lease=200000000; c1 release 770 780; " +
		"c0 release 800 810 fail",
		"0 1 12 15 n0 SET k aaaaaaaa NX PX 0.0002 -> OK\n" +
			"1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
			"0 1 501 505 n0 EVAL rel 2 k last:k aaaaaaaa -> 0 | GET k | GET last:k\n" +
			"1 2 710 715 n0 SET k bbbbbbbb NX PX 200 -> OK\n1 2 771 775 n0 EVAL rel 2 k last:k " +
			"bbbbbbbb -> 1 | GET k | GET last:k | DEL k | SET last:k bbbbbbbb\n" +
			"0 1 801 805 n0 EVAL rel 2 k last:k aaaaaaaa -> 0 | GET k | GET last:k\n", Valid, ""},
	{"evicted, and a note that a release reads stays", "R", leased +
		"c0 acquire 10 20 sent=12 lease=200000000; c0 release 100 110 fail; " +
		"c1 acquire 120 150 sent=122 lease=200000000; c1 release 160 170; evicts; " +
		"counted n0 evicted=1 deleted=1",
		takes + "0 1 16 17 n0 SET last:k aaaaaaaa PX 300 -> OK\n" +
			"0 1 101 105 n0 EVAL rel 2 k last:k aaaaaaaa -> 0 | GET k | GET last:k\n" +
			"1 2 121 121 n0 GET last:k -> aaaaaaaa\n" +
			"1 2 122 125 n0 SET k bbbbbbbb NX PX 200 -> OK\n1 2 161 165 n0 DEL k -> 1\n", NA, ""},
	{"a refused client marks that it tries", "R", inside + "c1 acquire 25 60 fail; " +
		"c1 acquire 65 90 fail",
		takes + "1 1 30 31 n0 SET tries:k bbbbbbbb NX PX 200 -> OK\n" +
			"1 1 32 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
			"1 2 70 71 n0 SET tries:k bbbbbbbb NX PX 200 -> (nil)\n" +
			"1 2 72 75 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" + givesBack, Valid, ""},
	{"refused although it took a key that is not called like the lock", "R",
		inside + "c1 acquire 125 160 fail; c1 acquire 165 190 fail",
		"0 1 12 15 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n0 1 101 105 n0 DEL lock:k -> 1\n" +
			"1 1 132 135 n0 SET lock:k bbbbbbbb NX PX 200 -> OK\n" +
			"1 2 172 175 n0 SET lock:k bbbbbbbb NX PX 200 -> (nil)\n",
		Violated, RefusedThoughGranted},
	{"refused although it took the key, and no client was inside", "R",
		inside + "c1 acquire 125 160 fail; c1 acquire 165 190 fail",
		"1 1 132 135 n0 SET k bbbbbbbb NX PX 200 -> OK\n" +
			"1 2 172 175 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n", Violated, RefusedThoughGranted},
	{"a refused client marks that it tries, and no grant is seen", "R",
		inside + "c1 acquire 25 60 fail; c1 acquire 65 90 fail",
		"1 1 30 31 n0 SET tries:k bbbbbbbb NX PX 200 -> OK\n" +
			"1 1 32 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
			"1 2 70 71 n0 SET tries:k bbbbbbbb NX PX 200 -> (nil)\n" +
			"1 2 72 75 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n", Valid, ""},
	{"a refused script leaves a note that has the name of the lock", "R",
		inside + "c1 acquire 25 60 fail; c1 acquire 65 90 fail",
		"0 1 12 15 n0 EVAL take 2 lock:k k aaaaaaaa -> 1 | SET lock:k aaaaaaaa NX PX 200\n" +
			"1 1 30 35 n0 EVAL take 2 lock:k k bbbbbbbb -> 0 | SET lock:k bbbbbbbb NX PX 200 | " +
			"SET k bbbbbbbb\n1 2 66 67 n0 GET k -> bbbbbbbb\n1 2 70 75 n0 EVAL take 2 lock:k k " +
			"bbbbbbbb -> 0 | SET lock:k bbbbbbbb NX PX 200 | SET k bbbbbbbb\n" +
			"0 1 101 105 n0 DEL lock:k -> 1\n", Valid, ""},
	{"a described take in the background is refused", "R", "script take take 1 0; " + inside +
		"c1 acquire 125 160 fail",
		takes + givesBack + "0 0 112 115 n0 EVAL take 1 k aaaaaaaa -> 0 | GET k\n", Violated, ""},

	// Tokens, and signals that are none.
	{"a token beside a marker", "V", tokenLock,
		"9 0 0 1 n0 SET k t -> OK\n1 1 1 1 n0 SETNX init:k 1 -> 1\n1 1 1 2 n0 GETDEL k -> t\n" +
			"1 1 3 4 n0 SET k t -> OK\n0 1 11 12 n0 SETNX init:k 1 -> 0\n" +
			"0 1 12 15 n0 GETDEL k -> t\n0 1 31 35 n0 SET k t -> OK\n" +
			"1 2 51 52 n0 SETNX init:k 1 -> 0\n1 2 52 55 n0 GETDEL k -> t\n" +
			"1 2 71 75 n0 SET k t -> OK\n", Valid, ""},
	{"a token behind a guard", "V", tokenLock,
		"9 0 0 1 n0 SET k t -> OK\n1 1 1 1 n0 SETNX guard:k 1 -> 1\n1 1 1 2 n0 GETDEL k -> t\n" +
			"1 1 2 2 n0 DEL guard:k -> 1\n1 1 3 3 n0 SETNX guard:k 1 -> 1\n" +
			"1 1 3 4 n0 SET k t -> OK\n1 1 4 4 n0 DEL guard:k -> 1\n" +
			"0 1 11 12 n0 SETNX guard:k 1 -> 1\n0 1 12 15 n0 GETDEL k -> t\n" +
			"0 1 16 17 n0 DEL guard:k -> 1\n0 1 31 32 n0 SETNX guard:k 1 -> 1\n" +
			"0 1 32 35 n0 SET k t -> OK\n0 1 36 37 n0 DEL guard:k -> 1\n" +
			"1 2 51 52 n0 SETNX guard:k 1 -> 1\n1 2 52 55 n0 GETDEL k -> t\n" +
			"1 2 56 57 n0 DEL guard:k -> 1\n1 2 71 75 n0 SET k t -> OK\n", NA, ""},
	{"a lost removal of a token beside a marker", "D", lossyWait,
		"2 1 51 51 n0 SETNX init:k 1 -> 1\n2 1 52 62 n0 GETDEL k -> !timeout\n" +
			"0 1 111 112 n0 SETNX init:k 1 -> 0\n0 1 112 115 n0 GETDEL k -> t\n" +
			"0 1 131 135 n0 SET k t -> OK\n1 1 151 152 n0 SETNX init:k 1 -> 0\n" +
			"1 1 152 155 n0 GETDEL k -> t\n1 1 171 175 n0 SET k t -> OK\n" +
			"0 2 210 215 n0 GETDEL k -> (nil)\n0 2 8000000000 8000000010 n0 GETDEL k -> (nil)\n",
		Unknown, ""},
	{"a lost clearing of a signal of an INCR lock", "D", lossyWait,
		"2 1 52 62 n0 DEL signal:k -> !timeout\n" + incrTakes, Violated, ""},
	{"a lost clearing of a signal of an HSETNX lock", "D", lossyWait,
		"2 1 52 62 n0 DEL signal:k -> !timeout\n" + hsetTakes, Violated, ""},
	{"a lost clearing of a signal of a lock by unknown scripts", "D", lossyWait,
		"2 1 52 62 n0 DEL signal:k -> !timeout\n" + unknownTakes, Violated, ""},
	{"a lost release by GETDEL of a lock by unknown scripts", "D", lossyRelease,
		"2 1 2 3 n0 EVAL tk 1 k cccccccc -> 1\n2 1 52 62 n0 GETDEL k -> !timeout\n" +
			"0 1 112 115 n0 EVAL tk 1 k aaaaaaaa -> 1\n0 1 131 133 n0 GETDEL k -> aaaaaaaa\n" +
			"1 1 152 155 n0 EVAL tk 1 k bbbbbbbb -> 1\n1 1 171 173 n0 GETDEL x -> (nil)\n" +
			"0 2 210 215 n0 EVAL tk 1 k aaaaaaaa -> 0\n" +
			"0 2 8000000000 8000000010 n0 EVAL tk 1 k aaaaaaaa -> 0\n", Violated, ""},
	{"refused by HSETNX, and clears a signal that is a number", "V", inside,
		"1 1 5 6 n0 HSETNX k owner bbbbbbbb -> 1\n0 1 12 15 n0 HSETNX k owner aaaaaaaa -> 0\n" +
			"0 1 16 17 n0 DEL signal:k -> 1\n" + givesBack +
			"0 1 106 107 n0 SET signal:k 1 -> OK\n", Violated, NoServer},
	{"refused by HSETNX, and clears a signal", "V", inside,
		"1 1 5 6 n0 HSETNX k owner bbbbbbbb -> 1\n0 1 12 15 n0 HSETNX k owner aaaaaaaa -> 0\n" +
			"0 1 16 17 n0 DEL signal:k -> 1\n" + givesBack +
			"0 1 106 107 n0 SET signal:k go -> OK\n", Violated, NoServer},
	{"a token that is put there by SETNX", "V", tokenLock,
		"9 0 0 1 n0 SETNX k t -> 1\n1 1 1 2 n0 GETDEL k -> t\n1 1 3 4 n0 SETNX k t -> 1\n" +
			"0 1 12 15 n0 GETDEL k -> t\n0 1 31 35 n0 SETNX k t -> 1\n" +
			"1 2 52 55 n0 GETDEL k -> t\n1 2 71 75 n0 SETNX k t -> 1\n", NA, ""},
	{"a token and a marker, and neither has the name of the lock", "V", tokenLock,
		"9 0 0 1 n0 SET token:k t -> OK\n1 1 1 1 n0 SETNX init:k 1 -> 1\n" +
			"1 1 1 2 n0 GETDEL token:k -> t\n1 1 3 4 n0 SET token:k t -> OK\n" +
			"0 1 11 12 n0 SETNX init:k 1 -> 0\n0 1 12 15 n0 GETDEL token:k -> t\n" +
			"0 1 31 35 n0 SET token:k t -> OK\n1 2 51 52 n0 SETNX init:k 1 -> 0\n" +
			"1 2 52 55 n0 GETDEL token:k -> t\n1 2 71 75 n0 SET token:k t -> OK\n", Valid, ""},
	{"a lost removal of a token beside a note, and neither has the name of the lock", "D",
		lossyWait,
		"2 1 52 62 n0 GETDEL token:k -> !timeout\n0 1 112 113 n0 GETDEL token:k -> t\n" +
			"0 1 114 115 n0 SET owner:k a -> OK\n0 1 131 132 n0 DEL owner:k -> 1\n" +
			"0 1 133 135 n0 SET token:k t -> OK\n1 1 152 153 n0 GETDEL token:k -> t\n" +
			"1 1 154 155 n0 SET owner:k b -> OK\n1 1 171 172 n0 DEL owner:k -> 1\n" +
			"1 1 173 175 n0 SET token:k t -> OK\n0 2 210 215 n0 GETDEL token:k -> (nil)\n" +
			"0 2 8000000000 8000000010 n0 GETDEL token:k -> (nil)\n", Unknown, ""},
	{"a client deletes the key of another, and goes inside", "V",
		inside + "c1 acquire 1 9 sent=5; c1 release 90 95",
		"1 1 5 6 n0 SETNX k bbbbbbbb -> 1\n0 1 12 15 n0 GETDEL k -> bbbbbbbb\n" + givesBack +
			"1 1 91 92 n0 DEL k -> 0\n", Violated, NoServer},

	// Keys of another lock.
	{"a described release names the key of another lock second", "O",
		"script rel free 1 0; environment process; lease; names k,j; " +
			"c0 acquire 10 20 key=1 sent=12 lease=200000000; " +
			"c1 acquire 25 40 key=0 sent=32 lease=200000000; c1 release 50 60; " +
			"c0 release 100 110",
		"0 1 12 15 n0 SET j aaaaaaaa NX PX 200 -> OK\n" +
			"1 1 32 33 n0 SET k bbbbbbbb NX PX 200 -> OK\n" +
			"1 1 51 55 n0 EVAL rel 2 k j bbbbbbbb -> 1\n" +
			"0 1 101 105 n0 EVAL rel 2 j k aaaaaaaa -> 1\n", Valid, ""},
	{"a described release names a signal, and the second of two locks", "O",
		"script rel free 1 0; environment process; lease; names j,k; " +
			"c0 acquire 10 20 key=1 sent=12 lease=200000000; c1 acquire 25 60 key=1 fail; " +
			"c0 release 100 110",
		takes + "1 1 40 45 n0 EVAL rel 2 signals k bbbbbbbb -> 1\n" +
			"0 1 101 105 n0 EVAL rel 2 signals k aaaaaaaa -> 0\n", Violated, ReleasedByNonOwner},
	{"a release that its node shows names the key of another lock first", "O",
		"environment process; lease; names k,j; " +
			"c0 acquire 10 20 key=1 sent=12 lease=200000000; " +
			"c1 acquire 25 40 key=0 sent=32 lease=200000000; c1 release 50 60; " +
			"c0 release 100 110",
		"0 1 12 15 n0 SET j aaaaaaaa NX PX 200 -> OK\n" +
			"1 1 32 33 n0 SET k bbbbbbbb NX PX 200 -> OK\n" +
			"1 1 51 55 n0 EVAL rel 2 k j bbbbbbbb -> 1 | DEL k | DEL j\n" +
			"0 1 101 105 n0 EVAL rel 2 j k aaaaaaaa -> 0 | GET j\n", Violated, ReleasedByNonOwner},

	// Renewals that are none, and clocks that nothing reads.
	{"a deletion in the background failed", "S", outlives,
		takesFirst + "0 0 340 350 n0 DELIFEQ k a0000000 -> !broken\n", Violated, LeaseOverrun},
	{"a deletion by an unknown script in the background failed", "S", outlives,
		takesFirst + "0 0 340 350 n0 EVAL rel 1 k a0000000 -> !broken\n" +
			"1 1 1605 1606 n0 EVAL rel 1 k bbbbbbbb -> 1\n", Violated, LeaseOverrun},
	{"a deletion by a described script in the background failed", "S",
		"script rel free 1 0; " + outlives,
		takesFirst + "0 1 340 350 n0 EVAL rel 1 k a0000000 -> !broken\n", Violated, LeaseOverrun},
	{"a lost deletion, and a wrong clock of a client that no command reads", "L",
		besideClock + "fault client-clock c0 1 2; fault cut c1>n0 39 50",
		takes + "1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
			"1 1 40 48 n0 DEL k -> !timeout\n3 1 31 36 n0 SET k dddddddd NX PX 200 -> (nil)\n" +
			"3 1 41 48 n0 DEL k -> !timeout\n" + takenThen, Violated, ReleasedByNonOwner},
	{"a lost deletion, and a wrong clock of a refused client", "L",
		besideClock + "fault client-clock c3 1 2; fault cut c1>n0 39 50",
		takes + "1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
			"1 1 40 48 n0 DEL k -> !timeout\n3 1 31 36 n0 SET k dddddddd NX PX 200 -> (nil)\n" +
			takenThen, Violated, ReleasedByNonOwner},
	{"a renewal of an earlier hold is answered late", "S", pausedAfter,
		"0 1 12 15 n0 SET k aaaaaaaa NX PX 0.0002 -> OK\n" +
			"0 0 19 800 n0 EVAL renew 1 k a0000000 -> 0\n" +
			"1 1 300 305 n0 SET k bbbbbbbb NX PX 0.002 -> OK\n", Violated, LeaseOverrun},
	{"a wrong clock of a client that says when its lease ends", "L",
		besideClock + "fault client-clock c0 1 2; fault cut c1>n0 39 50",
		takes + "0 1 21 22 n0 PEXPIREAT k 1700000000000 -> 1\n" +
			"1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n1 1 40 48 n0 DEL k -> !timeout\n" +
			"3 1 31 36 n0 SET k dddddddd NX PX 200 -> (nil)\n" + takenThen, Violated, Clock},
	{"a wrong clock of a client, and the first grant is not seen", "L",
		besideClock + "fault client-clock c0 1 2",
		"1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
			"3 1 31 36 n0 SET k dddddddd NX PX 200 -> (nil)\n" + takenThen, Violated, Clock},

	{"a release deletes its lock first, and then a note that has the lock's name", "O",
		leased + "c0 acquire 10 20 sent=12 lease=200000000; c0 release 30 60; " +
			"c1 acquire 40 70 sent=52 lease=200000000; c1 release 100 110",
		"0 1 12 13 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n0 1 14 15 n0 SET k aaaaaaaa -> OK\n" +
			"0 1 31 33 n0 DEL lock:k -> 1\n1 1 52 53 n0 SET lock:k bbbbbbbb NX PX 200 -> OK\n" +
			"1 1 54 55 n0 SET k bbbbbbbb -> OK\n0 1 56 58 n0 DEL k -> 1\n" +
			"1 1 101 102 n0 DEL lock:k -> 1\n1 1 103 104 n0 DEL k -> 0\n", Unknown, ""},

	// Other excuses.
	{"a dead client had a place in the queue of another lock later", "D",
		"environment process; lease; names k,j; poll 10000000; deadwaiters 3000000000; " +
			"script take take OK [0-9]+; c2 acquire 1 key=0; c2 kill 5; " +
			"c3 acquire 2 4 key=0 info; c3 acquire 10 20 key=1 sent=12 lease=200000000; " +
			"c3 release 30 40; c3 kill 50; " +
			"c1 acquire 100 6500000100 key=0 sent=6500000001 lease=200000000; " +
			"c1 release 6500000200 6500000300",
		"3 2 12 13 n0 EVAL take 1 j cccccccc -> OK\n3 2 31 32 n0 DEL j -> 1\n" + inQueue,
		Valid, ""},
	{"a lost script takes a place in a queue, and names it second", "D", lossyWait,
		"2 1 52 62 n0 EVAL take 2 k queue:k cccccccc -> !timeout | EXISTS k | RPUSH queue:k " +
			"cccccccc\n" + queueShown, Unknown, ""},
	{"a lost script takes a place in a queue, and names it first", "D", lossyWait,
		"2 1 52 62 n0 EVAL take 2 queue:k k cccccccc -> !timeout | EXISTS k | RPUSH queue:k " +
			"cccccccc\n" + queueShown, Unknown, ""},
	{"a lost release also signals, and names the signal first", "D", lossyRelease,
		"2 1 2 3 n0 SETNX k cccccccc -> 1\n2 1 52 62 n0 EVAL rel 2 signal:k k cccccccc -> " +
			"!timeout | DEL k | LPUSH signal:k 1\n0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n" +
			"0 1 131 133 n0 EVAL rel 2 signal:k k aaaaaaaa -> 1 | DEL k | LPUSH signal:k 1\n" +
			"1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n" +
			"1 1 171 173 n0 EVAL rel 2 signal:k k bbbbbbbb -> 0 | GET k\n" + keptOut, Violated, ""},
	{"a lost signal, and acquire calls clear it", "D", lossyWait,
		"2 1 52 62 n0 LPUSH signal:k 1 -> !timeout\n0 1 111 111 n0 DEL signal:k -> 0\n" +
			bothFree("DEL k -> 1", "DEL x -> 0") + "0 2 205 206 n0 DEL signal:k -> 0\n" +
			keptOut, Violated, ""},
	{"killed without a lease, and a refused client asks for one", "D", oneKilled,
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 70 75 n0 SET k b NX PX 300 -> (nil)\n", Violated, ""},
	{"a field that is set after a short lease", "V", longHold,
		"0 1 12 13 n0 HSETNX k o aaaaaaaa -> 1\n0 1 14 15 n0 PEXPIRE k 20 -> 1\n" +
			"0 1 16 17 n0 HSET k t 7 -> 1\n" + longFreed, Violated, PromisedTooLong},
	{"an inner release frees, and the field of another client is seen", "E",
		reentry + "; c2 acquire 33 50 info",
		"0 1 12 15 n0 HSETNX k owner aaaaaaaa -> 1\n0 1 16 17 n0 PEXPIRE k 200 -> 1\n" +
			"0 2 27 29 n0 DEL k -> 1\n2 1 35 38 n0 HSETNX k owner cccccccc -> 1\n" +
			"1 1 40 45 n0 HGET k owner -> cccccccc\n2 1 46 49 n0 DEL k -> 1\n" +
			"1 1 80 85 n0 HSETNX k owner bbbbbbbb -> 1\n", Violated, DoubleGrant},
	{"an inner release frees, and the lease of another client is seen", "E",
		reentry + "; c2 acquire 33 50 info",
		takes + "0 2 27 29 n0 DEL k -> 1\n2 1 35 38 n0 SET k cccccccc NX PX 0.00001 -> OK\n" +
			"1 1 40 45 n0 PTTL k -> 5\n" + nextTakes, Violated, DoubleGrant},
	{"an inner release frees, its client takes the key again, and the key is seen", "E", reentry,
		takes + "0 2 27 29 n0 DEL k -> 1\n0 2 31 32 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
			"1 1 40 45 n0 GET k -> aaaaaaaa\n" + nextTakes, Valid, ""},
	{"an inner release frees nothing, another client counts on, and the key is seen", "E", reentry,
		"0 1 12 13 n0 INCR k -> 1\n0 1 14 15 n0 PEXPIRE k 200 -> 1\n0 2 27 29 n0 DECR k -> 1\n" +
			"1 1 35 38 n0 INCR k -> 2\n1 1 40 45 n0 PTTL k -> 150\n" +
			"1 1 80 85 n0 SET k bbbbbbbb NX PX 200 -> OK\n1 1 221 225 n0 DEL k -> 1\n", Valid, ""},
	{"a count after a short lease", "V", longHold,
		"0 1 12 13 n0 HINCRBY k aaaaaaaa 1 -> 1\n0 1 14 15 n0 PEXPIRE k 20 -> 1\n" +
			"0 1 16 17 n0 HINCRBY k tries 1 -> 1\n" + longFreed, Violated, PromisedTooLong},
	{"a lost release hands the lock over, and names the queue first", "D", lossyRelease,
		"2 1 2 3 n0 SETNX k cccccccc -> 1\n2 1 52 62 n0 EVAL rel 2 queue:k k cccccccc -> " +
			"!timeout | LPOP queue:k | SET k dddddddd\n0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n" +
			"0 1 131 133 n0 DEL k -> 1\n1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n" +
			"1 1 171 173 n0 DEL x -> 0\n" + keptOut, Unknown, ""},
}

// noteWords are cases whose words must name no token and no command of another key or client.
var noteWords = []wordsCase{
	{propertyCase{"a marker that all clients set, and the class S", "S",
		leased + "c1 acquire 1 4 sent=2 lease=7; c0 acquire 10 20 sent=12 lease=200000000; " +
			"c1 release 8 60; c2 acquire 61 80 sent=70 lease=200000000; c0 release 100 110; " +
			"c2 release 120 130",
		"1 1 2 3 n0 EVAL take 2 k on:k bbbbbbbb -> 1 | SET k bbbbbbbb NX PX 0.000007 | SET " +
			"on:k 1\n0 1 12 15 n0 EVAL take 2 k on:k aaaaaaaa -> 1 | SET k aaaaaaaa NX PX 200 " +
			"| SET on:k 1\n1 1 40 45 n0 EVAL rel 1 k bbbbbbbb -> 1 | DEL k\n" +
			"2 1 70 75 n0 EVAL take 2 k on:k cccccccc -> 1 | SET k cccccccc NX PX 200 | SET " +
			"on:k 1\n", Violated, ReleasedByNonOwner}, "have one token", true},
	{propertyCase{"a marker that all clients set", "O", leased +
		"c1 acquire 1 4 sent=2 lease=7; c0 acquire 10 20 sent=12 lease=200000000; " +
		"c1 release 8 60; c0 release 100 110",
		"1 1 2 3 n0 EVAL take 2 k on:k bbbbbbbb -> 1 | SET k bbbbbbbb NX PX 0.000007 | SET " +
			"on:k 1\n0 1 12 15 n0 EVAL take 2 k on:k aaaaaaaa -> 1 | SET k aaaaaaaa NX PX 200 " +
			"| SET on:k 1\n1 1 40 45 n0 EVAL rel 1 k bbbbbbbb -> 1 | DEL k\n" +
			"0 1 101 105 n0 EVAL rel 1 k aaaaaaaa -> 0 | GET k\n",
		Violated, ReleasedByNonOwner}, "have one token", true},
	{propertyCase{"all clients use one field", "O", leased + "c1 acquire 1 4 sent=2 lease=7; " +
		"c0 acquire 10 20 sent=12 lease=200000000; c1 release 8 60; c0 release 100 110",
		"1 1 2 2 n0 HSETNX k owner bbbbbbbb -> 1\n1 1 2 3 n0 PEXPIRE k 0.000007 -> 1\n" +
			"0 1 12 15 n0 HSETNX k owner aaaaaaaa -> 1\n0 1 16 17 n0 PEXPIRE k 200 -> 1\n" +
			"1 1 40 45 n0 EVAL rel 1 k owner bbbbbbbb -> 1 | DEL k\n" +
			"0 1 101 105 n0 EVAL rel 1 k owner aaaaaaaa -> 0 | HGET k owner\n",
		Violated, ReleasedByNonOwner}, "have one token", true},
	{propertyCase{"a reply that is a count", "O", inside + "c1 acquire 1 9 sent=3; " +
		"c1 release 30 50",
		"1 1 3 4 n0 SETNX k 1 -> 1\n1 1 5 6 n0 PEXPIRE k 0.000001 -> 1\n" +
			"0 1 12 15 n0 SET k 1 NX PX 200 -> OK\n1 1 32 33 n0 EXISTS k -> 1\n" +
			"1 1 40 45 n0 DEL k -> 1\n0 1 101 105 n0 DEL k -> 0\n",
		Violated, ReleasedByNonOwner}, "have one token", true},
	{propertyCase{"the lost PEXPIRE of another client", "D",
		"environment process; names k; poll 10000000; clienttimeout 10; " +
			"c0 acquire 10 20 sent=12; c0 release 30 40; fault cut c1>n0 50 60; " +
			"c1 acquire 45 9000000000 fail; end 9000000000",
		"0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n0 1 31 33 n0 DEL x -> 0\n" +
			"1 1 46 48 n0 SETNX k b -> 0\n1 1 51 59 n0 PEXPIRE k 300 -> !timeout\n" +
			"1 1 70 75 n0 SETNX k b -> 0\n1 1 8000000010 8000000020 n0 SETNX k b -> 0\n",
		Violated, ""}, "would have given the key its lease", true},
	{propertyCase{"the lost PEXPIRE of another key", "D", "environment process; names k; " +
		"poll 10000000; clienttimeout 10; c0 acquire 10 20 sent=12; fault cut c0>n0 21 29; " +
		"c0 release 30 40; c1 acquire 45 9000000000 fail; end 9000000000",
		"0 1 12 15 n0 SETNX lock:k aaaaaaaa -> 1\n0 1 22 28 n0 PEXPIRE seen:k 300 -> !timeout\n" +
			"0 1 31 33 n0 DEL x -> 0\n1 1 70 75 n0 SETNX lock:k b -> 0\n" +
			"1 1 8000000010 8000000020 n0 SETNX lock:k b -> 0\n",
		Violated, ""}, "would have given the key its lease", true},
}
