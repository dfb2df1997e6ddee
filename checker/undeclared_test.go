package checker

// A script that the header does not declare may answer 1 whatever it did, so its reply is evidence
// of nothing. What came of it is: a key that is free while its lease runs was deleted.
const (
	// frees is a release whose script answers 1 in any case; client 0 comes back late.
	freesStory = "lease; names k; c0 acquire 10 20 sent=12 lease=20; c1 acquire 11 60 sent=50 " +
		"lease=100; c0 release 70 80; "
	freesTrace = "0 1 12 15 n0 SET k a NX PX 0.00002 -> OK\n1 1 50 55 n0 SET k b NX PX 100 -> OK\n" +
		"0 1 71 75 n0 EVAL free 1 k a -> 1\n"
	stillHeld = "c2 acquire 12 99 fail; c1 release 100 105; "
	refused   = "2 1 76 78 n0 SET k c NX PX 100 -> (nil)\n1 1 101 103 n0 EVAL free 1 k b -> 1\n"
	wasFree   = "c2 acquire 12 90 sent=80 lease=100; c1 release 100 105; "
	granted   = "2 1 80 85 n0 SET k c NX PX 100 -> OK\n1 1 101 103 n0 EVAL free 1 k b -> 1\n"
	// renewStory is a watchdog whose renewal answers 1 while its client releases.
	renewStory = "lease; names k; c0 acquire 10 20 sent=12 lease=20; c0 extend 33 sent=31 lease=20; " +
		"c1 acquire 11 60 sent=56 lease=100; c0 release 70 80; "
)

var undeclaredCases = []propertyCase{
	{"undeclared: it answers 1 in any case", "O", freesStory + stillHeld, freesTrace + refused, Valid,
		""},
	{"undeclared: what came of it shows a deletion", "O", freesStory + wasFree, freesTrace + granted,
		Violated, ReleasedByNonOwner},
	{"undeclared: both inside by its lease", "L", freesStory + stillHeld, freesTrace + refused, Valid,
		""},
	{"undeclared: what came of it has its class", "L", freesStory + wasFree, freesTrace + granted,
		Violated, ReleasedByNonOwner},
	{"undeclared: the next grant proves nothing", "O", freesStory + wasFree, freesTrace +
		"2 1 80 85 n0 EVAL take 1 k c -> 1\n", Valid, ""},
	{"undeclared: its owner's script may have freed it", "O", freesStory + wasFree,
		"0 1 12 15 n0 SET k a NX PX 0.00002 -> OK\n1 1 50 55 n0 SET k b NX PX 100 -> OK\n" +
			"0 1 71 75 n0 EVAL free 1 k a -> 1\n1 1 62 63 n0 EVAL tidy 1 k b -> 640\n" + granted, Valid,
		""},
	{"undeclared: a renewal in a release", "O", renewStory,
		"0 1 12 15 n0 SET k a NX PX 0.00002 -> OK\n0 1 31 33 n0 EVAL renew 1 k a 20 -> 1\n" +
			"1 1 56 59 n0 SET k b NX PX 100 -> OK\n0 1 71 72 n0 EVAL renew 1 k a 20 -> 1\n" +
			"0 1 73 75 n0 EVAL free 1 k a -> 1\n", Valid, ""},
	{"undeclared: a token that a grant returned is no refusal", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40; c1 acquire 41 60 sent=50 lease=100",
		"0 1 12 15 n0 SETNX k a -> 1\n0 1 31 35 n0 DEL k -> 1\n1 1 50 55 n0 EVAL take 1 k b -> 17", NA,
		""},
}
