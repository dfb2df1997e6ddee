package checker

import "strings"

// Parts of histories of a client that is refused, and asks again only after 9 s, although the lock
// was free from 0.1 s on. Another client has paused for a moment.
const (
	sleeper = unpaced + "names k; c0 acquire 1 5 sent=2 lease=1000; " +
		"c0 release 100000000 100000001; " +
		"c1 acquire 10 9000000005 sent=9000000000 lease=1000; c1 release 9000000006 9000000007; " +
		"c2 acquire 12 90000000 fail; "
	sleeps = "0 1 2 4 n0 SET k a NX PX 1000 -> OK\n0 1 100000000 100000001 n0 DEL k -> 1\n" +
		"1 1 20 21 n0 SET k b NX PX 1000 -> (nil)\n1 1 9000000000 9000000001 n0 SET k b NX PX 1 -> OK\n"
	pauses = "2 1 22 23 n0 SET k c NX PX 1 -> (nil)\n" +
		"2 1 50000000 50000001 n0 SET k c NX PX 1 -> (nil)\n"
)

// Parts of histories in which two clients sleep at a free lock. A third one had been refused
// before, and came back soon, or only after a sleep as long.
const (
	sleepers = unpaced + "names k; c3 acquire 1 5 sent=2 lease=1000; " +
		"c3 release 100000000 100000001; " +
		"c0 acquire 6 150000001 sent=150000000 lease=1000; c0 release 200000000 200000001; " +
		"c1 acquire 160000000 9000000005 sent=9000000000 lease=1000; " +
		"c1 release 9000000006 9000000007; " +
		"c2 acquire 160000000 9500000005 sent=9500000000 lease=1000; c2 release 9500000006 9500000007; "
	sleepTraces = "3 1 2 4 n0 SET k d NX PX 1000 -> OK\n3 1 100000000 100000001 n0 DEL k -> 1\n" +
		"0 1 20 21 n0 SET k a NX PX 1000 -> (nil)\n" +
		"0 1 150000000 150000001 n0 SET k a NX PX 1000 -> OK\n" +
		"0 1 200000000 200000001 n0 DEL k -> 1\n" +
		"1 1 160000000 160000001 n0 SET k b NX PX 1000 -> (nil)\n" +
		"1 1 9000000000 9000000001 n0 SET k b NX PX 1000 -> OK\n" +
		"1 1 9000000006 9000000007 n0 DEL k -> 1\n" +
		"2 1 160000000 160000001 n0 SET k c NX PX 1000 -> (nil)\n" +
		"2 1 9500000000 9500000001 n0 SET k c NX PX 1000 -> OK\n"
	slowStory = "c4 acquire 10000000000 18840000001 sent=18840000000 lease=1000; "
	slowTrace = "2 1 9500000006 9500000007 n0 DEL k -> 1\n" +
		"4 1 10000000000 10000000001 n0 SET k e NX PX 1000 -> (nil)\n" +
		"4 1 18840000000 18840000001 n0 SET k e NX PX 1000 -> OK\n"
	// refusedAsleep is a client that was refused, slept at the free lock, and gave up.
	refusedAsleep = unpaced + "names k; c3 acquire 1 5 sent=2 lease=1000; " +
		"c3 release 90000000 90000001; " +
		"c0 acquire 6 100000001 sent=100000000 lease=1000; c0 release 150000000 150000001; " +
		"c1 acquire 110000000 9000000005 fail; "
	asleepTrace = "3 1 2 4 n0 SET k d NX PX 1000 -> OK\n3 1 90000000 90000001 n0 DEL k -> 1\n" +
		"0 1 20 21 n0 SET k a NX PX 1000 -> (nil)\n" +
		"0 1 100000000 100000001 n0 SET k a NX PX 1000 -> OK\n" +
		"1 1 110000000 110000001 n0 SET k b NX PX 1000 -> (nil)\n"
	asleepFree = "0 1 150000000 150000001 n0 DEL k -> 1\n"
)

