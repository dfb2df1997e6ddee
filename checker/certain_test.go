package checker

// certainCases are histories of letters that rest on certain facts, all with a gap in which the
// machine stalled: it excuses none of them. Next to each stands one that must not be convicted.
var certainCases = []propertyCase{
	{"certain: an older token, and the machine stalled", "F", "ttl 100; fencing; " +
		"c0 acquire 1 5 token=2; c0 release 6 7; c-1 gap 400 gap=390; c1 acquire 408 409 token=1", "",
		Violated, OldToken},
	{"certain: an older token of a call that a stall made overlap", "F", "ttl 100; fencing; " +
		"c0 acquire 1 405 token=2; c0 release 406 407; c-1 gap 400 gap=390; c1 acquire 8 409 token=1",
		"", Valid, ""},
	{"certain: refused what it holds, and the machine stalled", "E", "ttl 1000; lease; reentrant; " +
		"c0 acquire 1 5 sent=2 lease=1000; c-1 gap 400 gap=390; c0 acquire 410 420 depth=1 fail; " +
		"c0 release 430 440", "", Violated, ""},
	{"certain: refused what it held, as a stall outlasted the lease", "E", "ttl 100; lease; " +
		"reentrant; c0 acquire 1 5 sent=2 lease=100; c-1 gap 400 gap=390; " +
		"c0 acquire 410 420 depth=1 fail; c0 release 430 440", "", Valid, ""},
	{"certain: a lease shorter than the promise, and the machine stalled", "V", "ttl 1500000000; " +
		"lease; names k; c0 acquire 1 400000000 sent=2 lease=1500000000; " +
		"c-1 gap 390000000 gap=300000000; c0 release 400000001 400000002",
		"0 1 2 5 n0 SET k a NX PX 1000 -> OK\n0 1 400000001 400000002 n0 DEL k -> 1", Violated,
		PromisedTooLong},
	{"certain: a lease that a stall ate before the return", "V", "ttl 100000000; lease; names k; " +
		"c0 acquire 1 400000000 sent=2 lease=100000000; c-1 gap 390000000 gap=300000000; " +
		"c0 release 400000001 400000002",
		"0 1 2 5 n0 SET k a NX PX 100 -> OK\n0 1 400000001 400000002 n0 DEL k -> 1", Valid, ""},
	{"certain: two leases that both run, and the machine stalled", "L", "ttl 1000; lease; " +
		"c0 acquire 1 5 sent=2 lease=1000; c-1 gap 400 gap=390; c1 acquire 3 410 sent=405 lease=1000; " +
		"c0 release 420 421; c1 release 430 431", "", Violated, DoubleGrant},
	{"certain: a lease that a stall outlasted", "L", "ttl 100; lease; " +
		"c0 acquire 1 5 sent=2 lease=100; c-1 gap 400 gap=390; c1 acquire 3 410 sent=405 lease=100; " +
		"c0 release 420 421; c1 release 430 431", "", Valid, ""},
}
