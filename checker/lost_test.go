package checker

import "strings"

// A server is killed, another one is promoted, and its keys are deleted.
const (
	killedFor = "fault kill n0 25 1000; fault promote n1 27 28; c2 acquire 20 99 fail; " +
		"c3 acquire 20 99 fail; "
	flushedN1  = "fault flush n1 60 61"
	failedOver = lostHold + killedFor + flushedN1
	flushedN0  = "fault flush n0 25 26; counted n0 emptied=1; c2 acquire 20 99 fail; " +
		"c3 acquire 20 99 fail"
	refusedOnN1 = "2 1 30 31 n1 SET k c NX PX 200 -> (nil)\n"
)

// lostCases have a fault that can lose writes between two grants. The fault is to blame if it lost
// the key or the counter of the first grant; otherwise the lock is.
var lostCases = []propertyCase{
	{"lost: the next grant found a free key", "L", lostHold + "fault kill n0 25 26",
		ownerOnN0 + winnerOnN0, Violated, LostByServer},
	{"lost: the next grant wrote over any value", "L", lostHold + "fault kill n0 25 26",
		ownerOnN0 + "1 1 80 85 n0 SET k b PX 100 -> OK", Violated, DoubleGrant},
	{"lost: the next grant asked before it wrote", "L", lostHold + "fault kill n0 25 26",
		ownerOnN0 + "1 1 70 75 n0 GET k -> (nil)\n1 1 80 85 n0 SET k b PX 100 -> OK", Violated,
		LostByServer},
	{"lost: it saw the first one's value, and wrote over it", "L", lostHold + "fault kill n0 25 26",
		ownerOnN0 + "1 1 70 75 n0 GET k -> a\n1 1 80 85 n0 SET k b PX 100 -> OK", Violated,
		DoubleGrant},
	{"lost: the next grant wrote twice over any value", "L", lostHold + "fault kill n0 25 26",
		ownerOnN0 + "1 1 70 75 n0 SET k b PX 100 -> OK\n" +
			"1 1 80 85 n0 SET k b PX 100 -> OK", Violated, DoubleGrant},
	{"lost: the next grant swapped it", "L", lostHold + "fault kill n0 25 26",
		ownerOnN0 + "1 1 80 85 n0 GETSET k b -> a", Violated, DoubleGrant},
	{"lost: the next grant swapped none", "L", lostHold + "fault kill n0 25 26",
		ownerOnN0 + "1 1 80 85 n0 GETSET k b -> (nil)", Violated, LostByServer},
	{"lost: the next grant was refused, and wrote over any value", "L", lostHold + "fault kill n0 " +
		"25 26",
		ownerOnN0 + "1 1 70 75 n0 SET k b NX -> (nil)\n" +
			"1 1 80 85 n0 SET k b PX 100 -> OK", Violated, DoubleGrant},
	{"lost: the next grant's question was lost, and it wrote over any value", "L",
		lostHold + "fault kill n0 25 26",
		ownerOnN0 + "1 1 70 0 n0 GET k -> \n1 1 80 85 n0 SET k b PX 100 -> OK", Violated, DoubleGrant},
	{"lost: it saw an older value, and wrote over it", "L", lostHold + promoted,
		ownerOnN0 + "1 1 70 75 n1 GET k -> c\n1 1 80 85 n1 SET k b PX 100 -> OK", Violated,
		LostByServer},
	{"lost: the next grant counted whatever was there, where the first one had written a value", "L",
		lostHold + "fault kill n0 25 26", ownerOnN0 + "1 1 80 85 n0 HINCRBY k b 1 -> 1", Violated,
		LostByServer},
	{"lost: the first one deleted its key by itself", "L", lostHold + "fault kill n0 45 46",
		ownerOnN0 + "0 1 30 31 n0 DEL k -> 1\n" + winnerOnN0, Violated, DoubleGrant},
	{"lost: an inner release deleted a key whose count was lost", "L", "reentrant; " + lostHold +
		"c0 acquire 30 35 depth=1 sent=31 lease=200; fault kill n0 36 37; c0 release 40 50 n=2",
		ownerOnN0 + "0 2 31 33 n0 EXPIRE k 200 -> 1\n0 2 41 45 n0 DEL k -> 1\n" + winnerOnN0, Violated,
		LostByServer},
	{"lost: an inner release deleted the key before the server was killed", "L", "reentrant; " +
		lostHold + "c0 acquire 30 35 depth=1 sent=31 lease=200; c0 release 40 50 n=2; " +
		"fault kill n0 52 53", ownerOnN0 + "0 2 31 33 n0 EXPIRE k 200 -> 1\n" +
		"0 2 41 45 n0 DEL k -> 1\n" + winnerOnN0, Violated, DoubleGrant},
	{"lost: an inner acquire and its release began the count anew after a flush", "L", "reentrant; " +
		lostHold + "fault flush n0 25 26; c0 acquire 30 35 depth=1 sent=31 lease=200; " +
		"c0 release 40 50 n=2", ownerOnN0 + "0 2 31 33 n0 SET k b NX PX 200 -> OK\n" +
		"0 2 41 45 n0 DEL k -> 1\n" + winnerOnN0, Violated, Vanished},
	{"lost: the first one's deletion found nothing", "L", lostHold + "fault kill n0 25 26",
		ownerOnN0 + "0 1 30 31 n0 DEL k -> 0\n" + winnerOnN0, Violated, LostByServer},
	// A key on the new master is the first holder's if no other client can have written it.
	{"lost: a client was refused after the failover, and then the keys were deleted", "L",
		failedOver, ownerOnN0 + "2 1 24 0 n0 SET k c NX PX 200 -> \n" +
			refusedOnN1 + winnerOnN1, Violated, Vanished},
	{"lost: the same, and another client may have written the key on the new master", "L",
		failedOver, ownerOnN0 + "3 1 29 0 n1 SET k d NX PX 200 -> \n" +
			refusedOnN1 + winnerOnN1, Violated, LostByServer},
	{"lost: the same, and another client may have written the key on the old one after a loss", "L",
		failedOver, ownerOnN0 + "3 1 26 0 n0 SET k d NX PX 200 -> \n" +
			refusedOnN1 + winnerOnN1, Violated, LostByServer},
	{"lost: the same, and another client wrote the key on the old one", "L",
		failedOver, ownerOnN0 + "3 1 23 24 n0 SET k d NX PX 200 -> OK\n" +
			refusedOnN1 + winnerOnN1, Violated, LostByServer},
	{"lost: the same, and another client may have written over the key on the old one", "L",
		failedOver, ownerOnN0 + "3 1 24 0 n0 SET k d PX 200 -> \n" +
			refusedOnN1 + winnerOnN1, Violated, LostByServer},
	{"lost: the same, and another client may have written the key on a third server", "L",
		failedOver, ownerOnN0 + "3 1 24 0 n2 SET k d NX PX 200 -> \n" +
			refusedOnN1 + winnerOnN1, Violated, LostByServer},
	{"lost: the same, and someone else may write keys", "L",
		failedOver + "; counted n1 emptied=1",
		ownerOnN0 + refusedOnN1 + winnerOnN1, Violated, LostByServer},
	{"lost: the same, and another server was promoted", "L", lostHold + "fault kill n0 25 1000; " +
		"fault promote n2 27 28; c2 acquire 20 99 fail; " + flushedN1,
		ownerOnN0 + refusedOnN1 + winnerOnN1, Violated, LostByServer},
	{"lost: the same, and clients were only redirected", "L", lostHold + "fault kill n0 25 1000; " +
		"fault redirect n1 27 28; c2 acquire 20 99 fail; " + flushedN1,
		ownerOnN0 + refusedOnN1 + winnerOnN1, Violated, LostByServer},
	{"lost: the same, and all servers were restarted later", "L", lostHold + "fault restart * 25 " +
		"1000; fault promote n1 27 28; c2 acquire 20 99 fail; " + flushedN1,
		ownerOnN0 + refusedOnN1 + winnerOnN1, Violated, LostByServer},
	{"lost: the same, and the new master was killed later", "L", lostHold + "fault kill n1 25 1000; " +
		"fault promote n1 27 28; c2 acquire 20 99 fail; " + flushedN1,
		ownerOnN0 + refusedOnN1 + winnerOnN1, Violated, LostByServer},
	{"lost: the keys of the old master were deleted, and another client's key was copied", "L",
		lostHold + "fault flush n0 25 26; fault promote n1 27 28; c2 acquire 20 99 fail; " +
			"c3 acquire 20 99 fail", ownerOnN0 + "3 1 24 0 n0 SET k d NX PX 200 -> \n" + refusedOnN1 +
			winnerOnN1, Violated, Vanished},
	{"lost: a deletion after a flush, and another client had taken the key before its reply", "L",
		lostHold + flushedN0, ownerOnN0 + "2 1 35 50 n0 DEL k -> 1\n" +
			"3 1 40 45 n0 SET k d NX PX 200 -> OK\n" + winnerOnN0, Violated, Vanished},
	{"lost: a deletion after a flush, and no other client had taken the key", "L",
		lostHold + flushedN0, ownerOnN0 + "2 1 35 50 n0 DEL k -> 1\n" + winnerOnN0, Violated,
		ReleasedByNonOwner},
	{"lost: the key was prolonged after the failover", "L", lostHold + promoted,
		ownerOnN0 + "0 1 30 31 n1 PEXPIRE k 200 -> 1\n" + winnerOnN1, Violated, DoubleGrant},
	{"lost: the key was read after the failover", "L", lostHold + promoted,
		"0 1 12 15 n0 SET k value-of-a NX PX 200 -> OK\n" +
			"2 0 30 31 n1 GET k -> value-of-a\n" + winnerOnN1,
		Violated, DoubleGrant},
	{"lost: a value that two clients write was read after the failover", "L", lostHold + promoted,
		"0 1 12 15 n0 SET k locked NX PX 200 -> OK\n2 0 30 31 n1 GET k -> locked\n" +
			"1 1 80 85 n1 SET k locked NX PX 100 -> OK\n", Violated, LostByServer},
	{"lost: the key was read on the old master", "L", lostHold + promoted,
		"0 1 12 15 n0 SET k value-of-a NX PX 200 -> OK\n" +
			"2 0 30 31 n0 GET k -> value-of-a\n" + winnerOnN1,
		Violated, LostByServer},
	{"lost: another client prolonged a key after the failover", "L", lostHold + promoted,
		ownerOnN0 + "2 1 30 31 n1 PEXPIRE k 200 -> 1\n" +
			winnerOnN1, Violated, LostByServer},
	{"lost: the key was prolonged on the old master", "L", lostHold + promoted,
		ownerOnN0 + "0 1 30 31 n0 PEXPIRE k 200 -> 1\n" +
			winnerOnN1, Violated, LostByServer},
	{"lost: the key was prolonged after the second grant", "L", lostHold + promoted,
		ownerOnN0 + "0 1 86 87 n1 PEXPIRE k 200 -> 1\n" +
			winnerOnN1, Violated, LostByServer},
	{"lost: the key was prolonged in the background", "L", lostHold + promoted,
		ownerOnN0 + "0 0 30 31 n1 PEXPIRE k 200 -> 1\n" +
			winnerOnN1, Violated, DoubleGrant},
	{"lost: the key was prolonged before the failover", "L", lostHold + promoted,
		ownerOnN0 + "0 1 22 23 n0 PEXPIRE k 200 -> 1\n" + winnerOnN1, Violated, LostByServer},
	{"lost: the key was over before the failover", "L",
		shortKey + "fault promote n1 30000000 30000001",
		"0 1 12 15 n0 SET k a NX PX 20 -> OK\n1 1 60000000 60000005 n1 SET k b NX PX 100 -> OK",
		Violated, PromisedTooLong},
	{"lost: the key was not yet over after the failover", "L",
		shortKey + "fault promote n1 30000000 30000001",
		"0 1 12 15 n0 SET k a NX PX 80 -> OK\n1 1 60000000 60000005 n1 SET k b NX PX 100 -> OK",
		Violated, LostByServer},
	{"lost: a restart between the take and the lease", "L", "lease; names k; c0 acquire 10 20 " +
		"sent=17 lease=200000000 node=n0; c1 acquire 11 90 sent=80 lease=100000000 node=n0; " +
		"fault kill " +
		"n0 14 16; c0 release 150 160; c1 release 170 180",
		"0 1 12 13 n0 SETNX k a -> 1\n0 1 17 18 n0 PEXPIRE k 200 -> 0\n" + winnerOnN0, Violated,
		LostByServer},
	{"lost: a restart between two takes that were under way at once", "L", takesAtOnce + "20 25",
		"0 1 10 60 n0 EVAL grab 1 k a -> 1\n1 1 40 55 n0 EVAL grab 1 k b -> 1\n", Violated,
		LostByServer},
	{"lost: a restart before two takes that were under way at once", "L", takesAtOnce + "6 9",
		"0 1 10 60 n0 EVAL grab 1 k a -> 1\n1 1 40 55 n0 EVAL grab 1 k b -> 1\n", Violated,
		DoubleGrant},
	{"lost: a restart before the take", "L", "lease; names k; c0 acquire 10 20 sent=17 " +
		"lease=200000000 node=n0; c1 acquire 11 90 sent=80 lease=100000000 node=n0; " +
		"fault kill n0 8 11" +
		"; c0 release 150 160; c1 release 170 180",
		"0 1 12 13 n0 SETNX k a -> 1\n0 1 17 18 n0 PEXPIRE k 200 -> 1\n" +
			winnerOnN0, Violated, Vanished},
	{"lost: all keys were deleted", "L", lostHold + "fault flush n0 25 26", ownerOnN0 + winnerOnN0,
		Violated, Vanished},
	{"lost: all keys were deleted, says O", "O", lostHold + "fault flush n0 25 26",
		ownerOnN0 + winnerOnN0, Valid, ""},
	{"lost: all keys were deleted, and the server was killed", "L",
		lostHold + "fault flush n0 25 26; fault kill n0 30 31", ownerOnN0 + winnerOnN0, Violated,
		LostByServer},
	{"lost: all keys were deleted, and the server was killed after both grants", "L",
		lostHold + "fault flush n0 25 26; fault kill n0 100 101", ownerOnN0 + winnerOnN0, Violated,
		Vanished},
	{"lost: all keys were deleted, and the server was killed before both grants", "L",
		"fault kill n0 1 2; " + lostHold + "fault flush n0 25 26", ownerOnN0 + winnerOnN0, Violated,
		Vanished},
	{"lost: all keys were deleted, and another server stayed dead", "L",
		"fault kill n1 1 90; " + strings.ReplaceAll(lostHold, "lease=", "node=n0 lease=") +
			"fault flush n0 25 26", ownerOnN0 + winnerOnN0, Violated, Vanished},
	{"lost: all keys were deleted, and the server was killed, too", "L",
		"fault kill n0 21 22; " + lostHold + "fault flush n0 25 26", ownerOnN0 + winnerOnN0, Violated,
		LostByServer},
	{"lost: all keys were deleted before the grant", "L", lostHold + "fault flush n0 1 2",
		ownerOnN0 + winnerOnN0, Violated, Vanished},
	{"lost: a master that gave a vote", "L", lostVotesOf + "fault kill n1 25 26",
		ownerVotes + winnerVotes, Violated, LostByServer},
	{"lost: a master that gave no vote", "L", lostVotesOf + "fault kill n2 25 26",
		ownerVotes + winnerVotes, Violated, DoubleGrant},
	{"lost: a master that the second grant did not need", "L", lostVotesOf + "fault kill n0 25 26",
		ownerVotes + winnerVotes, Violated, DoubleGrant},
	{"lost: a master that was replaced", "L",
		lostVotesOf + "fault kill n0 25 26; fault promote r0 27 28",
		"0 1 12 15 n2 SET k a NX PX 200 -> OK\n" + ownerOnN0 + winnerVotes + "1 1 80 85 r0 SET k b " +
			"NX " +
			"PX 100 -> OK\n1 1 80 85 n2 SET k b NX PX 100 -> (nil)\n", Violated, LostByServer},
	{"lost: a master that gave its vote after it was lost", "L",
		lostVotesOf + "fault kill n0 1 30; fault promote n1 2 3; fault node-clock n1 25 26",
		"0 1 12 15 n1 SET k a NX PX 200 -> OK\n0 1 12 15 n2 SET k a NX PX 200 -> OK\n" + winnerVotes,
		Violated, Clock},

	{"lost: all keys of a master that gave a vote were deleted, and another one stayed dead", "L",
		lostVotesOf + "fault kill n2 1 95; fault flush n1 25 26", ownerVotes + winnerVotes, Violated,
		Vanished},
	{"lost: all keys of a master that gave a vote were deleted, and it was killed", "L",
		lostVotesOf + "fault kill n1 22 23; fault flush n1 25 26", ownerVotes + winnerVotes, Violated,
		LostByServer},
	{"lost: a key that was never copied, deleted by another client where it was", "L",
		lostHold + "fault cut n0>n1 5 100; " + promoted,
		ownerOnN0 + "2 1 21 22 n0 DEL k -> 1\n" + winnerOnN1, Violated, LostByServer},
	{"lost: a key that may have been copied, deleted by another client", "L",
		lostHold + "fault cut n0>n1 20 100; " + promoted,
		ownerOnN0 + "2 1 21 22 n0 DEL k -> 1\n" + winnerOnN1, Violated, ReleasedByNonOwner},
	{"lost: another client deleted a third one's key on the new master", "L", lostHold + promoted,
		ownerOnN0 + "2 1 30 31 n1 SET k a NX PX 200 -> OK\n3 1 40 41 n1 DEL k -> 1\n" + winnerOnN1,
		Violated, LostByServer},
	{"lost: another client deleted a key on the new master", "L", lostHold + promoted,
		ownerOnN0 + "3 1 40 41 n1 DEL k -> 1\n" + winnerOnN1, Violated, ReleasedByNonOwner},

	{"lost: the counter, by a restart", "F", tokens + "fault kill n0 25 26", "", Violated,
		LostByServer},
	{"lost: no counter, since it counted on after the restart", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 INCR c -> 7\n2 1 31 32 n0 INCR c -> 8\n2 1 33 34 n0 DEL c -> 1\n" +
			"1 1 70 75 n0 INCR c -> 6\n", Violated, OldToken},
	{"lost: the counter, which had counted on before the restart", "F",
		tokens + "fault kill n0 55 56; c2 acquire 30 45 fail",
		"0 1 11 12 n0 INCR c -> 7\n2 1 31 32 n0 INCR c -> 8\n1 1 70 75 n0 INCR c -> 6\n",
		Violated, LostByServer},
	{"lost: the counter, which counted on from less", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 INCR c -> 7\n2 1 31 32 n0 INCR c -> 5\n" +
			"1 1 70 75 n0 INCR c -> 6\n", Violated, LostByServer},
	{"lost: the counter, and another server counted on", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 INCR c -> 7\n2 1 31 32 n1 INCR c -> 8\n" +
			"1 1 70 75 n0 INCR c -> 6\n", Violated, LostByServer},
	{"lost: the counter, which counted on later", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 INCR c -> 7\n2 1 76 77 n0 INCR c -> 8\n" +
			"1 1 70 75 n0 INCR c -> 6\n", Violated, LostByServer},
	{"lost: no field of a hash, since it counted on after the restart", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 HINCRBY c k 1 -> 7\n2 1 31 32 n0 HINCRBY c k 1 -> 8\n" +
			"1 1 70 75 n0 HINCRBY c k 1 -> 6\n", Violated, OldToken},
	{"lost: a field of a hash, and another one had counted on", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 HINCRBY c k 1 -> 7\n2 1 31 32 n0 HINCRBY c other 1 -> 8\n" +
			"1 1 70 75 n0 HINCRBY c k 1 -> 6\n", Violated, LostByServer},
	{"lost: no counter, since it counted on by twos", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 INCRBY c 2 -> 7\n2 1 31 32 n0 INCRBY c 2 -> 9\n" +
			"1 1 70 75 n0 INCRBY c 2 -> 6\n", Violated, OldToken},
	{"lost: no counter, since a script counted on after the restart", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 EVAL s 2 k c -> 7 | SET k a NX | INCR c\n" +
			"2 1 31 32 n0 EVAL s 2 j c -> 8 | SET j x NX | INCR c\n" +
			"1 1 70 75 n0 EVAL s 2 k c -> 6 | SET k b NX | INCR c\n", Violated, OldToken},
	{"lost: the counter, and a script answered with a time to live", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 EVAL s 2 k c -> 7 | SET k a NX | INCR c\n" +
			"2 1 31 32 n0 EVAL t 2 k c -> 900 | INCR c | PTTL k\n" +
			"1 1 70 75 n0 EVAL s 2 k c -> 6 | SET k b NX | INCR c\n", Violated, LostByServer},
	{"lost: the counter, and a script counted down", "F",
		tokens + "fault kill n0 25 26; c2 acquire 30 45 fail",
		"0 1 11 12 n0 HINCRBY c k 1 -> 7\n2 1 31 32 n0 EVAL s 1 c -> 8 | HINCRBY c k -1\n" +
			"1 1 70 75 n0 HINCRBY c k 1 -> 6\n", Violated, LostByServer},
	{"lost: the next grant counted on, and was let in", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 INCR k -> 1\n1 1 80 85 n0 INCR k -> 2\n", Violated, DoubleGrant},
	{"lost: the next grant counted on, and was let in, says S", "S", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 INCR k -> 1\n1 1 80 85 n0 INCR k -> 2\n", Violated, DoubleGrant},
	{"lost: the next grant counted from the beginning, says S", "S", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 INCR k -> 1\n1 1 80 85 n0 INCR k -> 1\n", Violated, LostByServer},
	{"lost: another client's deletion, and the next grant counted from the beginning", "S",
		"c2 acquire 1 4 sent=2 lease=3; c2 release 5 8; " + lostHold,
		"2 1 2 3 n0 INCR k -> 1\n2 1 4 4 n0 PEXPIRE k 0.000003 -> 1\n0 1 12 15 n0 INCR k -> 1\n" +
			"2 1 31 35 n0 DEL k -> 1\n1 1 80 85 n0 INCR k -> 1\n", Violated, ReleasedByNonOwner},
	{"lost: the next grant counted from the beginning", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 INCR k -> 1\n1 1 80 85 n0 INCR k -> 1\n", Violated, LostByServer},
	{"lost: the next grant counted by twos from the beginning", "L", lostHold +
		"fault kill n0 25 26", "0 1 12 15 n0 INCRBY k 2 -> 2\n1 1 80 85 n0 INCRBY k 2 -> 2\n",
		Violated, LostByServer},
	{"lost: the next grant counted on by twos", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 INCRBY k 2 -> 2\n1 1 80 85 n0 INCRBY k 2 -> 4\n", Violated, DoubleGrant},
	{"lost: the next grant counted on in a field", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 HINCRBY k f 1 -> 1\n1 1 80 85 n0 HINCRBY k f 1 -> 2\n", Violated, DoubleGrant},
	{"lost: the next grant counted a field from the beginning", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 HINCRBY k f 1 -> 1\n1 1 80 85 n0 HINCRBY k f 1 -> 1\n", Violated, LostByServer},
	{"lost: the next grant's script counted on", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 EVAL s 1 k -> 1 | INCR k\n1 1 80 85 n0 EVAL s 1 k -> 2 | INCR k\n", Violated,
		DoubleGrant},
	{"lost: the next grant's script counted on in a field", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 EVAL s 1 k -> 1 | HINCRBY k f 1\n1 1 80 85 n0 EVAL s 1 k -> 2 | HINCRBY k f 1\n",
		Violated, DoubleGrant},
	{"lost: the next grant's script counted from the beginning", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 EVAL s 1 k -> 1 | INCR k\n1 1 80 85 n0 EVAL s 1 k -> 1 | INCR k\n", Violated,
		LostByServer},
	{"lost: the next grant counted a field of its own, whatever was there", "L", lostHold +
		"fault kill n0 25 26", "0 1 12 15 n0 HINCRBY k a 1 -> 1\n1 1 80 85 n0 HINCRBY k b 1 -> 1\n",
		Violated, DoubleGrant},
	{"lost: the same, by a script", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 EVAL s 1 k -> 1 | HINCRBY k a 1\n1 1 80 85 n0 EVAL s 1 k -> 1 | HINCRBY k b 1\n",
		Violated, DoubleGrant},
	{"lost: the same, and the key was given its lease afterwards", "L", lostHold +
		"fault kill n0 25 26", "0 1 12 15 n0 HINCRBY k a 1 -> 1\n1 1 80 85 n0 HINCRBY k b 1 -> 1\n" +
		"1 1 86 87 n0 PEXPIRE k 100 -> 1\n", Violated, DoubleGrant},
	{"lost: the same, where the first one had counted another key", "L", lostHold +
		"fault kill n0 25 26", "0 1 12 15 n0 EVAL s 1 k -> 1 | SET k a NX | HINCRBY c a 1\n" +
		"1 1 80 85 n0 HINCRBY k b 1 -> 1\n", Violated, LostByServer},
	{"lost: the next grant's script counted the first one's field and its own", "L", lostHold +
		"fault kill n0 25 26", "0 1 12 15 n0 EVAL s 1 k -> 1 | HINCRBY k a 1\n" +
		"1 1 80 85 n0 EVAL s 1 k -> 1 | HINCRBY k a 1 | HINCRBY k b 1\n", Violated, LostByServer},
	{"lost: the same, by a script that asks before", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 EVAL s 1 k -> 1 | EXISTS k | HINCRBY k a 1\n" +
			"1 1 80 85 n0 EVAL s 1 k -> 1 | EXISTS k | HINCRBY k b 1\n", Violated, LostByServer},
	{"lost: the same, by a script that counts the fields afterwards", "L", lostHold +
		"fault kill n0 25 26", "0 1 12 15 n0 EVAL s 1 k -> 1 | HINCRBY k a 1 | HLEN k\n" +
		"1 1 80 85 n0 EVAL s 1 k -> 1 | HINCRBY k b 1 | HLEN k\n", Violated, LostByServer},
	{"lost: the same, and the call counted the fields afterwards", "L", lostHold +
		"fault kill n0 25 26", "0 1 12 15 n0 HINCRBY k a 1 -> 1\n0 1 16 17 n0 HLEN k -> 1\n" +
		"1 1 80 85 n0 HINCRBY k b 1 -> 1\n1 1 86 87 n0 HLEN k -> 1\n", Violated, LostByServer},
	{"lost: the same, and the call asked before", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 HINCRBY k a 1 -> 1\n1 1 70 75 n0 EXISTS k -> 0\n1 1 80 85 n0 HINCRBY k b 1 -> 1\n",
		Violated, LostByServer},
	{"lost: the next grant's script wrote over any value", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 EVAL s 1 k a -> OK | SET k a\n1 1 80 85 n0 EVAL s 1 k b -> OK | SET k b\n",
		Violated, DoubleGrant},
	{"lost: the next grant's script asked before it wrote", "L", lostHold + "fault kill n0 25 26",
		"0 1 12 15 n0 EVAL s 1 k a -> OK | EXISTS k | SET k a\n" +
			"1 1 80 85 n0 EVAL s 1 k b -> OK | EXISTS k | SET k b\n", Violated, LostByServer},

	{"lost: no counter, since clients make their tokens", "F", madeTokens,
		"0 1 12 15 n0 SET k 1795649510 NX -> OK\n0 1 21 22 n0 DEL k -> 1\n" +
			"1 1 80 85 n0 SET k 1795649509 NX -> OK", Violated, OldToken},
	{"lost: no counter by a flush, since clients make their tokens", "F", strings.Replace(madeTokens,
		"kill", "flush", 1), "0 1 12 15 n0 SET k 1795649510 NX -> OK\n0 1 21 22 n0 DEL k -> 1\n" +
		"1 1 80 85 n0 SET k 1795649509 NX -> OK", Violated, OldToken},
	{"lost: the counter, since a server gives the tokens", "F", madeTokens,
		"0 1 11 12 n0 INCR c -> 1795649510\n0 1 12 15 n0 SET k 1795649510 NX -> OK\n" +
			"0 1 21 22 n0 DEL k -> 1\n1 1 70 75 n0 INCR c -> 1795649509\n" +
			"1 1 80 85 n0 SET k 1795649509 NX -> OK", Violated, LostByServer},
}

const (
	// shortKey is a hold on n0 that is promised for 100 ms, and a grant by n1 after 60 ms.
	shortKey = "lease; names k; c0 acquire 10 20 sent=12 lease=100000000 node=n0; c1 acquire 11 " +
		"60000010 sent=60000000 lease=100000000 node=n1; c0 release 70000000 70000001; c1 release " +
		"80000000 80000001; "
	// takesAtOnce are two grants of n0 that were under way at once, and a restart.
	takesAtOnce = "script grab take 1 0; lease; names k; c0 acquire 5 65 sent=10 lease=100000000 " +
		"node=n0; c1 acquire 6 57 sent=40 lease=100000000 node=n0; " +
		"c0 release 150 160; c1 release 170 180; fault kill n0 "
	// tokens are two grants of n0, whose later token is smaller.
	tokens = "fencing; c0 acquire 10 15 token=7 node=n0; c0 release 20 22; " +
		"c1 acquire 60 90 token=6 " +
		"node=n0; c1 release 91 92; "
	madeTokens = "fencing; names k; c0 acquire 10 15 token=1795649510 node=n0; c0 release 20 22; " +
		"c1 " +
		"acquire 60 90 token=1795649509 node=n0; c1 release 91 92; fault kill n0 25 26"
)
