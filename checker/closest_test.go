package checker

import "strings"

// Clients write a guard, a counter or a note as well as the key of the lock.
const (
	guarded = "environment process; names k; wholetrace; c0 acquire 10 60; "
	behind  = "0 1 11 12 n0 SET guard:k me123456 NX PX 200 -> OK\n" +
		"0 1 13 14 n0 ZADD k 1 me123456 -> 1\n0 1 15 16 n0 ZRANK k me123456 -> 0\n" +
		"0 1 17 18 n0 DEL guard:k -> 1\n"
	countsFirst = "c1 acquire 200 210 sent=206 lease=200000000"
	counterMade = "1 1 202 203 n0 SET fence:k 0 NX -> (nil)\n"
	lockFreed   = "0 1 101 105 n0 DEL lock:k -> 1\n"
	triesAndDel = "1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n1 1 40 45 n0 DEL k -> 1\n"
	longHold    = leased + "c0 acquire 10 60 sent=12 lease=200000000; c0 release 4000000 4000010"
	longFreed   = "0 1 4000001 4000005 n0 DEL k -> 1\n"
)

// Parts of histories in which a command is lost, and then two clients have the lock.
const (
	lossyWait = "environment process; names k; poll 10000000; clienttimeout 10; " +
		"c2 acquire 50 70 info; c0 acquire 110 120 sent=112; c0 release 130 140; " +
		"c1 acquire 150 160 sent=152; c1 release 170 180; c0 acquire 200 9000000000 fail; " +
		"end 9000000000"
	lossySet = "2 1 52 62 n0 SETNX k cccccccc -> !timeout\n"
	keptOut  = "0 2 210 215 n0 SETNX k aaaaaaaa -> 0\n" +
		"0 2 8000000000 8000000010 n0 SETNX k aaaaaaaa -> 0\n"
)

// bothFree is two clients that take the lock one after the other, and free it by these commands.
func bothFree(first, second string) string {
	return "0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n0 1 131 135 n0 " + first +
		"\n1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n1 1 171 175 n0 " + second + "\n"
}

// Parts of histories of an acquire that ignores its time-out.
const (
	endlessWait = leased + "endless; timeout 500000000; poll 1000000; clienttimeout 250000000; " +
		"c0 acquire 10 20 sent=12 lease=200; c0 release 25 30; " +
		"c1 acquire 15 9500000000 sent=9400000000 lease=200; c1 release 9500000100 9500000200; " +
		"c2 acquire 1000000000 8900000000 info; " +
		"c2 acquire 9000000000 9000000100 sent=9000000010 lease=200; " +
		"c2 release 9000000200 9000000300; end 9600000000"
	stalled = "0 1 12 15 n0 SET k a NX PX 1 -> OK\n1 1 16 17 n0 SET k b NX PX 1 -> (nil)\n" +
		"1 1 18 9350000000 n0 BLPOP signal:k 0 -> 1\n0 1 26 27 n0 DEL k -> 1\n" +
		"0 1 28 29 n0 LPUSH signal:k 1 -> 1\n" +
		"2 1 1000000001 1250000001 n0 SET k c NX PX 1 -> !timeout\n" +
		"2 1 2000000001 2250000001 n0 SET k c NX PX 1 -> !timeout\n" +
		"2 1 3000000001 3250000001 n0 SET k c NX PX 1 -> !timeout\n" +
		"2 1 5000000001 5250000001 n0 SET k c NX PX 1 -> !timeout\n" +
		"2 1 7000000001 7250000001 n0 SET k c NX PX 1 -> !timeout\n" +
		"2 1 8600000001 8850000001 n0 SET k c NX PX 1 -> !timeout\n" +
		"2 2 9000000010 9000000020 n0 SET k c NX PX 1 -> OK\n" +
		"2 2 9000000201 9000000202 n0 DEL k -> 1\n" +
		"1 1 9400000000 9400000010 n0 SET k b NX PX 1 -> OK\n" +
		"1 1 9500000101 9500000102 n0 DEL k -> 1\n"
	queuesUp = leased + "poll 10000000; deadwaiters 3000000000; script take take OK [0-9]+; " +
		"c2 acquire 1; c2 kill 5; c3 acquire 2; c3 kill 5; " +
		"c1 acquire 100 6500000100 sent=6500000001 lease=200000000; c1 release 6500000200 6500000300"
	inQueue = "1 1 110 120 n0 EVAL take 1 k bbbbbbbb -> 1500\n" +
		"1 1 3000000110 3000000120 n0 EVAL take 1 k bbbbbbbb -> 1500\n" +
		"1 1 5000000110 5000000120 n0 EVAL take 1 k bbbbbbbb -> 1500\n" +
		"1 1 6500000001 6500000002 n0 EVAL take 1 k bbbbbbbb -> OK\n"
)

