package checker

// A grant that names its lease and not when it was asked for has a lease that began at some time of
// its call. Until the earliest end a second grant is a defect, after the latest it is an overrun,
// and in between nothing is certain.
const (
	toldSoon = "lease; c0 acquire 10 20 lease=100; " // it ends between 110 and 120
	toldLate = "lease; c0 acquire 10 500 lease=100; "
)

var untoldCases = []propertyCase{
	{"untold: granted while the lease surely ran", "S", toldSoon +
		"c1 acquire 50 60 lease=100; c0 release 200 210; c1 release 220 230", "", Violated, DoubleGrant},
	{"untold: both leases surely ran", "L", toldSoon +
		"c1 acquire 50 60 lease=100; c0 release 200 210; c1 release 220 230", "", Violated, DoubleGrant},
	{"untold: surely over", "S", toldSoon +
		"c1 acquire 112 121 lease=100; c0 release 200 210; c1 release 220 230", "", Violated,
		LeaseOverrun},
	{"untold: no lease overlaps another", "L", toldSoon +
		"c1 acquire 112 121 lease=100; c0 release 200 210; c1 release 220 230", "", Valid, ""},
	{"untold: it left before the lease was surely over", "S", toldSoon +
		"c1 acquire 108 112 lease=100; c0 release 120 125; c1 release 220 230", "", Unknown, ""},
	{"untold: it stayed until the lease was surely over", "S", toldSoon +
		"c1 acquire 108 112 lease=100; c0 release 121 125; c1 release 220 230", "", Violated,
		LeaseOverrun},
	{"untold: the call was longer than the lease", "S", toldLate +
		"c1 acquire 505 510 lease=100; c0 release 550 560; c1 release 570 580", "", Unknown, ""},
	{"untold: no lease is certain", "L", toldLate +
		"c1 acquire 505 510 lease=100; c0 release 550 560; c1 release 570 580", "", Unknown, ""},
	{"untold: it outlasted the lease after a long call", "S", toldLate +
		"c1 acquire 505 510 lease=100; c0 release 650 660; c1 release 670 680", "", Violated,
		LeaseOverrun},
	{"untold: the lock promised more", "S", "lease; c0 acquire 10 500 lease=100 valid=590; " +
		"c1 acquire 505 510 lease=100; c0 release 550 560; c1 release 570 580", "", Violated,
		DoubleGrant},
	{"untold: an extension is told", "S", toldLate + "c0 extend 520 sent=515 lease=100; " +
		"c1 acquire 550 560 lease=100; c0 release 600 610; c1 release 670 680", "", Violated,
		DoubleGrant},
	{"untold: an extension is over", "S", toldLate + "c0 extend 520 sent=515 lease=100; " +
		"c1 acquire 610 616 lease=100; c0 release 620 630; c1 release 670 680", "", Violated,
		LeaseOverrun},
	{"untold: it is not surely over if the server's clock may be slow", "S", "drift 0.1; " + toldSoon +
		"c1 acquire 108 112 lease=100; c0 release 125 126; c1 release 220 230", "", Unknown, ""},
	{"untold: over by any clock", "S", "drift 0.1; " + toldSoon +
		"c1 acquire 108 112 lease=100; c0 release 131 132; c1 release 220 230", "", Violated,
		LeaseOverrun},
	{"untold: a paused holder has no session", "S", "environment process; system postgres; ttl 100; " +
		toldSoon + "fault pause c0 25 180; c1 acquire 112 125 lease=100; c0 release 200 210; " +
		"c1 release 220 230", "", Violated, LeaseOverrun},
	{"untold: its client lost time in the lease", "S", "environment process; lease; " +
		"c0 acquire 10 50000000 lease=100000000; c0 gap 120000000 gap=50000000; " +
		"c1 acquire 155000000 160000000 lease=100000000; c0 release 165000000 170000000",
		"", Unknown, ""},
}
