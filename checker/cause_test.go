package checker

// Clients 0 and 2 take over a lock whose owner has died.
const (
	takenOver = "names k; c0 acquire 10 110 sent=97 lease=1000 node=n0; c2 acquire 10 130 sent=76 " +
		"lease=1000 node=n0; c0 release 300 310; c2 release 320 330"
	takingOver = "1 1 1 2 n0 SETNX k a -> 1\n0 1 11 13 n0 GET k -> a\n2 1 12 14 n0 GET k -> a\n" +
		"2 1 33 65 n0 DEL k -> 1\n0 1 43 87 n0 DEL k -> 1\n2 1 76 129 n0 SETNX k c -> 1\n" +
		"0 1 97 104 n0 SETNX k b -> 1\n"
)

// tokenLost has a grant whose token is less than the one before.
const tokenLost = "fencing; lease; c0 acquire 10 20 sent=12 lease=200 node=n0 token=7; " +
	"c0 release 30 35; c1 acquire 50 60 sent=52 lease=200 node=n0 token=1; c1 release 70 75"

// Clients 0 and 1 take a lock by a SET without a condition.
const (
	bothWrite = "lease; names k; c0 acquire 10 30 sent=21 lease=200 node=n0; c1 acquire 11 40 " +
		"sent=31 lease=200 node=n0; c0 release 150 160; c1 release 170 180; "
	bothSet  = "0 1 21 24 n0 SET k a PX 200 -> OK\n1 1 31 35 n0 SET k b PX 200 -> OK\n"
	bothLook = "0 1 12 15 n0 GET k -> (nil)\n1 1 13 20 n0 GET k -> (nil)\n" + bothSet
)

// The class of a violation follows from who wrote the value that was deleted, on that node. Each
// case has one beside it in which the same deletion is what it seems.
const (
	// lostHold is a hold of client 0 on n0 whose lease is valid when client 1 is granted the lock.
	lostHold = "lease; names k; c0 acquire 10 20 sent=12 lease=200 node=n0; c1 acquire 11 90 " +
		"sent=80 lease=100; c0 release 150 160; c1 release 170 180; "
	// sessionOf is a hold by a session, whose lease is known by its length alone.
	sessionOf   = "lease; ttl 1000; c0 acquire 1 5; "
	sessionsEnd = "c0 release 2100000000 2100000010; c1 release 2200000000 2200000010"
	lostServer  = "fault kill n0 8 9; c1 acquire 6 1500000000; c0 lost 1900000000; " + sessionsEnd
	// lateSession and lateHold are a hold of client 0 that began while client 1 waited for its reply.
	lateSession = "loss; lease; ttl 1000; fault kill n0 8 9; c0 acquire 20 1000000000; "
	lateHold    = "loss; lease; ttl 1000; c0 acquire 20 1000000000; c1 acquire 6 1500000000; "
	promoted    = "fault kill n0 25 26; fault promote n1 27 28; "
	ownerOnN0   = "0 1 12 15 n0 SET k a NX PX 200 -> OK\n"
	winnerOnN0  = "1 1 80 85 n0 SET k b NX PX 100 -> OK\n"
	winnerOnN1  = "1 1 80 85 n1 SET k b NX PX 100 -> OK\n"
	// heldTwice is the same after an earlier hold of client 0.
	heldTwice  = "c0 acquire 1 3 sent=1 lease=200 node=n0; c0 release 4 6; " + lostHold + promoted
	ownerTwice = "0 1 1 2 n0 SETNX k value-one -> 1\n0 1 4 5 n0 DEL k -> 1\n" +
		"0 2 12 15 n0 SETNX k value-two -> 1\n"
	deletedOnN1 = "1 1 50 55 n1 DEL k -> 1\n" + winnerOnN1
	// lostVotesOf is the same with three servers: client 0 has n0 and n1, client 1 n1 and n2.
	lostVotesOf = "masters 3; " + lostHold
	ownerVotes  = ownerOnN0 + "0 1 12 15 n1 SET k a NX PX 200 -> OK\n"
	winnerVotes = winnerOnN1 + "1 1 80 85 n2 SET k b NX PX 100 -> OK\n"
)

