package checker

import "strings"

// Parts of histories in which the key of a killed client stays. One client is refused, and sleeps
// until it gives up. Another one is refused then.
const (
	stays = free + "names k; c0 acquire 1 5 sent=2 lease=1000; c0 kill 6; " +
		"c1 acquire 10 2000000000 fail; c2 acquire 2000000005 2000000020 fail; "
	staysTrace = "0 1 2 4 n0 SET k a NX PX 1000 -> OK\n" +
		"1 1 20 21 n0 SET k b NX PX 1000 -> (nil)\n" + staysAtLast
	staysAtLast = "2 1 2000000008 2000000009 n0 SET k c NX PX 1000 -> (nil)\n"
)

// presentCases are histories in which a key is there for longer than the bound while a client
// sleeps.
var presentCases = []propertyCase{
	{"present: a client sleeps at a key that stays", "D", stays, staysTrace, Violated, ""},
	{"present: nothing shows that it stayed", "D", stays, strings.Replace(staysTrace, staysAtLast, "",
		1), Unknown, ""},
	{"present: it was free at last", "D", stays, strings.Replace(staysTrace, staysAtLast,
		strings.Replace(staysAtLast, "SET k c NX PX 1000", "GET k", 1), 1), Unknown, ""},
	{"present: it was taken anew meanwhile", "D", stays, staysTrace +
		"3 0 30 31 n0 SET k d NX PX 1000 -> OK\n", Unknown, ""},
	{"present: a command that was not answered may have taken it anew", "D", stays, staysTrace +
		"3 0 30 0 n0 SET k d NX PX 1000 -> \n", Unknown, ""},
	{"present: a script that runs until later may have taken it anew", "D", stays, staysTrace +
		"3 0 15 2000000010 n0 EVAL maybe 1 k d -> 1\n", Unknown, ""},
	{"present: another client read it", "D", stays, staysTrace + "3 0 30 31 n0 GET k -> a\n",
		Violated, ""},
	{"present: the dead client's program renewed it", "D", stays, staysTrace +
		"0 0 30 31 n0 PEXPIRE k 1000 -> 1\n", Violated, RenewedOn},
	{"present: a client was refused, and the key that it met may be an earlier one", "D", stays,
		staysTrace + "3 0 22 23 n0 EVAL maybe 1 k d -> 1\n" +
			"3 0 1999999999 2000000000 n0 SET k d NX PX 1000 -> (nil)\n", Unknown, ""},
	{"present: a client was refused by another key, which is there all the time", "D", stays +
		"c2 acquire 2000000030 2000000050 sent=2000000040 lease=1000", strings.Replace(staysTrace,
		staysAtLast, "1 1 22 23 n0 SETNX fence:k 0 -> 0\n2 1 2000000008 2000000009 n0 SETNX fence:k 0 "+
			"-> 0\n2 2 2000000040 2000000041 n0 SET k c NX PX 1000 -> OK\n", 1), Valid, ""},
	{"present: a client was also refused by another key", "D", stays, staysTrace +
		"3 0 30 31 n0 SETNX fence:k 0 -> 0\n", Violated, ""},
	{"present: it is at one of several masters", "D", strings.Replace(stays, "topology single",
		"topology independent", 1), staysTrace, Unknown, ""},
	{"present: it is not known which key it is", "D", strings.Replace(stays, "names k; ", "", 1),
		staysTrace, Unknown, ""},
	{"present: a replica that took over may have brought it back", "D", stays +
		"fault promote n1 7 8; ", staysTrace, Unknown, ""},
}
