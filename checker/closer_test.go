package checker

import (
	"strings"
	"testing"
)

// Parts of histories in which a client takes the lock and counts up its fencing token.
const (
	fenced    = "0 1 12 13 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 1 14 15 n0 INCR fence:k -> 1\n"
	oneKilled = "environment process; names k; poll 1; c0 acquire 10 20; c0 kill 50; " +
		"c1 acquire 60 90 fail; end 900"
	prolongs = leased + "c0 acquire 10 3000060 sent=3000012 lease=200000000 valid=203000012; " +
		"c0 release 4000000 4000010"
	prolongedLater = "0 1 3000012 3000015 n0 PEXPIRE k 200 -> 1\n0 1 4000001 4000005 n0 " +
		"DEL k -> 1\n"
)

// Parts of histories in which a third party deletes the key.
const (
	thirdParty = "environment process; lease; names k; fault cut c1>n0 20 29; " +
		"c1 acquire 1 2 sent=1 lease=5; c1 release 22 28 info; " +
		"c0 acquire 10 20 sent=12 lease=200000000; c2 acquire 40 50 sent=41 lease=200000000; " +
		"c2 release 60 70; c0 release 100 110; counted n0 deleted="
	deletesTwo = "1 1 1 2 n0 SET k bbbbbbbb NX PX 0.000005 -> OK\n" + takes +
		"1 1 22 28 n0 DEL k signal:k -> !timeout\n2 1 41 45 n0 SET k cccccccc NX PX 200 -> OK\n" +
		"2 1 61 65 n0 DEL k signal:k -> 1\n0 1 101 105 n0 DEL k signal:k -> 0\n"
)

// Parts of histories in which an inner release frees the key.
const (
	twoInner = nesting + "c0 acquire 10 20 sent=12 lease=200000000; " +
		"c0 acquire 21 21 depth=1 sent=21 lease=200000000; " +
		"c0 acquire 22 25 depth=2 sent=23 lease=200000000; c0 release 26 30; c0 release 100 105; " +
		"c1 acquire 24 90 sent=80 lease=200000000; c0 release 200 210; c1 release 220 230; " +
		"evicts; counted n0 evicted=1 deleted=1"
	twoInnerPart = "0 1 12 15 n0 EVAL take 1 k aaaaaaaa -> OK\n" +
		"0 2 21 21 n0 EVAL take 1 k aaaaaaaa -> OK\n0 3 23 24 n0 EVAL take 1 k aaaaaaaa -> OK\n" +
		"0 3 27 29 n0 EVAL free 1 k aaaaaaaa -> 0\n"
	twoInnerEnd = "1 1 80 85 n0 EVAL take 1 k bbbbbbbb -> OK\n0 2 101 104 n0 EVAL free 1 k " +
		"aaaaaaaa -> no\n0 1 201 205 n0 EVAL free 1 k aaaaaaaa -> no\n" +
		"1 1 221 225 n0 EVAL free 1 k bbbbbbbb -> 1\n"
	innerTwice = nesting + "c0 acquire 10 20 sent=12 lease=200000000; " +
		"c0 acquire 21 21 depth=1 sent=21 lease=200000000; " +
		"c0 acquire 22 25 depth=2 sent=23 lease=200000000; c0 release 26 30; c0 release 81 86; " +
		"c1 acquire 24 95 sent=80 lease=200000000; c0 release 200 210; c1 release 220 230"
	watchdogs = "environment process; lease; reentrant; names k; " +
		"c0 acquire 10 20 sent=12 lease=200000000; " +
		"c0 acquire 22 25 depth=1 sent=23 lease=200000000; c0 release 26 30; " +
		"c1 acquire 24 90 sent=80 lease=200000000; c0 release 200 210; c1 release 220 230"
	freedPlainly = "0 1 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 2 27 29 n0 DEL k -> 1\n" +
		"1 1 80 85 n0 SET k bbbbbbbb NX PX 200 -> OK\n"
)

