package checker

import (
	"slices"
	"strings"
	"testing"
)

// Parts of histories in which clients also write other keys than the lock's.

const (
	suspendable  = leased + "c0 acquire 10 60 sent=12 lease=200000000; c0 release 4000000 4000010"
	lossyRelease = "environment process; names k; poll 10000000; clienttimeout 10; c2 acquire " +
		"1 5 sent=2; c2 release 50 70 info; c0 acquire 110 120 sent=112; c0 release 130 140; " +
		"c1 acquire 150 160 sent=152; c1 release 170 180; c0 acquire 200 9000000000 fail; " +
		"end 9000000000"
)

var besideCases = []propertyCase{
	{"INCR lock with a throttle, killed", "V", leftInside, "0 1 11 12 n0 SET busy:k aaaaaaaa " +
		"NX PX 20 -> OK\n" +
		"0 1 12 13 n0 INCR k -> 1\n0 1 14 15 n0 PEXPIRE k 200 -> 1\n", Valid, ""},
	{"INCR lock with an owner key, freed", "V", longHold, "0 1 12 13 n0 INCR k -> 1\n0 1 14 15 " +
		"n0 PEXPIRE k 200 -> 1\n" +
		"0 1 16 17 n0 SET owner:k aaaaaaaa NX PX 20 -> OK\n0 1 4000001 4000005 n0 DEL k -> " +
		"1\n0 1 4000006 4000007 n0 DEL owner:k -> 1\n", Valid, ""},
	{"SET lock looked at by a script, with a throttle", "V", leftInside, "0 1 11 12 n0 SET " +
		"busy:k aaaaaaaa NX PX 20 -> OK\n" +
		"0 1 12 13 n0 SET k aaaaaaaa PX 200 -> OK\n", Valid, ""},
	{"INCR lock with a lease, killed, and an owner key without an end", "D", "environment " +
		"process; names k; poll 1; c2 acquire 1 3; c2 release 4 6; c0 acquire 10 20; c0 kill " +
		"50; c1 acquire 60 90 fail; end 900",
		"2 1 1 2 n0 INCR k -> 1\n2 1 2 2 n0 PEXPIRE k 300 -> 1\n2 1 2 3 n0 SETNX owner:k c -> " +
			"1\n2 1 4 5 n0 DEL owner:k -> 1\n2 1 5 6 n0 DEL k -> 1\n" +
			"0 1 12 13 n0 INCR k -> 1\n0 1 13 14 n0 PEXPIRE k 300 -> 1\n0 1 14 15 n0 SETNX " +
			"owner:k a -> 1\n1 1 70 75 n0 INCR k -> 2\n", Unknown, ""},
	{"INCR lock with a lease, killed, and a marker that is made once", "D", oneKilled,
		"0 1 11 12 n0 SETNX init:k 1 -> 1\n0 1 12 13 n0 INCR k -> 1\n0 1 13 14 n0 PEXPIRE k " +
			"300 -> 1\n1 1 70 75 n0 INCR k -> 2\n", Unknown, ""},
	{"INCR lock, an owner key that the release clears, and another clears it " +
		"too", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 13 n0 INCR k -> 1\n0 1 13 14 n0 PEXPIRE k 200 -> 1\n0 1 14 15 n0 SETNX owner:k " +
			"a -> 1\n1 1 30 31 n0 INCR k -> 2\n1 1 40 45 n0 DEL owner:k -> 1\n0 1 101 103 n0 " +
			"DEL owner:k -> 0\n0 1 103 105 n0 DEL k -> 1\n", Valid, ""},
	{"INCR lock is deleted by another, with an owner key", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 13 n0 INCR k -> 1\n0 1 13 14 n0 PEXPIRE k 200 -> 1\n0 1 14 15 n0 SETNX owner:k " +
			"a -> 1\n1 1 30 31 n0 INCR k -> 2\n1 1 40 45 n0 DEL k -> 1\n0 1 101 103 n0 DEL " +
			"owner:k -> 1\n0 1 103 105 n0 DEL k -> 0\n", Violated, ReleasedByNonOwner},
	{"a refused script leaves a note", "R", inside + "c1 acquire 25 60 fail; c1 acquire 200 " +
		"260 sent=240 lease=200000000; c1 release 300 310",
		"0 1 12 15 n0 EVAL take 2 k last:k aaaaaaaa -> 1 | SET k aaaaaaaa NX PX 200\n" +
			"1 1 30 35 n0 EVAL take 2 k last:k bbbbbbbb -> 0 | SET k bbbbbbbb NX PX 200 | SET " +
			"last:k bbbbbbbb\n" + givesBack +
			"1 2 210 215 n0 GET last:k -> bbbbbbbb\n1 2 240 245 n0 EVAL take 2 k last:k " +
			"bbbbbbbb -> 1 | SET k bbbbbbbb NX PX 200\n1 2 301 305 n0 DEL k -> 1\n", Valid, ""},
	{"a refused call leaves a plain note", "R", inside + "c1 acquire 25 60 fail; c1 acquire " +
		"200 260 sent=240 lease=200000000; c1 release 300 310",
		takes + "1 1 30 35 n0 SET k bbbbbbbb NX PX 200 -> (nil)\n1 1 36 37 n0 SET last:k " +
			"bbbbbbbb -> OK\n" + givesBack +
			"1 2 210 215 n0 GET last:k -> bbbbbbbb\n1 2 240 245 n0 SET k bbbbbbbb NX PX 200 -> " +
			"OK\n1 2 301 305 n0 DEL k -> 1\n", Valid, ""},
	{"a counter behind a guard with the bare name", "V", "environment process; names k; " +
		"wholetrace; c1 acquire 1 4; c1 release 5 9; c0 acquire 10 60; c0 kill 70; end 200",
		"1 1 1 1 n0 SET k you12345 NX PX 200 -> OK\n1 1 2 2 n0 INCR count:k -> 1\n1 1 3 3 n0 " +
			"DEL k -> 1\n1 1 6 7 n0 DECR count:k -> 0\n" +
			"0 1 11 12 n0 SET k me123456 NX PX 200 -> OK\n0 1 13 14 n0 INCR count:k -> 1\n0 1 " +
			"17 18 n0 DEL k -> 1\n", Valid, ""},
	{"semaphore of one behind a guard with the bare name, released", "V", "environment " +
		"process; names k; wholetrace; c1 acquire 1 4; c1 release 5 9; c0 acquire 10 60; c0 " +
		"release 70 80; end 200",
		"1 1 1 1 n0 SET k you12345 NX PX 200 -> OK\n1 1 2 2 n0 INCR count:k -> 1\n1 1 3 3 n0 " +
			"DEL k -> 1\n1 1 6 7 n0 DECR count:k -> 0\n" +
			"0 1 11 12 n0 SET k me123456 NX PX 200 -> OK\n0 1 13 14 n0 INCR count:k -> 1\n0 1 " +
			"17 18 n0 DEL k -> 1\n0 1 71 75 n0 DECR count:k -> 0\n", Valid, ""},
	{"a third party deletes, and a declared script names two keys, 3", "O", "script rel free 1 " +
		"0; " + leased +
		"c0 acquire 10 20 sent=12 lease=200000000; c1 acquire 25 60 fail; " +
		"c2 acquire 61 80 sent=70 lease=200000000; c0 release 100 110; c2 release 120 130; " +
		"counted n0 deleted=3",
		takes + "1 1 40 0 n0 EVAL rel 2 k signal:k bbbbbbbb ->\n" + takenThen + "2 1 121 125 " +
			"n0 DEL k -> 1\n", Unknown, ""},
	{"inner release fails", "S", "environment process; lease; reentrant; names k; ttl 1000; " +
		"c0 acquire 10 20 sent=12 lease=1000; c1 acquire 15 1100 sent=1050 lease=1000; " +
		"c0 acquire 30 40 depth=1 sent=32 lease=1000; c0 release 338 352 info; " +
		"c0 release 1500 1520; c1 release 1600 1610; ", "0 1 12 15 n0 EVAL tk 1 k aaaaaaaa " +
		"0.001 -> 1 | HINCRBY k aaaaaaaa 1 | PEXPIRE k 0.001\n" +
		"0 2 32 35 n0 EVAL tk 1 k aaaaaaaa 0.001 -> 1 | HINCRBY k aaaaaaaa 1 | PEXPIRE k 0.001\n" +
		"0 2 340 350 n0 EVAL rel 1 k aaaaaaaa -> !broken\n" +
		"1 1 1050 1060 n0 EVAL tk 1 k bbbbbbbb 0.001 -> 1 | HINCRBY k bbbbbbbb 1 | PEXPIRE k " +
		"0.001\n", Violated, LeaseOverrun},
	{"a checked write fails", "S", outlives + "c0 write 335 355 value=1 info", takesFirst +
		"0 1 340 350 n0 EVALSHA write 2 k data aaaaaaaa 1 -> !broken\n", Violated, LeaseOverrun},
	{"an earlier hold's renewal fails", "S", "environment process; lease; names k; ttl 1000; " +
		"c0 acquire 1 4 sent=2 lease=1000; c0 release 5 9; " +
		"c0 acquire 10 20 sent=12 lease=1000; c1 acquire 15 1100 sent=1050 lease=1000; " +
		"c0 release 1500 1520; c1 release 1600 1610; ", "0 1 2 3 n0 SET k a0000000 NX PX 0.001 " +
		"-> OK\n0 1 6 8 n0 DEL k -> 1\n" +
		"0 2 12 15 n0 SET k aaaaaaaa NX PX 0.001 -> OK\n" +
		"0 1 340 350 n0 EVALSHA renew 1 k a0000000 0.001 -> !broken\n" +
		"1 1 1050 1060 n0 SET k bbbbbbbb NX PX 0.001 -> OK\n", Violated, LeaseOverrun},
	{"gave up: the library sent it again", "S", outlives, takesFirst + "0 1 340 350 n0 EVALSHA " +
		"renew 1 k aaaaaaaa 0.001 -> !broken again\n", Violated, LeaseOverrun},
	{"refused, and queued by the same script", "V", inside, "1 1 5 6 n0 EVAL take 2 k queue:k " +
		"bbbbbbbb -> 1 | SETNX k bbbbbbbb\n" +
		"0 1 12 15 n0 EVAL take 2 k queue:k aaaaaaaa -> 0 | EXISTS k | HSET queue:k aaaaaaaa " +
		"1\n" + givesBack, Violated, NoServer},
	{"refused by two of three masters, and queued there", "V", leased + "masters 3; c0 acquire " +
		"10 60 sent=12 lease=200000000; c0 release 4000000 4000010",
		"0 1 12 15 n0 EVAL take 2 k queue:k aaaaaaaa 200 -> 1 | SET k aaaaaaaa NX PX 200\n" +
			"0 1 12 15 n1 EVAL take 2 k queue:k aaaaaaaa 200 -> 0 | EXISTS k | HSET queue:k " +
			"aaaaaaaa 1\n" +
			"0 1 12 15 n2 EVAL take 2 k queue:k aaaaaaaa 200 -> 0 | EXISTS k | HSET queue:k " +
			"aaaaaaaa 1\n" + onEach("0 1 4000001 4000005", "DEL k -> 1"), Violated, NoServer},
	{"GETDEL of a stale key is no grant", "V", inside, "1 1 5 6 n0 SETNX k bbbbbbbb -> 1\n" +
		"0 1 11 12 n0 SETNX k aaaaaaaa -> 0\n0 1 12 15 n0 GETDEL k -> bbbbbbbb\n" +
		"0 1 16 17 n0 SETNX k aaaaaaaa -> 0\n" + givesBack, Violated, NoServer},
	{"a cleared signal is no grant, script", "V", inside, "1 1 5 6 n0 SETNX k bbbbbbbb -> 1\n" +
		"0 1 12 15 n0 DEL signal:k -> 1\n0 1 16 17 n0 SETNX k aaaaaaaa -> 0\n0 1 101 105 n0 " +
		"EVAL rel 2 k signal:k aaaaaaaa -> 1\n", Violated, NoServer},
	{"a script gives it back by comparing", "V", inside, "1 1 1 2 n0 SETNX k bbbbbbbb -> 1\n1 " +
		"1 3 4 n0 DEL k -> 1\n0 1 11 12 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
		"0 1 13 14 n0 EVAL leave 1 k aaaaaaaa -> 1 | DELIFEQ k " +
		"aaaaaaaa\n" + givesBack, Violated, NoServer},
	{"a lost release script that signals", "D", lossyRelease, "2 1 2 3 n0 SETNX k cccccccc -> " +
		"1\n2 1 52 62 n0 EVAL rel 2 k signal:k cccccccc -> !timeout | DEL k | LPUSH signal:k 1\n" +
		"0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n0 1 131 133 n0 EVAL rel 2 k signal:k aaaaaaaa " +
		"-> 1 | DEL k | LPUSH signal:k 1\n" +
		"1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n1 1 171 173 n0 EVAL rel 2 k signal:k bbbbbbbb " +
		"-> 0 | GET k\n" + keptOut, Violated, ""},
	{"the same with one key", "D", lossyRelease, "2 1 2 3 n0 SETNX k cccccccc -> 1\n2 1 52 62 " +
		"n0 EVAL rel 1 k cccccccc -> !timeout | DEL k\n" +
		"0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n0 1 131 133 n0 EVAL rel 1 k aaaaaaaa -> 1 | DEL " +
		"k\n" +
		"1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n1 1 171 173 n0 EVAL rel 1 k bbbbbbbb -> 0 | GET " +
		"k\n" + keptOut, Violated, ""},
	{"a lost clearing of a signal takes nothing", "D", lossyWait, "2 1 52 62 n0 DEL signal:k " +
		"-> !timeout\n" +
		"0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n0 1 131 133 n0 DEL k -> 1\n0 1 134 135 n0 SET " +
		"signal:k 1 -> OK\n" +
		"1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n1 1 171 173 n0 DEL k -> 1\n1 1 174 175 n0 SET " +
		"signal:k 1 -> OK\n" + keptOut, Violated, ""},
	{"a lost DEL of a stale key, unknown release script", "D", lossyWait, "2 1 52 62 n0 DEL k " +
		"-> !timeout\n" +
		"0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n0 1 131 133 n0 EVAL rel 1 k aaaaaaaa -> 1\n" +
		"1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n1 1 171 173 n0 EVAL rel 1 k bbbbbbbb -> " +
		"1\n" + keptOut, Violated, ""},
	{"suspended for a moment, and a lease too short", "V", suspendable + "; fault suspend c0 20 21",
		shortTake + longFreed, Violated, PromisedTooLong},
	{"no suspend, and a lease too " +
		"short", "V", suspendable, shortTake + longFreed, Violated, PromisedTooLong},
	{"over when delivered, suspended before for a moment", "V", "environment process; lease; " +
		"validity; names k; c0 acquire 10 900 sent=22 lease=200 valid=222; fault suspend c0 15 " +
		"16; fault delay c0>n0 21 800; c0 release 1000 1010", "0 1 22 800 n0 SET k " +
		"aaaaaaaa NX PX 0.0002 -> OK\n", Violated, "over when delivered"},
	{"E: another's key is seen", "E", reentry + "; c2 acquire 33 50 info", takes +
		"0 2 27 29 n0 DEL k -> 1\n2 1 35 38 n0 SET k cccccccc NX PX 0.00001 -> OK\n1 1 40 45 " +
		"n0 GET k -> cccccccc\n" + nextTakes, Violated, DoubleGrant},
	{"E: EXISTS of two keys", "E", reentry, takes +
		"0 2 27 29 n0 DEL k -> 1\n1 1 40 45 n0 EXISTS k config -> " +
		"1\n" + nextTakes, Violated, DoubleGrant},
	{"a lost give back of a token", "D", lossyWait, "2 1 51 51 n0 BLPOP k 1 -> t\n2 1 52 62 n0 " +
		"RPUSH k t -> !timeout\n" +
		"0 1 111 111 n0 BLPOP k 1 -> t\n0 1 112 115 n0 SET owner:k aaaaaaaa -> OK\n0 1 131 132 " +
		"n0 DEL owner:k -> 1\n0 1 133 135 n0 RPUSH k t -> 1\n" +
		"1 1 151 151 n0 BLPOP k 1 -> t\n1 1 152 155 n0 SET owner:k bbbbbbbb -> OK\n1 1 171 172 " +
		"n0 DEL owner:k -> 1\n1 1 173 175 n0 RPUSH k t -> 1\n" +
		"0 2 210 1000000215 n0 BLPOP k 1 -> (nil)\n0 2 8000000000 8900000010 n0 BLPOP k 1 -> " +
		"(nil)\n", Unknown, ""},
	{"the holder's clock was wrong, and a deletion is not certain", "L", besideClock +
		"fault client-clock c0 1 2", besideTakes, Violated, Clock},
	{"no clock was wrong, and a deletion is not certain", "L", besideClock, besideTakes, Violated,
		ReleasedByNonOwner},
}

