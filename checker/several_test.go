package checker

import "strings"

// Parts of histories in which a script names several keys.
const (
	freedBetween = leased + "c0 acquire 10 20 sent=12 lease=200000000; c1 acquire 25 60 fail; " +
		"c2 acquire 61 80 sent=70 lease=200000000; c0 release 100 110; c2 release 120 130"
	takenThen   = "2 1 70 75 n0 SET k cccccccc NX PX 200 -> OK\n"
	shortTake   = "0 1 12 13 n0 SET k aaaaaaaa NX PX 20 -> OK\n"
	takeByTwo   = "0 1 12 13 n0 EVAL tk 2 fence:k k aaaaaaaa 200 -> 1 | EXISTS k | INCR fence:k"
	triesByTwo  = "1 1 70 75 n0 EVAL tk 2 fence:k k bbbbbbbb 200 -> 0 | EXISTS k\n"
	leavesQueue = "1 1 40 45 n0 EVAL leave 2 k queue:k bbbbbbbb -> 1 | DELIFEQ k "
	extended    = leased + "c0 acquire 10 20 sent=12 lease=100; c0 extend 60 sent=55 lease=1000; " +
		"c1 acquire 25 160 sent=150 lease=1000; c0 release 300 310; c1 release 320 330"
	twoExtended = "0 1 12 15 n0 SET k aaaaaaaa NX PX 0.0001 -> OK\n" +
		"1 1 150 155 n0 SET k bbbbbbbb NX PX 0.001 -> OK\n" +
		"0 1 55 58 n0 EVAL renew 2 fence:k k aaaaaaaa -> 1 | "
	queuedTakes = "2 1 51 51 n0 EVAL take 2 k queue:k cccccccc -> 0\n" +
		"0 1 112 115 n0 EVAL take 2 k queue:k aaaaaaaa -> 1\n0 1 131 135 n0 DEL k -> 1\n" +
		"1 1 152 155 n0 EVAL take 2 k queue:k bbbbbbbb -> 1\n1 1 171 175 n0 DEL k -> 1\n" +
		"0 2 210 215 n0 EVAL take 2 k queue:k aaaaaaaa -> 0\n" +
		"0 2 8000000000 8000000010 n0 EVAL take 2 k queue:k aaaaaaaa -> 0\n"
)

