package checker

import (
	"strings"
	"testing"
)

// Parts of histories of locks that are taken by the removal of a token.
const (
	movedAgain = "0 1 112 113 n0 BLMOVE k busy:k LEFT RIGHT 1 -> t\n" +
		"0 1 114 115 n0 SET owner:k aaaaaaaa -> OK\n0 1 131 132 n0 DEL owner:k -> 1\n" +
		"0 1 133 135 n0 LMOVE busy:k k LEFT RIGHT -> t\n" +
		"1 1 152 153 n0 BLMOVE k busy:k LEFT RIGHT 1 -> t\n" +
		"1 1 154 155 n0 SET owner:k bbbbbbbb -> OK\n1 1 171 172 n0 DEL owner:k -> 1\n" +
		"1 1 173 175 n0 LMOVE busy:k k LEFT RIGHT -> t\n" +
		"0 2 210 1000000215 n0 BLMOVE k busy:k LEFT RIGHT 1 -> (nil)\n" +
		"0 2 8000000000 8900000010 n0 BLMOVE k busy:k LEFT RIGHT 1 -> (nil)\n"
	queueAgain = "0 1 111 111 n0 EVAL take 2 k queue:k aaaaaaaa -> 1\n0 1 131 135 n0 DEL k -> 1\n" +
		"1 1 152 155 n0 EVAL take 2 k queue:k bbbbbbbb -> 1\n1 1 171 175 n0 DEL k -> 1\n" +
		"0 2 210 215 n0 EVAL take 2 k queue:k aaaaaaaa -> 0\n" +
		"0 2 8000000000 8000000010 n0 EVAL take 2 k queue:k aaaaaaaa -> 0\n"
	signalled = "1 1 151 151 n0 BLPOP signal:k 1 -> 1\n" +
		"2 1 52 62 n0 LPUSH signal:k 1 -> !timeout\n"
	tokenLock = "environment process; names k; poll 10000000; c1 acquire 1 2 sent=1; c1 release " +
		"3 4; " +
		"c0 acquire 10 20 sent=12; c0 release 30 40; c1 acquire 50 60 sent=52; c1 release 70 " +
		"80; end 200"
)

// tokenAgain is a lost removal of a token, and two clients that take the token and put it back.
func tokenAgain(remove, reply, none string) string {
	return "2 1 52 62 n0 " + remove + " k -> !timeout\n0 1 112 115 n0 " + remove + " k -> " + reply +
		"\n0 1 131 135 n0 SET k t -> OK\n1 1 152 155 n0 " + remove + " k -> " + reply +
		"\n1 1 171 175 n0 SET k t -> OK\n0 2 210 215 n0 " + remove + " k -> " + none +
		"\n0 2 8000000000 8000000010 n0 " + remove + " k -> " + none + "\n"
}

// tokenTakes are clients that take a token one after the other.
func tokenTakes(remove, reply string) string {
	return "9 0 0 1 n0 SET k t -> OK\n1 1 1 2 n0 " + remove + " k -> " + reply +
		"\n1 1 3 4 n0 SET k t -> OK\n0 1 12 15 n0 " + remove + " k -> " + reply +
		"\n0 1 31 35 n0 SET k t -> OK\n1 2 52 55 n0 " + remove + " k -> " + reply +
		"\n1 2 71 75 n0 SET k t -> OK\n"
}

// dies is one waiter that ends in a way, instead of two that are killed.
func dies(how string) string {
	return strings.Replace(queuesUp, "c2 acquire 1; c2 kill 5; c3 acquire 2; c3 kill 5; ", how, 1)
}

// guardedBy is a lock behind a guard that its release takes in the same way.
func guardedBy(take string) string {
	return strings.Replace(behind, "SET guard:k me123456 NX PX 200 -> OK", take, 1) +
		"0 1 71 72 n0 " + take + "\n"
}

const killedReleasing = guarded + "c0 release 70; c0 kill 90; end 200"