// absentCases are histories in which a key is absent for longer than the bound while a call is
// open.
var absentCases = []propertyCase{
	{"absent: a client sleeps at a free lock, and another has paused for less", "D", sleeper,
		sleeps + pauses, Violated, MissedWake},
	{"absent: it sleeps for as long as the lock declares", "D", sleeper + "pause 4500000000; ",
		sleeps + pauses, Valid, ""},
	{"absent: it did not run", "D", sleeper + "c1 gap 8900000000 gap=8700000000", sleeps + pauses,
		Unknown, ""},
	{"absent: it did not run for a moment", "D", sleeper + "c1 gap 8900000000 gap=700000000",
		sleeps + pauses, Violated, MissedWake},
	{"absent: a command was on its way until the lock was granted", "D", sleeper,
		sleeps + pauses + "1 1 30 8999999000 n0 SET k b NX PX 1 -> (nil)\n", Unknown,
		""},
	{"absent: a command was on its way for a moment", "D", sleeper, sleeps + pauses +
		"1 1 30 150000000 n0 SET k b NX PX 1 -> (nil)\n", Violated, MissedWake},
	{"absent: a call of another client is unknown, and was told all", "D", sleeper +
		"c3 acquire 110000000 1500000000 info", sleeps + pauses +
		strings.ReplaceAll(refusals(3, 1, 110_000_005, 13), "SET k b NX PX 1", "GET k"),
		Violated, MissedWake},
	{"absent: a call of another client is unknown, and was not told all", "D", sleeper +
		"c3 acquire 110000000 8900000000 info", sleeps + pauses +
		"3 1 110000005 110000006 n0 GET k -> (nil)\n3 1 8800000000 0 n0 SET k d NX PX 1 -> \n",
		Valid, ""},
	{"absent: two clients sleep, and neither excuses the other", "D", sleepers, sleepTraces, Violated,
		MissedWake},
	{"absent: one of them asks all the time, and does not take the free lock", "D", sleepers,
		sleepTraces + strings.ReplaceAll(refusals(2, 1, 200_000_010, 92), "SET k b NX PX 1", "GET k"),
		Violated, ""},
	{"absent: one of them asked, and slept on", "D", sleepers,
		sleepTraces + "2 1 8900000000 8900000001 n0 GET k -> (nil)\n", Violated, MissedWake},
	{"absent: two clients sleep for as long as another one did", "D", sleepers + slowStory,
		sleepTraces + slowTrace, Valid, ""},
	{"absent: two clients sleep, and no other had to wait", "D", sleepers,
		strings.Replace(sleepTraces, "0 1 20 21 n0 SET k a NX PX 1000 -> (nil)\n",
			"0 1 149999990 149999991 n0 GET k -> (nil)\n", 1), Unknown, ""},
	{"absent: two clients sleep, and another had to wait later", "D", sleepers +
		"c4 acquire 10000000000 10200000001 sent=10200000000 lease=1000; ",
		strings.Replace(sleepTraces, "0 1 20 21 n0 SET k a NX PX 1000 -> (nil)\n", "", 1) +
			strings.ReplaceAll(slowTrace, "18840000", "10200000"), Violated, MissedWake},
	{"absent: they sleep, and another was refused at last", "D", sleepers +
		"c4 acquire 10000000000 10200000002 fail; ",
		strings.Replace(sleepTraces, "0 1 20 21 n0 SET k a NX PX 1000 -> (nil)\n",
			"0 1 149999990 149999991 n0 GET k -> (nil)\n", 1) +
			"4 1 10200000000 10200000001 n0 SET k e NX PX 1000 -> (nil)\n", Unknown, ""},
	{"absent: a read shows that the lock is free", "D", sleepers,
		strings.Replace(sleepTraces, "0 1 200000000 200000001 n0 DEL k -> 1\n",
			"0 1 199999998 199999999 n0 EVAL free 1 k a -> 1\n"+
				"0 1 200000000 200000001 n0 GET k -> (nil)\n", 1) + "5 0 200000004 200000005 n0 GET k -> " +
			"(nil)\n", Violated, MissedWake},
	{"absent: a read while it was deleted says nothing", "D", sleepers,
		sleepTraces + "5 0 200000000 200000005 n0 GET k -> a\n", Violated, MissedWake},
	{"absent: a refusal while it was deleted says nothing", "D", sleepers,
		sleepTraces + "5 0 200000000 200000005 n0 SET k x NX PX 9 -> (nil)\n", Violated, MissedWake},
	{"absent: a script while it was deleted may have taken it", "D", sleepers,
		sleepTraces + "5 0 200000000 200000005 n0 EVAL maybe 1 k x -> 1\n", Valid, ""},
	{"absent: a read shows that the lock is taken", "D", sleepers,
		sleepTraces + "5 0 200000002 200000005 n0 GET k -> a\n", Valid, ""},
	{"absent: a refusal shows that the lock is taken", "D", sleepers,
		sleepTraces + "5 0 200000002 200000005 n0 SET k x NX PX 9 -> (nil)\n", Valid, ""},
	{"absent: it was deleted while they slept", "D", sleepers, strings.Replace(sleepTraces,
		"0 1 200000000 200000001 n0 DEL k -> 1\n", "5 0 8000000000 8000000001 n0 DEL k -> 1\n", 1),
		Valid, ""},
	{"absent: they sleep at a key that is not known", "D", strings.Replace(sleepers, "names k; ", "",
		1), sleepTraces, Valid, ""},
	{"absent: they sleep at one of several masters", "D", strings.Replace(sleepers,
		"topology single", "topology independent", 1), sleepTraces, Valid, ""},
	{"absent: they sleep, and the key may be taken", "D", sleepers, sleepTraces +
		"4 0 210000000 210000001 n0 EVAL maybe 1 k x -> 1\n", Valid, ""},
	{"absent: they sleep, and a promotion may have brought the key back", "D", sleepers +
		"fault promote n1 100000010 100000020; ", sleepTraces, Valid, ""},
	{"absent: they sleep, and a replica that took over may have brought the key back", "D", sleepers +
		"fault switch-over n1 100000010 100000020; ", sleepTraces, Valid, ""},
	{"absent: a client sleeps until it gives up", "D", refusedAsleep,
		asleepTrace + asleepFree, Violated,
		MissedWake},
	{"absent: it sleeps, and it is not known whether the lock is free", "D", refusedAsleep,
		asleepTrace, Valid, ""},
	{"absent: a client sleeps until it gives up, in a run without a fault", "D", refusedAsleep +
		"nemesis none; ", asleepTrace + asleepFree, Violated, MissedWake},
	{"absent: a client sleeps, and a fault was before", "D", refusedAsleep +
		"fault pause c4 20 30; c4 acquire 91000000 91000005 sent=91000002 lease=1000; " +
		"c4 release 91000006 91000007; ", asleepTrace +
		"4 1 91000002 91000004 n0 SET k e NX PX 1000 -> OK\n4 1 91000006 91000007 n0 DEL k -> 1\n" +
		"0 1 150000000 150000001 n0 DEL k -> 1\n", Valid, ""},
	{"absent: a client sleeps, and says something else in the end", "D", strings.Replace(
		refusedAsleep, "9000000005 fail", "9000000005 fail why=server-refused", 1),
		asleepTrace + asleepFree, Valid, ""},
	{"absent: a scenario kept it standing", "D", refusedAsleep +
		"c1 gap 8900000000 gap=8700000000 planned; nemesis x; ", asleepTrace + asleepFree, Valid, ""},
	{"absent: a scenario kept another client standing", "D", refusedAsleep +
		"c2 gap 8900000000 gap=8700000000 planned; nemesis x; ", asleepTrace + asleepFree, Valid, ""},
	{"absent: a scenario kept it standing, and then it slept", "D", refusedAsleep +
		"c1 gap 200000000 gap=50000000 planned; nemesis x; ", asleepTrace + asleepFree, Violated,
		MissedWake},
}
