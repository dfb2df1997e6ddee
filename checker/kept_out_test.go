package checker

import "strings"

// The parts of histories in which a lock is free and no client is granted it.
var (
	// a script that client 1 sends again, so that it is refused by a key that stays
	sentAgain = noScriptTrace + "1 0 500000130 500000140 n0 SET k b NX PX 1 -> (nil)\n"
	// a client that never comes back, and the last one that had the lock
	asleep = leased + endless + "c0 acquire 10 20 sent=12 lease=200; c0 release 25 28; " +
		"c1 acquire 15; c2 acquire 20000000000 20000000100 sent=20000000001 lease=200; " +
		"c2 release 20000000200 20000000300; end 99000000000"
	sleeping = "0 1 12 15 n0 SET k a NX PX 1 -> OK\n1 1 16 17 n0 SET k b NX PX 1 -> (nil)\n" +
		"0 1 26 27 n0 DEL k -> 1\n2 1 20000000001 20000000002 n0 SET k c NX PX 1 -> OK\n" +
		"2 1 20000000201 20000000202 n0 DEL k -> 1\n"
)

// keptOutCases tell the classes of a deadlock apart.
var keptOutCases = []propertyCase{
	{"kept out: a script that is unknown, and sent again", "D", once + noScript, sentAgain, Violated,
		""},
	{"kept out: an unknown script, and then another error", "D", once + noScript,
		strings.Replace(noScriptTrace, "NOSCRIPT No matching", "WRONGTYPE no", 1), Violated, ""},
	{"kept out: a client waits in a command for a message", "D", asleep,
		sleeping + "1 1 18 0 n0 BLPOP free 0 ->\n", Violated, MissedWake},
	{"kept out: a client waited in a command, and was answered", "D", asleep,
		sleeping + "1 1 18 19 n0 BLPOP free 0 -> free\n", Violated, EndlessCall},
	{"kept out: a client subscribes, and a key may stay", "D", asleep, strings.Replace(sleeping,
		"NX PX 1 -> OK\n2 1 20000000201 20000000202 n0 DEL k -> 1\n", "NX -> OK\n", 1) +
		"1 1 18 19 n0 SUBSCRIBE k -> k\n", Violated, ""},
	{"kept out: a call that respects its time-out sleeps", "D", free + "timeout 500000000; " +
		others + "c1 acquire 10; end 6000000000", ping + "\n1 1 18 19 n0 SUBSCRIBE k -> k\n", Violated,
		EndlessCall},
}
