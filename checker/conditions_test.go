package checker

// robberyStory is a release of client 0 while client 1 holds the lock by right; robberyTrace its
// commands, so far.
const (
	robberyStory = "lease; c0 acquire 10 20 sent=12 lease=20; c1 acquire 11 60 sent=50 lease=100; " +
		"c0 release 70 80; c1 release 90 95"
	robberyTrace = "0 1 12 15 n0 SETNX k a -> 1\n1 1 50 55 n0 SETNX k b -> 1\n"
	deletion     = "0 1 71 75 n0 DEL k -> 1\n"
	// nobodyStory leaves the lock alone from 40 on; client 1 goes on trying.
	nobodyStory = "lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40 info; " +
		"c1 acquire 11 90 fail; "
	nobodyTrace = "0 1 12 15 n0 SETNX k a -> 1\n"
	idleLock    = "poll 1; lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; "
	// slowHarness is a holder that outlives its lease.
	slowHarness = "lease; ttl 1000; c0 acquire 2 5 sent=3 lease=1000; " +
		"c1 acquire 6 1100 sent=1090 lease=1000; c0 release 1200 1201; c1 release 1300 1301; "
	tooLong = "c1 acquire 10 1100000000 fail err=held; "
)

// abandoned is a lock without a lease whose holder was killed inside.
const abandoned = "poll 1; topology single; names k; c0 acquire 1 5; c0 kill 10; "