// againCases are cases of tokens, dead waiters, guards and late replies.
var againCases = []propertyCase{
	// D: a lost command may have taken a token, or kept a place.
	{"again: a client loses the reply to a move that waits", "D", lossyWait,
		"2 1 52 62 n0 BLMOVE k busy:k LEFT RIGHT 1 -> !timeout\n" + movedAgain, Unknown, ""},
	{"again: a client loses a move of another list", "D", lossyWait,
		"2 1 52 62 n0 BLMOVE seen:k old:k LEFT RIGHT 1 -> !timeout\n" + movedAgain, Violated, ""},
	{"again: a client loses a signal that another waits for", "D", lossyWait, signalled +
		bothFree("DEL k -> 1", "DEL x -> 0") + keptOut, Violated, ""},
	{"again: a lost GETDEL may take the token later", "D", lossyWait, tokenAgain("GETDEL", "t",
		"(nil)"), Unknown, ""},
	{"again: a lost GETDEL, and a marker was set before", "D", lossyWait,
		"0 0 5 6 n0 SETNX init:k 1 -> 1\n" + tokenAgain("GETDEL", "t", "(nil)"), Unknown, ""},
	{"again: a lost DEL may take the token later", "D", lossyWait, tokenAgain("DEL", "1", "0"),
		Unknown,
		""},
	{"again: a lost GETDEL gives a key back", "D", lossyWait, bothFree("GETDEL k -> !timeout",
		"DEL k -> 1") + "0 2 210 215 n0 GET k -> (nil)\n" +
		"0 2 8000000000 8000000010 n0 GET k -> (nil)\n", Violated, MissedWake},
	{"again: a lost DEL gives a key back", "D", lossyWait, "2 1 52 62 n0 DEL k -> !timeout\n" +
		bothFree("DEL k -> 1", "DEL x -> 0") + keptOut, Violated, ""},
	{"again: a described script names a queue, and a client loses its leave", "D", "script take " +
		"take 1 0; " + lossyWait, "2 1 52 62 n0 LREM queue:k 0 cccccccc -> !timeout\n" + queueAgain,
		Unknown, ""},

	// D: how many dead clients may wait.
	{"again: a client is killed, and its process ends", "D", dies("c2 acquire 1 4 info; c2 kill " +
		"5; " +
		"c2 exit 6; "), inQueue, Violated, ""},
	{"again: a client asks again, and is killed", "D", dies("c2 acquire 1 3 info; c2 acquire 4; " +
		"c2 kill 5; c2 exit 6; "), inQueue, Violated, ""},
	{"again: a client had left the queue before it was killed", "D", dies("c2 acquire 1; c2 " +
		"kill 5; " +
		"c3 acquire 2 4 info; c3 acquire 10 20 sent=12 lease=200000000; c3 release 30 40; c3 " +
		"kill 50; "),
		"3 2 12 13 n0 EVAL take 1 k cccccccc -> OK\n3 2 31 32 n0 DEL k -> 1\n" + inQueue,
		Violated, ""},
	{"again: a client dies when the wait is over", "D", dies("c2 acquire 1; c2 kill 5; ") +
		"; c4 acquire 6500000210; c4 kill 6500000220; c1 acquire 6500000400 6600000500 " +
		"sent=6600000401 lease=200000000; c1 release 6600000600 6600000700", inQueue +
		"1 2 6500000401 6500000402 n0 EVAL take 1 k bbbbbbbb -> 1500\n" +
		"1 2 6600000401 6600000402 n0 EVAL take 1 k bbbbbbbb -> OK\n", Violated, ""},
	{"again: a client that lives on lost time", "D", dies("c2 acquire 1; c2 kill 5; " +
		"c3 acquire 2 4 info; c3 gap 50 gap=10; "), inQueue, Violated, ""},
	{"again: two clients end by themselves", "D", dies("c2 acquire 1; c2 exit 5 planned; " +
		"c3 acquire 2; c3 exit 5 planned; "), inQueue, Valid, ""},
	{"again: a client ends before it asks", "D", dies("c2 acquire 1; c2 kill 5; c3 exit 5 " +
		"planned; "),
		inQueue, Violated, ""},

	// V: a token, a guard, and a lock that is given back.
	{"again: GETDEL takes the token", "V", tokenLock, tokenTakes("GETDEL", "t"), NA, ""},
	{"again: DEL takes the token", "V", tokenLock, tokenTakes("DEL", "1"), NA, ""},
	{"again: GETDEL finds no token", "V", tokenLock, strings.Replace(tokenTakes("GETDEL", "t"),
		"12 15 n0 GETDEL k -> t", "12 15 n0 GETDEL k -> (nil)", 1), Violated, NoServer},
	{"again: DEL finds no token", "V", tokenLock, strings.Replace(tokenTakes("DEL", "1"),
		"12 15 n0 DEL k -> 1", "12 15 n0 DEL k -> 0", 1), Violated, NoServer},
	{"again: the reply to GETDEL is lost", "V", tokenLock, strings.Replace(tokenTakes("GETDEL", "t"),
		"12 15 n0 GETDEL k -> t", "12 15 n0 GETDEL k -> !timeout", 1), Violated, NoServer},
	{"again: a client only reads the token", "V", tokenLock, strings.Replace(tokenTakes("GETDEL", "t"),
		"12 15 n0 GETDEL k -> t", "12 15 n0 GET k -> t", 1), Violated, NoServer},
	{"again: killed with a token of GETDEL", "V", guarded + "c0 kill 70; end 200",
		"9 0 0 1 n0 SET k t -> OK\n0 1 12 15 n0 GETDEL k -> t\n", NA, ""},
	{"again: a client deletes the key and takes none", "V", inside, "1 1 5 6 n0 SETNX k " +
		"bbbbbbbb -> 1\n" +
		"0 1 12 15 n0 DEL k -> 1\n" + givesBack, Violated, NoServer},
	{"again: a script takes the guard", "V", killedReleasing, guardedBy("EVAL g 1 guard:k " +
		"me123456 " +
		"-> 1 | SET guard:k me123456 NX PX 200"), NA, ""},
	{"again: a described script takes the guard", "V", "script g take 1 0; " + killedReleasing,
		guardedBy("EVAL g 1 guard:k me123456 -> 1"), NA, ""},
	{"again: an unknown script may take the guard", "V", killedReleasing, guardedBy("EVAL g 1 " +
		"guard:k " +
		"me123456 -> 1"), NA, ""},
	{"again: a field is the guard", "V", killedReleasing, guardedBy("HSETNX guard:k me123456 1 " +
		"-> 1"),
		NA, ""},
	{"again: a counter is the guard", "V", killedReleasing, guardedBy("INCR guard:k -> 1"), NA, ""},
	{"again: the lock is given back, and a token stays", "V", guarded + "c0 kill 70; end 200",
		"0 1 11 12 n0 SET k me123456 NX PX 200 -> OK\n0 1 13 14 n0 INCR fence:k -> 1\n" +
			"0 1 17 18 n0 DEL k -> 1\n", Violated, NoServer},
	{"again: a guard is given back, and a token stays", "V", guarded + "c0 kill 70; end 200",
		"0 1 11 12 n0 SET guard:k me123456 NX PX 200 -> OK\n0 1 13 14 n0 INCR fence:k -> 1\n" +
			"0 1 17 18 n0 DEL guard:k -> 1\n", Valid, ""},
	{"again: a guard has the lock's name", "V", guarded + "c0 kill 70; end 200",
		"0 1 11 12 n0 SET k me123456 NX PX 200 -> OK\n0 1 13 14 n0 ZADD lock:k 1 me123456 -> 1\n" +
			"0 1 17 18 n0 DEL k -> 1\n", NA, ""},
	{"again: the lock is counted up and down, and is given back", "V", "environment process; " +
		"reentrant; names k; wholetrace; c1 acquire 1 2 sent=1; c1 release 3 4; c0 acquire 10 " +
		"60; " +
		"c0 kill 70; end 200", "1 1 1 2 n0 HINCRBY k you12345 1 -> 1\n" +
		"1 1 3 3 n0 HINCRBY k you12345 -1 -> 0\n1 1 4 4 n0 DEL signal:k -> 0\n" +
		"0 1 11 12 n0 HINCRBY k me123456 1 -> 1\n" +
		"0 1 13 14 n0 SET note:k me123456 -> OK\n0 1 17 18 n0 DEL k -> 1\n", Violated, NoServer},

	// S: a reply that came late to a command in the background.
	{"again: the client asks for the cluster in the background", "S", pausedAfter, "0 1 12 15 " +
		"n0 SET " +
		"k aaaaaaaa NX PX 0.0002 -> OK\n0 0 19 800 n0 CLUSTER SLOTS -> []\n" +
		"1 1 300 305 n0 SET k bbbbbbbb NX PX 0.002 -> OK\n", Violated, LeaseOverrun},
	{"again: the call itself asks for the cluster", "S", pausedAfter, "0 1 12 15 n0 SET " +
		"k aaaaaaaa NX PX 0.0002 -> OK\n0 1 19 800 n0 CLUSTER SLOTS -> []\n" +
		"1 1 300 305 n0 SET k bbbbbbbb NX PX 0.002 -> OK\n", Violated, LateMessage},
	{"again: the trace does not number the calls", "S", pausedAfter, "0 0 12 800 n0 SET k " +
		"aaaaaaaa NX " +
		"PX 0.0002 -> OK\n1 0 300 305 n0 SET k bbbbbbbb NX PX 0.002 -> OK\n", Violated,
		LateMessage},
}