// Parts of histories in which a command is lost, and others were granted the lock since.
var (
	cleanSince = strings.Replace(grantedSince, "DEL x -> 0", "DEL k -> 1", 1)
	fairTakes  = "environment process; names k; poll 10000000; clienttimeout 10; " +
		"script take take 1 0; script rel free 1 0; c2 acquire 50 70 info; " +
		"c0 acquire 80 120 sent=112; c0 release 130 140; c1 acquire 85 160 sent=152; " +
		"c1 release 170 180; c0 acquire 200 9000000000 fail; c1 acquire 201 9000000000 fail; " +
		"end 9000000000"
)

// Parts of histories in which clients die.
const (
	deadQueue = leased + "deadwaiters 3000000000; script take take OK [0-9]+; c2 acquire 1; " +
		"c2 kill 5; c3 acquire 2; c3 kill 5; c1 acquire 4500000000 4500000100 fail; " +
		"c0 acquire 6500000000 6500000100 sent=6500000001 lease=200000000; " +
		"c0 release 6500000200 6500000300"
	deadSender = leased + "fault hold c2>n0 2 9000000000; c2 acquire 1 4 info; c2 kill 5; " +
		"c0 acquire 9000000100 9000000200 fail; end 9900000000"
	leftByClient = "c0 acquire 10 20 key=0 sent=12 lease=200000000; c0 release 30 40; " +
		"c1 acquire 8000000000 8000000100 key=0 fail; end 9900000000"
	leftKey = "0 1 12 15 n0 SET k aaaaaaaa NX -> OK\n0 1 31 35 n0 DEL x -> 0\n" +
		"1 1 8000000010 8000000020 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n"
	expiresOnce = "environment process; names k; poll 1; c1 acquire 1 4 sent=2; c1 release 5 8; " +
		"c0 acquire 10 20; c0 kill 50; c1 acquire 60 90 fail; end 900"
	missedWake = leased + endless + "c0 acquire 10 20 sent=12 lease=200; c0 release 25 28; " +
		"c1 acquire 15; c2 acquire 20000000000 20000000100 sent=20000000001 lease=200; " +
		"c2 release 20000000200 20000000300; " +
		"c2 acquire 98000000000 98000000100 sent=98000000001 lease=200; " +
		"c2 release 98000000200 98000000300; end 99000000000"
)

