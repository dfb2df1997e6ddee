package checker

import "strings"

// Parts of histories in which a client holds the lock k for 200 ms.
const (
	leased    = "environment process; lease; names k; "
	inside    = leased + "c0 acquire 10 20 sent=12 lease=200000000; c0 release 100 110; "
	takes     = "0 1 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n"
	givesBack = "0 1 101 105 n0 DEL k -> 1\n"
	helped    = "0 1 12 13 n0 SET fence:k 0 NX -> OK\n0 1 14 15 n0 SET lock:k aaaaaaaa NX " +
		"PX 200 -> OK\n"
	whole = "environment process; reentrant; names k; wholetrace; " +
		"c1 acquire 1 2 sent=1; c1 release 3 4; "
	earlier  = "1 1 1 2 n0 HSETNX k you12345 1 -> 1\n1 1 3 4 n0 DEL k -> 1\n"
	twoKeys  = "environment process; lease; names k,j; wholetrace; "
	freeKeyJ = "1 1 2 3 n0 SET j bbbbbbbb NX PX 200 -> OK\n1 1 6 7 n0 DEL j -> 1\n"
)

// Parts of histories in which a client deletes two keys at once.
const (
	bothTaken = "0 1 12 13 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 14 15 n0 SET j aaaaaaaa NX PX 200 -> OK\n"
	onesAndOthers = twoKeys + "c0 acquire 10 20 key=1 sent=12 lease=200000000; " +
		"c1 acquire 22 24 key=0 sent=23 lease=200000000; c1 release 25 30; " +
		"c2 acquire 40 50 key=1 sent=41 lease=200000000; c0 release 100 110; c2 release 120 130"
	oneAndOther = "0 1 12 15 n0 SET j aaaaaaaa NX PX 200 -> OK\n" +
		"1 1 23 24 n0 SET k bbbbbbbb NX PX 200 -> OK\n"
)

// promisesLate is a lock that promises a lease from a later command of its call on.
var promisesLate = strings.Replace(inside, "20 sent=12 lease=200000000",
	"60 sent=40 lease=200000000 valid=200000040", 1)

// Parts of histories in which the key goes after an inner release.
const (
	nesting = "environment process; lease; reentrant; names k; script take take OK [0-9]+; " +
		"script free free 1 no; kept free 0; "
	nested = nesting + "c0 acquire 10 20 sent=12 lease=200000000; " +
		"c0 acquire 22 25 depth=1 sent=23 lease=200000000; c0 release 26 30; " +
		"c1 acquire 24 90 sent=80 lease=200000000; c0 release 200 210; c1 release 220 230; "
	evicted    = nested + "evicts; counted n0 evicted=1 deleted=1"
	nestedPart = "0 1 12 15 n0 EVAL take 1 k aaaaaaaa -> OK\n0 2 23 24 n0 EVAL take 1 k " +
		"aaaaaaaa -> OK\n" +
		"1 1 24 25 n0 EVAL take 1 k bbbbbbbb -> 100\n0 2 27 29 n0 EVAL free 1 k aaaaaaaa -> 0\n"
	refusedOwn = "0 1 12 15 n0 EVAL take 1 k aaaaaaaa -> OK\n" +
		"0 2 32 35 n0 EVAL take 1 k aaaaaaaa -> 100\n"
	shown     = "1 1 40 45 n0 EVAL take 1 k bbbbbbbb -> 100\n"
	nestedEnd = "1 1 80 85 n0 EVAL take 1 k bbbbbbbb -> OK\n0 1 201 205 n0 EVAL free 1 k " +
		"aaaaaaaa -> no\n" +
		"1 1 221 225 n0 EVAL free 1 k bbbbbbbb -> 1\n"
)

// Parts of histories in which the key of a majority is overwritten.
const (
	voters = "environment process; lease; names k; masters 3; " +
		"c0 acquire 10 20 sent=12 lease=200000000; c1 acquire 30 50 sent=31 lease=200000000; " +
		"c0 release 100 110; c1 release 120 130; "
	ballots = "0 1 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 1 12 15 n1 SET k aaaaaaaa NX " +
		"PX 200 -> OK\n" +
		"0 1 12 15 n2 SET k aaaaaaaa NX PX 200 -> (nil)\n1 1 31 35 n0 SET k bbbbbbbb PX " +
		"200 -> OK\n" +
		"1 1 31 35 n1 SET k bbbbbbbb PX 200 -> OK\n1 1 31 35 n2 SET k bbbbbbbb PX 200 -> OK\n"
)

// Parts of histories in which the reply to a client that takes the lock is lost.
const (
	lossy = "environment process; names k; poll 10000000; clienttimeout 10; c2 acquire 50 70 info; "
	since = "c0 acquire 110 120 sent=112; c0 release 130 140; c1 acquire 150 160 sent=152; " +
		"c1 release 170 180; "
	lostTry      = "2 1 52 62 n0 SETNX k cccccccc -> !timeout\n"
	grantedSince = "0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n0 1 131 135 n0 DEL k -> 1\n" +
		"1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n1 1 171 175 n0 DEL x -> 0\n"
	overtakes    = "0 1 53 55 n0 SETNX k aaaaaaaa -> 1\n0 1 57 58 n0 DEL k -> 1\n"
	refusedSince = "0 2 210 215 n0 SETNX k aaaaaaaa -> 0\n" +
		"0 2 8000000000 8000000010 n0 SETNX k aaaaaaaa -> 0\n"
)