// TestWhoHadTheLock: the reason for an unknown D says who had the lock, if one had it.
func TestWhoHadTheLock(t *testing.T) {
	const cut = "environment process; names k; poll 10000000; fault cut c2>n0 30 40; end " +
		"9000000000; "
	const tries = "1 1 60 70 n0 SETNX k bbbbbbbb -> 0\n" +
		"1 1 8000000000 8000000001 n0 SETNX k bbbbbbbb -> 0\n"
	const keeps = "0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n0 1 8999999991 8999999992 n0 DEL k -> 1\n"
	for _, c := range []struct{ name, story, trace, want string }{
		{"a client was inside", "c0 acquire 10 20 sent=12; c1 acquire 50 8999999900 fail; " +
			"c0 release 8999999990 8999999995", keeps + tries, "client 0 was inside for a part " +
			"of that time"},
		{"a call has no result", "c0 acquire 10 8999999995 info; c1 acquire 50 8999999900 fail",
			"0 1 12 15 n0 SETNX k aaaaaaaa -> !broken\n" + tries, "a call whose outcome is " +
				"unknown may"},
		{"a client asked for a moment only", "c0 acquire 10 20 sent=12; c0 release 22 25; " +
			"c1 acquire 50 80 fail", "0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n0 1 23 24 n0 DEL k -> " +
			"1\n" +
			"1 1 60 70 n0 SETNX k bbbbbbbb -> 0\n", "no client asked for it for so long"},
	} {
		p := Check(story(t, cut+c.story), commands(t, c.trace), Options{Properties: []string{"D"}}).
			Properties[0]
		if p.Verdict != "" && p.Verdict != Unknown || !strings.Contains(p.Reason, c.want) {
			t.Errorf("%s: got %s: %s", c.name, p.Verdict, p.Reason)
		}
	}
}
