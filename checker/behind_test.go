package checker

// Parts of histories of a lock whose clients stand in a queue, each with a session of 2 s. The
// bound is 3 s.
const (
	queued = "ttl 2000000000; lease; loss; pause 1; topology single; c0 acquire 1 5 sent=2; " +
		"c0 release 6 7; "
	// asks is a client in front of others that asks for the lock for a while.
	asks = "c2 acquire 8 3100000000 fail; "
	// leaves is one whose call loses its reply, so that what it left behind stays.
	leaves = "c2 acquire 8 1500000000 info; "
)

// behindCases are histories of clients that wait behind another one, which did not run for a while.
var behindCases = []propertyCase{
	{"waits behind a client that did not run", "D", queued + asks +
		"c2 gap 3000000000 gap=2000000000; c1 acquire 10 3900000000 fail", "", Unknown, ""},
	{"waits behind a client that did not run for a moment", "D", queued + asks +
		"c2 gap 3000000000 gap=200000000; c1 acquire 10 3900000000 fail", "", Violated, ""},
	{"waits while a client did not run that asked for another lock", "D", queued +
		"c2 acquire 8 9000000000 fail key=1; c2 gap 3000000000 gap=2000000000; " +
		"c1 acquire 10 3900000000 fail key=0", "", Violated, ""},
	{"waits for the session of a client that did not run for long", "D", queued + asks +
		"c2 gap 1000000000 gap=600000000; c1 acquire 10 4500000000 fail", "", Unknown, ""},
	{"waits for longer than that session lives", "D", queued + asks +
		"c2 gap 1000000000 gap=600000000; c1 acquire 10 7000000000 fail", "", Violated, ""},
	{"waits where a trace shows that nothing has a session", "D", queued + asks +
		"c2 gap 1000000000 gap=600000000; c1 acquire 10 4500000000 fail", refusals(1, 1, 20, 45),
		Violated, ""},
	{"waits behind a holder that did not run", "D", queued + "c2 acquire 8 9 sent=8; " +
		"c2 gap 3000000000 gap=2900000000; c2 release 3000000005 3000000006 fail; " +
		"c1 acquire 10 5900000000 fail", "", Valid, ""},
	{"an outage behind a client that did not run", "A", queued + asks +
		"fault kill n0 8 4000000000 lasted; c2 gap 3000000000 gap=2500000000; " +
		"c1 acquire 10 4000000000 info", "", Unknown, ""},
	{"an outage behind a client that did not run for a moment", "A", queued + asks +
		"fault kill n0 8 4000000000 lasted; c2 gap 3000000000 gap=100000000; " +
		"c1 acquire 10 4000000000 info", "", Violated, ""},

	// Calls that lose their reply.
	{"a call lost its reply while a server did not answer", "D", queued + leaves +
		"c-1 gap 1400000000 gap=1000000000 server=n0; c1 acquire 1600000000 9000000000 fail", "",
		Unknown, ""},
	{"a call lost its reply after a server did not answer for a moment", "D", queued + leaves +
		"c-1 gap 1400000000 gap=100000000 server=n0; c1 acquire 1600000000 9000000000 fail", "",
		Violated, ""},
	{"a call lost its reply, and its client is gone for longer than a session", "D", queued + leaves +
		"c-1 gap 1400000000 gap=1000000000 server=n0; c2 kill 1600000000; " +
		"c2 exit 1600000001 planned; c1 acquire 1600000002 9000000000 fail", "", Violated, ""},
	{"a release lost its reply while its client did not run", "D", queued +
		"c2 acquire 8 9 sent=8; c2 gap 1400000000 gap=1000000000; c2 release 100 1500000000 info; " +
		"c1 acquire 1600000000 9000000000 fail", "", Unknown, ""},
	{"a release lost its reply, and nothing stood still", "D", queued +
		"c2 acquire 8 9 sent=8; c2 release 100 1500000000 info; " +
		"c1 acquire 1600000000 9000000000 fail", "", Violated, ""},
}
