package checker

import "strings"

// Parts of histories of a client that is refused, and asks again only after 9 s, although the lock
// was free from 0.1 s on. Another client has paused for a moment.
const (
	sleeper = unpaced + "names k; c0 acquire 1 5 sent=2 lease=1000; c0 release 100000000 100000001; " +
		"c1 acquire 10 9000000005 sent=9000000000 lease=1000; c1 release 9000000006 9000000007; " +
		"c2 acquire 12 90000000 fail; "
	sleeps = "0 1 2 4 n0 SET k a NX PX 1000 -> OK\n0 1 100000000 100000001 n0 DEL k -> 1\n" +
		"1 1 20 21 n0 SET k b NX PX 1000 -> (nil)\n1 1 9000000000 9000000001 n0 SET k b NX PX 1 -> OK\n"
	pauses = "2 1 22 23 n0 SET k c NX PX 1 -> (nil)\n" +
		"2 1 50000000 50000001 n0 SET k c NX PX 1 -> (nil)\n"
)

// absentCases are histories in which a key is absent for longer than the bound while a call is
// open.
var absentCases = []propertyCase{
	{"absent: a client sleeps at a free lock, and another has paused for less", "D", sleeper,
		sleeps + pauses, Violated, ""},
	{"absent: it sleeps for as long as the lock declares", "D", sleeper + "pause 4500000000; ",
		sleeps + pauses, Valid, ""},
	{"absent: it did not run", "D", sleeper + "c1 gap 8900000000 gap=8700000000", sleeps + pauses,
		Unknown, ""},
	{"absent: it did not run for a moment", "D", sleeper + "c1 gap 8900000000 gap=700000000",
		sleeps + pauses, Violated, ""},
	{"absent: a command was on its way until the lock was granted", "D", sleeper,
		sleeps + pauses + "1 1 30 8999999000 n0 SET k b NX PX 1 -> (nil)\n", Unknown,
		""},
	{"absent: a command was on its way for a moment", "D", sleeper, sleeps + pauses +
		"1 1 30 150000000 n0 SET k b NX PX 1 -> (nil)\n", Violated, ""},
	{"absent: a call of another client is unknown, and was told all", "D", sleeper +
		"c3 acquire 110000000 1500000000 info", sleeps + pauses +
		strings.ReplaceAll(refusals(3, 1, 110_000_005, 13), "SET k b NX PX 1", "GET k"), Violated, ""},
	{"absent: a call of another client is unknown, and was not told all", "D", sleeper +
		"c3 acquire 110000000 8900000000 info", sleeps + pauses +
		"3 1 110000005 110000006 n0 GET k -> (nil)\n3 1 8800000000 0 n0 SET k d NX PX 1 -> \n",
		Valid, ""},
}