// Parts of histories of re-entrant holds, of own key names, and of grants that came late.
const (
	reentry = "environment process; lease; reentrant; names k; " +
		"c0 acquire 10 20 sent=12 lease=200000000; " +
		"c0 acquire 22 25 depth=1 sent=23 lease=200000000; c0 release 26 30; " +
		"c1 acquire 24 90 sent=80 lease=200000000; c0 release 200 210; c1 release 220 230"
	innerFreed  = "0 1 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 2 27 29 n0 DEL k -> 1\n"
	nextTakes   = "1 1 80 85 n0 SET k bbbbbbbb NX PX 200 -> OK\n1 1 221 225 n0 DEL k -> 1\n"
	pausedAfter = "environment process; lease; names k; c0 acquire 10 900 sent=12 lease=200; " +
		"fault pause c0 20 800; c1 acquire 25 310 sent=300 lease=2000; c0 release 1000 1010; " +
		"c1 release 1100 1110"
	takesThenNote = "0 1 12 13 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 14 15 n0 SET holder:k aaaaaaaa PX 20 -> OK\n"
	bothLate = leased + "c0 acquire 10 20 sent=12 lease=200000000; c1 acquire 25 60 fail; " +
		"c2 acquire 61 3000100 sent=70 lease=2000000; c2 release 3000200 3000300; " +
		"c0 release 4000000 4000010"
)

