package checker

// Parts of histories of a lock whose clients stand in a queue, each with a session of 2 s. The
// bound is 3 s.
const (
	queued = "ttl 2000000000; lease; loss; pause 1; topology single; c0 acquire 1 5 sent=2; " +
		"c0 release 6 7; "
	// asks lets client 2 ask for the lock for a while, before others do.
	asks = "c2 acquire 8 3100000000 fail; "
	// leaves lets client 2 lose the reply of an acquire, so that its place in the queue may stay.
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
	{"an outage while the plan had paused a client", "A", queued + asks +
		"fault kill n0 8 4000000000 lasted; fault pause c2 500000000 3000000000; " +
		"c2 gap 3000000000 gap=2500000000; c1 acquire 10 4000000000 info", "", Violated, ""},

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
	{"a call lost its reply, and a trace shows that its commands were answered", "D", queued +
		leaves + "c2 gap 1400000000 gap=1000000000; c1 acquire 1600000000 9000000000 fail",
		refusals(2, 1, 9, 2) + refusals(1, 1, 1_600_000_010, 74), Violated, ""},
	{"a release lost its reply, nothing stood still, and the lock has no lease", "D",
		"pause 1; topology single; c0 acquire 1 5; c0 release 6 7; c2 acquire 8 9; " +
			"c2 release 100 1500000000 info; c1 acquire 1600000000 9000000000 fail", "", Violated, ""},

	// Holders that the scenario keeps inside.
	{"kept inside by the scenario until its lease was over", "S", "outstays; " + kept, "", Unknown,
		""},
	{"inside for longer than its lease by itself", "S", kept, "", Violated, LeaseOverrun},
	{"kept inside, and another is granted the lock within the lease", "S", "outstays; lease; " +
		"ttl 100; c0 acquire 1 5 sent=2 lease=100; c1 acquire 6 50 sent=45 lease=100; " +
		"c0 release 60 61; c1 release 70 71", "", Violated, DoubleGrant},

	// Keys that are left behind.
	{"a key that is found while what frees it may be late", "R", left + "c1 acquire 41 4000 fail; " +
		"c1 gap 1000 gap=900", leftTrace + "1 1 1050 1055 n0 SETNX k b -> 0", Unknown, ""},
	{"a key that is found when all have run again for as long", "R", left +
		"c1 acquire 41 4000 fail; c1 gap 1000 gap=900", leftTrace + "1 1 1050 1055 n0 SETNX k b -> 0\n" +
		"1 1 2500 2505 n0 SETNX k b -> 0", Violated, ""},
	{"a key that is found after the plan had paused the client", "R", left +
		"c1 acquire 41 4000 fail; fault pause c1 90 1000; c1 gap 1000 gap=900", leftTrace +
		"1 1 1050 1055 n0 SETNX k b -> 0", Violated, ""},
	{"a key that is found before a stall", "R", left + "c1 acquire 41 4000 fail; " +
		"c1 gap 3000 gap=900", leftTrace + "1 1 1050 1055 n0 SETNX k b -> 0", Violated, ""},
	{"a key that is found after two stalls", "R", left + "c1 acquire 41 4000 fail; " +
		"c1 gap 1000 gap=900; c-1 gap 2000 gap=900", leftTrace + "1 1 3800 3805 n0 SETNX k b -> 0",
		Violated, ""},
	{"a key that is found soon after two stalls", "R", left + "c1 acquire 41 4000 fail; " +
		"c1 gap 1000 gap=900; c-1 gap 2000 gap=900", leftTrace + "1 1 2990 2995 n0 SETNX k b -> 0",
		Unknown, ""},
	{"granted, and said to be taken, while what gives it back may be late", "R", "lease; names k; " +
		"c0 acquire 1 20 fail; c0 acquire 40 60 fail; c0 gap 38 gap=15",
		"0 1 2 5 n0 SET k a NX PX 9 -> OK\n0 2 41 42 n0 SET k b NX PX 9 -> (nil)", Unknown, ""},
	{"a key that a lost command may have left", "R", left + "clienttimeout 100; " +
		"c2 acquire 90 210 info; c1 acquire 220 3000 fail", leftTrace + lostTake +
		"1 1 250 255 n0 SETNX k b -> 0", Unknown, ""},
	{"a key that is there when what a lost command may have left has expired", "R", left +
		"clienttimeout 100; c2 acquire 90 210 info; c1 acquire 220 3000 fail", leftTrace + lostTake +
		"1 1 900 905 n0 SETNX k b -> 0", Violated, ""},
	{"a key that is there after the lock was granted since a command was lost", "R", left +
		"clienttimeout 100; c2 acquire 90 210 info; c3 acquire 220 230 sent=225 lease=100; " +
		"c3 release 235 240; c1 acquire 245 3000 fail", leftTrace + lostTake +
		"3 1 225 226 n0 SETNX k d -> 1\n1 1 250 255 n0 SETNX k b -> 0", Violated, ""},
	{"a key that a lost command may have left whose client was granted the lock since", "R", left +
		"clienttimeout 100; c2 acquire 90 210 info; c2 acquire 220 230 sent=225 lease=100; " +
		"c2 release 235 240; c1 acquire 245 3000 fail", leftTrace + lostTake +
		"2 2 225 226 n0 SETNX k c -> 1\n2 2 236 238 n0 DEL k -> 1\n" + found, Unknown, ""},
	{"a key that is there before a command is lost", "R", left + "clienttimeout 100; " +
		"c2 acquire 90 210 info; c1 acquire 41 3000 fail", leftTrace +
		"1 1 50 55 n0 SETNX k b -> 0\n" + lostTake, Violated, ""},

	// A lost question leaves a key only if the client may have the key.
	{"a key, and a question of a client is lost that has written nothing in this call", "R", left +
		"clienttimeout 100; c2 acquire 1 4 sent=2 lease=9; c2 release 5 8; c2 acquire 90 210 info; " +
		"c1 acquire 220 3000 fail", "2 1 2 3 n0 SETNX k c -> 1\n2 1 5 7 n0 DEL k -> 1\n" +
		leftTrace + "2 2 100 200 n0 GET k -> !timeout\n" + found, Violated, ""},
	{"a key, and a question is lost that does not say of which call", "R", left +
		"clienttimeout 100; c2 acquire 90 210 info; c1 acquire 220 3000 fail", leftTrace +
		"2 0 100 200 n0 GET k -> !timeout\n" + found, Unknown, ""},
	{"a key, and a question is lost while another client is inside", "R", left +
		"clienttimeout 100; c3 acquire 90 95 sent=91 lease=100; c3 release 150 155; " +
		"c2 acquire 90 210 info; c1 acquire 220 3000 fail", leftTrace +
		"3 1 91 92 n0 SETNX k d -> 1\n2 1 100 200 n0 GET k -> !timeout\n3 1 151 152 n0 DEL k -> 1\n" +
		found, Violated, ""},
	{"a key, and a question is lost before its client is inside", "R", left +
		"clienttimeout 100; c2 acquire 90 210 info; c2 acquire 211 220 sent=212 lease=100; " +
		"c2 release 225 230; c1 acquire 235 3000 fail", leftTrace +
		"2 1 100 200 n0 GET k -> !timeout\n2 2 212 213 n0 SETNX k c -> 1\n" +
		"2 2 226 227 n0 DEL k -> 1\n" + found, Violated, ""},
	{"a key, and a question is lost of a client that is inside and asks again", "R",
		"reentrant; clienttimeout 100; " + left + "c2 acquire 90 95 sent=91 lease=100; " +
			"c2 acquire 99 210 info depth=1; c2 release 212 215 n=1; c1 acquire 220 3000 fail",
		leftTrace + "2 1 91 92 n0 SETNX k c -> 1\n2 2 100 200 n0 GET k -> !timeout\n" +
			"2 1 213 214 n0 DEL k -> 1\n" + found, Unknown, ""},
}

// kept is a client that is inside for longer than its lease.
const kept = "lease; ttl 100; c0 acquire 1 5 sent=2 lease=100; " +
	"c1 acquire 6 120 sent=115 lease=100; c0 release 130 131; c1 release 140 141"

// left is a client whose release has no reply, and that leaves its key behind.
const (
	left = "ttl 100; lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40 info; "

	leftTrace = "0 1 12 15 n0 SETNX k a -> 1\n0 1 31 0 n0 DEL k -> \n"
	lostTake  = "2 1 100 200 n0 SETNX k c -> !timeout\n"
	// found is a client that finds a key that no client should have.
	found = "1 1 250 255 n0 SETNX k b -> 0"
)
