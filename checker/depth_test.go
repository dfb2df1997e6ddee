package checker

// These histories are about the leases of a hold that its client entered again. The lease of the
// outer acquisition is the one that it was promised; an inner one has its own.
const (
	// lapsed is a hold of client 0 whose lease is over at 12. Its client is inside once more from 45.
	lapsed = "reentrant; lease; names k; c0 acquire 1 5 sent=2 lease=10 node=n0; " +
		"c0 acquire 40 45 depth=1 sent=41 lease=100 node=n0; "
	// renewed is the same, but the inner acquisition comes while the outer lease runs.
	renewed = "reentrant; lease; names k; c0 acquire 1 5 sent=2 lease=50 node=n0; " +
		"c0 acquire 40 45 depth=1 sent=41 lease=100 node=n0; "
	// afterInner is a grant to client 1 after the inner release, while client 0 is inside.
	afterInner = "c0 release 50 52; c1 acquire 53 60 sent=55 lease=100 node=n0; " +
		"c0 release 70 71; c1 release 80 81"
	// brieflyInner is a hold until 150 that was promised until 202, with an inner acquisition.
	brieflyInner = "reentrant; lease; names k; c0 acquire 10 20 sent=12 lease=200 node=n0; " +
		"c0 acquire 22 30 depth=1 sent=23 lease=30 node=n0; c0 release 31 35; " +
		"c1 acquire 11 90 sent=80 lease=100 node=n0; c0 release 150 160 fail; c1 release 170 180"
	// heldBack is a hold whose lease is over at 52. An extension sent before is answered at 90.
	heldBack = "reentrant; lease; names k; c0 acquire 1 5 sent=2 lease=50 node=n0; " +
		"c0 extend 90 sent=40 lease=50 n=1; c1 acquire 6 60 sent=55 lease=100 node=n0; " +
		"c1 release 80 81; c0 release 100 101; "
	twice = "0 1 12 15 n0 HINCRBY k a 1 -> 1\n0 1 16 17 n0 PEXPIRE k 0.0002 -> 1\n" +
		"0 2 23 24 n0 HINCRBY k a 1 -> 2\n"
)

var depthCases = []propertyCase{
	{"depth: the key was taken anew and freed by the inner release", "L", lapsed + afterInner, "",
		Valid, ""},
	{"depth: the same, says E", "E", lapsed + afterInner, "", Valid, ""},
	{"depth: the same, says S", "S", lapsed + afterInner, "", Violated, LeaseOverrun},
	{"depth: taken anew, and another client comes before the inner release", "L", lapsed +
		"c1 acquire 46 60 sent=55 lease=100 node=n0; c0 release 65 66; c0 release 70 71; " +
		"c1 release 80 81", "", Violated, DoubleGrant},
	{"depth: renewed, and freed by the inner release", "L", renewed + afterInner, "", Violated,
		DoubleGrant},
	{"depth: the same, says E", "E", renewed + afterInner, "", Violated, DoubleGrant},
	{"depth: the inner one of two that were taken anew is left", "L", lapsed +
		"c0 acquire 46 47 depth=2 sent=46 lease=100 node=n0; " + afterInner, "", Violated, DoubleGrant},
	{"depth: an inner acquisition asks for less, and the trace shows it", "L", brieflyInner,
		twice + "0 2 25 26 n0 PEXPIRE k 0.00003 -> 1\n" + "1 1 80 85 n0 SET k b NX PX 0.0001 -> OK\n",
		Violated, LostRenewal},
	{"depth: the same in one script", "L", brieflyInner, "0 1 12 15 n0 EVAL s 1 k a 0.0002 -> 1 | " +
		"HINCRBY k a 1 | PEXPIRE k 0.0002\n0 2 23 24 n0 EVAL s 1 k a 0.00003 -> 1 | HINCRBY k a 1 | " +
		"PEXPIRE k 0.00003\n1 1 80 85 n0 SET k b NX PX 0.0001 -> OK\n", Violated, LostRenewal},
	{"depth: an inner acquisition promises less, and the key keeps its lease", "L", brieflyInner,
		twice + "1 1 80 85 n0 SET k b NX PX 0.0001 -> OK\n", Violated, DoubleGrant},
	{"depth: an extension came when an inner acquisition may have taken the key anew", "L", heldBack +
		"c0 acquire 20 95 depth=1 sent=21 lease=50 node=n0; c0 release 96 97", "", Valid, ""},
	{"depth: the same, says S", "S", heldBack +
		"c0 acquire 20 95 depth=1 sent=21 lease=50 node=n0; c0 release 96 97", "", Violated,
		LeaseOverrun},
	{"depth: an extension came late, and nothing can have taken the key anew", "L", heldBack, "",
		Violated, DoubleGrant},
	{"depth: the outer lease and the inner one were over", "L", "reentrant; lease; names k; " +
		"c0 acquire 1 5 sent=2 lease=10 node=n0; c0 acquire 8 11 depth=1 sent=9 lease=30 node=n0; " +
		"c1 acquire 40 60 sent=50 lease=100 node=n0; c0 release 65 66; c0 release 70 71; " +
		"c1 release 80 81", "", Valid, ""},
}
