package checker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// A call sends its command 5 ms after it began, and the next client asks when 2 s since the
// beginning are over.
const (
	slowCall = "lease; names k; c0 acquire 1 5000020 sent=5000001 lease=2000000000; " +
		"c0 release 2004000000 2004000010"
	slowCallTook  = "0 1 5000001 5000005 n0 SET k a NX PX 1995 -> OK"
	slowCallNext  = "; c1 acquire 2001000000 2002000000 sent=2001000001 lease=2000000000"
	slowCallTaken = slowCallTook + "\n" +
		"1 1 2001000001 2001900000 n0 SET k b NX PX 2000 -> OK"
)

// grantCases are small histories for the rules that need no overlap: a lease that is shorter than
// the promise, a grant that no server gave, a take and a release that were refused although the key
// was the client's own. Next to each that is violated stand those that come near.
var grantCases = []propertyCase{
	// Promised too long. The promise is 1.5 ms times a thousand; all stamps are ns.
	{"a lease that is cut to whole seconds", "V",
		"lease; names k; c0 acquire 1 20 sent=2 lease=1500000000; c0 release 30 31",
		"0 1 2 5 n0 SETNX k a -> 1\n0 1 6 9 n0 EXPIRE k 1 -> 1\n0 1 30 31 n0 DEL k -> 1", Violated,
		PromisedTooLong},
	{"a lease that is cut to no second, in a script", "V",
		"lease; names k; c0 acquire 1 20 sent=2 lease=900000000; c0 release 30 31",
		"0 1 2 5 n0 EVAL s 1 k a 0 -> 1 | SETNX k a | EXPIRE k 0\n" +
			"0 1 30 31 n0 DEL k -> 1", Violated,
		PromisedTooLong},
	{"a lease that is counted from the beginning of the call", "V", slowCall,
		"0 1 5000001 5000005 n0 SET k a NX PX 1995 -> OK", Valid, ""},
	{"a lease that is counted from the beginning of the call, and cut", "V", slowCall,
		"0 1 5000001 5000005 n0 SET k a NX PX 1990 -> OK", Violated, PromisedTooLong},
	{"a lease that is counted from the beginning of a call whose earlier try was refused", "V",
		slowCall, "0 1 4000001 4500000 n0 SET k a NX PX 1996 -> (nil)\n" +
			"0 1 5000001 5000005 n0 SET k a NX PX 1995 -> OK", Violated, PromisedTooLong},
	{"a lease that is counted from the beginning of a try that looks first", "V", slowCall,
		"0 1 4000001 4500000 n0 GET k -> (nil)\n0 1 5000001 5000005 n0 SET k a NX PX 1995 -> OK", Valid,
		""},
	{"a lease that is counted from the beginning of a try that reads its token first", "V", slowCall,
		"0 1 4000001 4500000 n0 GET fence:k -> 7\n0 1 5000001 5000005 n0 SET k a NX PX 1995 -> OK",
		Valid, ""},
	{"a lease that is counted from the beginning of a try that found the key", "V", slowCall,
		"0 1 4000001 4500000 n0 GET k -> c\n" + slowCallTook, Violated,
		PromisedTooLong},
	{"a lease that is counted from the beginning of a try that gave its key back", "V", slowCall,
		"0 1 3000001 3500000 n0 SET k a NX PX 1997 -> OK\n0 1 4000001 4500000 n0 DEL k -> 1\n" +
			"0 1 5000001 5000005 n0 SET k a NX PX 1995 -> OK", Violated, PromisedTooLong},
	{"a lease that is counted from the beginning of a try that clears the key first", "V", slowCall,
		"0 1 2 4500000 n0 DEL k -> 1\n" + slowCallTook, Valid, ""},
	{"a lease that is counted from the beginning of a try that finds no key to clear", "V", slowCall,
		"0 1 2 4500000 n0 DEL k -> 0\n" + slowCallTook, Valid, ""},
	{"a lease that is counted from the beginning of a try that finds a key and clears it", "V",
		slowCall, "0 1 2 4400000 n0 GET k -> a\n0 1 4400002 4500000 n0 DEL k -> 1\n" + slowCallTook,
		Valid, ""},
	{"a lease that is counted from the beginning of a try that found a key and writes over it", "V",
		slowCall, "0 1 2 4500000 n0 GET k -> old\n0 1 5000001 5000005 n0 SET k a IFEQ old PX 1995 -> OK",
		Valid, ""},
	{"a lease that is counted from the beginning of a try that found a key and swaps it", "V",
		slowCall, "0 1 2 4500000 n0 GET k -> old\n0 1 5000001 5000004 n0 GETSET k a -> old\n" +
			"0 1 5000004 5000008 n0 PEXPIRE k 1995 -> 1", Valid, ""},
	{"a lease that is counted from the beginning of a try that clears the key, after another", "V",
		slowCall, "0 1 2 3 n0 SET k a NX PX 2000 -> OK\n0 1 4 5 n0 DEL k -> 1\n" +
			"0 1 6 4500000 n0 DEL k -> 0\n" + slowCallTook, Valid, ""},
	{"a lease that is counted from the beginning of a try that found the key, and looks again",
		"V", slowCall, "0 1 4000001 4400000 n0 GET k -> c\n0 1 4400001 4500000 n0 TTL k -> -2\n" +
			slowCallTook, Violated, PromisedTooLong},
	{"a lease that is counted from the call by a lock that says until when it is good", "V",
		strings.Replace(slowCall, "lease; ", "lease; validity; ", 1),
		"0 1 5000001 5000005 n0 SET k a NX PX 1995 -> OK", Violated, PromisedTooLong},
	{"the next client comes when a lease is over that is counted from the call", "L",
		slowCall + slowCallNext, slowCallTaken, Valid, ""},
	{"the next client comes when a fast server has ended a lease that is counted from the call", "L",
		"drift 0.01; " + slowCall + "; c1 acquire 1982000000 1983000000 sent=1982000001 " +
			"lease=2000000000; c1 release 2004000000 2005000000", "0 1 5000001 5000005 n0 SET k a NX " +
			"PX 1995 -> OK\n1 1 1982000001 1982900000 n0 SET k b NX PX 2000 -> OK", Valid, ""},
	{"the holder outstays a lease that is counted from the call", "S",
		slowCall + slowCallNext, slowCallTaken, Violated, LeaseOverrun},
	{"a lease that is the promise, in a script", "V",
		"lease; names k; c0 acquire 1 20 sent=2 lease=900000000; c0 release 30 31",
		"0 1 2 5 n0 EVAL s 1 k a 900 -> 1 | SETNX k a | PEXPIRE k 900\n" +
			"0 1 30 31 n0 DEL k -> 1", Valid,
		""},
	{"a lease that a renewal before the return makes long enough", "V",
		"lease; names k; c0 acquire 1 20 sent=2 lease=1500000000; c0 release 30 31",
		"0 1 2 5 n0 SET k a NX PX 100 -> OK\n0 1 6 9 n0 PEXPIRE k 1500 -> 1\n" +
			"0 1 30 31 n0 DEL k -> 1",
		Valid, ""},
	{"a lease that is shorter by less than a millisecond", "V",
		"lease; names k; c0 acquire 1 20 sent=2 lease=1000900000; c0 release 30 31",
		"0 1 2 5 n0 SET k a NX PX 1000 -> OK\n0 1 30 31 n0 DEL k -> 1", Valid, ""},
	{"a lease that is shorter by the drift", "V",
		"lease; drift 0.01; names k; c0 acquire 1 20 sent=2 lease=1009000000; c0 release 30 31",
		"0 1 2 5 n0 SET k a NX PX 1000 -> OK\n0 1 30 31 n0 DEL k -> 1", Valid, ""},
	{"a lease that a client with a moved clock took for longer", "V",
		"lease; names k; fault client-clock c0 0 0; c0 acquire 1 20 sent=2 lease=1500000000; " +
			"c0 release 30 31",
		"0 1 2 5 n0 SET k a NX PX 1000 -> OK\n0 1 30 31 n0 DEL k -> 1", Valid, ""},
	{"a lease that is a value and no expiry", "V",
		"lease; names k; c0 acquire 1 20 sent=2 lease=1500000000; c0 release 30 31",
		"0 1 2 5 n0 SETNX k 1792000000123 -> 1\n0 1 30 31 n0 DEL k -> 1", Valid, ""},
	{"a lease that a script hides", "V",
		"lease; names k; script s take 1 0; c0 acquire 1 20 sent=2 lease=1500000000; " +
			"c0 release 30 31",
		"0 1 2 5 n0 EVAL s 1 k a -> 1\n0 1 30 31 n0 DEL k -> 1", Valid, ""},
	{"a lease that is too short on one master of three", "V",
		"lease; masters 3; names k; c0 acquire 1 20 sent=2 lease=1500000000; c0 release 30 31",
		"0 1 2 5 n0 SET k a NX PX 1500 -> OK\n0 1 2 5 n1 SET k a NX PX 1500 -> OK\n" +
			"0 1 2 5 n2 SET k a NX PX 1000 -> OK", Valid, ""},
	{"a lease that is too short on two masters of three", "V",
		"lease; masters 3; names k; c0 acquire 1 20 sent=2 lease=1500000000; c0 release 30 31",
		"0 1 2 5 n0 SET k a NX PX 1500 -> OK\n0 1 2 5 n1 SET k a NX PX 1000 -> OK\n" +
			"0 1 2 5 n2 SET k a NX PX 1000 -> OK", Violated, PromisedTooLong},

	// Granted by no server.
	{"granted although the server was away", "V",
		"lease; names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 0 n0 SET k a NX PX 1 -> !gone\n0 1 30 31 n0 DEL k -> 0", Violated, NoServer},
	{"granted without a command", "V",
		"lease; names k; c0 acquire 1 20; c0 release 30 31; c0 acquire 40 41; c0 release 50 51",
		"0 1 2 5 n0 SET k a NX PX 1 -> OK\n0 1 30 31 n0 DEL k -> 1\n" +
			"0 2 50 51 n0 DEL k -> 0", Violated,
		NoServer},
	{"granted without a command, by what the client still had", "V",
		"lease; names k; c0 acquire 1 20; c0 release 30 31; c0 acquire 40 41; c0 release 50 51",
		"0 1 2 5 n0 SET k a NX PX 1 -> OK\n0 2 50 51 n0 DEL k -> 1", Valid, ""},
	{"granted without a command, by what the client had until its lease was over", "V",
		"lease; names k; c0 acquire 1 20; c0 release 30 31; c0 acquire 2000040 2000041; " +
			"c0 release 2000050 2000051",
		"0 1 2 5 n0 SET k a NX PX 1 -> OK\n0 2 2000050 2000051 n0 DEL k -> 0", Violated, NoServer},
	{"the reply was lost, and the client reads its own value", "V",
		"lease; names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 0 n0 SET k a NX PX 1 -> !timeout\n0 1 6 9 n0 GET k -> a\n0 1 30 31 n0 DEL k -> 1",
		NA, ""},
	{"the reply was lost, and the client reads a value that all have", "V",
		"lease; names k; c0 acquire 1 20; c0 release 30 31; c1 acquire 3 19 fail",
		"0 1 2 0 n0 SET k a NX PX 1 -> !timeout\n1 1 3 5 n0 SET k a NX PX 1 -> (nil)\n" +
			"0 1 6 9 n0 GET k -> a\n0 1 30 31 n0 DEL k -> 1", Violated, NoServer},
	{"handed over by the one who releases", "V",
		"lease; names k; c1 acquire 1 5; c0 acquire 3 20; c1 release 9 13; c0 release 30 31",
		"1 1 2 4 n0 SET k value-of-c1 NX PX 1 -> OK\n" +
			"0 1 6 7 n0 SET k value-of-c0 NX PX 1 -> (nil)\n" +
			"1 1 10 12 n0 SET k value-of-c0 XX PX 1 -> OK\n0 1 30 31 n0 DEL k -> 1", Valid, ""},
	{"handed over by a message, and the key stays", "V",
		"lease; names k; c1 acquire 1 5; c0 acquire 3 20; c1 release 9 13; c0 release 30 31",
		"1 1 2 4 n0 SET k held NX PX 1 -> OK\n0 1 6 7 n0 SET k held NX PX 1 -> (nil)\n" +
			"1 1 10 12 n0 PUBLISH c c0 -> 1\n0 1 30 31 n0 DEL k -> 1", Valid, ""},
	{"popped from a list", "V",
		"lease; names k; c0 acquire 1 20; c0 release 30 31; c0 acquire 40 41; c0 release 50 51",
		"0 1 2 5 n0 SETNX k a -> 1\n0 1 30 31 n0 DEL k -> 1\n" +
			"0 2 40 41 n0 BLPOP tokens 1 -> [t 1]\n" +
			"0 2 50 51 n0 RPUSH tokens 1 -> 1", Valid, ""},
	{"held by a subscription, and no key is ever taken", "V",
		"lease; names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 5 n0 SUBSCRIBE k -> [subscribe k 1]\n" +
			"0 1 30 31 n0 UNSUBSCRIBE k -> [unsubscribe k 0]", NA,
		""},
	{"granted at the end of the trace, which may be cut off", "V",
		"lease; names k; c0 acquire 1 20; c0 release 30 31; c0 acquire 40 41; c0 release 50 51",
		"0 1 2 5 n0 SET k a NX PX 1 -> OK\n0 1 30 31 n0 DEL k -> 1", Valid, ""},
	{"granted at the end of the trace, from which nothing is missing", "V",
		"wholetrace; lease; names k; c0 acquire 1 20; c0 release 30 31; c0 acquire 40 41; " +
			"c0 release 50 51",
		"0 1 2 5 n0 SET k a NX PX 1 -> OK\n0 1 30 31 n0 DEL k -> 1", Violated, NoServer},
	{"two inside, since one of them sent nothing to the server, which was dead", "L",
		"wholetrace; lease; names k; fault kill n0 10 90; c0 acquire 1 5 sent=2 lease=9000; " +
			"c1 acquire 6 20 sent=7 lease=9000; c0 release 30 31; c1 release 32 33",
		"0 1 2 5 n0 SET k a NX -> OK\n0 1 30 0 n0 DEL k -> !gone", Violated, NoServer},
	{"two inside, since one was granted while the server was dead", "L",
		"lease; names k; fault kill n0 10 90; c0 acquire 1 5 sent=2 lease=9000; " +
			"c1 acquire 11 20 sent=12 lease=9000; c0 release 30 31; c1 release 32 33",
		"0 1 2 5 n0 SET k a NX -> OK\n1 1 12 0 n0 SET k b NX -> !gone\n1 1 32 0 n0 DEL k -> !gone",
		Violated, NoServer},
	{"two inside, and the second one's command may have been done", "L",
		"lease; names k; fault kill n0 10 15; c0 acquire 1 5 sent=2 lease=9000; " +
			"c1 acquire 11 20 sent=12 lease=9000; c0 release 30 31; c1 release 32 33",
		"0 1 2 5 n0 SET k a NX -> OK\n1 1 12 0 n0 SET k b NX -> !gone\n1 1 32 0 n0 DEL k -> !gone",
		Violated, LostByServer},
	{"two inside, since the key of the first had a shorter lease", "L",
		"lease; names k; c0 acquire 1 5 sent=2 lease=9000000; c1 acquire 11 3000020 sent=3000010 " +
			"lease=9000000; c0 release 3000030 3000031; c1 release 3000032 3000033",
		"0 1 2 5 n0 SET k a NX PX 2 -> OK\n1 1 3000010 3000015 n0 SET k b NX PX 2 -> OK", Violated,
		PromisedTooLong},
	{"one vote of three, and two servers that were not asked", "V",
		"lease; masters 3; names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 5 n0 SET k a NX PX 1 -> OK\n0 1 30 31 n0 DEL k -> 1", Violated, NoServer},
	{"two votes of three", "V",
		"lease; masters 3; names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 5 n0 SET k a NX PX 1 -> OK\n0 1 2 5 n1 SET k a NX PX 1 -> OK\n" +
			"0 1 2 0 n2 SET k a NX PX 1 -> !timeout\n0 1 30 31 n0 DEL k -> 1", Valid, ""},

	// Refused to release its own.
	{"its own, by what another client finds", "R",
		"lease; names k; c0 acquire 1 20 sent=2 lease=9000000; c0 release 30 40 fail; " +
			"c1 acquire 50 60 fail",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 1 31 32 n0 GET k -> a\n" +
			"1 1 51 52 n0 SET k b NX PX 9 -> (nil)",
		Violated, KeptOwn},
	{"its own, by what the client reads", "R",
		"lease; names k; c0 acquire 1 20 sent=2 lease=9000000; c0 release 30 40 fail; " +
			"c0 acquire 50 60 fail",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 1 31 32 n0 DELIFEQ k x -> 0\n0 2 51 52 n0 GET k -> a",
		Violated, KeptOwn},
	{"its own, which a renewal wrote anew", "R",
		"lease; names k; c0 acquire 1 20 sent=2 lease=9000000; c0 release 30 40 fail; " +
			"c1 acquire 50 60 fail",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 1 25 26 n0 SET k c XX PX 9 -> OK\n" +
			"0 1 31 32 n0 DELIFEQ k a -> 0\n1 1 51 52 n0 SET k b NX PX 9 -> (nil)",
		Violated, KeptOwn},
	{"not its own any more: another client has taken it", "R",
		"lease; names k; c0 acquire 1 20 sent=2 lease=9000000; c0 release 30 40 fail; " +
			"c1 acquire 24 60 sent=25 lease=9000000; c2 acquire 50 61 fail; c1 release 80 81",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n1 1 25 26 n0 SET k b NX PX 9 -> OK\n" +
			"0 1 31 32 n0 DELIFEQ k a -> 0\n2 1 51 52 n0 SET k c NX PX 9 -> (nil)", Valid, ""},
	{"not its own any more: its lease was over", "R",
		"lease; names k; c0 acquire 1 20 sent=2 lease=9; c0 release 30 40 fail; " +
			"c1 acquire 50 60 fail",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 1 31 32 n0 DELIFEQ k a -> 0", NA, ""},
	{"its client took it to be over, a moment before the server", "R",
		"lease; names k; c0 acquire 1 20 sent=2 lease=30; c0 release 33 34 fail; " +
			"c1 acquire 20 60 fail",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 1 33 34 n0 GET k -> a\n" +
			"1 1 33 36 n0 SET k b NX PX 9 -> (nil)",
		Valid, ""},
	{"not its own any more by the time in its value", "R",
		"lease; names k; c0 acquire 1 20 sent=2 lease=9000000; c0 release 30 40 fail; " +
			"c1 acquire 39 60 fail",
		"0 1 2 5 n0 SETNX k 29 -> 1\n0 1 31 32 n0 GET k -> 29\n" +
			"1 1 39 52 n0 SETNX k 90 -> 0", Valid, ""},
	{"its own, but a failover lies between", "R",
		"lease; names k; c0 acquire 1 20 sent=2 lease=9000000; fault promote n0 25 26; " +
			"c0 release 30 40 fail; c1 acquire 39 60 fail",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 1 31 32 n0 DELIFEQ k a -> 0\n" +
			"1 1 39 52 n0 SET k b NX PX 9 -> (nil)", Valid, ""},
	{"refused, and then given back", "R",
		"lease; names k; c0 acquire 1 20 sent=2 lease=9000000; c0 release 30 40 fail; " +
			"c1 acquire 50 60; c1 release 70 80",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 1 31 32 n0 DELIFEQ k x -> 0\n" +
			"0 1 33 34 n0 DEL k -> 1\n" +
			"1 1 51 52 n0 SET k b NX PX 9 -> OK\n1 1 71 72 n0 DEL k -> 1", NA, ""},

	// Refused although granted.
	{"granted too late, and given back, after the last event of a record that breaks off", "R",
		"interrupted; lease; names k; c1 acquire 2; c0 acquire 3",
		"1 1 2 50 n0 SET k b NX PX 99 -> OK\n0 1 20 51 n0 SET k a NX PX 99 -> (nil)\n" +
			"1 1 52 53 n0 DEL k -> 1", Unknown, ""},
	{"granted, and never told so when the record breaks off", "R",
		"interrupted; names k; c0 acquire 3; c1 acquire 2 50 info",
		"1 1 2 5 n0 SET k b NX -> OK\n0 1 60 61 n0 SET k a NX -> (nil)", Violated, ""},
	{"nobody else asks, and the record breaks off", "R",
		"interrupted; lease; names k; c0 acquire 1 4 fail; c0 acquire 5",
		"0 1 2 3 n0 SET k b NX PX 99 -> OK\n0 2 20 51 n0 SET k a NX PX 99 -> (nil)", Violated,
		RefusedThoughGranted},
	{"granted, and said to be taken", "R",
		"lease; names k; c0 acquire 1 20 fail; c0 acquire 40 60 fail",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 2 41 42 n0 SET k b NX PX 9 -> (nil)", Violated,
		RefusedThoughGranted},
	{"granted too late, and given back", "R",
		"lease; names k; c0 acquire 1 20 fail; c0 acquire 40 60; c0 release 70 71",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 1 6 7 n0 DEL k -> 1\n" +
			"0 2 41 42 n0 SET k b NX PX 9 -> OK\n" +
			"0 2 70 71 n0 DEL k -> 1", NA, ""},
	{"granted too late, and given back in the background", "R",
		"lease; names k; c0 acquire 1 20 fail; c1 acquire 39 60 fail; c0 acquire 40 61 fail",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n1 1 39 43 n0 SET k c NX PX 9 -> (nil)\n" +
			"0 2 40 42 n0 SET k b NX PX 9 -> (nil)\n0 1 44 45 n0 DEL k -> 1", Violated, ""},
	{"granted by a minority, which nobody takes back", "R",
		"lease; masters 3; names k; c1 acquire 1 4; c0 acquire 1 20 fail; c0 acquire 40 60 fail; " +
			"c1 release 70 71",
		"1 1 1 2 n1 SET k c NX PX 9 -> OK\n1 1 1 2 n2 SET k c NX PX 9 -> OK\n" +
			"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 1 2 5 n1 SET k a NX PX 9 -> (nil)\n" +
			"0 1 2 5 n2 SET k a NX PX 9 -> (nil)\n0 2 41 42 n0 SET k b NX PX 9 -> (nil)",
		Valid, ""},
	{"granted, said to be taken, and the client was killed", "R",
		"lease; names k; c0 acquire 1 20 fail; c0 kill 30; c1 acquire 40 60 fail",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n1 1 41 42 n0 SET k b NX PX 9 -> (nil)", NA, ""},
	{"granted, said to be taken, and another client's key by now", "R",
		"lease; names k; c0 acquire 1 20 fail; c1 acquire 30 60; c0 acquire 40 61 fail; " +
			"c1 release 70 71",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n1 1 31 32 n0 SET k c NX PX 9 -> OK\n" +
			"0 2 41 42 n0 SET k b NX PX 9 -> (nil)", Valid, ""},
}

// TestALostReplyLeavesAnOrphanUndecided: a lock that counts its holds may count an acquire whose
// reply was lost in a partition, or on a machine that stood still, so the release that follows need
// not free the key.
func TestALostReplyLeavesAnOrphanUndecided(t *testing.T) {
	const story1 = "lease; names k; c0 acquire 1 9 info; c0 acquire 11 20 sent=12 lease=9000000; " +
		"c0 release 30 40; c1 acquire 13 60 fail"
	const first = "0 1 1 2 n0 SET k a NX PX 9 -> OK\n"
	const answered = "0 2 12 15 n0 SET k a NX PX 9 -> OK\n1 1 51 52 n0 SET k b NX PX 9 -> (nil)"
	for lost, decides := range map[string]struct{ cut, calm bool }{
		"0 1 2 0 n0 SET k a NX PX 9 -> !timeout\n":         {false, false},
		"0 1 2 0 n0 GET k -> !timeout\n":                   {false, true}, // nothing that may count
		"0 1 2 0 n0 DEL k -> !timeout\n":                   {false, true},
		"0 1 2 0 n0 EVAL free 1 k a -> !timeout\n":         {false, true},
		first + "0 1 3 0 n0 GET k -> !timeout\n":           {false, true},
		first + "0 1 3 0 n0 DEL k -> !timeout\n":           {false, true},
		first + "0 1 3 0 n0 EVAL free 1 k a -> !timeout\n": {false, true},
		"2 1 2 0 n0 SET k a NX PX 9 -> !timeout\n":         {true, true}, // another client
		"0 1 2 0 n0 SET k2 a NX PX 9 -> !timeout\n":        {true, true}, // another key
		"": {true, true},
	} {
		for fault, decides := range map[string]bool{"; fault cut c0>n0 2 8": decides.cut,
			"": decides.calm} {
			h := story(t, story1+fault)
			h.Header.Properties, h.Header.Reported = []string{"R"}, []string{"R"}
			h.Header.Scripts = map[string]history.Script{history.ScriptID("free"): {
				Does: history.ScriptFrees, Done: "1"}}
			p := Check(h, commands(t, lost+answered), Options{}).Property("R")
			if p.Verdict != Violated || p.Decides != decides {
				t.Errorf("%q%s: %s, decides %v: %s", lost, fault, p.Verdict, p.Decides, p.Explanation)
			}
		}
	}
}

// TestAnErrorIsNoGrant: a grant after an error of the server says what the server answered.
func TestAnErrorIsNoGrant(t *testing.T) {
	h := story(t, "lease; names k; c0 acquire 1 20; c0 release 30 31")
	p := Check(h, commands(t, "0 1 2 5 n0 SET k a NX PX 1 -> (error) OOM no memory\n"+
		"0 1 30 31 n0 DEL k -> 0"), Options{Properties: []string{"V"}}).Property("V")
	if p.Class != NoServer || !strings.Contains(p.Explanation, `the server answered "OOM no memory".`) {
		t.Errorf("%s: %s", p.Class, p.Explanation)
	}
}

// TestOrphansOfNoAcquisition: a write without an acquisition belongs to the hold in which its
// client sent it.
func TestOrphansOfNoAcquisition(t *testing.T) {
	for at, decides := range map[int]bool{12: true, 2: false} {
		h := story(t, "names k; lease; c0 acquire 10 20 sent=12 lease=9000000; c0 release 30 40; "+
			"c1 acquire 3 60 fail; fault pause c0 41 45")
		h.Header.Properties, h.Header.Reported = []string{"R"}, []string{"R"}
		p := Check(h, commands(t, fmt.Sprintf("0 0 %d %d n0 SET k a NX PX 9 -> OK\n", at, at+3)+
			"1 1 51 52 n0 SET k b NX PX 9 -> (nil)"), Options{}).Property("R")
		if p.Verdict != Violated || p.Decides != decides {
			t.Errorf("written at %d: %s, decides %v: %s", at, p.Verdict, p.Decides, p.Explanation)
		}
	}
}

// TestOrphansThatDecide tells keys that are left behind and decide the run from those that are only
// reported.
func TestOrphansThatDecide(t *testing.T) {
	const left = "names k; c0 acquire 1 20 sent=2 lease=9000000; c0 release 30 40; " +
		"c1 acquire 3 60 fail"
	const failed = "names k; c0 acquire 1 30 fail; c1 acquire 3 60 fail"
	trace := func(release string) string {
		return "0 1 2 5 n0 SET k a NX PX 9 -> OK\n" +
			"" + release + "1 1 51 52 n0 SET k b NX PX 9 -> (nil)"
	}
	for _, c := range []struct {
		name, story, release string
		decides              bool
	}{
		{"released, and nothing was sent", left, "", true},
		{"of a lock that keeps its key for a while", left + "; minimumhold 100", "", false},
		{"released under a pause of the client", left + "; fault pause c0 41 45", "", true},
		{"released under a fault that can lose the deletion", left + "; " +
			"fault cut c0>n0 31 45", "", false},
		{"its process ended by itself", left + "; c0 exit 59", "", false},
		{"a failover brings the key back", left + "; fault promote n0 41 45",
			"0 1 31 32 n0 DEL k -> 1\n", false},
		{"the release is answered and the deletion comes later", left,
			"0 1 50 55 n0 DEL k -> 1\n", false},
		{"the deletion comes a moment later", left, "0 1 53 55 n0 DEL k -> 1\n", false},
		{"the deletion comes a moment later and is never answered", left, "0 1 53 0 n0 DEL k ->\n",
			false},
		{"a script of unknown effect comes a moment later", left, "0 1 53 55 n0 EVAL s 1 k a -> 1\n",
			false},
		{"the deletion of another key comes a moment later", left, "0 1 53 55 n0 DEL k2 -> 1\n", true},
		{"it takes the key again a moment later, and deletes it", left,
			"0 2 53 54 n0 SET k a NX PX 9 -> OK\n0 2 56 57 n0 DEL k -> 1\n", true},
		{"another client's process ended by itself", left + "; c2 acquire 1 4 fail; c2 exit 59", "",
			true},
		{"it was killed afterwards", left + "; c0 kill 59", "", false},
		{"the deletion found another value", left, "0 1 31 32 n0 DELIFEQ k x -> 0\n", true},
		{"released with an unknown outcome under a pause",
			strings.Replace(left, "30 40", "30 40 info", 1) + "; fault pause c0 41 45", "", false},
		{"the same, and another client's release was answered",
			strings.Replace(left, "30 40", "30 40 info", 1) + "; c2 acquire 0 1 sent=0 lease=1; " +
				"c2 release 1 2; fault pause c0 41 45", "", false},
		{"never released, since it asks anew, under a pause", strings.Replace(left, "release 30 40",
			"acquire 30 40 fail", 1) + "; fault pause c0 41 45", "", false},
		{"released with an unknown outcome, without a fault",
			strings.Replace(left, "30 40", "30 40 info", 1), "", true},
		{"an acquire that said no had written, under a pause", failed + "; fault pause c0 31 35", "",
			true},
		{"an acquire of unknown outcome had written, under a pause",
			strings.Replace(failed, "30 fail", "30 info", 1) + "; fault pause c0 31 35", "", false},
		{"an acquire that could not reach a server had written, under a pause",
			strings.Replace(failed, "30 fail", "30 fail why=unreachable", 1) + "; " +
				"fault pause c0 31 35", "",
			false},
		{"an acquire that was given up had written", strings.Replace(failed, "30 fail",
			"30 fail why=called-off", 1) + "; fault cancel c0 28 29", "", true},
		{"it was written in the background after a call that was given up", strings.Replace(failed,
			"1 30 fail", "0 1 fail why=called-off", 1) + "; fault cancel c0 0 1", "", true},
		{"it was written in the background after a call that waited in vain", strings.Replace(failed,
			"1 30 fail", "0 1 fail why=gave-up", 1) + "; fault pause c0 0 1", "", false},
		{"an acquire that said no had written, under a cut link", failed + "; fault cut c0>n0 6 8", "",
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := story(t, "lease; "+c.story)
			h.Header.Properties, h.Header.Reported = []string{"R"}, []string{"R"}
			p := Check(h, commands(t, trace(c.release)), Options{}).Property("R")
			if p.Verdict != Violated || p.Decides != c.decides || p.Reported == c.decides {
				t.Errorf("%s, decides %v, reported %v: %s", p.Verdict, p.Decides, p.Reported, p.Explanation)
			}
		})
	}
}