// closerCases are more of nearCases: what a reader found after those.
var closerCases = []propertyCase{
	// A counter is not the key.
	{"closer: the key of a fenced lock is deleted", "O", inside + "c1 acquire 25 60 fail", fenced +
		"1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n1 1 40 45 n0 DEL k -> 1\n" +
		"0 1 101 105 n0 DEL k -> 0\n", Violated, ReleasedByNonOwner},
	{"closer: the counter of a fenced lock is deleted", "O", inside + "c1 acquire 25 60 " +
		"fail", fenced +
		"1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n1 1 40 45 n0 DEL fence:k -> 1\n" +
		"0 1 101 105 n0 DEL k -> 1\n", Valid, ""},
	{"closer: killed with a key that ends and a counter", "D", oneKilled, "0 1 12 13 n0 " +
		"SET k a NX " +
		"PX 300 -> OK\n0 1 14 15 n0 INCR fence:k -> 1\n1 1 70 75 n0 SET k b NX PX 300 -> (nil)\n",
		Unknown, ""},
	{"closer: a fenced lock prolongs its key before it promises", "V", prolongs, "0 1 12 " +
		"13 n0 SET k " +
		"aaaaaaaa NX PX 20 -> OK\n0 1 14 15 n0 INCR fence:k -> 1\n" + prolongedLater, Valid, ""},
	{"closer: a fenced lock promises more", "V", prolongs, "0 1 12 13 n0 SET k aaaaaaaa NX " +
		"PX 20 -> " +
		"OK\n0 1 14 15 n0 INCR fence:k -> 1\n0 1 4000001 4000005 n0 DEL k -> 1\n", Violated,
		PromisedTooLong},
	{"closer: a script whose first key is another deletes", "O", leased + "script rel free 1 0; " +
		"script take take 1 0; c0 acquire 10 20 sent=12 lease=200000000; c1 acquire 25 60 fail; " +
		"c0 release 100 110", "0 1 12 15 n0 EVAL take 2 k chan:k aaaaaaaa -> 1\n" +
		"1 1 30 35 n0 EVAL take 2 k chan:k bbbbbbbb -> 0\n" +
		"1 1 40 45 n0 EVAL rel 2 chan:k k bbbbbbbb -> 1\n" +
		"0 1 101 105 n0 EVAL rel 2 chan:k k aaaaaaaa -> 0\n", Violated, ReleasedByNonOwner},

	// What a client shows to be its own.
	{"closer: a field of one name shows the own value", "V", whole + "c0 acquire 10 60",
		"1 1 1 2 n0 HSETNX k owner you12345 -> 1\n1 1 3 4 n0 DEL k -> 1\n" +
			"0 1 12 20 n0 HSETNX k owner me123456 -> !timeout\n0 1 30 35 n0 HGET k owner " +
			"-> me123456\n",
		Valid, ""},
	{"closer: a field of one name shows another's value", "V", "environment process; reentrant; " +
		"names k; wholetrace; script take take 1 0; script free free 1 0; c1 acquire 1 2 sent=1; " +
		"c1 release 3 4; c1 acquire 11 22; c0 acquire 10 60; c1 release 70 80",
		"1 1 1 2 n0 EVAL take 1 k you12345 -> 1\n1 1 3 4 n0 EVAL free 1 k you12345 -> 1\n" +
			"1 2 12 20 n0 EVAL take 1 k you12345 -> 1\n0 1 30 35 n0 HGET k owner -> you12345\n" +
			"1 2 71 75 n0 EVAL free 1 k you12345 -> 1\n", Violated, NoServer},

	// Who deleted the key.
	{"closer: a third party deletes, and clients delete two keys at once", "O", thirdParty + "4",
		deletesTwo, Unknown, ""},
	{"closer: no third party deletes, and clients delete two keys at once", "O", thirdParty + "3",
		deletesTwo, Violated, ReleasedByNonOwner},

	// What a lost command may still do.
	{"closer: a lost try takes effect after other grants", "D", lossy + since +
		"c0 acquire 200 9000000000 fail; end 9000000000", lostTry + cleanSince + refusedSince,
		Unknown, ""},
	{"closer: a lost try takes effect after other grants", "R", lossy + since +
		"c0 acquire 200 900 fail", lostTry + cleanSince + "0 2 210 215 n0 SETNX k aaaaaaaa -> 0\n",
		Unknown, ""},
	{"closer: a lost place in a queue takes effect after other grants", "D", fairTakes,
		"2 1 52 62 n0 EVAL take 2 k queue:k cccccccc -> !timeout\n" +
			"0 1 112 115 n0 EVAL take 2 k queue:k aaaaaaaa -> 1\n" +
			"0 1 131 135 n0 EVAL rel 1 k aaaaaaaa -> 1\n" +
			"1 1 152 155 n0 EVAL take 2 k queue:k bbbbbbbb -> 1\n" +
			"1 1 171 175 n0 EVAL rel 1 k bbbbbbbb -> 1\n" +
			"0 2 210 215 n0 EVAL take 2 k queue:k aaaaaaaa -> 0\n" +
			"0 2 8000000000 8000000010 n0 EVAL take 2 k queue:k aaaaaaaa -> 0\n", Unknown, ""},

	// The lock has other keys, too.
	{"closer: a counter that is made twice and counted", "R", inside +
		"c1 acquire 200 210 sent=204 lease=200000000", helped + "0 1 16 17 n0 INCR fence:k -> 1\n" +
		"0 1 101 105 n0 DEL lock:k -> 1\n1 1 202 203 n0 SET fence:k 0 NX -> (nil)\n" +
		"1 1 204 205 n0 SET lock:k bbbbbbbb NX PX 200 -> OK\n", NA, ""},
	{"closer: a counter that is made twice and ends some day", "R", inside +
		"c1 acquire 200 210 sent=204 lease=200000000", "0 1 12 13 n0 SET fence:k 0 NX EX " +
		"86400 -> OK\n" +
		"0 1 14 15 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n0 1 101 105 n0 DEL lock:k -> 1\n" +
		"1 1 202 203 n0 SET fence:k 0 NX EX 86400 -> (nil)\n" +
		"1 1 204 205 n0 SET lock:k bbbbbbbb NX PX 200 -> OK\n", NA, ""},
	{"closer: a guard that is never freed", "R", inside + "c1 acquire 200 210 fail",
		"0 1 12 13 n0 SETNX guard:k 1 -> 1\n0 1 14 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
			"0 1 101 105 n0 DEL k -> 1\n1 1 202 203 n0 SETNX guard:k 1 -> 0\n", Violated, ""},

	// What shows that the key was still there after an inner release.
	{"closer: a client is refused while the next one takes the key", "E", nested +
		"c2 acquire 70 95 fail", nestedPart + nestedEnd + "2 1 82 84 n0 EVAL take 1 k " +
		"cccccccc -> 100\n",
		Violated, DoubleGrant},
	{"closer: a client is refused while the next one takes the key", "S", nested +
		"c2 acquire 70 95 fail", nestedPart + nestedEnd + "2 1 82 84 n0 EVAL take 1 k " +
		"cccccccc -> 100\n",
		Violated, DoubleGrant},
	{"closer: the holder's renewal prolongs the next one's key", "E", watchdogs, freedPlainly +
		"0 1 86 88 n0 PEXPIRE k 200 -> 1\n1 1 221 225 n0 DEL k -> 1\n", Violated, DoubleGrant},
	{"closer: evicted after the first of two inner releases", "E", twoInner, twoInnerPart + shown +
		twoInnerEnd, Valid, ""},

	{"closer: evicted after an inner release and a re-entry", "E", evicted, nestedPart +
		"0 3 40 45 n0 EVAL take 1 k aaaaaaaa -> OK\n0 3 46 48 n0 EVAL free 1 k aaaaaaaa -> 0\n" +
		nestedEnd, Valid, ""},

	// What looks like an attempt.
	{"closer: a renewal by digest finds no key", "R", inside, takes + givesBack + "0 1 120 " +
		"125 n0 " +
		"SET k aaaaaaaa IFDEQ 0123456789abcdef PX 200 -> (nil)\n", NA, ""},
	{"closer: a deletion by digest finds another key", "R", inside + "c1 acquire 200 210 " +
		"fail", takes +
		"0 1 101 105 n0 DELEX k IFDEQ 0123456789abcdef -> 0\n" +
		"1 1 202 203 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n", Violated, ""},

	// Clients that died.
	{"closer: two dead clients wait in a queue", "R", deadQueue,
		"1 1 4500000010 4500000020 n0 EVAL take 1 k bbbbbbbb -> 1500\n" +
			"0 1 6500000001 6500000002 n0 EVAL take 1 k aaaaaaaa -> OK\n", NA, ""},
	{"closer: a dead client's command comes late", "R", deadSender,
		"2 1 3 4 n0 SET k cccccccc NX PX 200 -> !timeout\n" +
			"0 1 9000000120 9000000130 n0 SET k aaaaaaaa NX PX 200 -> (nil)\n", NA, ""},
	{"closer: killed before EXPIRE, and an earlier key had one", "D", expiresOnce,
		"1 1 2 3 n0 SETNX k b -> 1\n1 1 3 4 n0 EXPIRE k 30 -> 1\n1 1 5 6 n0 DEL k -> 1\n" +
			"0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n1 2 70 75 n0 SETNX k b -> 0\n", Violated, ""},
	{"closer: a wake-up is lost, and others were inside for moments", "D", missedWake,
		"0 1 12 15 n0 SET k a NX PX 1 -> OK\n1 1 16 17 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 18 19 n0 SUBSCRIBE k -> k\n0 1 26 27 n0 DEL k -> 1\n" +
			"2 1 20000000001 20000000002 n0 SET k c NX PX 1 -> OK\n" +
			"2 1 20000000201 20000000202 n0 DEL k -> 1\n" +
			"2 2 98000000001 98000000002 n0 SET k c NX PX 1 -> OK\n" +
			"2 2 98000000201 98000000202 n0 DEL k -> 1\n", Violated, MissedWake},

	// The votes of a call.
	{"closer: the key is deleted in the call, and a helper stays", "V", inside,
		"0 1 11 12 n0 SADD waiters:k c0 -> 1\n" + takes + "0 1 16 18 n0 DEL k -> 1\n" + givesBack,
		Violated, NoServer},
	{"closer: the key is deleted in the call, and a helper has an expiry", "V", inside, takes +
		"0 1 15 16 n0 PEXPIRE fence:k 1000 -> 1\n0 1 16 18 n0 DEL k -> 1\n" + givesBack,
		Violated, NoServer},
	{"closer: a guard is deleted in the call of a counted lock", "V", whole +
		"c0 acquire 10 60; c0 release 70 80", "1 1 1 2 n0 HINCRBY k you12345 1 -> 1\n" +
		"1 1 3 4 n0 DEL k -> 1\n0 1 11 12 n0 SET guard:k me123456 NX PX 200 -> OK\n" +
		"0 1 13 14 n0 HINCRBY k me123456 1 -> 1\n0 1 15 16 n0 DEL guard:k -> 1\n" +
		"0 1 71 72 n0 DEL k -> 1\n", Valid, ""},

	// Guards, counters and helpers.
	{"closer: a semaphore behind a guard, given back by ZREM", "V", "environment process; " +
		"names k; " +
		"wholetrace; c0 acquire 10 60; c0 release 70 80; c1 acquire 90 120; c1 release 130 140",
		"0 1 11 12 n0 SET guard:k me123456 NX PX 200 -> OK\n0 1 13 14 n0 ZADD k 1 me123456 -> 1\n" +
			"0 1 15 16 n0 ZRANK k me123456 -> 0\n0 1 17 18 n0 DEL guard:k -> 1\n" +
			"0 1 71 72 n0 ZREM k me123456 -> 1\n1 1 91 92 n0 SET guard:k you12345 NX PX " +
			"200 -> OK\n" +
			"1 1 93 94 n0 ZADD k 2 you12345 -> 1\n1 1 95 96 n0 ZRANK k you12345 -> 0\n" +
			"1 1 97 98 n0 DEL guard:k -> 1\n1 1 131 132 n0 ZREM k you12345 -> 1\n", NA, ""},
	{"closer: a counter is made before a field is taken", "R", inside +
		"c1 acquire 200 210 sent=204 lease=200000000", "0 1 12 13 n0 SET fence:k 0 NX -> OK\n" +
		"0 1 14 15 n0 HSETNX lock:k owner aaaaaaaa -> 1\n0 1 101 105 n0 DEL lock:k -> 1\n" +
		"1 1 202 203 n0 SET fence:k 0 NX -> (nil)\n" +
		"1 1 204 205 n0 HSETNX lock:k owner bbbbbbbb -> 1\n", NA, ""},
	{"closer: a counter is made before a take without an answer", "R", leased +
		"fault cut c1>n0 203 400; c0 acquire 10 20 sent=14 lease=200000000; c0 release 100 110; " +
		"c1 acquire 200 300 info", helped + "0 1 101 105 n0 DEL lock:k -> 1\n" +
		"1 1 202 203 n0 SET fence:k 0 NX -> (nil)\n" +
		"1 1 204 290 n0 SET lock:k bbbbbbbb NX PX 200 -> !timeout\n", NA, ""},
	{"closer: a counter is made before the lock is counted up", "R", inside +
		"c1 acquire 200 210 sent=204 lease=200000000", "0 1 12 13 n0 SET fence:k 0 NX -> OK\n" +
		"0 1 14 15 n0 INCR lock:k -> 1\n0 1 16 17 n0 PEXPIRE lock:k 200 -> 1\n" +
		"0 1 101 105 n0 DEL lock:k -> 1\n1 1 202 203 n0 SET fence:k 0 NX -> (nil)\n" +
		"1 1 204 205 n0 INCR lock:k -> 1\n1 1 206 207 n0 PEXPIRE lock:k 200 -> 1\n", NA, ""},
	{"closer: a call tries until a guard expires that was left behind", "R", leased +
		"c0 acquire 10 20 sent=12 lease=200000000; c0 release 100 110; " +
		"c1 acquire 200 300000200 sent=300000103 lease=200000000",
		"0 1 12 13 n0 SET guard:k a NX PX 200 -> OK\n" +
			"0 1 14 15 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n0 1 101 105 n0 DEL lock:k -> 1\n" +
			"1 1 202 203 n0 SET guard:k b NX PX 200 -> (nil)\n" +
			"1 1 100000202 100000203 n0 SET guard:k b NX PX 200 -> (nil)\n" +
			"1 1 300000101 300000102 n0 SET guard:k b NX PX 200 -> OK\n" +
			"1 1 300000103 300000104 n0 SET lock:k bbbbbbbb NX PX 200 -> OK\n", Violated, ""},
	{"closer: one of two locks is left behind by a call that failed", "R", "environment process; " +
		"lease; names k,j; c0 acquire 10 20 key=0 sent=12 lease=200000000; " +
		"c1 acquire 30 60 keys=0,1 fail; c2 acquire 100 120 keys=0,1 fail; c0 release 500 510",
		"0 1 12 13 n0 SET k aaaaaaaa NX PX 200 -> OK\n1 1 32 33 n0 SET j bbbbbbbb NX PX " +
			"200 -> OK\n" +
			"1 1 34 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
			"2 1 102 103 n0 SET j cccccccc NX PX 200 -> (nil)\n" +
			"2 1 104 105 n0 SET k cccccccc NX PX 200 -> (nil)\n", Violated, ""},
	{"closer: a counted lock behind a guard is deleted", "O", leased +
		"c0 acquire 10 20 sent=13 lease=200000000; c1 acquire 25 60 fail; c0 release 100 110",
		"0 1 11 12 n0 SET guard:k aaaaaaaa NX PX 200 -> OK\n0 1 13 14 n0 HINCRBY k " +
			"aaaaaaaa 1 -> 1\n" +
			"0 1 15 16 n0 PEXPIRE k 200 -> 1\n0 1 17 18 n0 DEL guard:k -> 1\n" +
			"1 1 34 35 n0 DEL k -> 1\n0 1 101 105 n0 DEL k -> 0\n", Violated, ReleasedByNonOwner},
	{"closer: a counted lock with a guard that ends early", "V", leased +
		"c0 acquire 10 60 sent=13 lease=200000000 valid=200000013; c0 release 100 110",
		"0 1 11 12 n0 SET guard:k a NX PX 20 -> OK\n0 1 13 14 n0 HINCRBY k me123456 1 -> 1\n" +
			"0 1 15 16 n0 PEXPIRE k 200 -> 1\n0 1 101 102 n0 DEL k -> 1\n", Valid, ""},
	{"closer: killed with a counted lock that does not end, and a guard that did", "D", oneKilled,
		"0 1 11 12 n0 SET guard:k a NX PX 100 -> OK\n0 1 13 14 n0 HINCRBY k me123456 1 -> 1\n" +
			"0 1 15 16 n0 DEL guard:k -> 1\n1 1 70 75 n0 SET guard:k b NX PX 100 -> OK\n" +
			"1 1 76 77 n0 HEXISTS k you12345 -> 0\n1 1 78 79 n0 DEL guard:k -> 1\n", Violated, ""},
	{"closer: a refused client deletes a counter that is the lock, beside a note", "O", leased +
		"c0 acquire 10 60 sent=13 lease=400000000; c1 acquire 70 90 fail; " +
		"c1 acquire 120 150 sent=123 lease=400000000; c0 release 350 360; c1 release 370 380",
		"0 1 11 12 n0 SET note:k aaaaaaaa PX 400 -> OK\n0 1 13 14 n0 INCR k -> 1\n" +
			"0 1 15 16 n0 PEXPIRE k 400 -> 1\n1 1 71 72 n0 SET note:k bbbbbbbb PX 400 -> OK\n" +
			"1 1 73 74 n0 INCR k -> 2\n1 1 75 76 n0 DEL k -> 1\n" +
			"1 2 121 122 n0 SET note:k bbbbbbbb PX 400 -> OK\n1 2 123 124 n0 INCR k -> 1\n" +
			"1 2 125 126 n0 PEXPIRE k 400 -> 1\n0 1 351 352 n0 DEL k -> 1\n1 2 371 372 n0 " +
			"DEL k -> 0\n",
		Violated, ReleasedByNonOwner},
	{"closer: killed with an expiry that came before the last command", "D", oneKilled,
		"0 1 11 12 n0 HSETNX k owner me123456 -> 1\n0 1 13 14 n0 PEXPIRE k 300 -> 1\n" +
			"0 1 15 16 n0 HINCRBY k count 1 -> 1\n1 1 70 71 n0 HSETNX k owner you12345 -> 0\n",
		Unknown, ""},
	{"closer: a count that another client sent as a number", "V", "environment process; " +
		"reentrant; " +
		"names k; wholetrace; c1 acquire 1 2 sent=1; c1 release 3 5; c0 acquire 10 60",
		"1 1 1 2 n0 HINCRBY k you12345 1 -> 1\n1 1 2 2 n0 EXPIRE k 2 -> 1\n1 1 3 4 n0 DEL " +
			"k -> 1\n" +
			"0 1 12 20 n0 HINCRBY k me123456 1 -> !timeout\n" +
			"0 1 21 29 n0 HINCRBY k me123456 1 -> !timeout\n0 1 30 35 n0 HGET k me123456 -> 2\n",
		Valid, ""},
	{"closer: an endless call waits for the second of its locks", "D", "environment " +
		"process; lease; " +
		"names k,j; " + endless + "c0 acquire 10 20 key=1 sent=12 lease=60000000000; " +
		"c1 acquire 15 70000000100 keys=0,1 sent=70000000001 lease=60000000000; " +
		"c0 release 70000000000 70000000002; c1 release 70000000200 70000000300; end 70000000400",
		"0 1 12 15 n0 SET j a NX PX 60000 -> OK\n1 1 16 17 n0 SET j b NX PX 60000 -> (nil)\n" +
			"1 1 35000000000 35000000001 n0 SET j b NX PX 60000 -> (nil)\n" +
			"0 1 70000000000 70000000001 n0 DEL j -> 1\n" +
			"1 1 70000000003 70000000004 n0 SET j b NX PX 60000 -> OK\n" +
			"1 1 70000000005 70000000006 n0 SET k b NX PX 60000 -> OK\n", Valid, ""},
	{"closer: another inner release while the next one takes the key", "E", innerTwice,
		"0 1 12 15 n0 EVAL take 1 k aaaaaaaa -> OK\n0 2 21 21 n0 EVAL take 1 k aaaaaaaa -> OK\n" +
			"0 3 23 24 n0 EVAL take 1 k aaaaaaaa -> OK\n0 3 27 29 n0 EVAL free 1 k " +
			"aaaaaaaa -> 0\n" +
			shown + "0 2 82 84 n0 EVAL free 1 k aaaaaaaa -> " +
			"0\n" + nestedEnd, Violated, DoubleGrant},
	{"closer: evicted after an inner release, and no command shows the grant", "E", evicted,
		nestedPart + shown + "0 1 201 205 n0 EVAL free 1 k aaaaaaaa -> no\n", Valid, ""},
	{"closer: the last writer's key stays, beside a token", "D", lossy + since +
		"c0 acquire 200 9000000000 fail; end 9000000000", lostTry +
		"0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n0 1 116 117 n0 INCR fence:k -> 1\n" +
		"0 1 131 135 n0 DEL k -> 1\n1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n" +
		"1 1 156 157 n0 INCR fence:k -> 2\n1 1 171 175 n0 DEL x -> " +
		"0\n" + refusedSince, Violated, ""},
	{"closer: the last writer's key stays, and a signal is deleted", "R", lossy + since +
		"c0 acquire 200 900 fail", lostTry + "0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n" +
		"0 1 131 135 n0 DEL k -> 1\n1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n" +
		"1 1 171 175 n0 DEL signal:k -> 0\n0 2 210 215 n0 SETNX k aaaaaaaa -> 0\n", Violated, ""},
	{"closer: a lost look takes nothing", "D", lossy + since +
		"c0 acquire 200 9000000000 fail; end 9000000000", "2 1 52 62 n0 GET k -> !timeout\n" +
		"0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n0 1 131 135 n0 DEL k -> 1\n" +
		"1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n1 1 156 157 n0 EXPIRE k 3600 -> 1\n" +
		"1 1 171 175 n0 DEL x -> 0\n" + refusedSince, Violated, ""},

	// What each condition is for.
	{"closer: a client of a lock without a lease dies inside", "R", "environment process; " +
		"names k; " +
		"c0 acquire 10 20; c0 kill 50; c1 acquire 9000000000 9000000100 fail", deadKey +
		"1 1 9000000010 9000000020 n0 SETNX k b -> 0\n", NA, ""},
	{"closer: a live client's command for another lock comes late", "R", "environment " +
		"process; lease; " +
		"names k,j; fault hold c3>n0 2 9000000000; c3 acquire 1 4 key=1 info; c2 acquire 1 " +
		"4 key=0 fail; " +
		"c2 kill 5; " + leftByClient, "3 1 3 0 n0 SET j dddddddd NX PX 200 " +
		"->\n" + leftKey, Violated, ""},
	{"closer: another client is held up than the dead one", "R", leased +
		"fault hold c3>n0 2 9000000000; c2 acquire 1 4 info; c2 kill 5; " + leftByClient,
		"2 1 3 4 n0 SET k cccccccc NX PX 200 -> !timeout\n" + leftKey, Violated, ""},
	{"closer: a guard is found in no call", "R", inside, "0 1 12 13 n0 SETNX guard:k 1 -> 1\n" +
		"0 1 14 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 1 101 105 n0 DEL k -> 1\n" +
		"1 1 202 203 n0 SETNX guard:k 1 -> 0\n", Violated, ""},
	{"closer: the servers of a majority have keys of their own names", "V", leased + "masters 3; " +
		"c0 acquire 10 3000060 sent=3000012 lease=200000000 valid=203000012; " +
		"c0 release 4000000 4000010", "0 1 12 13 n0 SET a:k aaaaaaaa NX PX 20 -> OK\n" +
		"0 1 12 13 n1 SET b:k aaaaaaaa NX PX 20 -> OK\n0 1 12 13 n2 SET c:k aaaaaaaa NX PX " +
		"20 -> OK\n",
		Violated, PromisedTooLong},
	{"closer: a guard is found, and the call looks at the key", "R", inside + "c1 acquire " +
		"200 210 fail",
		"0 1 12 13 n0 SETNX guard:k 1 -> 1\n0 1 14 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
			"0 1 101 105 n0 DEL k -> 1\n1 1 202 203 n0 SETNX guard:k 1 -> 0\n" +
			"1 1 204 205 n0 GET k -> (nil)\n", Violated, ""},
	{"closer: a majority is taken and a signal of the first server " +
		"refused", "V", leased + "masters 3; " +
		"c0 acquire 10 3000060 sent=3000012 lease=200000000 valid=203000012; " +
		"c0 release 4000000 4000010", "0 1 12 13 n0 SET k aaaaaaaa NX PX 20 -> OK\n" +
		"0 1 12 13 n1 SET k aaaaaaaa NX PX 20 -> OK\n0 1 14 15 n0 INCR fence:k -> 1\n" +
		"0 1 14 15 n1 INCR fence:k -> 1\n", Violated, PromisedTooLong},
}