// severalCases are cases in which a script reaches another key than the first that it names.
var severalCases = []propertyCase{
	// V: which lease a script gave the key.
	{"several: an unknown script may prolong its second key", "V", longHold, shortTake +
		"0 1 14 15 n0 EVAL act 2 fence:k k aaaaaaaa 200 -> 1\n" + longFreed, Valid, ""},
	{"several: a script prolongs its second key", "V", longHold, shortTake +
		"0 1 14 15 n0 EVAL act 2 fence:k k aaaaaaaa 200 -> 1 | INCR fence:k | PEXPIRE k 200\n" +
		longFreed, Valid, ""},
	{"several: a described script prolongs its second key", "V", "script act prolong 1; " + longHold,
		shortTake + "0 1 14 15 n0 EVAL act 2 fence:k k aaaaaaaa 200 -> 1\n" + longFreed, Valid, ""},
	{"several: a script prolongs its first key alone", "V", longHold, shortTake +
		"0 1 14 15 n0 EVAL act 2 fence:k k aaaaaaaa 200 -> 1 | PEXPIRE fence:k 200\n" + longFreed,
		Violated, PromisedTooLong},

	// D and O: the grant is a write to the second key.
	{"several: killed, and the second key has a lease", "D", oneKilled, takeByTwo +
		" | SET k aaaaaaaa PX 300\n" + triesByTwo, Unknown, ""},
	{"several: killed, and the second key has none", "D", oneKilled, takeByTwo +
		" | SET k aaaaaaaa\n" + triesByTwo, Violated, ""},
	{"several: another deletes the second key", "O", inside + "c1 acquire 25 60 fail", takeByTwo +
		" | SET k aaaaaaaa PX 200\n1 1 40 45 n0 DEL k -> 1\n0 1 101 105 n0 DEL k -> 0\n", Violated,
		ReleasedByNonOwner},
	{"several: another deletes the first key", "O", inside + "c1 acquire 25 60 fail", takeByTwo +
		" | SET k aaaaaaaa PX 200\n1 1 40 45 n0 DEL fence:k -> 1\n" + givesBack, Valid, ""},

	// S and O: a deletion of the second key.
	{"several: a script deletes its second key", "S", freedBetween, takes + "1 1 40 45 n0 EVAL rel " +
		"2 fence:k k bbbbbbbb -> 1 | INCR fence:k | DEL k\n" + takenThen, Violated, ReleasedByNonOwner},
	{"several: an unknown script may delete its second key", "S", freedBetween, takes +
		"1 1 40 45 n0 EVAL rel 2 signal:k k bbbbbbbb -> 1\n" + takenThen, Violated,
		ReleasedByNonOwner},
	{"several: a described script may delete its second key", "S", "script rel free 1 0; " +
		freedBetween, takes + "1 1 40 45 n0 EVAL rel 2 signal:k k -> 1\n" + takenThen, Violated,
		ReleasedByNonOwner},
	{"several: a script deletes its first key alone", "S", freedBetween, takes + "1 1 40 45 n0 EVAL " +
		"rel 2 signal:k k bbbbbbbb -> 1 | EXISTS k | DEL signal:k\n" + takenThen, Violated, Vanished},
	{"several: a script's deletion of its second key shows in the next grant", "O", freedBetween,
		takes + "1 1 40 45 n0 EVAL rel 2 fence:k k bbbbbbbb -> 1 | INCR fence:k | DEL k\n" + takenThen,
		Violated, ReleasedByNonOwner},

	// O: a script compares in its deletion.
	{"several: a script compares, and finds another's value", "O", inside + "c1 acquire 25 60 fail",
		takes + "1 1 40 45 n0 EVAL leave 1 k bbbbbbbb -> 1 | DELIFEQ k bbbbbbbb\n" + givesBack, Valid,
		""},
	{"several: a script compares, and leaves the queue", "O", inside + "c1 acquire 25 60 fail",
		takes + "1 1 28 29 n0 ZADD queue:k 1 bbbbbbbb -> 1\n" + leavesQueue +
			"bbbbbbbb | ZREM queue:k bbbbbbbb\n" + givesBack, Valid, ""},
	{"several: the key is gone, and a script had compared with another's value", "S", freedBetween,
		takes + leavesQueue + "bbbbbbbb | ZREM queue:k bbbbbbbb\n" + takenThen, Violated, DoubleGrant},
	{"several: the key is gone, and a script had compared with its value", "S", freedBetween, takes +
		leavesQueue + "aaaaaaaa | ZREM queue:k aaaaaaaa\n" + takenThen, Violated, ReleasedByNonOwner},

	// D: a queue that scripts name second.
	{"several: a client loses its leave of a queue", "D", lossyWait, "2 1 52 62 n0 LREM queue:k 0 " +
		"cccccccc -> !timeout\n" + queuedTakes, Unknown, ""},
	{"several: a client loses a note", "D", lossyWait, "2 1 52 62 n0 LREM seen:k 0 cccccccc -> " +
		"!timeout\n" + queuedTakes, Violated, ""},

	// R: a description is about the first key.
	{"several: a described script takes its first key alone", "R", "script take take 1 0; " + inside +
		"c1 acquire 1 9 fail; c1 acquire 25 60 fail", "1 1 2 3 n0 EVAL take 2 k queue:k bbbbbbbb -> 1\n" +
		"1 1 4 5 n0 DEL k -> 1\n" + takes +
		"1 2 30 35 n0 EVAL take 2 k queue:k bbbbbbbb -> 0\n" + givesBack, Valid, ""},
	{"several: a described script takes its first key, and nobody gives it back", "R",
		"script take take 1 0; " + inside + "c1 acquire 1 9 fail; c1 acquire 25 60 fail",
		"1 1 2 3 n0 EVAL take 2 k queue:k bbbbbbbb -> 1\n1 1 4 5 n0 DEL queue:k -> 1\n" +
			"1 2 30 35 n0 EVAL take 2 k queue:k bbbbbbbb -> 0\n", Violated, RefusedThoughGranted},

	// L: an extension.
	{"several: a script prolongs its second key, and another is granted the lock", "L", extended,
		twoExtended + "PEXPIRE k 0.001\n", Violated, Vanished},
	{"several: a script only looks at its second key", "L", extended, twoExtended + "GET k\n", Valid,
		""},
	{"several: a script prolongs its first key, and looks at the second", "L", extended,
		strings.Replace(twoExtended, "2 fence:k k", "2 k fence:k", 1) + "PEXPIRE k 0.001 | GET fence:k\n",
		Violated, Vanished},
}
