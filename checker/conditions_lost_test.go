package checker

// lostConditions are histories for single conditions of lost keys and tokens: without the
// condition the class would be another (see TestNoConditionIsIdle).
var lostConditions = []propertyCase{
	// Which server lost its memory, and when.
	{"lost: a take that waited until its server was back", "L", bothOnN0 + "fault kill n0 8 14",
		ownerOnN0 + winnerOnN0, Violated, DoubleGrant},
	{"lost: a restart before the take, while the second client was waiting", "L",
		"lease; names k; c0 acquire 10 20 sent=12 lease=200 node=n0; " +
			"c1 acquire 2 90 lease=100 node=n0; c0 release 150 160; c1 release 170 180; " +
			"fault kill n0 5 13", ownerOnN0 + winnerOnN0, Violated, DoubleGrant},
	{"lost: all servers were restarted", "L", bothOnN0 + "fault restart * 25 26",
		ownerOnN0 + winnerOnN0, Violated, LostByServer},
	{"lost: a restart, and the trace lacks the first grant", "L", lostHold + "fault kill n0 25 26",
		winnerOnN0, Violated, LostByServer},

	// Which vote it lost.
	{"lost: a restart between the votes and their leases", "L", "masters 3; lease; names k; " +
		"c0 acquire 10 20 sent=17 lease=200000000; c1 acquire 11 90 sent=80 lease=100000000; " +
		"c0 release 150 160; c1 release 170 180; fault kill n1 14 16",
		"0 1 12 13 n0 SETNX k a -> 1\n0 1 12 13 n1 SETNX k a -> 1\n" +
			"0 1 17 18 n0 PEXPIRE k 200 -> 1\n0 1 17 18 n1 PEXPIRE k 200 -> 0\n" + winnerVotes,
		Violated, LostByServer},
	{"lost: all masters were restarted", "L", lostVotesOf + "fault restart * 25 26",
		ownerVotes + winnerVotes, Violated, LostByServer},
	{"lost: a master was replaced, and nothing else failed", "L",
		lostVotesOf + "fault promote r0 27 28",
		ownerOnN0 + "0 1 12 15 n2 SET k a NX PX 200 -> OK\n" + winnerOnN1 +
			"1 1 80 85 r0 SET k b NX PX 100 -> OK\n", Violated, LostByServer},
	{"lost: a master was restarted before it gave its vote", "L", "masters 3; lease; names k; " +
		"c0 acquire 10 40 sent=12 lease=200; c1 acquire 11 90 sent=80 lease=100; " +
		"c0 release 150 160; c1 release 170 180; fault kill n1 25 26",
		ownerOnN0 + "0 1 30 32 n1 SET k a NX PX 200 -> OK\n" + winnerVotes, Violated, DoubleGrant},

	// Which commands show that the key was still there.
	{"lost: the key was prolonged before the restart", "L", lostHold + "fault kill n0 25 26",
		ownerOnN0 + "0 1 20 22 n0 PEXPIRE k 200 -> 1\n" + winnerOnN0, Violated, LostByServer},
	{"lost: a renewal of an earlier hold found its key, before the grant was answered", "L",
		"lease; names k; c0 acquire 1 4 sent=2 lease=200; c0 release 5 6; " +
			"c0 acquire 10 45 sent=12 lease=200 node=n0; c1 acquire 11 90 sent=80 lease=100; " +
			"c0 release 150 160; c1 release 170 180; " + promoted,
		"0 1 2 3 n0 SET k a NX PX 200 -> OK\n0 1 5 6 n0 DEL k -> 1\n" +
			"0 2 12 40 n0 SET k a NX PX 200 -> OK\n0 0 30 31 n1 PEXPIRE k 200 -> 1\n" + winnerOnN1,
		Violated, LostByServer},

	// Which commands make a loss unnecessary.
	{"lost: a vote, and the first one gave another vote back by itself", "L",
		lostVotesOf + "fault kill n1 25 26",
		ownerVotes + "0 1 12 15 n2 SET k a NX PX 200 -> OK\n0 1 30 31 n2 DEL k -> 1\n" + winnerVotes,
		Violated, LostByServer},
	{"lost: the first one deleted its key on another server", "L", lostHold + "fault kill n0 25 26",
		ownerOnN0 + "0 1 30 31 n1 DEL k -> 1\n" + winnerOnN0, Violated, LostByServer},
	{"lost: the first one deleted another's key on the new master", "L",
		lostHold + promoted + "c2 acquire 29 60 info",
		ownerOnN0 + "2 1 30 35 n1 SET k c NX PX 200 -> OK\n0 1 40 41 n1 DEL k -> 1\n" + winnerOnN1,
		Violated, LostByServer},
	{"lost: the first one deleted its key while it was being prolonged", "L",
		lostHold + "fault kill n0 50 51", ownerOnN0 + "0 1 28 45 n0 DEL k -> 1\n" +
			"0 0 30 40 n0 PEXPIRE k 200 -> 1\n" + winnerOnN0, Violated, DoubleGrant},
	{"lost: the first one deleted its key, and another client's was lost", "L",
		lostHold + "c2 acquire 29 60 info; fault kill n0 45 46", ownerOnN0 +
			"0 1 30 31 n0 DEL k -> 1\n2 1 35 36 n0 SET k c PX 200 -> OK\n" + winnerOnN0, Violated,
		DoubleGrant},
	{"lost: the next grant counted another key on", "L", lostHold + promoted,
		"0 1 12 15 n0 EVAL s 2 k c -> 7 | SET k a NX | INCR c\n" +
			"1 1 80 85 n1 EVAL s 2 k c -> 7 | SET k b NX | INCR c\n", Violated, LostByServer},
	{"lost: the first one deleted its key after a restart, and others may delete it, too", "L",
		userServer + "fault kill n0 25 26", ownerOnN0 + "0 1 30 31 n0 DEL k -> 1\n" + winnerOnN0,
		Violated, DoubleGrant},
	{"lost: the same by an inner release, before the restart", "L", "reentrant; " + userServer +
		"c0 acquire 30 35 depth=1 sent=31 lease=200; c0 release 40 50 n=2; fault kill n0 52 53",
		ownerOnN0 + "0 2 31 33 n0 EXPIRE k 200 -> 1\n0 2 41 45 n0 DEL k -> 1\n" + winnerOnN0,
		Violated, DoubleGrant},
	{"lost: the same while it was being prolonged, before the restart", "L",
		userServer + "fault kill n0 50 51", ownerOnN0 + "0 1 28 45 n0 DEL k -> 1\n" +
			"0 0 30 40 n0 PEXPIRE k 200 -> 1\n" + winnerOnN0, Violated, DoubleGrant},
	{"lost: the same, and another client's was lost", "L",
		userServer + "c2 acquire 29 60 info; fault kill n0 45 46", ownerOnN0 +
			"0 1 30 31 n0 DEL k -> 1\n2 1 35 36 n0 SET k c PX 200 -> OK\n" + winnerOnN0, Violated,
		DoubleGrant},
	{"lost: a write over any value after a refusal, perhaps by a third client's key", "L",
		lostHold + "fault kill n0 25 26; c3 acquire 20 99 fail", ownerOnN0 +
			"3 1 27 0 n0 SET k d NX PX 200 ->\n1 1 70 75 n0 SET k b NX -> (nil)\n" +
			"1 1 80 85 n0 SET k b PX 100 -> OK", Violated, DoubleGrant},

	// Which of a failure and a flush took the key.
	{"lost: a client was refused after the failover, perhaps by a reader's key", "L", failedOver +
		"; c4 acquire 1 2 shared; c4 release 3 4", ownerOnN0 + refusedOnN1 + winnerOnN1, Violated,
		LostByServer},
	{"lost: a client was refused after a restart, perhaps by a key that was taken after it", "L",
		lostHold + "fault kill n0 25 26; fault flush n0 60 61; c2 acquire 20 99 fail; " +
			"c3 acquire 20 99 fail", ownerOnN0 + "3 1 24 0 n0 SET k d NX PX 200 ->\n" +
			"2 1 30 31 n0 SET k c NX PX 200 -> (nil)\n" + winnerOnN0, Violated, LostByServer},
	{"lost: a deletion hit the first key, or in another order the restart took it", "L",
		"lease; names k; fault kill n0 22 24; c0 acquire 10 45 sent=12 lease=1000 node=n0; " +
			"c1 acquire 11 46 sent=13 lease=1000 node=n0; c2 acquire 12 50 fail; " +
			"c0 release 150 160; c1 release 170 180", "0 1 12 40 n0 SETNX k a -> 1\n" +
			"1 1 13 20 n0 SETNX k b -> 1\n2 1 14 19 n0 DEL k -> 1\n", Violated, LostByServer},

	// Which tokens a fault can lose.
	{"lost: a counter of several masters", "F", "masters 3; " + tokens + "fault kill n1 25 26", "",
		Violated, LostByServer},
	{"lost: the counter, and a lease is as long as the token is large", "F",
		tokens + "fault kill n0 25 26", "0 1 12 14 n0 SET k a NX PX 6 -> OK\n" +
			"1 1 80 85 n0 SET k b NX PX 6 -> OK\n", Violated, LostByServer},
	{"lost: the counter, and the trace lacks the grants", "F", madeTokens, "", Violated,
		LostByServer},
	{"lost: the counter, and the grants do not show the tokens", "F", madeTokens,
		"0 1 12 15 n0 SET k a NX -> OK\n0 1 21 22 n0 DEL k -> 1\n1 1 80 85 n0 SET k b NX -> OK",
		Violated, LostByServer},
	{"lost: the counter, and the calls counted something else, too", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 INCR c -> 7\n2 1 31 32 n0 INCRBY tries 900 -> 900\n" +
			"1 1 65 66 n0 INCRBY tries 900 -> 1800\n1 1 70 75 n0 INCR c -> 6\n", Violated,
		LostByServer},
	{"lost: a counter below zero, and a script that counted on does not say how far", "F",
		"fencing; c0 acquire 10 15 token=-6 node=n0; c0 release 20 22; c1 acquire 60 90 token=-7 " +
			"node=n0; c1 release 91 92; fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 INCR c -> -6\n2 1 31 32 n0 EVAL s 1 c -> OK | INCR c\n" +
			"1 1 70 75 n0 INCR c -> -7\n", Violated, LostByServer},
	{"lost: the counter, which the later call only read", "F", tokens + "fault kill n0 25 26",
		"0 1 11 12 n0 INCR c -> 7\n1 1 70 75 n0 GET c -> 6\n", Violated, LostByServer},
}

// bothOnN0 is a hold of client 0 on n0 whose lease is valid when n0 grants client 1 the lock.
const bothOnN0 = "lease; names k; c0 acquire 10 20 sent=12 lease=200 node=n0; c1 acquire 11 90 " +
	"sent=80 lease=100 node=n0; c0 release 150 160; c1 release 170 180; "

// userServer is lostHold on a server of the user's, on which other programs may delete keys.
const userServer = "environment external; " + lostHold