// In these histories an unknown script may delete the key when it is refused.
const (
	besideClock = leased + "c0 acquire 10 20 sent=12 lease=200000000; c1 acquire 25 60 fail; " +
		"c3 acquire 26 60 fail; c2 acquire 61 80 sent=70 lease=200000000; c0 release 100 110; " +
		"c2 release 120 130; "
	besideTakes = "0 1 12 15 n0 EVAL tk 1 k aaaaaaaa -> OK\n1 1 30 35 n0 EVAL tk 1 k bbbbbbbb -> " +
		"(nil)\n3 1 31 36 n0 EVAL tk 1 k dddddddd -> (nil)\n2 1 70 75 n0 EVAL tk 1 k cccccccc -> OK\n"
)

// wordsCase is a history with words that a cause must not have. It says whether the lock is to
// blame.
type wordsCase struct {
	propertyCase
	absent string
	defect bool
}

var besideWords = []wordsCase{
	{propertyCase{"late, suspended for a moment", "S", pausedAfter + "; fault suspend c0 15 " +
		"16", "0 1 12 800 n0 SET k " +
		"aaaaaaaa NX PX 0.0002 -> OK\n1 1 300 305 n0 SET k bbbbbbbb NX PX 0.002 -> " +
		"OK\n", Violated, LateMessage}, "client clock", true},
	{propertyCase{"late by the network, suspended before for a moment", "S", "environment " +
		"process; lease; names k; c0 acquire 10 900 sent=22 lease=200; fault suspend c0 15 16; " +
		"fault delay c0>n0 21 800; " +
		"c1 acquire 25 310 sent=300 lease=2000; c0 release 1000 1010; c1 release 1100 " +
		"1110", "0 1 22 800 n0 SET k aaaaaaaa NX PX 0.0002 -> OK\n1 1 300 305 n0 SET k " +
		"bbbbbbbb NX PX 0.002 -> OK\n", Violated, LateMessage}, "client clock", true},
	{propertyCase{"cause: an old promotion, R", "R", "environment process; names k; poll " +
		"10000000; c0 acquire 10 20 sent=12; c0 release 30 40; fault promote n1 5000000000 " +
		"5000000100; fault partition c2>n1 5000000150 5000000400; c2 acquire 5000000200 " +
		"5000000300 info; " +
		"c1 acquire 5000000500 9000000000 fail; end 9000000000",
		"0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n0 1 31 33 n0 DEL k -> 1\n2 1 5000000210 " +
			"5000000290 n1 SETNX k cccccccc -> !timeout\n1 1 5000000600 5000000700 n1 SETNX k " +
			"bbbbbbbb -> 0\n1 1 8900000000 8900000010 n1 SETNX k bbbbbbbb -> " +
			"0\n", Violated, ""}, "promoted without", false},
	{propertyCase{"cause: an old promotion, answered free since", "R", "environment process; " +
		"names k; poll 10000000; c0 acquire 10 20 sent=12; c0 release 30 40; fault promote n1 " +
		"38 100; fault partition c2>n1 150 400; c2 acquire 200 300 info; " +
		"c1 acquire 120 9000000000 fail; end 9000000000",
		"0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n0 1 31 33 n0 DEL k -> 1\n1 1 130 135 n1 GET k -> " +
			"(nil)\n2 1 210 290 n1 SETNX k cccccccc -> !timeout\n1 1 600 700 n1 SETNX k " +
			"bbbbbbbb -> 0\n1 1 8900000000 8900000010 n1 SETNX k bbbbbbbb -> " +
			"0\n", Violated, ""}, "promoted without", false},
	{propertyCase{"cause: promoted, then taken again, and the release is " +
		"lost", "D", "reentrant; environment process; names k; poll 10000000; c0 acquire 10 20 " +
		"sent=12; c0 release 30 40; fault promote n1 35 45; " +
		"c0 acquire 50 60 sent=52; c0 release 70 80 info; c0 acquire 1000000000 1000000010 " +
		"sent=1000000002; c0 release 1000000020 1000000030; c0 acquire 3000000000 " +
		"3000000010 sent=3000000002; c0 release 3000000020 3000000030; c0 acquire " +
		"6000000000 6000000010 sent=6000000002; c0 release 6000000020 6000000030; " +
		"c1 acquire 90 9000000000 fail; end 9000000000",
		"0 1 12 15 n0 EVAL tk 1 k a -> 1 | HINCRBY k a 1\n0 1 31 33 n0 EVAL rel 1 k a -> 1 | " +
			"DEL k\n0 2 52 55 n1 EVAL tk 1 k a -> 1 | EXISTS k | HINCRBY k a 1\n0 2 71 79 n1 " +
			"EVAL rel 1 k a -> (error) OOM command not allowed\n" +
			"0 3 1000000002 1000000003 n1 EVAL tk 1 k a -> 1 | HINCRBY k a 1\n0 3 1000000021 " +
			"1000000022 n1 EVAL rel 1 k a -> 0 | HINCRBY k a -1\n" +
			"0 4 3000000002 3000000003 n1 EVAL tk 1 k a -> 1 | HINCRBY k a 1\n0 4 3000000021 " +
			"3000000022 n1 EVAL rel 1 k a -> 0 | HINCRBY k a -1\n" +
			"0 5 6000000002 6000000003 n1 EVAL tk 1 k a -> 1 | HINCRBY k a 1\n0 5 6000000021 " +
			"6000000022 n1 EVAL rel 1 k a -> 0 | HINCRBY k a -1\n" +
			"1 1 100 110 n1 EVAL tk 1 k b -> 150 | EXISTS k\n1 1 4000000000 4000000010 n1 EVAL " +
			"tk 1 k b -> 150 | EXISTS k\n1 1 8900000000 8900000010 n1 EVAL tk 1 k b -> 150 " +
			"| EXISTS k\n", Violated, ""}, "promoted without", true},
	{propertyCase{"cause: SET with a lease, and the renewal is lost", "D", "environment " +
		"process; lease; ttl 1000; names k; poll 10000000; c0 acquire 10 20 sent=12 " +
		"lease=1000; fault cut c0>n0 28 38; c0 release 50 60; c1 acquire 90 9000000000 " +
		"fail; end 9000000000",
		"0 1 12 15 n0 SET k aaaaaaaa NX PX 100000 -> OK\n0 1 30 37 n0 PEXPIRE k 200000 -> " +
			"!timeout\n1 1 100 110 n0 SET k bbbbbbbb NX PX 100000 -> (nil)\n1 1 8900000000 " +
			"8900000010 n0 SET k bbbbbbbb NX PX 100000 -> (nil)\n", Violated, ""}, "would " +
		"have given the key its lease", true},
	{propertyCase{"cause: a refused unknown script took the key", "D", "environment process; " +
		"names k; poll 10000000; c0 acquire 10 20 sent=12; c0 release 50 60; c1 acquire 25 " +
		"9000000000 fail; end 9000000000",
		"0 1 12 15 n0 EVAL tk 1 k aaaaaaaa -> OK\n1 1 30 35 n0 EVAL tk 1 k bbbbbbbb -> 150\n0 " +
			"1 51 55 n0 EVAL rel 1 k aaaaaaaa -> 0\n1 1 8900000000 8900000010 n0 EVAL tk 1 k " +
			"bbbbbbbb -> 140\n", Violated, ""}, "took the key by its EVAL", true},
	{propertyCase{"copy: two attempts of one call, an owner who frees " +
		"twice", "L", "environment process; lease; names k; c1 acquire 1 4 sent=2 lease=20; " +
		"fault duplicate c1>n0 5 200; c0 acquire 25 30 sent=27 lease=200000000; c1 release " +
		"20 50; c2 acquire 60 80 sent=71 lease=200000000; c0 release 100 110; c2 " +
		"release 120 130",
		"1 1 2 3 n0 SET k bbbbbbbb NX PX 0.00002 -> OK\n1 1 21 23 n0 DEL k -> 0\n0 1 27 29 n0 " +
			"SET k aaaaaaaa NX PX 200 -> OK\n1 1 41 45 n0 DEL k -> 1\n2 1 71 75 n0 SET k " +
			"cccccccc NX PX 200 -> OK\n", Violated, ReleasedByNonOwner}, "second copy", true},
}

// TestWordsBesideTheKey wants no cause that names a step which did not happen, and the right one
// blamed.
func TestWordsBesideTheKey(t *testing.T) {
	for _, c := range slices.Concat(besideWords, noteWords) {
		v := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{c.property}})
		p := v.Properties[0]
		if said := p.Explanation + p.Cause + p.Assumption; v.IsDefect(p, false) != c.defect ||
			strings.Contains(said, c.absent) {
			t.Errorf("%s: defect %v, want %v; absent: "+
				"%q\n%s", c.name, v.IsDefect(p, false), c.defect,
				c.absent, said)
		}
	}
}
