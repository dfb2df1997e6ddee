package checker

import (
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// grabs declares a script that takes a lock, with replies that say nothing by themselves; drops one
// that frees it.
const (
	grabs = `names k; script grab take 1 0; script drop free yes no; `
	// late is a release of client 2 that comes when client 0 has the lock: no client reads its reply,
	// and client 1 is granted the lock.
	lateStory = grabs +
		"lease; c2 acquire 1 3 sent=2 lease=3; c2 release 4 6 info; c0 acquire 3 8 sent=7 lease=100; " +
		"c1 acquire 10 15 sent=14 lease=10; c0 release 50 60 fail"
	lateGrant = "2 1 2 3 n0 SETNX k c -> 1\n0 1 7 8 n0 SETNX k a -> 1\n"
	lateDel   = "2 1 5 0 n0 DEL k -> \n"
	lateNext  = "1 1 14 15 n0 SETNX k b -> 1\n"
	// twoGrants are two grants that were under way at the same time.
	togetherStory = grabs +
		"lease; c0 acquire 3 15 sent=7 lease=100; c1 acquire 4 16 sent=12 lease=100; c0 release 50 60 " +
		"fail"
	twoGrants = "0 1 7 15 n0 SETNX k a -> 1\n1 1 12 16 n0 SETNX k b -> 1\n"
	// passes is a lock of two keys: client 2 takes the second, is refused the first, and gives back.
	passStory = "names k0,k; script grab take 1 0; script drop free yes no; lease; c0 acquire 10 20 " +
		"sent=12 lease=300 keys=0,1; c0 release 30 40 keys=0,1; c2 acquire 41 80 fail; c1 acquire 11 " +
		"190 fail; "
	passTrace = "0 1 11 12 n0 EVAL grab 1 k0 a -> 1\n0 1 12 13 n0 EVAL grab 1 k a -> 1\n2 1 50 52 " +
		"n0 EVAL grab 1 k c -> 1\n"
	// votes is a lock on three servers; client 0 has released it at 40, and no client read two of the
	// replies.
	voteStory = "masters 3; ttl 1000; names k; script drop free 1 0; lease; c0 acquire 10 20 " +
		"sent=12 lease=1000; c0 release 30 40 info; c1 acquire 11 900 fail; "
	lostVotes = "0 1 31 40 n0 EVAL drop 1 k a -> !timeout\n" +
		"0 1 31 40 n1 EVAL drop 1 k a -> !timeout\n"
	deniedVotes = "1 1 400 402 n0 SET k b NX PX 1000 -> (nil)\n" +
		"1 1 400 402 n1 SET k b NX PX 1000 -> (nil)\n"
	voteTrace = "0 1 12 15 n0 SET k a NX PX 1000 -> OK\n0 1 12 15 n1 SET k a NX PX 1000 -> OK\n" +
		"0 1 12 15 n2 SET k a NX PX 1000 -> OK\n"
)

var grabID = history.ScriptID("grab")

// declaredCases are about what the header says of keys and scripts, and what follows from it.
var declaredCases = []propertyCase{
	{"a refusal as declared", "R", grabs + nobodyStory, nobodyTrace +
		"1 1 50 55 n0 EVAL grab 1 k b -> 0", Violated, ""},
	{"a grant as declared", "R", grabs + nobodyStory, nobodyTrace +
		"1 1 50 55 n0 EVAL grab 1 k b -> 1", NA, ""},
	{"a reply that nobody declared", "R", grabs + nobodyStory,
		nobodyTrace + "1 1 50 55 n0 EVAL grab 1 k b -> 350", NA, ""},
	{"a part of a declared reply", "R", grabs + nobodyStory,
		nobodyTrace + "1 1 50 55 n0 EVAL grab 1 k b -> 10", NA, ""},
	{"a script by its name", "R", grabs + nobodyStory, nobodyTrace + "1 1 50 55 n0 EVALSHA " + grabID +
		" 1 k b -> 0", Violated, ""},
	{"an undeclared script", "R", grabs + nobodyStory, nobodyTrace +
		"1 1 50 55 n0 EVAL other 1 k b -> 0", NA, ""},
	{"an undeclared script with a time to live", "R", grabs + nobodyStory,
		nobodyTrace + "1 1 50 55 n0 EVAL other 1 k b -> 350", NA, ""},
	{"a script that frees is not refused the lock", "R", grabs + nobodyStory,
		nobodyTrace + "1 1 50 55 n0 EVAL drop 1 k b -> no", NA, ""},
	{"a list", "R", `script grab take \[-1.[0-9]+\] \[[0-9]+.-1\]; names k; ` + nobodyStory,
		nobodyTrace + "1 1 50 55 n0 EVAL grab 1 k b -> [350 -1]", Violated, ""},
	{"a pattern that is none", "R", "script grab take 1 0( ; names k; " + nobodyStory,
		nobodyTrace + "1 1 50 55 n0 EVAL grab 1 k b -> 0(", NA, ""},
	{"no refusal is declared", "R", "script grab take 1  ; names k; " + nobodyStory,
		nobodyTrace + "1 1 50 55 n0 EVAL grab 1 k b ->", NA, ""},
	{"a lock that nobody was ever granted", "R", grabs +
		"lease; c0 acquire 10 20 info; c1 acquire 11 90 fail",
		"0 1 12 15 n0 EVAL grab 1 k a -> 1\n1 1 50 55 n0 EVAL grab 1 k b -> 0", Violated, ""},
	{"a command timed out in an environment of ours, and no fault was near", "R",
		"environment process; " + nobodyStory, nobodyTrace +
			"0 1 31 0 n0 DEL k ->\n1 1 50 55 n0 SETNX k b -> 0", Unknown, ""},
	{"a command timed out in an environment of ours, and its link was cut", "R",
		"environment process; " + nobodyStory + "fault cut c0>* 29 60",
		nobodyTrace + "0 1 31 0 n0 DEL k ->\n1 1 50 55 n0 SETNX k b -> 0", Violated, ""},
	{"a command timed out in somebody's network", "R", "environment external; " + nobodyStory,
		nobodyTrace + "0 1 31 0 n0 DEL k ->\n1 1 50 55 n0 SETNX k b -> 0", Violated, ""},
	{"a lock with a prefix", "R", grabs + nobodyStory, "0 1 12 15 n0 SETNX p:k a -> 1\n" +
		"1 1 50 55 n0 SETNX p:k b -> 0", Violated, ""},
	{"not a lock's name", "R", grabs + nobodyStory, "0 1 12 15 n0 SETNX k a -> 1\n" +
		"1 1 50 55 n0 SETNX pk b -> 0", NA, ""},

	{"several: nobody has the first", "R", passStory, passTrace +
		"2 1 53 54 n0 EVAL drop 1 k c -> yes\n1 1 56 58 n0 EVAL grab 1 k0 b -> 0", Violated, ""},
	{"several: somebody has the second for a moment", "R", passStory,
		passTrace + "2 1 53 57 n0 EVAL drop 1 k c -> yes\n1 1 56 58 n0 EVAL grab 1 k b -> 0", Valid, ""},
	{"several: somebody had the second for a moment", "R", passStory,
		passTrace + "2 1 53 54 n0 EVAL drop 1 k c -> yes\n1 1 56 58 n0 EVAL grab 1 k b -> 0", Violated,
		""},
	{"several: nobody knows how long it had the second", "R", passStory,
		passTrace + "2 1 53 0 n0 EVAL drop 1 k c ->\n1 1 56 58 n0 EVAL grab 1 k b -> 0", Valid, ""},
	{"several: the call that had the second is over", "R", passStory,
		passTrace + "2 1 53 0 n0 EVAL drop 1 k c ->\n1 1 86 88 n0 EVAL grab 1 k b -> 0", Violated, ""},
	{"several: a moment on another server", "R", passStory,
		passTrace + "1 1 56 58 n1 EVAL grab 1 k b -> 0", Violated, ""},
	{"several: what gave it back freed another key", "R", passStory,
		passTrace + "2 1 53 54 n0 EVAL drop 1 k0 c -> yes\n1 1 56 58 n0 EVAL grab 1 k b -> 0", Valid, ""},
	{"several: an error gave it back", "R", passStory, passTrace +
		"2 1 53 54 n0 EVAL drop 1 k c -> !timeout\n1 1 56 58 n0 EVAL grab 1 k b -> 0", Valid, ""},
	{"several: another server gave it back", "R", passStory,
		passTrace + "2 1 53 54 n1 EVAL drop 1 k c -> yes\n1 1 56 58 n0 EVAL grab 1 k b -> 0", Valid, ""},
	{"several: it was given back before it was taken", "R", passStory,
		"2 1 45 47 n0 EVAL drop 1 k c -> no\n" + passTrace + "1 1 56 58 n0 EVAL grab 1 k b -> 0", Valid,
		""},
	{"several: what followed gives nothing back", "R", passStory,
		passTrace + "2 1 53 54 n0 GET k -> c\n1 1 56 58 n0 EVAL grab 1 k b -> 0", Valid, ""},
	{"several: a moment with another key", "R", passStory,
		"0 1 11 12 n0 EVAL grab 1 k0 a -> 1\n0 1 12 13 n0 EVAL grab 1 k a -> 1\n" +
			"2 1 50 52 n0 EVAL grab 1 k0 c -> 1\n2 1 53 57 n0 EVAL drop 1 k0 c -> yes\n" +
			"1 1 56 58 n0 EVAL grab 1 k b -> 0", Violated, ""},
	{"several: taken when the call was over", "R", strings.Replace(passStory, "c2 acquire 41 80",
		"c2 acquire 41 50", 1), "0 1 11 12 n0 EVAL grab 1 k0 a -> 1\n" +
		"0 1 12 13 n0 EVAL grab 1 k a -> 1\n2 1 52 54 n0 EVAL grab 1 k c -> 1\n" +
		"1 1 53 58 n0 EVAL grab 1 k b -> 0", Valid, ""},
	{"several: taken later", "R", passStory, passTrace + "1 1 46 48 n0 EVAL grab 1 k b -> 0", Violated,
		""},

	{"votes: a majority refuses", "R", voteStory, voteTrace +
		"1 1 400 402 n0 SET k b NX PX 1000 -> (nil)\n1 1 400 402 n1 SET k b NX PX 1000 -> (nil)\n" +
		"1 1 400 402 n2 SET k b NX PX 1000 -> OK", Violated, ""},
	{"votes: a minority refuses", "R", voteStory, voteTrace +
		"1 1 400 402 n0 SET k b NX PX 1000 -> (nil)\n1 1 400 402 n1 SET k b NX PX 1000 -> OK", Valid, ""},
	{"votes: one server after the other", "R", voteStory, voteTrace +
		"1 1 400 402 n0 SET k b NX PX 1000 -> (nil)\n1 1 403 405 n1 SET k b NX PX 1000 -> (nil)",
		Violated, ""},
	{"votes: another command to one of them between", "R", voteStory, voteTrace +
		"1 1 400 402 n0 SET k b NX PX 1000 -> (nil)\n1 1 403 404 n1 GET k -> a\n" +
		"1 1 405 406 n1 SET k b NX PX 1000 -> (nil)", Violated, ""},
	{"votes: of two attempts", "R", voteStory, voteTrace +
		"1 1 400 402 n0 SET k b NX PX 1000 -> (nil)\n1 1 403 405 n1 SET k b NX PX 1000 -> OK\n" +
		"1 1 406 408 n1 DEL k -> 1\n1 1 410 412 n0 SET k b NX PX 1000 -> OK\n" +
		"1 1 413 415 n1 SET k b NX PX 1000 -> (nil)", Valid, ""},
	{"votes: of two values", "R", voteStory, voteTrace +
		"1 1 400 402 n0 SET k b NX PX 1000 -> (nil)\n1 1 400 402 n1 SET k c NX PX 1000 -> (nil)", Valid,
		""},
	{"votes: of two clients", "R", voteStory + "c2 acquire 380 900 fail",
		voteTrace + "1 1 400 402 n0 SET k b NX PX 1000 -> (nil)\n" +
			"2 1 400 402 n1 SET k b NX PX 1000 -> (nil)", Valid, ""},
	{"votes: twice of one server", "R", voteStory, voteTrace +
		"1 1 400 402 n0 SET k b NX PX 1000 -> (nil)\n1 1 400 402 n0 SET k b NX PX 1000 -> (nil)", Valid,
		""},
	{"votes: so soon that a message may be late", "R", voteStory,
		voteTrace + "1 1 139 142 n0 SET k b NX PX 1000 -> (nil)\n" +
			"1 1 139 142 n1 SET k b NX PX 1000 -> (nil)", Valid, ""},
	{"votes: one of them is another attempt's for a moment", "R",
		voteStory + "c2 acquire 380 900 fail", voteTrace + "2 1 398 399 n1 SET k c NX PX 1000 -> OK\n" +
			"2 1 400 401 n1 EVAL drop 1 k c -> 1\n1 1 400 402 n0 SET k b NX PX 1000 -> (nil)\n" +
			"1 1 400 402 n1 SET k b NX PX 1000 -> (nil)", Valid, ""},
	{"votes: a command timed out, and no fault was near", "R", voteStory,
		voteTrace + lostVotes + deniedVotes, Unknown, ""},
	{"votes: a command timed out long before", "R", voteStory,
		voteTrace + "0 1 31 0 n0 EVAL drop 1 k a ->\n0 1 31 0 n1 EVAL drop 1 k a ->\n" +
			"1 1 1401 1402 n0 SET k b NX PX 1000 -> (nil)\n1 1 1401 1402 n1 SET k b NX PX 1000 -> (nil)",
		Violated, ""},
	{"votes: a command timed out on another server", "R", voteStory,
		voteTrace + "0 1 31 0 n2 EVAL drop 1 k a ->\n" + deniedVotes, Violated, ""},
	{"votes: a command timed out, and its link was cut", "R", voteStory + "fault cut c0>* 29 60",
		voteTrace + lostVotes + deniedVotes, Violated, ""},
	{"votes: a command timed out, and its spare link was cut", "R",
		voteStory + "fault cut c0+>n0 29 60; fault cut c0+>n1 29 60", voteTrace + lostVotes + deniedVotes,
		Violated, ""},
	{"votes: a command timed out, and another's link was cut", "R", voteStory + "fault cut c1>* 29 60",
		voteTrace + lostVotes + deniedVotes, Unknown, ""},
	{"votes: a command timed out, and a link to another server was cut", "R",
		voteStory + "fault cut c0>n2 29 60", voteTrace + lostVotes + deniedVotes, Unknown, ""},
	{"votes: a command timed out, and its link had been cut", "R", voteStory + "fault cut c0>* 21 25",
		voteTrace + lostVotes + deniedVotes, Unknown, ""},
	{"votes: a command timed out, and all links were slow", "R", voteStory + "fault delay *>* 29 60",
		voteTrace + lostVotes + deniedVotes, Violated, ""},
	{"votes: a command timed out, and the servers were stopped", "R",
		voteStory + "fault pause-node n0 29 60; fault pause-node n1 29 60",
		voteTrace + lostVotes + deniedVotes, Violated, ""},
	{"votes: a command timed out, and its client's clock was moved", "R",
		voteStory + "fault client-clock c0 29 60", voteTrace + lostVotes + deniedVotes, Unknown, ""},
	{"votes: a command timed out, and clients were directed to its server", "R",
		voteStory + "fault direct n0 29 60; fault promote n1 29 60", voteTrace + lostVotes + deniedVotes,
		Unknown, ""},
	{"votes: a command timed out, and its client was stopped", "R", voteStory + "fault pause c0 29 60",
		voteTrace + lostVotes + deniedVotes, Violated, ""},
	{"votes: nobody is denied", "R", voteStory, voteTrace, NA, ""},

	{"somebody else comes, and is granted it later", "R",
		grabs + "lease; c0 acquire 10 20 sent=12 lease=20; c0 release 30 40; " +
			"c2 acquire 41 80 sent=60 lease=100; c1 acquire 42 90 fail",
		"0 1 12 15 n0 SETNX k a -> 1\n0 1 31 33 n0 DEL k -> 1\n1 1 50 55 n0 EVAL grab 1 k b -> 0\n" +
			"2 1 60 70 n0 SETNX k c -> 1", Valid, ""},
	{"a takeover after a look at another key", "R", grabs +
		"lease; c0 acquire 10 20 sent=12 lease=20; c0 release 30 40; c1 acquire 42 90 sent=60 lease=100",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 50 55 n0 SETNX k b -> 0\n1 1 56 57 n0 SETNX j b -> 1\n" +
			"1 1 60 70 n0 GETSET k b -> a", Valid, ""},
	{"a failed call of several took the key, perhaps after the owner", "O",
		grabs + "lease; c1 acquire 11 60 sent=50 lease=100; c0 acquire 40 80 fail; c1 release 90 95",
		"1 1 50 55 n0 SETNX k b -> 1\n0 1 48 52 n0 EVAL grab 1 k a -> 1\n" +
			"0 1 71 75 n0 EVAL drop 1 k a -> yes", Valid, ""},

	{"late: nothing else can have deleted it", "O", lateStory, lateGrant + lateDel + lateNext,
		Violated, LateMessage},
	{"late: sent after the grant", "O", lateStory, lateGrant + "2 1 9 0 n0 DEL k -> \n" + lateNext,
		Violated, ReleasedByNonOwner},
	{"late: a script as declared", "O", lateStory, lateGrant + "2 1 5 0 n0 EVAL drop 1 k c -> \n" +
		lateNext, Violated, LateMessage},
	{"late: it deleted nothing", "O", lateStory, lateGrant + "2 1 5 9 n0 DEL k -> 0\n" + lateNext,
		Valid, ""},
	{"late: a script that deleted nothing", "O", lateStory,
		lateGrant + "2 1 5 9 n0 EVAL drop 1 k c -> no\n" + lateNext, Valid, ""},
	{"late: a script deleted the key before its error", "O", lateStory, lateGrant +
		"2 1 9 10 n0 EVAL drop 1 k c -> (error) WRONGTYPE Operation\n" + lateNext, Violated,
		ReleasedByNonOwner},
	{"late: a script that was never run", "O", lateStory, lateGrant +
		"2 1 9 10 n0 EVAL drop 1 k c -> (error) READONLY You can't write\n" + lateNext, Valid, ""},
	{"late: a deletion that the server refused", "O", lateStory, lateGrant +
		"2 1 9 10 n0 DEL k -> (error) READONLY You can't write\n" + lateNext, Valid, ""},
	{"late: nobody deleted anything", "O", lateStory, lateGrant + lateNext, Valid, ""},
	{"late: it was over before the grant", "O", lateStory,
		lateGrant + "2 1 5 6 n0 DEL k -> 1\n" + lateNext, Valid, ""},
	{"late: it came after the next grant", "O", lateStory,
		lateGrant + "2 1 16 0 n0 DEL k ->\n" + lateNext, Valid, ""},
	{"late: another key", "O", lateStory, lateGrant + "2 1 5 0 n0 DEL other -> \n" + lateNext, Valid,
		""},
	{"late: another server", "O", lateStory, lateGrant + "2 1 5 0 n1 DEL k -> \n" + lateNext, Valid,
		""},
	{"late: the next grant is another server's", "O", lateStory,
		lateGrant + lateDel + "1 1 14 15 n1 SETNX k b -> 1\n", Valid, ""},
	{"late: the next grant is no proof that it was free", "O", lateStory,
		lateGrant + lateDel + "1 1 14 15 n0 GETSET k b -> a\n", Valid, ""},
	{"late: the next grant takes what is set", "O", lateStory,
		lateGrant + lateDel + "1 1 14 15 n0 SET k b PX 9 -> OK\n", Valid, ""},
	{"late: the next grant is by a script as declared", "O", lateStory,
		lateGrant + lateDel + "1 1 14 15 n0 EVAL grab 1 k b -> 1\n", Violated, LateMessage},
	{"late: the next grant is by a script", "O", lateStory,
		lateGrant + lateDel + "1 1 14 15 n0 EVAL other 1 k b -> 1\n", Valid, ""},
	{"late: in either order somebody was robbed", "O", togetherStory,
		twoGrants + "2 1 14 0 n0 DEL k ->\n", Violated, ReleasedByNonOwner},
	{"late: in one order nobody can have been", "O", togetherStory,
		twoGrants + "2 1 9 11 n0 DEL k -> 1\n", Violated, ReleasedByNonOwner},
	{"late: in the other order nobody can have been", "O", togetherStory,
		"0 1 9 15 n0 SETNX k a -> 1\n1 1 7 16 n0 SETNX k b -> 1\n2 1 6 8 n0 DEL k -> 1\n", Violated,
		ReleasedByNonOwner},
	{"late: in one order it was the holder itself", "O", togetherStory,
		twoGrants + "2 1 14 0 n0 DEL k ->\n1 1 13 0 n0 DEL k ->\n", Valid, ""},
	{"late: in one order the second grant proves nothing", "O", togetherStory,
		"0 1 7 15 n0 SETNX k a -> 1\n1 1 12 16 n0 GETSET k b -> 0\n2 1 14 0 n0 DEL k ->\n", Valid, ""},
	{"late: the server lost its memory", "O", lateStory + "; fault kill n0 9 10",
		lateGrant + lateDel + lateNext, Valid, ""},
	{"late: the server lost its memory before", "O", lateStory + "; fault kill n0 1 2",
		lateGrant + lateDel + lateNext, Violated, LateMessage},
	{"late: the server's clock had jumped", "O", lateStory + "; fault node-clock n0 1 2",
		lateGrant + lateDel + lateNext, Valid, ""},
	{"late: the server was slow", "O", lateStory + "; fault pause-node n0 9 10",
		lateGrant + lateDel + lateNext, Violated, LateMessage},
	{"late: a script of the holder may have done it", "O", lateStory,
		lateGrant + lateDel + "0 1 9 10 n0 EVAL other 1 k a -> 1\n" + lateNext, Valid, ""},
	{"late: a declared script of the holder did not", "O", lateStory + "; script renew prolong 1 0",
		lateGrant + lateDel + "0 1 9 10 n0 EVAL renew 1 k a -> 1\n" + lateNext, Violated, LateMessage},
	{"late: the holder's own", "O", lateStory, lateGrant + "0 1 9 0 n0 DEL k ->\n" + lateNext, Valid,
		""},
	{"late: the holder's own, of nobody knows which hold", "O", lateStory,
		lateGrant + "0 0 9 0 n0 DEL k ->\n" + lateNext, Valid, ""},
	{"late: of the same client's earlier hold", "O", grabs +
		"lease; c0 acquire 1 3 sent=2 lease=3; c0 release 4 6 info; c0 acquire 7 9 sent=8 lease=100; " +
		"c1 acquire 10 15 sent=14 lease=10; c0 release 50 60 fail",
		"0 1 2 3 n0 SETNX k a -> 1\n0 1 5 0 n0 DEL k ->\n0 2 8 9 n0 SETNX k a -> 1\n" + lateNext,
		Violated, LateMessage},
	{"late: of the same client's inner hold", "O", grabs +
		"reentrant; lease; c0 acquire 1 3 sent=2 lease=100; c0 acquire 4 6 depth=1 sent=5 lease=100; " +
		"c0 release 7 8 n=2 info; c1 acquire 10 15 sent=14 lease=10; c0 release 50 60 n=1 fail",
		"0 1 2 3 n0 EVAL grab 1 k a -> 1\n0 2 5 6 n0 EVAL grab 1 k a -> 1\n" +
			"0 2 7 0 n0 EVAL drop 1 k a ->\n" + lateNext, Valid, ""},
	{"late: the holder's lease was over", "O", grabs +
		"lease; c2 acquire 1 3 sent=2 lease=3; c2 release 4 6 info; c0 acquire 3 8 sent=7 lease=5; " +
		"c1 acquire 10 15 sent=14 lease=10; c0 release 50 60 fail", lateGrant + lateDel + lateNext, Valid,
		""},
}