// closestCases are cases in which what a rule took for certain has another explanation.
var closestCases = []propertyCase{
	// O: which key a script deletes.
	{"closest: a script frees a queue and names the key", "O", inside + "c1 acquire 25 60 fail",
		takes + "1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n1 1 40 45 n0 EVAL leave 2 queue:k k " +
			"bbbbbbbb -> 1 | LREM queue:k 0 bbbbbbbb | DEL queue:k | EXISTS k\n" + givesBack, Valid, ""},
	{"closest: a script that names the key deletes its guard", "O", inside + "c1 acquire 25 60 fail",
		takes + "1 1 30 31 n0 SET guard:k bbbbbbbb NX PX 200 -> OK\n1 1 40 45 n0 EVAL leave 2 guard:k " +
			"k bbbbbbbb -> 1 | GET guard:k | DEL guard:k\n" + givesBack, Valid, ""},
	{"closest: GETDEL of another's key", "O", inside + "c1 acquire 25 60 fail", takes +
		"1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n1 1 40 45 n0 GETDEL k -> aaaaaaaa\n" +
		"0 1 101 105 n0 DEL k -> 0\n", Violated, ReleasedByNonOwner},
	{"closest: GETDEL of one's own key", "O", inside + "c1 acquire 25 60 fail", takes +
		"0 1 101 105 n0 GETDEL k -> aaaaaaaa\n", Valid, ""},

	// R: a counter that exists already.
	{"closest: the run ends before the take", "R", inside + "c1 acquire 200; end 300",
		helped + lockFreed + counterMade, NA, ""},
	{"closest: killed before the take", "R", inside + "c1 acquire 200; c1 kill 250; " +
		"end 900", helped + lockFreed + counterMade, NA, ""},
	{"closest: given up before the take", "R", inside + "c1 acquire 200 250 info; " +
		"end 900", helped + lockFreed + counterMade, NA, ""},
	{"closest: a note before the take", "R", inside + countsFirst, helped + lockFreed +
		counterMade + "1 1 204 205 n0 SET note:k bbbbbbbb -> OK\n" +
		"1 1 206 207 n0 SET lock:k bbbbbbbb NX PX 200 -> OK\n", NA, ""},
	{"closest: an unknown script after it", "R", inside + "c1 acquire 200 210 fail", helped +
		lockFreed + counterMade + "1 1 204 205 n0 EVAL unk 1 lock:k bbbbbbbb -> 0\n", NA, ""},
	{"closest: the token is drawn before the take", "R", inside + countsFirst,
		"0 1 12 13 n0 SET fence:k 0 NX -> OK\n0 1 14 15 n0 INCR fence:k -> 1\n" +
			"0 1 16 17 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n" + lockFreed + counterMade +
			"1 1 204 205 n0 INCR fence:k -> 2\n1 1 206 207 n0 SET lock:k bbbbbbbb NX PX 200 -> OK\n",
		NA, ""},
	{"closest: refused by the counter for good", "R", inside + "c1 acquire 200 210 fail", helped +
		lockFreed + counterMade, Violated, ""},
	{"closest: the counter refuses each try", "R", inside + "c1 acquire 200 250 info; end 900",
		helped + lockFreed + counterMade + "1 1 230 235 n0 SET fence:k 0 NX -> (nil)\n", Violated, ""},

	// R: a fault that is never healed.
	{"closest: killed under a fault that is never healed", "R", leased + "c2 acquire 1 4 sent=2 " +
		"lease=200000000; fault cut c2>n0 4; c2 kill 50; c0 acquire 100 200 fail; end 100000000",
		"2 1 2 3 n0 SET k cccccccc NX PX 200 -> OK\n2 1 20 0 n0 PEXPIRE k 200 ->\n" +
			"0 1 120 130 n0 SET k aaaaaaaa NX PX 200 -> (nil)\n", NA, ""},

	// V: a lock behind a guard.
	{"closest: behind a guard, killed", "V", guarded + "c0 kill 70; end 200", behind, NA, ""},
	{"closest: behind a guard, until the end", "V", guarded + "end 200", behind, NA, ""},
	{"closest: behind a guard, given back by a script", "V", guarded + "c0 release 70 80", behind +
		"0 1 71 72 n0 EVAL rel 2 guard:k k me123456 -> 1\n", NA, ""},
	{"closest: a counter behind a guard, killed", "V", guarded + "c0 kill 70; end 200",
		"0 1 11 12 n0 SET guard:k me123456 NX PX 200 -> OK\n0 1 13 14 n0 HINCRBY k me123456 1 -> 1\n" +
			"0 1 17 18 n0 DEL guard:k -> 1\n", Valid, ""},
	{"closest: a plain SET behind a guard, killed", "V", guarded + "c0 kill 70; end 200",
		"0 1 11 12 n0 SET guard:k me123456 NX PX 200 -> OK\n0 1 13 14 n0 GET k -> (nil)\n" +
			"0 1 15 16 n0 SET k me123456 PX 500 -> OK\n0 1 17 18 n0 DEL guard:k -> 1\n", Valid, ""},

	// V: which key was promised.
	{"closest: a signal with a short expiry", "V", longHold, "0 1 12 13 n0 SET k aaaaaaaa NX PX 200 " +
		"-> OK\n0 1 14 15 n0 PEXPIRE signal:k 20 -> 1\n" + longFreed, Valid, ""},
	{"closest: a fenced lock that promises more than its lease", "V", longHold,
		"0 1 12 13 n0 SET k aaaaaaaa NX PX 20 -> OK\n0 1 14 15 n0 INCR fence:k -> 1\n" + longFreed,
		Violated, PromisedTooLong},
	{"closest: an own name on each server, over when delivered", "V", leased + "masters 3; " +
		"c0 acquire 10 300000060 sent=12 lease=200000000 valid=200000012; " +
		"c0 release 400000000 400000010", "0 1 12 15 n0 SET a:k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 12 300000000 n1 SET b:k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 12 300000050 n2 SET c:k aaaaaaaa NX PX 200 -> OK\n", Violated, OverWhenDelivered},

	// D: a lock that ignores its time-out.
	{"closest: the server answers nobody while BLPOP waits", "D", endlessWait, stalled, Valid, ""},
	{"closest: endless, and a lost try left the key", "D", "endless; timeout 500000000; " + lossyWait,
		lossySet + bothFree("DEL k -> 1", "DEL k -> 1") + keptOut, Unknown, ""},
	{"closest: two dead clients wait in a queue", "D", queuesUp, inQueue, Valid, ""},
	{"closest: one dead client waits in a queue", "D", strings.Replace(queuesUp, "c3 acquire 2; "+
		"c3 kill 5; ", "", 1), inQueue, Violated, ""},

	// D: who left the key.
	{"closest: freed by an unknown script", "D", lossyWait, lossySet + bothFree(
		"EVAL rel 1 k aaaaaaaa -> 0", "EVAL rel 1 k bbbbbbbb -> 0") + keptOut, Unknown, ""},
	{"closest: freed by a script that a node showed", "D", lossyWait, lossySet + bothFree(
		"EVAL rel 1 k aaaaaaaa -> (nil) | GET k | DEL k",
		"EVAL rel 1 k bbbbbbbb -> (nil) | GET k | DEL k") + keptOut, Unknown, ""},
	{"closest: freed by GETDEL", "D", lossyWait, lossySet + bothFree("GETDEL k -> aaaaaaaa",
		"GETDEL k -> bbbbbbbb") + keptOut, Unknown, ""},
	{"closest: not freed", "D", lossyWait, lossySet + bothFree("DEL k -> 1", "DEL x -> 0") + keptOut,
		Violated, ""},
	{"closest: a lost SET XX", "D", lossyWait, "2 1 52 62 n0 SET k cccccccc XX -> !timeout\n" +
		bothFree("DEL k -> 1", "DELEX k IFEQ bbbbbbbb -> 0") + keptOut, Unknown, ""},
	{"closest: a lost token of a queue", "D", lossyWait, "2 1 52 62 n0 RPOPLPUSH k busy:k -> " +
		"!timeout\n0 1 112 115 n0 RPOPLPUSH k busy:k -> t\n0 1 131 135 n0 RPOPLPUSH busy:k k -> t\n" +
		"1 1 152 155 n0 RPOPLPUSH k busy:k -> t\n1 1 171 175 n0 RPOPLPUSH busy:k k -> t\n" +
		"0 2 210 215 n0 RPOPLPUSH k busy:k -> (nil)\n" +
		"0 2 8000000000 8000000010 n0 RPOPLPUSH k busy:k -> (nil)\n", Unknown, ""},

	// O and D: which command was the grant.
	{"closest: a note after the take", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 13 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 1 14 15 n0 SET holder:k aaaaaaaa -> OK\n" +
			triesAndDel + "0 1 101 105 n0 DEL k -> 0\n", Violated, ReleasedByNonOwner},
	{"closest: killed, with a note", "D", oneKilled, "0 1 12 13 n0 SET k a NX PX 300 -> OK\n" +
		"0 1 14 15 n0 SET holder:k a -> OK\n1 1 70 75 n0 SET k b NX PX 300 -> (nil)\n", Unknown, ""},
	{"closest: killed, with an unknown script", "D", oneKilled, "0 1 12 13 n0 EVAL unk 1 k a 300 -> " +
		"OK\n1 1 70 75 n0 EVAL unk 1 k b 300 -> (nil)\n", Unknown, ""},
	{"closest: killed, without a lease", "D", oneKilled, "0 1 12 13 n0 SETNX k a -> 1\n" +
		"1 1 70 75 n0 SETNX k b -> 0\n", Violated, ""},
	{"closest: a counted lock with a token, freed by an unknown script", "O", inside +
		"c1 acquire 25 60 fail", "0 1 12 13 n0 HINCRBY k aaaaaaaa 1 -> 1\n" +
		"0 1 14 15 n0 PEXPIRE k 200 -> 1\n0 1 16 17 n0 INCR fence:k -> 1\n" +
		"1 1 30 35 n0 HEXISTS k bbbbbbbb -> 0\n1 1 40 45 n0 DEL k -> 1\n" +
		"0 1 101 105 n0 EVAL rel 1 k aaaaaaaa -> 0\n", Violated, ReleasedByNonOwner},
	{"closest: an unknown script with a token", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 13 n0 EVAL unk 1 k aaaaaaaa -> 1\n0 1 16 17 n0 INCR fence:k -> 1\n" +
			"1 1 30 35 n0 EVAL unk 1 k bbbbbbbb -> 0\n1 1 40 45 n0 DEL k -> 1\n" +
			"0 1 101 105 n0 EVAL rel 1 k aaaaaaaa -> 0\n", Violated, ReleasedByNonOwner},
	{"closest: a counter that is made and counted after the take", "O", inside +
		"c1 acquire 25 60 fail", "0 1 12 13 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 14 15 n0 SET fence:k 0 NX -> OK\n0 1 16 17 n0 INCR fence:k -> 1\n" + triesAndDel +
		"0 1 101 105 n0 DEL k -> 0\n", Violated, ReleasedByNonOwner},

	// E: a renewal that found no key.
	{"closest: an unknown renewal answers nil", "E", reentry, innerFreed + "0 1 40 45 n0 EVAL renew " +
		"1 k aaaaaaaa -> (nil)\n" + nextTakes, Violated, DoubleGrant},
	{"closest: the owner takes its key anew", "E", strings.Replace(reentry, "c1 acquire 24",
		"c0 acquire 40 45 depth=1 sent=41 lease=200000000; c0 release 150 160; c1 acquire 24", 1),
		innerFreed + "0 3 41 44 n0 SET k aaaaaaaa NX PX 200 -> OK\n" + nextTakes, Violated,
		DoubleGrant},

	// S: a deletion, and a second grant that came late.
	{"closest: deleted, and the next grant came late", "S", bothLate, takes + triesAndDel +
		"2 1 70 75 n0 SET k cccccccc NX PX 2 -> OK\n0 1 4000001 4000005 n0 DEL k -> 0\n", Violated,
		ReleasedByNonOwner},

	// R: a counter on each master, and one that is made before each look.
	{"closest: a counter on each master", "R", leased + "masters 3; c0 acquire 10 40 sent=20 " +
		"lease=200000000; c0 release 100 110; c1 acquire 200 240 sent=220 lease=200000000",
		onEach("0 1 11 12", "SET fence:k 0 NX -> OK") +
			onEach("0 1 20 22", "SET lock:k aaaaaaaa NX PX 200 -> OK") +
			onEach("0 1 101 102", "DEL lock:k -> 1") + onEach("1 1 201 202", "SET fence:k 0 NX -> (nil)") +
			onEach("1 1 220 222", "SET lock:k bbbbbbbb NX PX 200 -> OK"), NA, ""},
	{"closest: a counter that is made before each look", "R", inside + "c2 acquire 204 220 sent=206 " +
		"lease=200000000; c2 release 230 240; c1 acquire 200 260 sent=252 lease=200000000", helped +
		lockFreed + "1 1 201 202 n0 SET fence:k 0 NX -> (nil)\n2 1 205 206 n0 GET lock:k -> (nil)\n" +
		"2 1 206 207 n0 SET lock:k cccccccc NX PX 200 -> OK\n1 1 208 209 n0 GET lock:k -> cccccccc\n" +
		"2 1 231 235 n0 DEL lock:k -> 1\n1 1 246 247 n0 SET fence:k 0 NX -> (nil)\n" +
		"1 1 248 249 n0 GET lock:k -> (nil)\n1 1 252 253 n0 SET lock:k bbbbbbbb NX PX 200 -> OK\n", NA,
		""},
	{"closest: nobody was ever granted it", "R", leased + "c0 acquire 10 20 fail; c1 acquire 200; " +
		"end 900", takes + "1 1 202 203 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n", Violated, ""},
	{"closest: a second key that the lock gives back", "R", leased + "c2 acquire 1 5 sent=3 " +
		"lease=200000000; c2 release 6 9; c0 acquire 10 20 sent=14 lease=200000000; c0 release 100 " +
		"110; c1 acquire 200; end 900", "2 1 1 2 n0 SETNX two:k c -> 1\n" +
		"2 1 3 4 n0 SET lock:k cccccccc NX PX 200 -> OK\n2 1 6 7 n0 DEL lock:k -> 1\n" +
		"2 1 7 8 n0 DEL two:k -> 1\n" +
		"0 1 12 13 n0 SETNX two:k a -> 1\n0 1 14 15 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 101 105 n0 DEL lock:k -> 1\n1 1 202 203 n0 SETNX two:k b -> 0\n", Violated, ""},

	// S: what came late.
	{"closest: paused after the reply", "S", pausedAfter, "0 1 12 15 n0 SET k aaaaaaaa NX PX 0.0002 " +
		"-> OK\n1 1 300 305 n0 SET k bbbbbbbb NX PX 0.002 -> OK\n", Violated, LeaseOverrun},
	{"closest: the reply came late", "S", pausedAfter, "0 1 12 800 n0 SET k aaaaaaaa NX PX 0.0002 " +
		"-> OK\n1 1 300 305 n0 SET k bbbbbbbb NX PX 0.002 -> OK\n", Violated, LateMessage},
	{"closest: written over, and the next grant came late", "S", bothLate, takes +
		"1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n2 1 70 75 n0 SET k cccccccc PX 2 -> OK\n" +
		"0 1 4000001 4000005 n0 DEL k -> 0\n", Violated, DoubleGrant},

	// The grant of a lock that clears a note, or counts a gauge down, in its release.
	{"closest: a note with a short expiry that is cleared", "V", longHold, takesThenNote +
		longFreed + "0 1 4000006 4000007 n0 DEL holder:k -> 0\n", Valid, ""},
	{"closest: another deletes the note", "O", inside + "c1 acquire 25 60 fail", takesThenNote +
		"1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n1 1 40 45 n0 DEL holder:k -> 1\n" +
		"0 1 101 105 n0 DEL k -> 1\n0 1 106 107 n0 DEL holder:k -> 0\n", Valid, ""},
	{"closest: looked, then written, behind a throttle", "V", leased + "c0 acquire 10 60 sent=18 " +
		"lease=500000000; c0 release 70 80; end 200", "0 1 11 12 n0 SET throttle:k me123456 NX PX 50 " +
		"-> OK\n0 1 13 14 n0 GET k -> (nil)\n0 1 18 19 n0 SET k me123456 PX 500 -> OK\n" +
		"0 1 71 72 n0 SET k free -> OK\n", Valid, ""},
	{"closest: a gauge, and the key is another's", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 13 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 1 14 15 n0 INCR active:k -> 1\n" + triesAndDel +
			"0 1 101 105 n0 DEL k -> 0\n0 1 106 107 n0 DECR active:k -> 0\n", Violated,
		ReleasedByNonOwner},
	{"closest: a gauge, and the key stays", "R", inside + "c1 acquire 200 300000000 sent=299999990 " +
		"lease=200000000", "0 1 12 13 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 1 14 15 n0 INCR active:k " +
		"-> 1\n0 1 106 107 n0 DECR active:k -> 0\n1 1 202 203 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
		"1 1 299999990 299999991 n0 SET k bbbbbbbb NX PX 200 -> OK\n" +
		"1 1 299999995 299999996 n0 INCR active:k -> 1\n", Violated, ""},
	{"closest: a release script names the counter first", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 13 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 1 16 17 n0 INCR fence:k -> 1\n" + triesAndDel +
			"0 1 101 105 n0 EVAL rel 2 fence:k k aaaaaaaa -> 0\n", Violated, ReleasedByNonOwner},
	{"closest: it promises too much, and names the counter first", "V", longHold,
		"0 1 12 13 n0 SET k aaaaaaaa NX PX 20 -> OK\n0 1 16 17 n0 INCR fence:k -> 1\n" +
			"0 1 4000001 4000005 n0 EVAL rel 2 fence:k k aaaaaaaa -> 0\n", Violated, PromisedTooLong},

	// V: a guard that the release takes, too.
	{"closest: behind a guard, killed in its release", "V", guarded + "c0 release 70; c0 kill 90; " +
		"end 200", behind + "0 1 71 72 n0 SET guard:k me123456 NX PX 200 -> OK\n", NA, ""},
	{"closest: behind a guard, and its entry is gone", "V", guarded + "c0 release 70 80; end 200",
		behind + "0 1 71 72 n0 SET guard:k me123456 NX PX 200 -> OK\n0 1 73 74 n0 ZSCAN k 0 -> []\n" +
			"0 1 75 76 n0 DEL guard:k -> 1\n", NA, ""},

	// O: a script deletes two keys.
	{"closest: a script deletes a guard and the lock", "O", inside + "c1 acquire 25 60 fail", takes +
		"1 1 30 31 n0 SET guard:k bbbbbbbb NX PX 200 -> OK\n1 1 40 45 n0 EVAL leave 2 guard:k k " +
		"bbbbbbbb -> 1 | DEL guard:k | DEL k\n0 1 101 105 n0 DEL k -> 0\n", Violated,
		ReleasedByNonOwner},
	{"closest: a script deletes a signal, too", "O", inside + "c1 acquire 25 60 fail",
		takes + "1 1 40 45 n0 EVAL leave 2 signal:k k bbbbbbbb -> 2 | DEL signal:k k\n" +
			"0 1 101 105 n0 DEL k -> 0\n", Violated, ReleasedByNonOwner},

	// D: who waits in a queue, and what leaves no key.
	{"closest: a dead client that waited for nothing", "D", strings.Replace(queuesUp,
		"c3 acquire 2; c3 kill 5; ", "c3 acquire 2 4 fail; c3 kill 5; ", 1), inQueue, Violated, ""},
	{"closest: a lost signal leaves no key", "D", lossyWait, "2 1 52 62 n0 LPUSH signal:k 1 -> " +
		"!timeout\n" + bothFree("DEL k -> 1", "DEL x -> 0") + keptOut, Violated, ""},
	{"closest: freed by an unknown script that names a queue first", "D", lossyWait, lossySet +
		bothFree("EVAL rel 2 queue:k k aaaaaaaa -> 0", "EVAL rel 2 queue:k k bbbbbbbb -> 0") + keptOut,
		Unknown, ""},
	{"closest: freed by an expiry of nothing", "D", lossyWait, lossySet + bothFree("PEXPIRE k 0 -> 1",
		"PEXPIRE k 0 -> 1") + keptOut, Unknown, ""},

	// E: a script that takes the key anew.
	{"closest: the owner's script takes its key anew", "E", strings.Replace(reentry, "c1 acquire 24",
		"c0 acquire 40 45 depth=1 sent=41 lease=200000000; c0 release 150 160; c1 acquire 24", 1),
		innerFreed + "0 3 41 44 n0 EVAL tk 1 k aaaaaaaa -> OK | SET k aaaaaaaa NX PX 200\n" +
			nextTakes, Violated, DoubleGrant},
	{"closest: the owner counts its key anew", "E", strings.Replace(reentry, "c1 acquire 24",
		"c0 acquire 40 45 depth=1 sent=41 lease=200000000; c0 release 150 160; c1 acquire 24", 1),
		innerFreed + "0 3 41 44 n0 HINCRBY k aaaaaaaa 1 -> 1\n" + nextTakes, Violated, DoubleGrant},
}

// onEach is a command of a client on each of three servers at once.
func onEach(who, command string) (lines string) {
	for _, node := range []string{"n0", "n1", "n2"} {
		lines += who + " " + node + " " + command + "\n"
	}
	return lines
}