// TestADeletionOfSomeOfItsKeys leaves none of them, and is one command.
func TestADeletionOfSomeOfItsKeys(t *testing.T) {
	const signal = "0 1 11 12 n0 LPUSH signal:k 1 -> 1\n"
	for property, c := range map[string]struct{ story, trace string }{
		"R": {inside + "c1 acquire 200 210 fail", signal + takes +
			"0 1 101 105 n0 DEL k signal:k -> 1\n1 1 202 203 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n"},
		"D": {"environment process; names k; poll 10000000; c0 acquire 10 20 sent=12; " +
			"c0 release 100 110; c1 acquire 200 9000000000 fail; end 9000000000", signal +
			"0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n0 1 101 105 n0 DEL k signal:k -> 1\n" +
			"1 1 210 215 n0 SETNX k b -> 0\n1 1 8000000000 8000000010 n0 SETNX k b -> 0\n"},
	} {
		p := Check(story(t, c.story), commands(t, c.trace), Options{
			Properties: []string{property}}).Property(property)
		if p.Verdict != Violated || strings.Contains(p.Explanation+p.Cause, "client 0") {
			t.Errorf("%s: %s: %s %s", property, p.Verdict, p.Explanation, p.Cause)
		}
	}
	v := Check(story(t, onesAndOthers), commands(t, oneAndOther+"1 1 26 29 n0 DEL k j -> !timeout\n"),
		Options{Properties: []string{"O"}})
	if v.Evidence.TimedOut != 1 {
		t.Errorf("%d commands timed out", v.Evidence.TimedOut)
	}
}