// endless is a lock whose acquire should be over in half a second, and that ignores that.
const endless = "endless; timeout 500000000; poll 1000000; "

// Parts of histories in which a client is killed inside a lock without a lease, and another waits.
const (
	dead    = "environment process; names k; poll 1; c0 acquire 10 20; c0 kill 50; c1 acquire 60; "
	deadKey = "0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n"
)

// nearCases come in pairs: a correct lock that looks as if it broke a rule, and a lock that broke
// it.
var nearCases = []propertyCase{
	// Another key than the one that grants the lock.
	{"near: a helper key of the lock is deleted", "O", strings.Replace(inside, "c0 release",
		"c1 acquire 25 60 fail; c0 release", 1), "0 1 12 15 n0 SET lock:k a NX PX 200 -> OK\n" +
		"1 1 40 45 n0 DEL signal:k -> 1\n0 1 101 105 n0 DEL lock:k -> 1\n", Valid, ""},
	{"near: the key itself is deleted", "O", strings.Replace(inside, "c0 release",
		"c1 acquire 25 60 fail; c0 release", 1), "0 1 12 15 n0 SET lock:k a NX PX 200 -> OK\n" +
		"1 1 40 45 n0 DEL lock:k -> 1\n0 1 101 105 n0 DEL lock:k -> " +
		"0\n", Violated, ReleasedByNonOwner},
	{"near: a helper key is deleted in the call", "V", inside, takes +
		"0 1 16 18 n0 DEL k-signal -> 1\n" + givesBack, Valid, ""},
	{"near: the key is deleted in the call", "V", inside, takes + "0 1 16 18 n0 DEL k -> " +
		"1\n" + givesBack,
		Violated, NoServer},
	{"near: a helper key that stays is made twice", "R", inside +
		"c1 acquire 200 210 sent=204 lease=200000000", helped + "0 1 101 105 n0 DEL lock:k -> 1\n" +
		"1 1 202 203 n0 SET fence:k 0 NX -> (nil)\n1 1 204 205 n0 SET lock:k bbbbbbbb NX " +
		"PX 200 -> OK\n",
		NA, ""},
	{"near: the key that grants stays", "R", inside + "c1 acquire 200 210 fail", helped +
		"1 1 204 205 n0 SET lock:k bbbbbbbb NX PX 200 -> (nil)\n", Violated, ""},

	{"near: a key of no lock, and none is granted", "R", leased + "c1 acquire 200 210 fail",
		"1 1 202 203 n0 SET q b NX PX 200 -> (nil)\n", NA, ""},
	{"near: another key that ends stays", "R", inside + "c1 acquire 200 210 fail", "0 1 12 13 n0 " +
		"SET two:k a NX PX 200 -> OK\n0 1 14 15 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 101 105 n0 DEL lock:k -> 1\n1 1 202 203 n0 SET two:k b NX PX 200 -> " +
		"(nil)\n", Violated, ""},
	{"near: another key that clients free stays", "R", inside + "c1 acquire 200 210 fail",
		"0 1 12 13 n0 SETNX two:k a -> 1\n0 1 14 15 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n" +
			"0 1 101 105 n0 DEL lock:k -> 1\n1 1 202 203 n0 SETNX two:k b -> 0\n" +
			"2 1 300 305 n0 DEL two:k -> 1\n", Violated, ""},

	{"near: one command deletes its sender's two keys", "O", twoKeys + "c0 acquire 10 20 " +
		"keys=0,1 " +
		"sent=14 lease=200000000; c0 release 30 40; c1 acquire 50 60 key=1 sent=51 " +
		"lease=200000000; " +
		"c1 release 70 80", bothTaken + "0 1 31 35 n0 DEL k j -> 2\n" +
		"1 1 51 55 n0 SET j bbbbbbbb NX PX 200 -> OK\n1 1 71 75 n0 DEL j -> 1\n", Valid, ""},
	{"near: one command deletes another's key, too", "O", onesAndOthers, oneAndOther +
		"1 1 26 29 n0 DEL k j -> 2\n2 1 41 45 n0 SET j cccccccc NX PX 200 -> OK\n", Violated,
		ReleasedByNonOwner},
	{"near: one command deletes another's key, too", "S", onesAndOthers, oneAndOther +
		"1 1 26 29 n0 UNLINK k j -> 2\n2 1 41 45 n0 SET j cccccccc NX PX 200 -> OK\n", Violated,
		ReleasedByNonOwner},
	{"near: one command deletes one of two keys", "O", onesAndOthers, oneAndOther +
		"1 1 26 29 n0 DEL k j -> 1\n", Valid, ""},

	// A client has the key in an attempt that fails.
	{"near: an attempt is given back", "O", inside + "fault kill-node n0 22 24; c1 acquire " +
		"25 60 fail",
		takes + "1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> OK\n1 1 36 39 n0 WAIT 1 10 -> 0\n" +
			"1 1 40 45 n0 DEL k -> 1\n0 1 101 105 n0 DEL k -> 0\n", Valid, ""},
	{"near: a client that was refused deletes the key", "O", inside + "c1 acquire 25 60 fail",
		takes + "1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n1 1 40 45 n0 DEL k -> 1\n",
		Violated, ReleasedByNonOwner},

	// What a reply says.
	{"near: SET XX says that the key has gone", "R", inside +
		"c1 acquire 200 210 sent=201 lease=200000000", takes + givesBack +
		"0 1 120 125 n0 SET k aaaaaaaa XX PX 200 -> (nil)\n" +
		"1 1 201 205 n0 SET k bbbbbbbb NX PX 200 -> OK\n", NA, ""},
	{"near: SET IFEQ says that the key has another value", "R", inside, takes + givesBack +
		"0 1 120 125 n0 SET k aaaaaaaa IFEQ aaaaaaaa PX 200 -> (nil)\n", NA, ""},
	{"near: SET NX GET says that there was no key", "R", leased + "c0 acquire 10 50 fail",
		"0 1 12 15 n0 SET k aaaaaaaa NX GET PX 200 -> (nil)\n0 1 21 25 n0 DEL k -> 1\n", NA, ""},
	{"near: SET NX says that there is a key", "R", inside + "c1 acquire 200 210 " +
		"fail", takes + givesBack +
		"1 1 120 125 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n", Violated, ""},
	{"near: SET XX after a restart", "S", inside + "fault kill-node n0 22 24; " +
		"c1 acquire 45 60 sent=46 lease=200000000 node=n0; c1 release 120 130", takes +
		"0 1 30 35 n0 SET k aaaaaaaa XX PX 200 -> (nil)\n" +
		"1 1 46 50 n0 SET k bbbbbbbb NX PX 200 -> OK\n", Violated, LostByServer},
	{"near: HEXISTS shows one's own field", "V", whole + "c0 acquire 10 60", earlier + "0 " +
		"1 12 20 n0 " +
		"HSETNX k me123456 1 -> !timeout\n0 1 30 35 n0 HEXISTS k me123456 -> 1\n", Valid, ""},
	{"near: HGET shows one's own field", "V", whole + "c0 acquire 10 60", earlier + "0 1 " +
		"12 20 n0 " +
		"HSETNX k me123456 1 -> !timeout\n0 1 30 35 n0 HGET k me123456 -> 1\n", Valid, ""},
	{"near: HEXISTS shows no field", "V", whole + "c0 acquire 10 60", earlier + "0 1 12 20 n0 " +
		"HSETNX k me123456 1 -> !timeout\n0 1 30 35 n0 HEXISTS k me123456 -> " +
		"0\n", Violated, NoServer},
	{"near: HEXISTS shows another's field", "V", whole + "c0 acquire 10 60", earlier +
		"0 1 30 35 n0 HEXISTS k you12345 -> 1\n", Violated, NoServer},

	// Two commands give the lease.
	{"near: the lease is set after the key", "V", strings.Replace(inside, "20 sent=12 "+
		"lease=200000000",
		"60 sent=40 lease=200000000 valid=200000040", 1), "0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n" +
		"0 1 40 50 n0 PEXPIRE k 200 -> 1\n" + givesBack, Valid, ""},
	{"near: the lease is prolonged in the call", "V", promisesLate,
		"0 1 12 15 n0 SET k aaaaaaaa NX PX 20 -> OK\n0 1 40 50 n0 PEXPIRE k 200 -> " +
			"1\n" + givesBack, Valid,
		""},
	{"near: another key is prolonged in the call", "V", promisesLate,
		"0 1 12 15 n0 SET k aaaaaaaa NX PX 20 -> OK\n0 1 40 50 n0 PEXPIRE q 200 -> 1\n" + givesBack,
		Violated, PromisedTooLong},
	{"near: the key is prolonged before it is taken", "V", promisesLate, "0 1 11 11 n0 PEXPIRE k " +
		"10 -> 1\n" +
		"0 1 40 45 n0 SET k aaaaaaaa NX PX 200 -> OK\n" + givesBack, Valid, ""},
	{"near: the lease is shortened after the grant", "V", promisesLate, "0 1 40 45 n0 SET " +
		"k aaaaaaaa NX " +
		"PX 200 -> OK\n0 1 50 70 n0 PEXPIRE k 20 -> 1\n" + givesBack, Valid, ""},
	{"near: a helper key is prolonged in the call", "V", promisesLate, "0 1 12 15 n0 SET lock:k " +
		"aaaaaaaa NX " +
		"PX 20 -> OK\n0 1 40 50 n0 PEXPIRE two:k 200 -> 1\n0 1 101 105 n0 DEL lock:k -> " +
		"1\n", Violated,
		PromisedTooLong},
	{"near: the key is only read in the call", "V", promisesLate, "0 1 12 15 n0 SET k " +
		"aaaaaaaa NX " +
		"PX 20 -> " +
		"OK\n0 1 40 50 n0 GET k -> aaaaaaaa\n" + givesBack, Violated, PromisedTooLong},
	{"near: killed inside, and the key ends", "D", "environment process; names k; poll 1; " +
		"c0 acquire 10 20 sent=12; c0 kill 50; c1 acquire 60 90 fail; end 9000000000",
		"0 1 12 15 n0 SET k aaaaaaaa NX PX 30000 -> OK\n1 1 70 75 n0 SET k b NX PX 30000 " +
			"-> (nil)\n",
		Unknown, ""},
	{"near: killed inside, and the key stays", "D", "environment process; names k; poll 1; " +
		"c0 acquire 10 20 sent=12; c0 kill 50; c1 acquire 60 90 fail; end 9000000000",
		"0 1 12 15 n0 SET k aaaaaaaa NX -> OK\n1 1 70 75 n0 SET k b NX -> (nil)\n", Violated, ""},

	// The key goes after an inner release.
	{"near: evicted after an inner release, and refused between", "E", evicted,
		nestedPart + shown + nestedEnd, Valid, ""},
	{"near: free after an inner " +
		"release", "E", nested, nestedPart + nestedEnd, Violated, DoubleGrant},
	{"near: evicted after an inner release, and refused between", "S", evicted,
		nestedPart + shown + nestedEnd, Violated, Vanished},
	{"near: evicted after an inner release, and refused between", "O", evicted,
		nestedPart + shown + nestedEnd, Unknown, ""},
	{"near: refused only during the inner release", "E", nested, nestedPart +
		"1 1 28 32 n0 EVAL take 1 k bbbbbbbb -> 100\n" + nestedEnd, Violated, DoubleGrant},

	// Clocks.
	{"near: the clock of a client that does nothing is moved", "S", leased +
		"c0 acquire 10 20 sent=12 lease=200000000; fault client-clock c3 1 2 lasted; " +
		"c1 acquire 30 50 sent=31 lease=200000000; c0 release 100 110; c1 release 120 130", takes +
		"1 1 31 35 n0 SET k bbbbbbbb PX 200 -> OK\n", Violated, DoubleGrant},
	{"near: the clock of a client that overwrites is moved", "S", leased +
		"c0 acquire 10 20 sent=12 lease=200000000; fault client-clock c1 1 2 lasted; " +
		"c1 acquire 30 50 sent=31 lease=200000000; c0 release 100 110; c1 release 120 130", takes +
		"1 1 31 35 n0 SET k bbbbbbbb PX 200 -> OK\n", Violated, Clock},
	{"near: a clock was put right before the first call", "S", leased +
		"fault client-clock c1 1 5 offset=9; fault client-clock c1 5 5 offset=0; " +
		"c0 acquire 10 20 sent=12 lease=200000000; " +
		"c1 acquire 30 50 sent=31 lease=200000000; c0 release 100 110; c1 release 120 130", takes +
		"1 1 31 35 n0 SET k bbbbbbbb PX 200 -> OK\n", Violated, DoubleGrant},
	{"near: a clock was put right before the first call, and a command names a time", "S", leased +
		"fault node-clock n0 1 5 offset=9; fault node-clock n0 5 5 offset=0; " +
		"c0 acquire 10 20 sent=12 lease=200000000; " +
		"c1 acquire 30 50 sent=31 lease=200000000; c0 release 100 110; c1 release 120 130",
		"0 1 12 15 n0 SET k aaaaaaaa NX PXAT 1700000000000 -> OK\n" +
			"1 1 31 35 n0 SET k bbbbbbbb NX PXAT 1700000000000 -> OK\n", Violated, Clock},
	{"near: a clock was put right in the first call", "S", leased +
		"fault client-clock c1 1 11 offset=9; fault client-clock c1 11 11 offset=0; " +
		"c0 acquire 10 20 sent=12 lease=200000000; " +
		"c1 acquire 30 50 sent=31 lease=200000000; c0 release 100 110; c1 release 120 130", takes +
		"1 1 31 35 n0 SET k bbbbbbbb PX 200 -> OK\n", Violated, Clock},
	{"near: a clock was put right in a call that began first", "S", leased +
		"fault client-clock c1 1 7 offset=9; fault client-clock c1 7 7 offset=0; " +
		"c0 acquire 10 20 sent=12 lease=200000000; " +
		"c1 acquire 6 50 sent=31 lease=200000000; c0 release 100 110; c1 release 120 130", takes +
		"1 1 31 35 n0 SET k bbbbbbbb PX 200 -> OK\n", Violated, Clock},
	{"near: a clock was set to gain, after another offset", "S", leased +
		"fault client-clock c1 1 5 offset=9; fault client-clock c1 5 200 offset=0 rate=1 lasted; " +
		"c0 acquire 10 20 sent=12 lease=200000000; " +
		"c1 acquire 30 50 sent=31 lease=200000000; c0 release 100 110; c1 release 120 130", takes +
		"1 1 31 35 n0 SET k bbbbbbbb PX 200 -> OK\n", Violated, Clock},
	{"near: the clock of a server without a vote is moved", "S", voters +
		"fault node-clock n2 1 2 lasted", ballots, Violated, DoubleGrant},
	{"near: the clock of a server with a vote is moved", "S", voters +
		"fault node-clock n1 1 2 lasted", ballots, Violated, Clock},
	{"near: refused its own lock, and another client's clock is moved", "E", nesting +
		"fault client-clock c3 1 2 lasted; c0 acquire 10 20 sent=12 lease=200000000; " +
		"c0 acquire 30 40 fail; c0 release 50 60", refusedOwn, Violated, ""},
	{"near: refused its own lock, and its server's clock is moved", "E", nesting +
		"fault node-clock n0 1 2 lasted; c0 acquire 10 20 sent=12 lease=200000000; " +
		"c0 acquire 30 40 fail; c0 release 50 60", refusedOwn, Valid, ""},

	// Tokens.
	{"near: a client makes its tokens by its own clock", "F", "environment external; names k; " +
		"fencing; c0 acquire 1 5 token=1700000000005; c0 release 6 7; " +
		"c1 acquire 8 11 token=1700000000003; c1 release 12 13",
		"0 1 2 3 n0 SET k 1700000000005 NX PX 200 -> OK\n0 1 6 7 n0 DEL k -> 1\n" +
			"1 1 9 10 n0 SET k 1700000000003 NX PX 200 -> OK\n1 1 12 13 n0 DEL k -> 1\n",
		Violated, OldToken},
	{"near: a counter of a server that others use starts anew", "F", "environment " +
		"external; names k; " +
		"fencing; c0 acquire 1 5 token=5; c0 release 6 7; c1 acquire 8 11 token=3; c1 " +
		"release 12 13", "",
		Violated, Vanished},
	{"near: the token of a history of another tool is smaller", "F", "imported; fencing; " +
		"c0 acquire 1 5 token=5; c0 release 6 7; c1 acquire 8 9 token=3; c1 release 10 " +
		"11", "", Violated,
		OldToken},
	{"near: two readers have one token", "F", "environment process; fencing; " +
		"c0 acquire 1 5 token=5 shared; c1 acquire 2 6 token=5 shared; c0 release 7 8; c1 " +
		"release 9 10",
		"", Valid, ""},
	{"near: two readers have one token, one after the other", "F", "environment process; " +
		"fencing; " +
		"c0 acquire 1 5 token=5 shared; c0 release 7 8; c1 acquire 12 16 token=5 shared; " +
		"c1 release 19 20", "", Valid, ""},
	{"near: a writer and then a reader have one token", "F", "environment process; fencing; " +
		"c0 acquire 1 5 token=5; c0 release 7 8; c1 acquire 12 16 token=5 shared; c1 " +
		"release 19 20", "",
		Violated, OldToken},
	{"near: a reader and then a writer have one token", "F", "environment process; fencing; " +
		"c0 acquire 1 5 token=5 shared; c0 release 7 8; c1 acquire 12 16 token=5; c1 " +
		"release 19 20", "",
		Violated, OldToken},
	{"near: a writer and a reader get one token at once", "F", "environment process; fencing; " +
		"c0 acquire 1 5 token=5; c1 acquire 2 6 token=5 shared; c0 release 7 8; c1 release " +
		"9 10", "",
		Violated, OldToken},
	{"near: a reader and a writer get one token at once", "F", "environment process; fencing; " +
		"c0 acquire 1 5 token=5 shared; c1 acquire 2 6 token=5; c0 release 7 8; c1 release " +
		"9 10", "",
		Violated, OldToken},
	{"near: a reader, and writers with old tokens", "F", "environment process; fencing; " +
		"c2 acquire 1 2 token=1 shared; c2 release 3 4; c0 acquire 11 15 token=7; c0 " +
		"release 17 18; " +
		"c1 acquire 22 26 token=5; c1 release 29 30", "", Violated, OldToken},

	// Stopped clients, and time that was lost before.
	{"near: only a paused client asks", "A", "topology failover; poll 1000000; " + strings.Replace(
		inside, "lease=200000000", "lease=1000", 1) + "fault cut n0>n1 150 5000000000; " +
		"fault pause c1 170 4900000000; c1 acquire 160 4900001000 sent=4900000500 lease=1000; " +
		"c1 release 4900002000 4900003000", takes + givesBack, NA, ""},
	{"near: only a client that a scenario stopped asks", "A", "topology failover; poll 1000000; " +
		strings.Replace(inside, "lease=200000000", "lease=1000", 1) + "fault cut n0>n1 150 " +
		"5000000000; " +
		"c1 gap 4900000000 gap=4899999830 planned; c1 acquire 160 4900001000 " +
		"sent=4900000500 lease=1000; " +
		"c1 release 4900002000 4900003000", takes + givesBack, NA, ""},
	{"near: a client whose clock is moved asks", "A", "topology failover; poll 1000000; " +
		strings.Replace(inside, "lease=200000000", "lease=1000", 1) + "fault cut n0>n1 150 " +
		"5000000000; " +
		"fault client-clock c1 170 4900000000; c1 acquire 160 4900001000 sent=4900000500 " +
		"lease=1000; " +
		"c1 release 4900002000 4900003000", takes + givesBack, Violated, ""},
	{"near: a client that runs asks", "A", "topology failover; poll 1000000; " + strings.Replace(
		inside, "lease=200000000", "lease=1000", 1) + "fault cut n0>n1 150 5000000000; " +
		"c1 acquire 160 4900001000 sent=4900000500 lease=1000; c1 release 4900002000 4900003000",
		takes + givesBack, Violated, ""},
	{"near: time was lost before the grant", "S", leased + "c0 acquire 10 1000 sent=990 " +
		"lease=100; " +
		"c0 gap 300 gap=200; c1 acquire 20 1160 sent=1150 lease=100; c0 release 2000 2010; " +
		"c1 release 2020 2030", "", Violated, LeaseOverrun},
	{"near: time was lost since the grant", "S", leased + "c0 acquire 10 1000 sent=990 " +
		"lease=100; " +
		"c0 gap 1200 gap=200; c1 acquire 20 1160 sent=1150 lease=100; c0 release 2000 2010; " +
		"c1 release 2020 2030", "", Unknown, ""},

	// Several keys in one command.
	{"near: one command takes both locks", "V", twoKeys + "c1 acquire 1 4 key=1 sent=2 " +
		"lease=200000000; c1 release 5 8; c0 acquire 10 20 keys=0,1 sent=12 " +
		"lease=200000000", freeKeyJ +
		"0 1 12 15 n0 MSETNX k aaaaaaaa j aaaaaaaa -> 1\n", Valid, ""},
	{"near: a deletion of two keys is refused", "O", inside + "c1 acquire 24 40 fail; " +
		"c2 acquire 40 50 sent=41 lease=200000000", takes + "1 1 26 29 n0 DEL k j -> " +
		"(error) NOPERM no\n" +
		"2 1 41 45 n0 SET k cccccccc NX PX 200 -> OK\n", Valid, ""},
	{"near: a release deletes a helper key that is never there", "R", inside +
		"c1 acquire 200 210 fail", takes + "0 1 101 105 n0 DEL k signal:k -> 1\n" +
		"1 1 202 203 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n", Violated, ""},
	{"near: a refused client deletes the key and a helper key", "O", inside + "c1 acquire " +
		"22 60 fail",
		takes + "1 1 30 35 n0 DEL k signal:k -> 1\n", Violated, ReleasedByNonOwner},
	{"near: an earlier deletion of two keys, one of them there", "O", leased + "c1 acquire " +
		"1 8 fail; " +
		"c0 acquire 10 20 sent=12 lease=200000000; c2 acquire 40 50 sent=41 lease=200000000; " +
		"c0 release 100 110", "1 1 2 3 n0 SET k bbbbbbbb NX PX 200 -> OK\n" +
		"1 1 4 5 n0 SET signal:k 1 -> OK\n1 1 6 7 n0 DEL k signal:k -> 1\n" + takes +
		"2 1 41 45 n0 SET k cccccccc NX PX 200 -> OK\n", Valid, ""},
	{"near: the key is deleted in the call, and a counter stays", "V", inside, takes +
		"0 1 16 17 n0 INCR fence:k -> 1\n0 1 18 19 n0 DEL k -> " +
		"1\n" + givesBack, Violated, NoServer},
	{"near: a guard key that a script frees", "R", inside + "script rel free 1 0; " +
		"c1 acquire 200 210 fail", "0 1 12 13 n0 SETNX guard:k 1 -> 1\n" +
		"0 1 14 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 1 101 105 n0 EVAL rel 2 k guard:k " +
		"aaaaaaaa -> 1\n" +
		"1 1 202 203 n0 SETNX guard:k 1 -> 0\n", Violated, ""},
	{"near: refused soon after a crash, and only the command names the lease", "R", leased +
		"c2 acquire 1 4 sent=2; c2 kill 5; c2 exit 6 planned; c1 acquire 3000000100 " +
		"3000000200 fail",
		"2 1 2 3 n0 SET k cccccccc NX PX 30000 -> OK\n" +
			"1 1 3000000120 3000000130 n0 SET k bbbbbbbb NX PX 30000 -> (nil)\n", NA, ""},
	{"near: an attempt is given back after its call", "O", inside + "fault kill-node n0 22 24; " +
		"c1 acquire 25 32 fail", takes + "1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> OK\n" +
		"1 1 40 45 n0 DEL k -> 1\n", Valid, ""},
	{"near: the lease is taken away in the call", "V", promisesLate, "0 1 12 15 n0 SET k " +
		"aaaaaaaa NX " +
		"PX 20 -> OK\n0 1 40 50 n0 PERSIST k -> 1\n" + givesBack, Valid, ""},
	{"near: the lease is taken away early in the call", "V", leased + "c0 acquire 10 3000060 " +
		"sent=3000012 lease=200000000 valid=203000012; c0 release 4000000 4000010",
		"0 1 12 15 n0 SET k aaaaaaaa NX PX 20 -> OK\n0 1 16 18 n0 PERSIST k -> 1\n" +
			"0 1 4000001 4000005 n0 DEL k -> 1\n", Valid, ""},
	{"near: killed inside, and the key ends at a time of day", "D", "environment process; " +
		"names k; " +
		"poll 1; c0 acquire 10 20 sent=12; c0 kill 50; c1 acquire 60 90 fail; end 9000000000",
		"0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n0 1 16 17 n0 EXPIREAT k 1900000000 -> 1\n" +
			"1 1 70 75 n0 SETNX k b -> 0\n", Unknown, ""},
	{"near: an outage in a command that waits", "A", "topology failover; " + strings.Replace(inside,
		"lease=200000000", "lease=1000", 1) + "fault cut n0>n1 150 50000000000; " +
		"c1 acquire 160 40900001000 sent=40900000500 lease=1000; c2 acquire 161 1000000 fail",
		takes + givesBack + "1 1 161 165 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n" +
			"1 1 171 40900000400 n0 BLPOP q 0 -> (nil)\n" +
			"1 1 40900000500 40900000600 n0 SET k bbbbbbbb NX PX 200 -> OK\n" +
			"2 1 162 165 n0 SET k cccccccc NX PX 200 -> (nil)\n" +
			"2 1 900000 900005 n0 SET k cccccccc NX PX 200 -> (nil)\n", Violated, ""},

	// An acquire that ignores how long it may wait.
	{"near: it waits while another client is inside", "D", leased + endless +
		"c0 acquire 10 20 sent=12 lease=200; c0 release 9000000000 9000000010; " +
		"c1 acquire 30 9500000000 sent=9400000000 lease=200", "0 1 12 15 n0 SET k a NX PX " +
		"1 -> OK\n" +
		"1 1 60 65 n0 SET k b NX PX 1 -> (nil)\n1 1 5000000000 5000000010 n0 SET k b NX PX " +
		"1 -> (nil)\n" +
		"1 1 9400000000 9400000010 n0 SET k b NX PX 1 -> OK\n", Valid, ""},
	{"near: it waits on when the lock is free", "D", leased + endless +
		"c0 acquire 10 20 sent=12 lease=200; c0 release 30 40; c1 acquire 50 9500000000 " +
		"sent=9400000000 lease=200", "1 1 60 65 n0 SET k b NX PX 1 -> (nil)\n" +
		"1 1 5000000000 5000000010 n0 SET k b NX PX 1 -> (nil)\n" +
		"1 1 9400000000 9400000010 n0 SET k b NX PX 1 -> OK\n", Violated, ""},

	// A client that waits in a command for a lock that a dead one left.
	{"near: it was handed a token, and then paused", "D", dead + "fault pause c1 105 8900000000; " +
		"end 9000000000", deadKey + "1 1 62 65 n0 SETNX k b -> 0\n1 1 70 100 n0 BLPOP " +
		"tok:k 0 -> x\n",
		Unknown, ""},
	{"near: another client deletes the key, and may have it", "D", dead + "c2 acquire 95 info; " +
		"end 9000000000", deadKey + "1 1 62 65 n0 SETNX k b -> 0\n1 1 70 0 n0 BLPOP tok:k 0 ->\n" +
		"2 1 80 90 n0 DEL k -> 1\n2 1 96 0 n0 SETNX k c ->\n", Unknown, ""},
	{"near: it cannot be reached", "D", dead + "fault cut c1>n0 61 8900000000; end 9000000000",
		deadKey + "1 1 62 0 n0 SETNX k b ->\n1 1 70 0 n0 BLPOP tok:k 0 ->\n", Unknown, ""},
	{"near: it is paused while it waits", "D", dead + "fault pause c1 105 8900000000; end " +
		"9000000000",
		deadKey + "1 1 62 65 n0 SETNX k b -> 0\n1 1 70 0 n0 BLPOP tok:k 0 ->\n", Unknown, ""},
	{"near: a scenario stops it while it waits", "D", dead + "c1 gap 8900000000 " +
		"gap=8800000000 planned; " +
		"end 9000000000", deadKey + "1 1 62 65 n0 SETNX k b -> 0\n1 1 70 0 n0 BLPOP tok:k 0 ->\n",
		Unknown, ""},
	{"near: it waits in vain", "D", dead + "end 9000000000", deadKey +
		"1 1 62 65 n0 SETNX k b -> 0\n1 1 70 0 n0 BLPOP tok:k 0 ->\n", Violated, ""},

	// A command that was lost long ago, of a lock without a lease.
	{"near: others were granted the lock since", "D", lossy + since + "c0 acquire 200 " +
		"9000000000 fail; " +
		"end 9000000000", lostTry + grantedSince + refusedSince, Violated, ""},
	{"near: no client was granted the lock since", "D", lossy + "c0 acquire 200 9000000000 fail; " +
		"end 9000000000", lostTry + refusedSince, Unknown, ""},
	{"near: others were granted the lock since", "R", lossy + since + "c0 acquire 200 900 fail",
		lostTry + grantedSince + "0 2 210 215 n0 SETNX k aaaaaaaa -> 0\n", Violated, ""},
	{"near: the lost command may come after a grant", "D", lossy + "c0 acquire 51 56 sent=53; " +
		"c0 release 57 60; c0 acquire 200 9000000000 fail; end " +
		"9000000000", lostTry + overtakes + refusedSince,
		Unknown, ""},
	{"near: the lost command may come after a grant", "R", lossy + "c0 acquire 51 56 sent=53; " +
		"c0 release 57 60; c0 acquire 200 900 fail", lostTry + overtakes +
		"0 2 210 215 n0 SETNX k aaaaaaaa -> 0\n", Unknown, ""},
	{"near: others are granted the lock only later", "R", lossy + "c0 acquire 100 105 " +
		"fail; " + since,
		lostTry + "0 1 101 102 n0 SETNX k aaaaaaaa -> " +
			"0\n" + strings.ReplaceAll(grantedSince, "0 1", "0 2"),
		Unknown, ""},

	{"near: leases overlap, and another grant names none", "L", leased + "c0 acquire 10 20 " +
		"sent=12 " +
		"lease=200000000; c1 acquire 30 50 sent=31 lease=200000000; c0 release 100 110; " +
		"c1 release 120 130; c2 acquire 200 210; c2 release 220 230", "", Violated, DoubleGrant},
	{"near: a grant that names no lease overlaps", "L", leased + "c0 acquire 10 20 sent=12 " +
		"lease=200000000; c1 acquire 30 50; c0 release 100 110; c1 release 120 " +
		"130", "", Unknown, ""},

	{"near: a connection broke after another client was paused", "D", "environment external; " +
		"names k; poll 10000000; fault pause c3 1 2; c2 acquire 50 60 info; " +
		"c1 acquire 110 9000000000 fail; end 9000000000", "2 1 52 55 n0 SETNX k cccccccc " +
		"-> !eof\n" +
		asksN0("SETNX k bbbbbbbb -> 0"), Unknown, ""},

	// Crashes, and other locks.
	{"near: refused soon after a crash", "R", leased + "c2 acquire 1 4 sent=2 lease=200; " +
		"c2 kill 5; " +
		"c2 exit 6 planned; c1 acquire 100 200 fail", "2 1 2 3 n0 SET k cccccccc NX PX 200 " +
		"-> OK\n" +
		"1 1 120 130 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n", NA, ""},
	{"near: refused long after a crash", "R", leased + "c2 acquire 1 4 sent=2 lease=200; " +
		"c2 kill 5; " +
		"c2 exit 6 planned; c0 acquire 3000000000 3000000010 sent=3000000001 lease=200; " +
		"c0 release 3000000020 3000000030; c1 acquire 3000000100 3000000200 fail",
		"2 1 2 3 n0 SET k cccccccc NX PX 200 -> OK\n" +
			"0 1 3000000001 3000000005 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
			"1 1 3000000120 3000000130 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n", Violated, ""},
	{"near: refused long after a crash, without a lease", "R", "environment process; names k; " +
		"c2 acquire 1 4 sent=2; c2 kill 5; c2 exit 6 planned; c1 acquire 3000000100 " +
		"3000000200 fail",
		"2 1 2 3 n0 SET k cccccccc NX -> OK\n" +
			"1 1 3000000120 3000000130 n0 SET k bbbbbbbb NX -> (nil)\n", NA, ""},
	{"near: an open call for another lock", "R", twoKeys + "c3 acquire 5 key=1; c0 acquire 10 20 " +
		"sent=12 lease=200000000; c0 release 30 40; c1 acquire 100 200 fail; end 1000", takes +
		"1 1 110 115 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n", Violated, ""},
	{"near: an open call for this lock", "R", twoKeys + "c3 acquire 5 key=0; c0 acquire 10 20 " +
		"sent=12 lease=200000000; c0 release 30 40; c1 acquire 100 200 fail; end 1000", takes +
		"1 1 110 115 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n", Valid, ""},
	{"near: a vote for one of two locks", "V", twoKeys + "c1 acquire 1 4 key=1 sent=2 " +
		"lease=200000000; c1 release 5 8; c0 acquire 10 20 keys=0,1 sent=12 " +
		"lease=200000000", freeKeyJ +
		"0 1 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 1 16 18 n0 SET j aaaaaaaa NX PX " +
		"200 -> (nil)\n",
		Violated, NoServer},
	{"near: a vote for both locks", "V", twoKeys + "c1 acquire 1 4 key=1 sent=2 " +
		"lease=200000000; c1 release 5 8; c0 acquire 10 20 keys=0,1 sent=12 " +
		"lease=200000000", freeKeyJ +
		"0 1 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 1 16 18 n0 SET j aaaaaaaa NX PX " +
		"200 -> OK\n",
		Valid, ""},
	{"near: the vote of an earlier call for another lock", "V", twoKeys + "c1 acquire 1 4 " +
		"key=1 sent=2 " +
		"lease=200000000; c1 release 5 8; c0 acquire 10 20 key=0 sent=12 lease=200000000; " +
		"c0 acquire 21 29 key=1 sent=22 lease=200000000", freeKeyJ +
		"0 1 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n0 2 22 25 n0 SET j aaaaaaaa NX PX " +
		"200 -> (nil)\n",
		Violated, NoServer},
	{"near: another lock's key is givesBack in the call", "V", twoKeys + "c0 acquire 1 4 " +
		"key=1 sent=2 " +
		"lease=200000000; c0 release 5 6; c0 acquire 10 60 key=0 sent=12 lease=200000000",
		"0 1 2 3 n0 SET j aaaaaaaa NX PX 200 -> OK\n0 2 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
			"0 1 20 25 n0 DEL j -> 1\n", Valid, ""},
}