var causeCases = []propertyCase{
	// Both clients look before they write.
	{"cause: both read the key as free", "L", bothWrite, bothLook, Violated, CheckThenSet},
	{"cause: both read the key as free, and a server was killed", "L",
		bothWrite + "fault kill n0 22 23", bothLook, Violated, CheckThenSet},
	{"cause: a server was killed, perhaps between a write and a look", "L",
		bothWrite + "fault kill n0 22 23", "0 1 12 15 n0 GET k -> (nil)\n" +
			"1 1 13 29 n0 GET k -> (nil)\n" + bothSet, Violated, LostByServer},
	{"cause: a look that overlaps the write of the other", "L", bothWrite,
		"0 1 12 15 n0 GET k -> (nil)\n1 1 13 29 n0 GET k -> (nil)\n" + bothSet, Violated,
		CheckThenSet},
	{"cause: one looked, and the other did not", "L", bothWrite,
		"0 1 12 15 n0 GET k -> (nil)\n" + bothSet, Violated, DoubleGrant},
	{"cause: one saw the key, and wrote over it", "L", bothWrite,
		"0 1 12 15 n0 GET k -> (nil)\n1 1 13 16 n0 GET k -> x\n" + bothSet, Violated, DoubleGrant},
	{"cause: one looked when the other had written", "L", bothWrite, "0 1 12 15 n0 EXISTS k -> 0\n" +
		"0 1 21 24 n0 SET k a PX 200 -> OK\n1 1 25 28 n0 EXISTS k -> 0\n" +
		"1 1 31 35 n0 SET k b PX 200 -> OK\n", Violated, DoubleGrant},
	{"cause: one looked for another call", "L", "c1 acquire 1 9 fail; " + bothWrite,
		"1 1 2 8 n0 GET k -> (nil)\n0 1 12 15 n0 GET k -> (nil)\n0 1 21 24 n0 SET k a PX 200 -> OK\n" +
			"1 2 31 35 n0 SET k b PX 200 -> OK\n", Violated, DoubleGrant},
	// Both clients saw the first owner's key, and both deleted the key. The second deletion hit the
	// new key of client 2. It was sent before client 2 asked for that key, and no fault delayed it.
	{"cause: two take over, and both delete", "L", takenOver, takingOver, Violated,
		ReleasedByNonOwner},
	// A deletion is late if it was sent before the grant was asked for, and something explains that.
	{"cause: an earlier deletion of the same client overlaps its grant", "L", lostHold,
		"0 0 8 40 n0 DEL k -> 1\n" + ownerOnN0 + winnerOnN0, Violated, LateMessage},
	{"cause: an earlier deletion of another client overlaps the grant", "L", lostHold,
		"2 0 8 40 n0 DEL k -> 1\n" + ownerOnN0 + winnerOnN0, Violated, ReleasedByNonOwner},
	{"cause: the same, and another one's deletion was doubled", "L", lostHold +
		"fault duplicate c3>n0 7 9", "2 0 8 40 n0 DEL k -> 1\n" + ownerOnN0 + winnerOnN0, Violated,
		ReleasedByNonOwner},
	{"cause: the same, and it was doubled", "L", lostHold + "fault duplicate c2>n0 7 9",
		"2 0 8 40 n0 DEL k -> 1\n" + ownerOnN0 + winnerOnN0, Violated, LateMessage},
	{"cause: the same, and it was doubled, says O", "O", lostHold + "fault duplicate c2>n0 7 9",
		"2 0 8 40 n0 DEL k -> 1\n" + ownerOnN0 + winnerOnN0, Violated, LateMessage},

	{"cause: the same, and the machine stood still", "O", lostHold +
		"fault duplicate c2>n0 7 9; c-1 gap 60 gap=40", "2 0 8 40 n0 DEL k -> 1\n" + ownerOnN0 +
		winnerOnN0, Violated, LateMessage},

	// An operator's flush takes the counter of the tokens, too.
	{"cause: the counter of the tokens was flushed", "F", "fault flush n0 40 41; " + tokenLost, "",
		Violated, Vanished},
	{"cause: the counter of the tokens was lost with the server", "F", "fault kill n0 40 41; " +
		tokenLost, "", Violated, LostByServer},
	{"cause: a flush, and the server was killed", "F", "fault kill n0 40 41; fault flush n0 42 43; " +
		tokenLost, "", Violated, LostByServer},
	// The flush came between two grants that were under way at once: the second began after it.
	{"cause: a flush before the grant that was read first", "L", "lease; names k; " +
		"fault flush n0 20 20; c0 acquire 10 40 sent=11 lease=1000 node=n0; " +
		"c1 acquire 22 30 sent=22 lease=1000 node=n0; " +
		"c0 release 50 60; c1 release 52 62", "0 1 11 39 n0 SET k a NX PX 1000 -> OK\n" +
		"1 1 22 29 n0 SET k b NX PX 1000 -> OK\n", Violated, Vanished},
	{"cause: a flush that had begun when the first grant was sent", "L", "lease; names k; " +
		"fault flush n0 10 20; c0 acquire 10 16 sent=11 lease=1000 node=n0; " +
		"c1 acquire 22 30 sent=22 lease=1000 node=n0; " +
		"c0 release 50 60; c1 release 52 62", "0 1 11 15 n0 SET k a NX PX 1000 -> OK\n" +
		"1 1 22 29 n0 SET k b NX PX 1000 -> OK\n", Violated, Vanished},
	// The flush took a key that a script had prolonged, as its node showed.
	{"cause: a flush after a renewal inside a script", "L", "lease; names k; " +
		"c0 acquire 1 5000000 sent=2 lease=300000000 node=n0; " +
		"c0 extend 200000010 sent=200000000 lease=300000000; fault flush n0 400000000 400000001; " +
		"c1 acquire 340000000 450000000 sent=420000001 lease=300000000 node=n0; " +
		"c0 release 460000000 460000010", "0 1 2 4 n0 EVALSHA t 1 k a 300 -> OK | SET k a NX PX 300\n" +
		"0 1 200000000 200000009 n0 EVALSHA p 1 k a 300 -> 1 | GET k | PEXPIRE k 300\n" +
		"1 1 350000000 350000009 n0 EVALSHA t 1 k b 300 -> (nil) | SET k b NX PX 300\n" +
		"1 1 420000001 420000009 n0 EVALSHA t 1 k b 300 -> OK | SET k b NX PX 300\n",
		Violated, Vanished},
	// Another client's key was there until the flush, so that the first grant came after it.
	{"cause: a flush before the first grant, though not before it was sent", "L", "lease; names k; " +
		"c2 acquire 1 5 sent=2 lease=1000 node=n0; fault flush n0 30 30; " +
		"c0 acquire 9 61 sent=10 lease=1000 node=n0; c2 release 40 63; " +
		"c1 acquire 9 66 sent=61 lease=1000 node=n0; c0 release 90 91; c1 release 92 93",
		"2 1 2 4 n0 SETNX k c -> 1\n0 1 10 60 n0 SETNX k a -> 1\n2 1 40 62 n0 DEL k -> 1\n" +
			"1 1 61 65 n0 SETNX k b -> 1\n", Violated, ReleasedByNonOwner},
	{"cause: the same, and either of two deletions hit the first grant's key", "L",
		"lease; names k; " +
			"c2 acquire 1 5 sent=2 lease=1000 node=n0; fault flush n0 30 30; " +
			"c3 acquire 29 34 sent=31 lease=1000 node=n0; c0 acquire 9 61 sent=10 lease=1000 node=n0; " +
			"c2 release 29 63; c3 release 60 66; c1 acquire 9 67 sent=61 lease=1000 node=n0; " +
			"c0 release 90 91; c1 release 92 93", "2 1 2 4 n0 SETNX k c -> 1\n" +
			"0 1 10 60 n0 SETNX k a -> 1\n3 1 31 33 n0 SETNX k d -> 1\n2 1 32 62 n0 DEL k -> 1\n" +
			"3 1 60 65 n0 DEL k -> 1\n1 1 61 66 n0 SETNX k b -> 1\n", Violated, ReleasedByNonOwner},
	// The key was free when the second took it, however late another client's reply came.
	{"cause: a flush, and a third client's reply came after the lease", "L", "lease; names k; " +
		"fault flush n0 20 20; c0 acquire 10 15 sent=11 lease=30 node=n0; " +
		"c1 acquire 22 30 sent=22 lease=100 node=n0; c2 acquire 21 90 fail; c0 release 32 33; " +
		"c1 release 52 62", "0 1 11 14 n0 SET k a NX PX 0.00003 -> OK\n" +
		"2 1 21 60 n0 SET k c NX PX 0.00003 -> OK\n1 1 22 29 n0 SET k b NX PX 0.0001 -> OK\n",
		Violated, Vanished},
	{"cause: the second deletion is doubled", "L", takenOver + "; fault duplicate c0>n0 40 41",
		takingOver, Violated, LateMessage},
	{"cause: the second deletion is held up", "L", takenOver + "; fault delay c0>n0 1 100",
		takingOver, Violated, LateMessage},
	// A late deletion of the deleter's own vote, on a server where the owner had none.
	{"cause: its own vote of an earlier attempt", "L",
		lostVotesOf + "c2 acquire 1 9 fail; c2 acquire 40 99 fail",
		"2 1 3 5 n2 SET k c NX PX 200 -> OK\n2 1 8 0 n2 DEL k ->\n" + ownerVotes + winnerVotes,
		Violated, DoubleGrant},
	// The same of the call that is granted in the end: its attempt before took its votes back.
	{"cause: its own vote of an earlier attempt of the granted call", "L", lostVotesOf,
		ownerVotes + "1 1 20 22 n2 SET k c NX PX 200 -> OK\n1 1 30 35 n2 DEL k -> 1\n" + winnerVotes,
		Violated, DoubleGrant},
	{"cause: another's vote, by the call that is granted in the end", "L", lostVotesOf,
		ownerVotes + "1 1 20 22 n1 SET k c NX PX 200 -> (nil)\n1 1 30 35 n1 DEL k -> 1\n" +
			winnerVotes, Violated, ReleasedByNonOwner},
	{"cause: another's vote", "L", lostVotesOf + "c2 acquire 1 9 fail; c2 acquire 40 99 fail",
		"2 1 3 5 n1 SET k c NX PX 7 -> OK\n2 1 30 35 n1 DEL k -> 1\n" + ownerVotes + winnerVotes,
		Violated, ReleasedByNonOwner},
	// A lease that only its client prolongs, of which no end is told, is over when its client slept.
	{"cause: the holder slept through its lease", "S", sessionOf +
		"fault pause c0 8 2000000000; c1 acquire 6 1500000000; " + sessionsEnd, "", Violated,
		SessionLost},
	{"cause: the holder slept for the rest of its lease since the last renewal", "S", sessionOf +
		"fault pause c0 600000000 2000000000; c1 acquire 6 1500000000; " + sessionsEnd, "", Violated,
		SessionLost},
	{"cause: the holder slept for less than any renewal needs", "S", sessionOf +
		"fault pause c0 1100000000 2000000000; c1 acquire 6 1500000000; " + sessionsEnd, "", Violated,
		DoubleGrant},
	{"cause: the holder slept through its own lease, and others have longer ones", "S", sessionOf +
		"ttl 9000000000; leases 1000 9000000000; fault pause c0 8 2000000000; " +
		"c1 acquire 6 1500000000; " + sessionsEnd, "", Violated, SessionLost},
	{"cause: the holder slept for less than its own lease, and others have shorter ones", "S",
		sessionOf + "ttl 9000000000; leases 9000000000 1000; fault pause c0 8 2000000000; " +
			"c1 acquire 6 1500000000; " + sessionsEnd, "", Violated, DoubleGrant},
	{"cause: another client slept", "S", sessionOf +
		"fault pause c2 8 2000000000; c1 acquire 6 1500000000; " + sessionsEnd, "", Violated,
		DoubleGrant},
	{"cause: the holder slept, and its lease is for ever", "S", "c0 acquire 1 5; " +
		"fault pause c0 8 2000000000; c1 acquire 6 1500000000; " + sessionsEnd, "", Violated,
		DoubleGrant},
	// No clock ends a hold that lasts as long as its connection.
	{"cause: a clock was moved, and the hold lasts as long as its connection", "S",
		"system postgres; " + sessionOf + "fault client-clock c1 8 8; c1 acquire 10 20; " + sessionsEnd,
		"", Violated, DoubleGrant},
	{"cause: a clock was moved, and the hold has a lease", "S",
		"lease; system postgres; c0 acquire 1 5 lease=3000000000; fault client-clock c1 8 8; " +
			"c1 acquire 10 20 lease=3000000000; " + sessionsEnd, "", Violated, Clock},
	{"cause: a clock was moved, and the system frees nothing with a connection", "S",
		sessionOf + "fault client-clock c1 8 8; c1 acquire 10 20; " + sessionsEnd, "", Violated, Clock},
	// A holder that is told of the end of its session had a lease that ended, whatever was lost.
	{"cause: the holder was told that its session is over", "S", "loss; " + sessionOf + lostServer,
		"", Violated, SessionLost},
	{"cause: the holder was told before another client was inside", "S", "loss; " + sessionOf +
		"fault kill n0 8 9; c1 acquire 6 1500000000; c0 lost 1400000000; " + sessionsEnd, "", Violated,
		AfterNotice},
	{"cause: the holder was told, and its lease is over", "S", "lease; loss; c0 acquire 1 5 sent=2 " +
		"lease=20; c0 lost 25; c1 acquire 30 35; c0 release 50 51; c1 release 52 53", "", Violated,
		AfterNotice},
	{"cause: the holder was told too late, and its lease is over", "S", "lease; loss; " +
		"c0 acquire 1 5 sent=2 lease=20; c1 acquire 30 35; c0 lost 40; c0 release 50 51; " +
		"c1 release 52 53", "", Violated, LeaseOverrun},
	{"cause: the holder was told, and declares no loss", "S", sessionOf + lostServer, "", Violated,
		LostByServer},
	{"cause: the holder was told, and declares no lease", "S", "loss; c0 acquire 1 5; " + lostServer,
		"", Violated, LostByServer},
	{"cause: the holder was told, and its lease is known", "S", "lease; loss; ttl 1000; " +
		"c0 acquire 1 5 sent=2 lease=3000000000; " + lostServer, "", Violated, LostByServer},
	{"cause: the holder was not told", "S", "loss; " + sessionOf + "fault kill n0 8 9; " +
		"c1 acquire 6 1500000000; " + sessionsEnd, "", Violated, SessionLost},
	{"cause: the session cannot have ended so soon", "S", "loss; " + sessionOf +
		"fault kill n0 8 9; c1 acquire 6 400000000; " + sessionsEnd, "", Violated, LostByServer},
	// A client may hear of its grant after its session has ended, when the next one is inside.
	{"cause: the session of the later one had ended before it heard", "S", lateSession +
		"c1 acquire 6 1500000000; " + sessionsEnd, "", Violated, SessionLost},
	{"cause: the later one asked when the other was inside", "S", lateSession +
		"c1 acquire 1100000000 1500000000; " + sessionsEnd, "", Violated, DoubleGrant},
	{"cause: the session of the later one cannot have ended so soon", "S", "loss; lease; ttl 1000; " +
		"fault kill n0 8 9; c0 acquire 20 30; c1 acquire 6 400000000; " + sessionsEnd, "", Violated,
		DoubleGrant},
	{"cause: the later one was told before it heard", "S", lateHold + "c1 lost 1400000000 n=1; " +
		sessionsEnd, "", Violated, SessionLost},
	{"cause: the later one was told of an earlier hold", "S", lateHold + "c1 lost 1400000000 n=2; " +
		sessionsEnd, "", Violated, DoubleGrant},
	{"cause: the later one was told of another lock", "S", lateHold +
		"c1 lost 1400000000 n=1 key=1; " + sessionsEnd, "", Violated, DoubleGrant},
	{"cause: the later one was told, and asked when the other was inside", "S", "loss; lease; " +
		"ttl 1000; c0 acquire 20 1000000000; c1 acquire 1100000000 1500000000; " +
		"c1 lost 1400000000 n=1; " + sessionsEnd, "", Violated, DoubleGrant},
	{"cause: the later one was told when the other had left", "S", lateHold +
		"c0 release 1600000000 1600000010; c1 lost 1900000000; c1 release 2100000000 2100000010", "",
		Violated, DoubleGrant},
	{"cause: the later one was told before the other was inside", "S", lateHold +
		"c1 lost 900000000 n=1; " + sessionsEnd, "", Violated, SessionLost},
	{"cause: the first one was told before it heard", "S", "loss; lease; ttl 1000; " +
		"c0 acquire 1 20; c0 lost 18 n=1; c1 acquire 21 30; " + sessionsEnd, "", Violated, SessionLost},
	{"cause: the later one was told before it asked again in the same call", "S", "loss; lease; " +
		"ttl 1000; c0 acquire 20 1000000000; c1 acquire 6 1500000000 sent=1450000000; " +
		"c1 lost 1400000000 n=1; " + sessionsEnd, "", Violated, DoubleGrant},
	{"cause: the later one stood still while it asked, and no fault did that", "S", "loss; lease; " +
		"ttl 1000; c-1 gap 900000000 gap=600000000; c0 acquire 2000000000 2100000000; " +
		"c1 acquire 6 2500000000; c0 release 3100000000; c1 release 3200000000", "", Unknown, ""},
	{"cause: the later one asked when the other was inside, and had stood still", "S", "loss; " +
		"lease; ttl 1000; c0 acquire 1200000000 1200000010; c1 acquire 1200000020 1500000000; " +
		"c1 gap 900000000 gap=600000000; " + sessionsEnd, "", Violated, DoubleGrant},
	{"cause: the holder slept long before", "S", "lease; ttl 1000; fault pause c0 1 600000000; " +
		"c0 acquire 1200000000 1200000010; c1 acquire 1200000005 1300000000; " + sessionsEnd, "",
		Violated, DoubleGrant},
	{"cause: the holder slept just before", "S", "lease; ttl 1000; fault pause c0 1 600000000; " +
		"c0 acquire 700000000 700000010; c1 acquire 700000005 1300000000; " + sessionsEnd, "",
		Violated, SessionLost},
	{"cause: a call before was told, and was refused", "S", "loss; lease; ttl 1000; " +
		"c0 acquire 20 1000000000; c1 acquire 6 900000000 fail; c1 lost 800000000 n=1; " +
		"c1 acquire 950000000 1500000000; " + sessionsEnd, "", Violated, DoubleGrant},
	// What a script that compares deleted has the value that it names; another client wrote later.
	{"cause: its own vote, and another client wrote there after it", "L",
		"script drop free 1 0; " + lostVotesOf + "c2 acquire 1 9 fail; c2 acquire 11 99 fail",
		ownerVotes +
			"1 1 20 22 n2 SET k b NX PX 200 -> OK\n2 2 21 40 n2 SET k c NX PX 200 -> OK\n" +
			"1 1 30 35 n2 EVAL drop 1 k b -> 1\n2 2 50 55 n2 EVAL drop 1 k c -> 1\n" + winnerVotes,
		Violated, DoubleGrant},
	// The promoted node lost the owner's value; what is deleted there is the deleter's own.
	{"cause: its own grant on the promoted node", "L", lostHold + promoted + "c2 acquire 30 60 info",
		ownerOnN0 + "2 1 31 0 n1 SET k c NX PX 100 ->\n2 1 41 45 n1 DEL k -> 1\n" + winnerOnN1, Violated,
		LostByServer},
	{"cause: the owner's value on the promoted node", "L", "c2 acquire 1 4 sent=2 lease=3; " +
		lostHold + promoted + "c2 release 40 60", "2 1 2 3 n0 SET k c NX PX 3 -> OK\n" + ownerOnN0 +
		"2 1 41 45 n1 DEL k -> 1\n" + winnerOnN1, Violated, ReleasedByNonOwner},
	{"cause: a deletion that never arrived at the dead node", "L", "c2 acquire 1 4 sent=2 lease=3; " +
		lostHold + promoted + "c2 release 22 60 info", "2 1 2 3 n0 SET k c NX PX 3 -> OK\n" + ownerOnN0 +
		"2 1 23 0 n0 DEL k ->\n" + winnerOnN1, Violated, LostByServer},
	{"cause: a deletion that was never answered, and no fault", "L",
		"c2 acquire 1 4 sent=2 lease=3; " + lostHold + "c2 release 22 60 info",
		"2 1 2 3 n0 SET k c NX PX 3 -> OK\n" + ownerOnN0 +
			"2 1 23 0 n0 DEL k ->\n" + winnerOnN0, Violated, ReleasedByNonOwner},
	// The promoted node may still have the value of the owner's earlier hold.
	{"cause: the owner's older value, seen on the promoted node", "L", heldTwice,
		ownerTwice + "1 1 40 45 n1 GET k -> value-one\n" + deletedOnN1, Violated, LostByServer},
	{"cause: the owner's value, seen on the promoted node", "L", heldTwice,
		ownerTwice + "1 1 40 45 n1 GET k -> value-two\n" + deletedOnN1, Violated, ReleasedByNonOwner},
	// No reply shows which value the promoted node had. It may never have had the later one.
	{"cause: the owner's older value may be on the promoted node", "L", heldTwice,
		ownerTwice + deletedOnN1, Violated, LostByServer},
	{"cause: the owner has had only one value", "L", lostHold + promoted,
		"0 1 12 15 n0 SETNX k value-two -> 1\n" + deletedOnN1, Violated, ReleasedByNonOwner},
	{"cause: the owner's value, seen before the promoted node was killed", "L", heldTwice +
		"fault restart n1 47 48; ", ownerTwice + "1 1 40 45 n1 GET k -> value-two\n" + deletedOnN1,
		Violated, LostByServer},
	// What the deleter overwrote before was lost by the writing.
	{"cause: its own value over the owner's", "L", lostHold + "c2 acquire 30 60 info", ownerOnN0 +
		"2 1 31 35 n0 SET k c PX 100 -> OK\n2 1 41 45 n0 DEL k -> 1\n" + winnerOnN0, Violated,
		DoubleGrant},
	// The owner's own inner release.
	{"cause: the owner's inner release", "L", "reentrant; " + lostHold +
		"c0 acquire 30 35 depth=1 sent=31 lease=200; c0 release 40 50 n=2",
		ownerOnN0 + "0 2 31 33 n0 EXPIRE k 200 -> 1\n0 2 41 45 n0 DEL k -> 1\n" + winnerOnN0, Violated,
		DoubleGrant},
	{"cause: another's inner release", "L", "reentrant; c2 acquire 1 3 sent=2 lease=3; c2 acquire " +
		"4 6 depth=1 sent=5 lease=3; " + lostHold + "c2 release 40 50 n=2",
		"2 1 2 3 n0 SET k c NX PX 3 -> OK\n" + ownerOnN0 + "2 2 41 45 n0 DEL k -> 1\n" + winnerOnN0,
		Violated, ReleasedByNonOwner},
	// A late message of the owner's own earlier attempt.
	{"cause: a late release of an earlier attempt of the same call", "L", lostHold,
		"0 1 10 0 n0 SET k z NX PX 200 ->\n0 1 11 0 n0 DEL k ->\n" + ownerOnN0 + winnerOnN0, Violated,
		LateMessage},
	{"cause: the owner's release after the grant", "L", lostHold,
		ownerOnN0 + "0 1 41 45 n0 DEL k -> 1\n" + winnerOnN0, Violated, DoubleGrant},
}