// conditionCases are histories for single conditions: without the condition the verdict would be
// another (see TestNoConditionIsIdle).
var conditionCases = []propertyCase{
	// What the harness took long for.
	{"an overrun while the harness was slow", "S", slowHarness + "c-1 gap 900 gap=850 action=kill",
		"", Unknown, ""},
	{"an overrun while the harness was slow, told late", "N", slowHarness +
		"c-1 gap 900 gap=850 action=kill", "", Unknown, ""},
	{"an overrun", "S", slowHarness, "", Violated, LeaseOverrun},
	{"an overrun by a pause while the harness was slow", "S", slowHarness +
		"c-1 gap 900 gap=850 action=kill; fault pause c0 40 1050", "", Violated, LeaseOverrun},
	{"an overrun, and another client was paused", "S", slowHarness +
		"c-1 gap 900 gap=850 action=kill; fault pause c1 40 1050", "", Unknown, ""},
	{"an overrun, and the holder's clock was moved", "S", slowHarness +
		"c-1 gap 900 gap=850 action=kill; fault clock-client c0 40 1050", "", Unknown, ""},
	{"an overrun, and the holder had been paused before", "S", slowHarness +
		"c-1 gap 900 gap=850 action=kill; fault pause c0 0 1", "", Unknown, ""},
	{"an overrun, and the holder is paused afterwards", "S", slowHarness +
		"c-1 gap 900 gap=850 action=kill; fault pause c0 1150 1160", "", Unknown, ""},
	{"an overrun, and the harness was slow before", "S", slowHarness +
		"c-1 gap 1 gap=1 action=kill", "", Violated, LeaseOverrun},
	{"an overrun, and the harness is slow afterwards", "S", slowHarness +
		"c-1 gap 2000 gap=600 action=kill", "", Violated, LeaseOverrun},
	{"two leases are valid although the harness was slow", "S", "lease; ttl 1000; " +
		"c0 acquire 2 5 sent=3 lease=9000; c1 acquire 6 1100 sent=1090 lease=1000; " +
		"c0 release 1200 1201; c1 release 1300 1301; c-1 gap 900 gap=850 action=kill", "", Violated,
		DoubleGrant},

	// Owner.
	{"several servers", "O", "topology independent; " + robberyStory, robberyTrace + deletion, NA, ""},
	{"a key that is no lock", "O", robberyStory, robberyTrace + "0 1 71 75 n0 DEL other -> 1", Valid,
		""},
	{"no grant in the trace", "O", robberyStory, "0 1 12 15 n0 PING -> PONG", Unknown, ""},
	{"the victim's grant is not in the trace", "O", robberyStory,
		"0 1 12 15 n0 SETNX k a -> 1\n" + deletion, Valid, ""},
	{"a command that deletes nothing", "O", robberyStory,
		robberyTrace + "0 1 71 75 n0 EXPIRE k 5 -> 1", Valid, ""},
	{"a script before the release", "O", robberyStory, robberyTrace + "0 1 66 68 n0 EVAL s 1 k a -> 1",
		Valid, ""},
	{"a script after the release", "O", robberyStory, robberyTrace + "0 1 83 85 n0 EVAL s 1 k a -> 1",
		Valid, ""},
	{"a script of the release", "O", robberyStory, robberyTrace + "0 1 71 75 n0 EVAL s 1 k a -> 1",
		Valid, ""},
	{"an older attempt of the deleter may have come late", "O", robberyStory,
		"0 1 11 0 n0 SETNX k a ->\n" + robberyTrace + deletion, Valid, ""},
	{"an older attempt of the deleter ended in an error", "O", robberyStory,
		"0 1 10 11 n0 SETNX k a -> !timeout\n" + robberyTrace + deletion, Valid, ""},
	{"the deleter's grant is answered across the victim's", "O", robberyStory,
		"0 1 12 52 n0 SETNX k a -> 1\n1 1 50 55 n0 SETNX k b -> 1\n" + deletion, Violated,
		ReleasedByNonOwner},
	{"the deleter was granted it too", "O", "lease; c1 acquire 11 60 sent=50 lease=100; " +
		"c0 acquire 12 59 sent=56 lease=100; c0 release 70 80; c1 release 90 95",
		"1 1 50 55 n0 SETNX k b -> 1\n0 1 56 58 n0 SETNX k a -> 1\n" + deletion, Valid, ""},
	{"the deleter was granted it at the same time", "O",
		"lease; c1 acquire 11 60 sent=50 lease=100; c0 acquire 12 62 sent=48 lease=100; " +
			"c0 release 70 80; c1 release 90 95",
		"1 1 50 55 n0 SETNX k b -> 1\n0 1 48 52 n0 SETNX k a -> 1\n" + deletion, Valid, ""},
	{"a call that nobody knows of was denied", "O", robberyStory + "; c2 acquire 56 90 info",
		robberyTrace + "2 1 57 58 n0 SETNX k c -> 0\n" + deletion, Violated, ReleasedByNonOwner},
	{"a call that nobody knows of was granted", "O", robberyStory + "; c2 acquire 56 90 info",
		robberyTrace + "2 1 57 58 n0 SETNX k c -> 1\n" + deletion, Valid, ""},
	{"a deletion that nobody knows of grants nothing", "O", robberyStory + "; c2 acquire 56 90 info",
		robberyTrace + "2 1 57 0 n0 DEL k ->\n" + deletion, Violated, ReleasedByNonOwner},
	{"a grant on another server is no excuse", "O", robberyStory,
		"0 1 51 0 n1 SETNX k a ->\n" + robberyTrace + deletion, Violated, ReleasedByNonOwner},

	// Orphans.
	{"no trace", "R", nobodyStory, "", Unknown, ""},
	{"several servers", "R", "topology independent; " + nobodyStory,
		nobodyTrace + "1 1 50 55 n0 SETNX k b -> 0", NA, ""},
	{"denied another key", "R", nobodyStory, nobodyTrace + "1 1 50 55 n0 SETNX other b -> 0", NA, ""},
	{"nobody is denied", "R", nobodyStory, nobodyTrace + "1 1 50 55 n0 GET k -> a", NA, ""},
	{"nobody is inside", "R", nobodyStory, nobodyTrace + "1 1 50 55 n0 SETNX k b -> false", Violated,
		""},
	{"denied by SET", "R", nobodyStory, nobodyTrace + "1 1 50 55 n0 SET k b NX PX 9 ->", Violated, ""},
	{"SET without a reply", "R", nobodyStory, nobodyTrace + "1 1 50 0 n0 SET k b NX PX 9 ->", NA, ""},
	{"SET with an error", "R", nobodyStory, nobodyTrace + "1 1 50 55 n0 SET k b NX PX 9 -> !LOADING",
		NA, ""},
	{"denied by a script", "R", nobodyStory, nobodyTrace + "1 1 50 55 n0 EVAL s 1 k b -> 350",
		NA, ""},
	{"a script that says yes", "R", nobodyStory, nobodyTrace + "1 1 50 55 n0 EVAL s 1 k b -> 1", NA,
		""},
	{"a script that says something", "R", nobodyStory, nobodyTrace +
		"1 1 50 55 n0 EVAL s 1 k b -> what", NA, ""},
	{"after an exit", "R", nobodyStory + "c0 exit 45 planned",
		nobodyTrace + "1 1 50 55 n0 SETNX k b -> 0", NA, ""},
	{"a hold of another lock does not account for it", "R",
		nobodyStory + "c2 acquire 30 35 key=1 sent=31 lease=99; c2 release 70 71 key=1",
		nobodyTrace + "1 1 50 55 n0 SETNX k b -> 0", Violated, ""},
	{"a grant of another lock does not account for it", "R",
		nobodyStory + "c2 acquire 45 60 key=1 sent=51 lease=99; c2 release 70 71 key=1",
		nobodyTrace + "1 1 50 55 n0 SETNX k b -> 0", Violated, ""},
	{"another call whose outcome is unknown accounts for it", "R",
		nobodyStory + "c2 acquire 45 60 info", nobodyTrace + "1 1 50 55 n0 SETNX k b -> 0", Valid, ""},
	{"the denied call itself does not account for it", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40 info; c1 acquire 11 90 info",
		nobodyTrace + "1 1 50 55 n0 SETNX k b -> 0", Violated, ""},

	// Deadlock.
	{"nobody tries at all", "D", "poll 1; c0 read 1 2 value=1", "", NA, ""},
	{"nobody had to wait", "D", "poll 1; c0 acquire 1 5; c0 release 6 7", "", NA, ""},
	{"somebody had to wait", "D", "poll 1; " +
		"c0 acquire 1 5; c1 acquire 2 8; c0 release 6 7; c1 release 9 10",
		"", Valid, ""},
	{"a fault struck", "D", "poll 1; " +
		"c0 acquire 1 5; fault pause-node n0 2 3; c0 release 6 7", "", Unknown, ""},
	{"granted after the stamp of the kill", "D", "poll 1; " +
		"c2 acquire 1 2; c2 release 3 4; c0 acquire 1 5; " +
		"c0 kill 4; c1 acquire 20 900 fail err=held; end 1000", "", Unknown, ""},
	{"killed after something broke", "D", "poll 1; c0 acquire 1 5; c2 exit 8; c0 kill 10; " +
		"c1 acquire 20 900 fail err=held; end 1000", "", Unknown, ""},
	{"killed inside a lease of unknown length", "D", "poll 1; lease; c0 acquire 1 5; c0 kill 10; " +
		"c1 acquire 20 900 fail err=held; end 1000", "", Unknown, ""},
	{"killed inside, and the last try did not reach the server", "D",
		"poll 1; c0 acquire 1 5; c0 kill 10; c1 acquire 20 90 fail err=held; " +
			"c1 acquire 100 190 fail why=unreachable; end 1000", "", Violated, ""},
	{"killed inside, and nobody knows how the try went", "D",
		"poll 1; c0 acquire 1 5; c0 kill 10; c1 acquire 20 90 info; end 1000", "", Unknown, ""},
	{"killed inside, and the try began before", "D", "poll 1; c0 acquire 1 5; c0 kill 10; " +
		"c1 acquire 7 90 fail err=held; end 1000", "", Unknown, ""},
	{"killed inside, and a client waits in a command until the end", "D", abandoned +
		"c1 acquire 7; end 3000000000", "1 1 8 9 n0 SET k b NX -> (nil)\n1 1 12 0 n0 BLPOP s 5 ->",
		Violated, ""},
	{"killed inside, and a client waits until it gives up", "D", abandoned +
		"c1 acquire 7 2500000000 fail; end 3000000000", "1 1 8 20 n0 SET k b NX -> (nil)\n" +
		"1 1 22 2500000000 n0 BLPOP s 5 -> (nil)", Violated, ""},
	{"killed inside, and a client is refused and waits", "D", abandoned + "c1 acquire 7; " +
		"end 3000000000", "1 1 12 13 n0 SET k b NX -> (nil)\n1 1 14 0 n0 BLPOP s 5 ->", Violated, ""},
	{"killed inside, and a client waits in a command for a moment", "D", abandoned +
		"c1 acquire 7; end 900000000", "1 1 8 9 n0 SET k b NX -> (nil)\n1 1 12 0 n0 BLPOP s 5 ->",
		Unknown, ""},
	{"killed inside, and a client waits since before", "D", abandoned + "c1 acquire 7; end 3000000000",
		"1 1 7 8 n0 SET k b NX -> (nil)\n1 1 9 0 n0 BLPOP s 5 ->", Unknown, ""},
	{"killed inside, and a client that waited may have it", "D", abandoned +
		"c1 acquire 7; end 3000000000", "1 1 8 9 n0 SET k b NX -> (nil)\n" +
		"1 1 12 20 n0 BLPOP s 5 -> (nil)\n1 1 22 0 n0 SET k b NX ->", Unknown, ""},
	{"killed inside, and the key had been deleted before", "D", "poll 1; topology single; " +
		"names k; c2 acquire 1 2; c2 release 3 4; c0 acquire 5 6; c0 kill 10; c1 acquire 7; " +
		"end 3000000000", "2 1 1 2 n0 SETNX k c -> 1\n2 1 3 4 n0 DEL k -> 1\n" +
		"0 1 5 6 n0 SETNX k a -> 1\n1 1 8 9 n0 SET k b NX -> (nil)\n1 1 12 0 n0 BLPOP s 5 ->",
		Violated, ""},
	{"killed inside, and a client waits for long, and then for a moment", "D", abandoned +
		"c1 acquire 7; end 3000000000", "1 1 8 9 n0 SET k b NX -> (nil)\n" +
		"1 1 12 2500000000 n0 BLPOP s 5 -> (nil)\n1 1 2500000001 0 n0 BLPOP s 5 ->", Violated, ""},
	{"killed inside, and a client waits until it is told, while a fault stops others", "D",
		abandoned + "fault cut c2>n0 11 2990000000; c1 acquire 7; end 3000000000",
		"1 1 8 9 n0 SET k b NX -> (nil)\n1 1 12 2500000000 n0 BLPOP s 5 -> (nil)", Violated, ""},
	{"killed inside, and a client waited for a moment, and asked no more", "D", abandoned +
		"c1 acquire 7; end 3000000000", "1 1 8 9 n0 SET k b NX -> (nil)\n" +
		"1 1 12 20 n0 BLPOP s 5 -> (nil)", Unknown, ""},
	{"killed inside, and a fault stops the server at which a client waits", "D", abandoned +
		"fault pause-node n0 13 2990000000; c1 acquire 7; end 3000000000",
		"1 1 8 9 n0 SET k b NX -> (nil)\n1 1 12 0 n0 BLPOP s 5 ->", Unknown, ""},
	{"refused for too long by a lock of sessions that no client ever had", "D",
		"system postgres; " + free + "c1 acquire 10 3000000000 fail", "", Violated, ""},
	{"a call of unknown outcome was refused, looked, and asked again late", "D", once +
		"c2 acquire 10 1300000000 info; c1 acquire 10 1290000000 fail", refusals(1, 1, 20, 13) +
		"2 1 15 16 n0 SET k c NX PX 1 -> (nil)\n2 1 30 31 n0 GET k -> x\n" +
		"2 1 1280000000 0 n0 SET k c NX PX 1 ->\n", Violated, ""},
	{"killed inside, and a client was paused", "D", "poll 1; c0 acquire 1 5; c0 kill 10; " +
		"fault pause c1 12 13; c1 acquire 20 90 fail err=held; end 1000", "", Violated, ""},
	{"killed inside, long after a restart", "D", "poll 1; " +
		"fault restart n0 1 2; c0 acquire 3 5; c0 kill 10; " +
		"c1 acquire 20 90 fail err=held; end 1000", "", Violated, ""},
	{"a lease that is longer than the header says", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=900000000 sent=2; c0 release 6 7; " + tooLong, "", Valid,
		""},
	{"an unknown call of another lock", "D", idleLock + tooLong +
		"c2 acquire 400000000 600000000 info key=1", "", Violated, ""},
	{"a fault that lasts", "D", "poll 1; " +
		"fault pause-node n0 1 1100000000 lasted; " + idleLock + tooLong, "",
		NA, ""},
	{"a clock of a client that was moved", "D", "poll 1; " +
		"fault client-clock c0 1; " + idleLock + tooLong, "",
		NA, ""},
	{"refused another lock", "D", "poll 1; lease; ttl 1000; c2 acquire 1 2 sent=1 lease=9 key=1; " +
		"c1 acquire 3 5 key=0 fail; c1 acquire 10 1100000000 fail err=held key=1; " +
		"c2 release 1200000000 1200000001 key=1", "", Valid, ""},
	{"the server cannot be reached for too long", "D",
		idleLock + "c1 acquire 10 1100000000 fail why=unreachable", "", Valid, ""},
	{"refused before the lock was free too", "D", "poll 1; lease; ttl 1000; " +
		"c0 acquire 1 5 lease=1000 sent=2; c1 acquire 10 900000000 fail err=held; " +
		"c0 release 1000000000 1000000001; c1 acquire 1000000002 2000100000 fail err=held", "", Violated,
		""},
	{"refused after the quiet time", "D", idleLock + "c1 acquire 10 1060000000 fail err=held; " +
		"c0 acquire 1050000000 1055000000 sent=1050000000 lease=1000; c0 release 1070000000 1070000001",
		"", Valid, ""},

	// Fencing.
	{"tokens though none were promised", "F", "c0 acquire 1 5 token=2; c0 release 6 7; " +
		"c1 acquire 8 9 token=1", "", Violated, OldToken},
	{"an older token after something broke", "F", "fencing; c0 acquire 1 5 token=2; c0 release 6 7; " +
		"c2 exit 8; c1 acquire 9 10 token=1", "", Unknown, ""},
	{"no fenced workload", "F", "fencing; c0 acquire 1 5 token=1; c1 acquire 6 8 token=2; " +
		"c1 write 9 10 value=1; c0 write 11 12 value=2", "", Valid, ""},
	{"reads are not fenced", "F", "fencing; workload fenced; c0 acquire 1 5 token=1; " +
		"c1 acquire 6 8 token=2; c1 read 9 10 value=1; c0 write 11 12 value=2; c1 read 13 14 value=1; " +
		"c0 read 15 16 value=2", "", Valid, ""},
	{"a stale token after a client's clock was moved", "F",
		"fencing; c0 acquire 1 5 token=2; fault client-clock c0 6 7; c0 release 8 9; " +
			"c1 acquire 10 12 token=1", "", Violated, OldToken},
	{"a write without a hold", "F", "fencing; workload fenced; c0 acquire 1 5 token=1; " +
		"c1 write 9 10 value=1", "", Valid, ""},
	{"resources of different keys", "F", "fencing; workload fenced; c0 acquire 1 5 token=1 key=0; " +
		"c1 acquire 6 8 token=2 key=1; c1 write 9 10 value=1 key=1; c0 write 11 12 value=2 key=0", "",
		Valid, ""},
	{"newer tokens may write later", "F", "fencing; workload fenced; c0 acquire 1 5 token=1; " +
		"c1 acquire 6 8 token=2; c0 write 9 10 value=1; c1 write 11 12 value=2", "", Valid, ""},

	{"a writer without a token", "F", "workload fenced; c0 acquire 1 5 token=1; " +
		"c1 acquire 6 8; c0 write 9 10 value=1; c1 write 11 12 value=2", "", Valid, ""},

	// Lost updates.
	{"both upon the same value, with a read that failed between", "U",
		"c0 acquire 1 2; c0 read 3 4 value=0; c1 acquire 1 2; c1 read 3 5 value=0; " +
			"c0 read 5 6 value=7 fail; c0 write 7 8 value=1; c1 write 13 14 value=1", "", Violated, ""},
	{"a read of unknown outcome explains nothing", "U",
		"c0 acquire 1 2; c0 read 3 4 value=0; c0 write 5 6 value=1; c2 acquire 1 2; " +
			"c2 read 7 8 value=7 info; c1 acquire 9 10; c1 read 11 12 value=7", "", Violated, ""},
	{"a write upon no read fits any value", "U", "c0 acquire 1 2; c0 read 3 4 value=5; " +
		"c0 write 5 6 value=6; c1 acquire 9 10; c1 write 11 12 value=9; c0 read 13 14 value=9", "", Valid,
		""},
	{"two reads that contradict each other", "U", "c0 acquire 1 2; c0 read 3 4 value=5; " +
		"c1 acquire 5 6; c1 read 7 8 value=6", "", Violated, ""},
	{"a write that does not say what", "U", "c0 acquire 1 2; c0 read 3 4 value=5; c0 write 5 6; " +
		"c1 acquire 9 10; c1 read 11 12 value=9", "", Unknown, ""},
	{"a write that does not say what and failed", "U",
		"c0 acquire 1 2; c0 read 3 4 value=5; c0 write 5 6 fail; c1 acquire 9 10; c1 read 11 12 value=5",
		"", Valid, ""},
	{"a register's write that does not say what", "register",
		"c0 acquire 1 2; c0 write 3 4 value=5; c0 write 5 6; c0 read 11 12 value=9", "", Unknown, ""},
	{"a stale read after something broke", "U", "c0 acquire 1 2; c0 read 3 4 value=0; " +
		"c0 write 5 6 value=1; c2 exit 7; c1 acquire 9 10; c1 read 11 12 value=0; c1 write 13 14 value=1",
		"", Unknown, ""},
	{"a read that failed", "U", "c0 acquire 1 2; c0 read 3 4 value=0; c0 write 5 6 value=1; " +
		"c1 acquire 9 10; c1 read 11 12 value=7 fail", "", Valid, ""},
	{"a read without a value", "U", "c0 acquire 1 2; c0 read 3 4 value=5; c0 write 5 6 value=6; " +
		"c1 acquire 9 10; c1 read 11 12", "", Valid, ""},
	{"a write without a read", "U", "c0 acquire 1 2; c0 write 3 4 value=9; c1 acquire 9 10; " +
		"c1 read 11 12 value=9; c1 write 13 14 value=10", "", Valid, ""},
	{"a write without a read that failed", "U", "c0 acquire 1 2; c0 read 3 4 value=5; " +
		"c0 write 5 6 value=6; c1 acquire 9 10; c1 write 11 12 value=9 fail; c0 read 13 14 value=6", "",
		Valid, ""},
	{"two reads and a write", "U", "c0 acquire 1 2; c0 read 3 4 value=5; c0 read 5 6 value=5; " +
		"c0 write 7 8 value=6; c1 acquire 9 10; c1 read 11 12 value=6", "", Valid, ""},

	// Leases by themselves.
	{"one after the other", "lease", "ttl 10; c0 acquire 1 2; c0 release 5 6; c1 acquire 7 8; " +
		"c1 release 9 10", "", Valid, ""},
	{"too early", "lease", "ttl 10; c0 acquire 1 2; c1 acquire 3 4; c1 release 5 6", "", Violated,
		DoubleGrant},
	{"released long after it had run out", "lease", "ttl 10; c0 acquire 1 2; c0 release 50 51", "",
		Violated, DoubleGrant},
	{"long calls in the other order than their returns", "lease",
		"ttl 15; c0 acquire 10 20; c1 acquire 1 21", "", Valid, ""},
	{"no length", "lease", "c0 acquire 1 2; c0 release 5 6", "", Unknown, ""},
	{"nobody", "lease", "ttl 10; c0 acquire 1 2 fail", "", Unknown, ""},
	{"somebody, perhaps", "lease", "ttl 10; c0 acquire 1 2 info", "", Unknown, ""},
	{"an extension", "lease", "ttl 10; c0 acquire 1 2; c0 extend 4 sent=3 lease=10; c0 release 5 6",
		"", Unknown, ""},
	{"an extension that was refused", "lease", "ttl 10; c0 acquire 1 2; c0 extend 3 4 fail; " +
		"c0 release 5 6", "", Valid, ""},
	{"an extension without an answer", "lease", "ttl 10; c0 acquire 1 2; c0 extend 3 4 info; " +
		"c0 release 5 6", "", Unknown, ""},
	{"granted before the extended lease was over", "lease", "ttl 10; c0 acquire 1 2; c0 extend 8 9; " +
		"c1 acquire 14 15", "", Violated, DoubleGrant},
	{"granted when the extended lease may have been over", "lease", "ttl 10; c0 acquire 1 2; " +
		"c0 extend 8 9; c1 acquire 14 18", "", Valid, ""},
	{"released while the extended lease ran", "lease", "ttl 10; c0 acquire 1 2; c0 extend 8 9; " +
		"c0 extend 16 17; c0 release 25 26; c1 acquire 27 28", "", Valid, ""},
	{"extended after the lease was over", "lease", "ttl 10; c0 acquire 1 2; c0 extend 13 14", "",
		Violated, DoubleGrant},
	{"extended as the lease may have run", "lease", "ttl 10; c0 acquire 1 4; c0 extend 13 14", "",
		Valid, ""},

	// Registers by themselves.
	{"a cas upon what was written", "register", "c0 write 1 2 value=1; c1 cas 3 4 if=1 value=2; " +
		"c0 read 5 6 value=2", "", Valid, ""},
	{"a cas upon what was not written", "register", "c0 write 1 2 value=1; " +
		"c1 cas 3 4 if=3 value=2", "", Violated, ""},
	{"twice upon one value", "register", "c0 write 1 2 value=1; c1 cas 3 4 if=1 value=2; " +
		"c0 cas 5 6 if=1 value=3", "", Violated, ""},
	{"a read of what a cas replaced", "register", "c0 write 1 2 value=1; c1 cas 3 4 if=1 value=2; " +
		"c0 read 5 6 value=1", "", Violated, ""},
	{"a cas that failed for any reason", "register", "c0 write 1 2 value=1; " +
		"c1 cas 3 4 if=1 value=2 fail; c0 read 5 6 value=1", "", Valid, ""},
	{"a cas without an answer that took place", "register", "c0 write 1 2 value=1; " +
		"c1 cas 3 4 if=1 value=2 info; c0 read 5 6 value=2", "", Valid, ""},
	{"a cas without an answer that cannot have", "register", "c0 write 1 2 value=1; " +
		"c1 cas 3 4 if=5 value=2 info; c0 read 5 6 value=2", "", Violated, ""},
	{"writes alone", "register", "c0 write 1 2 value=1; c1 write 3 4 value=2", "", Unknown, ""},
	{"an extension of no lock", "mutex", "c0 acquire 1 2; c0 release 3 4; c1 extend 5 6", "", Unknown,
		""},
	{"an extension of its own lock", "mutex", "c0 acquire 1 2; c0 extend 3 4; c0 release 5 6", "",
		Valid, ""},
	{"released without an acquire", "lease", "ttl 10; c0 acquire 1 2; c0 release 5 6; " +
		"c1 release 7 8 n=5", "", Unknown, ""},
	{"a refused release without an acquire", "lease", "ttl 10; c0 acquire 1 2; c0 release 5 6; " +
		"c1 release 7 8 n=5 fail", "", Valid, ""},
	{"asked for late in a long call", "lease", "ttl 10; c0 acquire 1 20 sent=18 lease=10; " +
		"c1 acquire 5 21 sent=20 lease=10; c1 release 22 23", "", Violated, DoubleGrant},
	{"a stamp that cannot be", "lease", "ttl 10; c0 acquire 1 2 sent=50 lease=10; c0 release 5 6", "",
		Valid, ""},
	{"an unknown acquire whose release shows when it was", "lease",
		"ttl 10; c0 acquire 1 3 info; c0 release 4 6 n=1; c1 acquire 5 7; c1 release 8 9", "", Valid, ""},
	{"refused because it had run out", "lease", "ttl 10; c0 acquire 1 2; c0 release 15 16 fail; " +
		"c1 acquire 13 14; c1 release 15 16", "", Valid, ""},
	{"refused although it ran", "lease", "ttl 10; c0 acquire 1 2; c0 release 5 6 fail", "", Violated,
		DoubleGrant},
}
