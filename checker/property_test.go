package checker

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

type propertyCase struct {
	name, property, story, trace string
	want                         Result
	class                        string
}

// propertyCases are small histories for the properties beside mutual exclusion. A trace line is
// "process n sent recv node command -> reply | effect | effect"; recv 0: no reply; a reply that
// begins with ! is an error; effects are the commands that a script sent.
var propertyCases = []propertyCase{
	// Fencing.
	{"tokens grow", "F", "fencing; c0 acquire 1 5 token=1; c0 release 6 7; c1 acquire 8 9 token=2", "",
		Valid, ""},
	{"tokens of acquires that overlap may come in either order", "F",
		"fencing; c0 acquire 1 9 token=2; c0 release 10 11; c1 acquire 2 8 token=1", "", Valid, ""},
	{"a later acquire gets an older token", "F",
		"fencing; c0 acquire 1 5 token=2; c0 release 6 7; c1 acquire 8 9 token=1", "", Violated,
		OldToken},
	{"two acquires get the same token", "F",
		"fencing; c0 acquire 1 9 token=2; c0 release 10 11; c1 acquire 2 8 token=2", "", Violated,
		OldToken},
	{"tokens begin anew after a failover", "F",
		"fencing; c0 acquire 1 5 token=2; c0 release 6 7; fault promote n1 7 8; c1 acquire 9 10 token=1",
		"", Violated, LostByServer},
	{"no token after a token, where one was promised", "F", "fencing; c0 acquire 1 5 token=1; " +
		"c0 release 6 7; c1 acquire 8 9", "", Violated, OldToken},
	{"the first token is 0", "F", "fencing; c0 acquire 1 5; c0 release 6 7; " +
		"c1 acquire 8 9 token=1", "", Valid, ""},
	{"no grant has a token before the first token", "F", "fencing; c0 acquire 1 5; c0 release 6 7; " +
		"c1 acquire 8 9; c1 release 10 11; c0 acquire 12 13 token=1", "", Valid, ""},
	{"a reader gets no token", "F", "fencing; c0 acquire 1 5 token=1; c0 release 6 7; " +
		"c1 acquire 8 9 shared", "", Valid, ""},
	{"no token after a token, where none was promised", "F", "c0 acquire 1 5 token=1; " +
		"c0 release 6 7; c1 acquire 8 9", "", Valid, ""},
	{"no token where one was promised", "F", "fencing; c0 acquire 1 5; c0 release 6 7", "", Unknown,
		""},
	{"no token and none promised", "F", "c0 acquire 1 5; c0 release 6 7", "", NA, ""},
	{"the resource takes an older token", "F",
		"fencing; workload fenced; c0 acquire 1 5 token=1; c1 acquire 6 8 token=2; c1 write 9 10 " +
			"value=1; c0 write 11 12 value=2", "", Violated, OldToken},
	{"the resource refuses an older token", "F",
		"fencing; workload fenced; c0 acquire 1 5 token=1; c1 acquire 6 8 token=2; c1 write 9 10 " +
			"value=1; c0 write 11 12 value=2 fail", "", Valid, ""},
	{"writes at the same time come in either order", "F",
		"fencing; workload fenced; c0 acquire 1 5 token=1; c1 acquire 6 8 token=2; c1 write 9 13 " +
			"value=1; c0 write 11 12 value=2", "", Valid, ""},

	// Lost updates.
	{"one section after the other", "U",
		"c0 acquire 1 2; c0 read 3 4 value=0; c0 write 5 6 value=1; c0 release 7 8; c1 acquire 9 10; " +
			"c1 read 11 12 value=1; c1 write 13 14 value=2", "", Valid, ""},
	{"both upon the same value", "U",
		"c0 acquire 1 2; c0 read 3 4 value=0; c1 acquire 1 2; c1 read 3 5 value=0; c0 write 5 6 " +
			"value=1; c1 write 13 14 value=1", "", Violated, ""},
	{"a write that nobody knows of explains a gap", "U",
		"c0 acquire 1 2; c0 read 3 4 value=0; c0 write 5 6 value=1 info; c1 acquire 9 10; c1 read 11 " +
			"12 value=1; c1 write 13 14 value=2", "", Valid, ""},
	{"a write that nobody knows of need not have happened", "U",
		"c0 acquire 1 2; c0 read 3 4 value=0; c0 write 5 6 value=1 info; c1 acquire 9 10; c1 read 11 " +
			"12 value=0; c1 write 13 14 value=1", "", Valid, ""},
	{"a gap that nothing explains", "U",
		"c0 acquire 1 2; c0 read 3 4 value=0; c0 write 5 6 value=1; c0 release 7 8; c1 acquire 9 10; " +
			"c1 read 11 12 value=2; c1 write 13 14 value=3", "", Violated, ""},
	{"a stale read", "U",
		"c0 acquire 1 2; c0 read 3 4 value=0; c0 write 5 6 value=1; c0 release 7 8; c1 acquire 9 10; " +
			"c1 read 11 12 value=0", "", Violated, ""},
	{"a refused write changes nothing", "U",
		"c0 acquire 1 2; c0 read 3 4 value=0; c0 write 5 6 value=1 fail; c0 release 7 8; c1 acquire 9 " +
			"10; c1 read 11 12 value=0; c1 write 13 14 value=1", "", Valid, ""},
	{"the first value may be any", "U", "c0 acquire 1 2; c0 read 3 4 value=77; c0 write 5 6 value=78",
		"", Valid, ""},
	{"no resource", "U", "c0 acquire 1 2", "", NA, ""},

	// Owner-only release.
	{"everybody releases his own", "O",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40; c1 acquire 11 60 sent=50 " +
			"lease=100; c1 release 70 80",
		"0 1 12 15 n0 SETNX k a -> 1\n0 1 31 35 n0 DEL k -> 1\n1 1 50 55 n0 SETNX k b -> 1\n1 1 71 75 " +
			"n0 DEL k -> 1", Valid, ""},
	{"deletes another's", "O",
		"lease; c0 acquire 10 20 sent=12 lease=20; c1 acquire 11 60 sent=50 lease=100; c0 release 70 " +
			"80; c1 release 90 95",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 50 55 n0 SETNX k b -> 1\n0 1 71 75 n0 DEL k -> 1\n1 1 91 93 " +
			"n0 DEL k -> 0", Violated, ReleasedByNonOwner},
	{"deleted nothing", "O",
		"lease; c0 acquire 10 20 sent=12 lease=20; c1 acquire 11 60 sent=50 lease=100; c0 release 70 " +
			"80; c1 release 90 95",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 50 55 n0 SETNX k b -> 1\n0 1 71 75 n0 DEL k -> 0", Valid, ""},
	{"deletes another's after its lease", "O",
		"lease; c0 acquire 10 20 sent=12 lease=20; c1 acquire 11 60 sent=50 lease=20; c0 release 70 " +
			"80; c1 release 90 95",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 50 55 n0 SETNX k b -> 1\n0 1 71 75 n0 DEL k -> 1", Valid, ""},
	{"deletes its own on the new master", "O",
		"lease; c0 acquire 10 20 sent=12 lease=200; fault promote n1 25 26; c1 acquire 11 60 sent=50 " +
			"lease=100; c1 release 70 80; c0 release 90 95 fail",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 50 55 n1 SETNX k b -> 1\n1 1 71 75 n1 DEL k -> 1", Valid, ""},
	{"the old holder deletes the new one's on the new master", "O",
		"lease; c0 acquire 10 20 sent=12 lease=200; fault promote n1 25 26; c1 acquire 11 60 sent=50 " +
			"lease=100; c0 release 70 80; c1 release 90 95",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 50 55 n1 SETNX k b -> 1\n0 1 71 75 n1 DEL k -> 1", Violated,
		ReleasedByNonOwner},
	{"deletes its own on the old master", "O",
		"lease; c0 acquire 10 20 sent=12 lease=200; fault promote n1 25 26; c1 acquire 11 60 sent=50 " +
			"lease=100; c0 release 70 80; c1 release 90 95",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 50 55 n1 SETNX k b -> 1\n0 1 71 75 n0 DEL k -> 1", Valid, ""},
	{"an inner release of its own", "O",
		"lease; reentrant; c0 acquire 10 20 sent=12 lease=200; c0 acquire 22 25 depth=1 sent=23 " +
			"lease=200; c0 release 30 40; c0 release 70 80",
		"0 1 12 15 n0 EVAL s 1 k a -> (nil)\n0 2 23 24 n0 EVAL s 1 k a -> (nil)\n0 2 31 35 n0 EVAL s 1 " +
			"k a -> 1\n0 1 71 75 n0 EVAL s 1 k a -> 1", Valid, ""},
	{"an acquire that nobody knows of may have been its own", "O",
		"lease; c0 acquire 10 20 sent=12 lease=20; c1 acquire 11 60 sent=50 lease=100; c0 release 70 " +
			"80; c2 acquire 56 90 info; c1 release 95 96",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 50 55 n0 SETNX k b -> 1\n2 1 57 0 n0 SETNX k c -> \n0 1 71 " +
			"75 n0 DEL k -> 1", Valid, ""},
	{"a deletion that was answered across the grant may be older", "O",
		"lease; c0 acquire 10 20 sent=12 lease=20; c1 acquire 11 60 sent=50 lease=100; c0 release 48 " +
			"80; c1 release 90 95",
		"0 1 12 15 n0 SETNX k a -> 1\n0 1 49 75 n0 DEL k -> 1\n1 1 50 55 n0 SETNX k b -> 1", Valid, ""},
	{"no trace", "O", "c0 acquire 1 5; c0 release 6 7", "", Unknown, ""},

	// Deadlock. The bound is a second beyond the lease.
	{"killed inside a lease without end", "D",
		"poll 1; " +
			"c0 acquire 1 5; c0 kill 10; c1 acquire 20 900 fail err=held; end 1000", "", Violated, ""},
	{"killed inside a lease without end, and freed by somebody", "D",
		"poll 1; " +
			"c0 acquire 1 5; c0 kill 10; c1 acquire 20 90 fail; " +
			"c2 acquire 100 110; end 1000", "", Valid, ""},
	{"killed inside a lease without end, and nobody tries", "D",
		"poll 1; c0 acquire 1 5; c0 kill 10; c1 acquire 2 7 fail; end 1000", "", Unknown, ""},
	{"killed inside a lease without end, but the server restarts", "D",
		"poll 1; " +
			"c0 acquire 1 5; c0 kill 10; fault restart n0 12 13; " +
			"c1 acquire 20 90 fail; end 1000", "", Unknown,
		""},
	{"killed inside a lease without end, and the server cannot be reached", "D",
		"poll 1; " +
			"c0 acquire 1 5; c0 kill 10; c1 acquire 20 90 fail why=unreachable; end 1000", "", Unknown,
		""},
	{"a release of a lease without end may be under way", "D",
		"poll 1; " +
			"c0 acquire 1 5; c0 release 10 20 info; c1 acquire 30 900 fail err=held; end 1000", "", Valid,
		""},
	{"killed inside a lease that ends", "D",
		"poll 1; " +
			"c0 acquire 1 5 sent=2 lease=100; c0 kill 10; c1 acquire 20 50 fail err=held; end 1000", "",
		Unknown, ""},
	{"refused for too long", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 acquire 10 500000000 " +
			"fail; c1 acquire 500000001 1100000000 fail err=held", "", Violated, ""},
	{"refused for too long, but an unknown call lies between", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 acquire 10 500000000 " +
			"fail; c2 acquire 400000000 600000000 info; c1 acquire 500000001 1100000000 fail", "", Valid,
		""},
	{"refused for long, but not for too long", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 acquire 10 500000000 " +
			"fail; c1 acquire 500000001 900000000 fail", "", Valid, ""},
	{"refused for too long because somebody is inside", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 1000000000 1000000001; c1 " +
			"acquire 10 1100000000 fail", "", Valid, ""},
	{"refused for too long during a fault", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 acquire 10 1900000000 " +
			"fail; fault busy n0 100000000 1500000000", "", Unknown, ""},
	{"refused for too long while it stalled", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 acquire 10 1450000000 " +
			"fail; c1 gap 1500000000 gap=1400000000", "", Unknown, ""},
	{"refused for so long that what a stall took of it does not matter", "D",

		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 acquire 10 1500000000 " +
			"fail; c1 gap 500000000 gap=400000000; c-1 gap 900000000 gap=30000000", "", Violated, ""},
	{"refused for long while two stalled at the same time", "D",

		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 acquire 10 1500000000 " +
			"fail; c1 gap 500000000 gap=400000000; c-1 gap 510000000 gap=400000000", "", Violated, ""},
	{"refused for too long while the harness stalled", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 acquire 10 1450000000 " +
			"fail; c-1 gap 1500000000 gap=1400000000", "", Unknown, ""},
	{"refused for too long while another stalled", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 acquire 10 1450000000 " +
			"fail; c2 gap 1500000000 gap=1400000000", "", Violated, ""},
	{"refused for too long while a client was paused on purpose", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 acquire 10 1450000000 " +
			"fail; fault pause c2 100000000 1500000000; c2 gap 1500000000 gap=1400000000", "", Unknown, ""},
	{"refused for too long, and the machine stalled while somebody was inside", "D",
		"poll 1; " +
			"lease; ttl 1000; c0 acquire 1 5 lease=1000 sent=2; c2 gap 700000000 gap=600000000; " +
			"c0 release " +
			"1200000000 1200000001; c1 acquire 10 1450000000 fail", "", Valid, ""},
	{"refused for too long with a clock that was moved", "D",
		"poll 1; " +
			"lease; ttl 1000; fault clock n0 1; c0 acquire 1 5 lease=1000 sent=2; c0 release 6 7; c1 " +
			"acquire 10 1900000000 fail", "", NA, ""},

	// Orphans.
	{"denied although nobody is there", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40 info; c1 acquire 11 90 fail",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 13 16 n0 SETNX k b -> 0\n0 1 31 0 n0 DEL k -> \n1 1 50 55 n0 " +
			"SETNX k b -> 0", Violated, ""},
	{"denied although nobody is there, and granted later", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40 info; c1 acquire 11 150 sent=140 " +
			"lease=100",
		"0 1 12 15 n0 SET k a NX PX 100 -> OK\n1 1 13 16 n0 SET k b NX PX 100 -> (nil)\n0 1 31 0 n0 " +
			"DEL k -> \n1 1 50 55 n0 SET k b NX PX 100 -> (nil)\n1 1 140 145 n0 SET k b NX PX 100 -> OK",
		Violated, ""},
	{"denied by a lease that nobody has, and takes it over when it has ended", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40 info; c1 acquire 11 150 sent=140 " +
			"lease=100",
		"0 1 12 15 n0 SETNX k 112 -> 1\n0 1 31 0 n0 GET k -> \n1 1 50 55 n0 SETNX k 150 -> 0\n1 1 56 " +
			"57 n0 GET k -> 112\n1 1 113 116 n0 SETNX k 213 -> 0\n1 1 120 121 n0 GET k -> 112\n1 1 140 " +
			"145 n0 GETSET k 240 -> 112", Violated, ""},
	{"denied by an old lease that it takes over", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40 info; c1 acquire 111 150 sent=140 " +
			"lease=100",
		"0 1 12 15 n0 SETNX k 112 -> 1\n0 1 31 0 n0 GET k -> \n1 1 113 116 n0 SETNX k 213 -> 0\n1 1 " +
			"120 121 n0 GET k -> 112\n1 1 140 145 n0 GETSET k 240 -> 112", Valid, ""},
	{"denied by nobody but its own grant", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40; c1 acquire 41 60 sent=42 lease=100",
		"0 1 12 15 n0 SET k a NX PX 100 -> OK\n0 1 31 35 n0 DEL k -> 1\n1 1 42 55 n0 SET k b NX PX 100 " +
			"-> (nil)", Valid, ""},
	{"denied while somebody leaves", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 release 30 40 info; c1 acquire 11 90 fail",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 13 16 n0 SETNX k b -> 0\n1 1 35 55 n0 SETNX k b -> 0", Valid,
		""},
	{"denied after a planned crash", "R",
		"lease; c0 acquire 10 20 sent=12 lease=100; c0 kill 30; c1 acquire 11 90 fail",
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 13 16 n0 SETNX k b -> 0\n1 1 50 55 n0 SETNX k b -> 0", Valid,
		""},

	// Re-entry.
	{"counted right", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 depth=1; c0 release 8 9; c0 release 10 11; c1 " +
			"acquire 2 12; c1 release 13 14", "", Valid, ""},
	{"free after the inner release", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 depth=1; c0 release 8 9; c1 acquire 2 10; c0 " +
			"release 20 21; c1 release 23 24", "", Violated, DoubleGrant},
	{"two inside for another reason", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 depth=1; c1 acquire 2 8; c0 release 9 10; c0 " +
			"release 20 21; c1 release 30 31", "", Valid, ""},
	{"refused to its holder", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 fail; c0 release 8 9", "", Violated, ""},
	{"refused to its holder after the lease", "E",
		"reentrant; lease; c0 acquire 1 5 sent=1 lease=5; c0 acquire 5 7 fail; c0 release 8 9", "", Valid,
		""},
	{"nobody came in twice", "E", "reentrant; c0 acquire 1 5; c0 release 8 9", "", NA, ""},
	{"not re-entrant", "E", "c0 acquire 1 5; c0 release 8 9", "", NA, ""},

	{"refused by nobody: the server cannot be reached", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 fail why=unreachable; c0 release 8 9", "", NA, ""},
	{"refused to its holder after a failover", "E",
		"reentrant; c0 acquire 1 5; fault promote n1 6 7; c0 acquire 8 9 fail; c0 release 10 11", "",
		Valid, ""},
	{"refused to its holder, who had been told a loss", "E",
		"reentrant; c0 acquire 1 5; c0 lost 6; c0 acquire 7 8 fail; c0 release 9 10", "", Valid, ""},
	{"refused to its holder before an inner release of unknown outcome", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 fail; c0 acquire 8 9 depth=1; " +
			"c0 release 10 11 info; c0 release 12 13", "", Violated, ""},
	{"refused to its holder after a pause of the server", "E",
		"reentrant; c0 acquire 1 5; fault pause-node n0 6 7; c0 acquire 8 9 fail; c0 release 10 11", "",
		Violated, ""},
	{"refused to its holder before a failover", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 8 9 fail; fault promote n1 12 13; c0 release 20 21", "",
		Violated, ""},
	{"refused to its holder, and a clock had been moved", "E",
		"reentrant; fault clock n0 0 0; c0 acquire 1 5; c0 acquire 8 9 fail; c0 release 10 11", "", Valid,
		""},
	{"refused to its holder, but another call may have taken the lock", "E",
		"reentrant; c0 acquire 1 5; c1 acquire 2 9 info; c0 acquire 10 11 fail; c0 release 12 13", "",
		Valid, ""},
	{"free after the first of two inner releases", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 depth=1; c0 acquire 8 9 depth=2; c0 release 10 11; " +
			"c1 acquire 2 14; c0 release 16 17; c0 release 20 21; c1 release 23 24", "", Violated,
		DoubleGrant},
	{"free after an inner release of unknown outcome, which may have been counted twice", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 depth=1; c0 release 8 9 info; c1 acquire 2 10; c0 " +
			"release 20 21; c1 release 23 24", "", Valid, ""},
	{"free after an inner release, but by a failover", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 depth=1; c0 release 8 9; fault promote n1 10 11; c1 " +
			"acquire 2 13; c0 release 20 21; c1 release 23 24", "", Valid, ""},
	{"free after an inner release, but its holder had been told a loss", "E",
		"reentrant; c0 acquire 1 5; c0 acquire 6 7 depth=1; c0 release 8 9; c0 lost 10; c1 acquire 2 " +
			"12; c0 release 20 21; c1 release 23 24", "", Valid, ""},
	{"free after an inner release, but by another client's deletion", "E",
		"reentrant; lease; c1 acquire 1 3 sent=2 lease=3; c0 acquire 4 10 sent=8 lease=200; c0 acquire " +
			"12 14 depth=1 sent=13 lease=200; c0 release 16 18; c1 release 19 21; c2 acquire 5 30 sent=28 " +
			"lease=100; c0 release 50 51; c2 release 60 61",
		"1 1 2 3 n0 SETNX k a -> 1\n0 1 8 9 n0 SETNX k b -> 1\n1 1 19 20 n0 DEL k -> 1\n2 1 28 29 n0 " +
			"SETNX k c -> 1", Valid, ""},

	// Classes.
	{"a lease that ran out", "S",
		"lease; c0 acquire 1 5 sent=2 lease=10; c1 acquire 6 15 sent=14 lease=10; c0 release 50 60 fail",
		"", Violated, LeaseOverrun},
	{"lost by a server", "L",
		"lease; c0 acquire 1 5 sent=2 lease=100; fault kill n0 6 7; fault promote n1 8 9; c1 acquire 6 " +
			"15 sent=14 lease=10; c0 release 50 60 fail", "", Violated, LostByServer},
	{"a clock that jumped", "L",
		"lease; c0 acquire 1 5 sent=2 lease=100; fault clock n0 6 7; c1 acquire 6 15 sent=14 lease=10; " +
			"c0 release 50 60 fail", "", Violated, Clock},
	{"a crash of a client explains nothing", "L",
		"lease; c0 acquire 1 5 sent=2 lease=100; fault crash c3 6 7; c1 acquire 6 15 sent=14 lease=10; " +
			"c0 release 50 60 fail", "", Violated, DoubleGrant},
	{"a deletion by another", "L",
		"lease; c2 acquire 1 4 sent=2 lease=3; c0 acquire 3 8 sent=7 lease=100; c2 release 9 12; c1 " +
			"acquire 10 15 sent=14 lease=10; c0 release 50 60 fail",
		"2 1 2 3 n0 SETNX k c -> 1\n0 1 7 8 n0 SETNX k a -> 1\n2 1 10 12 n0 DEL k -> 1\n1 1 14 15 n0 " +
			"SETNX k b -> 1", Violated, ReleasedByNonOwner},
	{"a deletion that came late", "L",
		"lease; c2 acquire 1 3 sent=2 lease=3; c2 release 4 6 info; c0 acquire 3 8 sent=7 lease=100; " +
			"c1 acquire 10 15 sent=14 lease=10; c0 release 50 60 fail",
		"2 1 2 3 n0 SETNX k c -> 1\n2 1 5 0 n0 DEL k -> \n0 1 7 8 n0 SETNX k a -> 1\n1 1 14 15 n0 " +
			"SETNX k b -> 1", Violated, LateMessage},
	{"a deletion that let the first one in explains nothing", "L",
		"lease; c2 acquire 1 3 sent=2 lease=100; c2 release 4 9; c0 acquire 3 8 sent=7 lease=100; " +
			"fault promote n0 9 10; c1 acquire 10 15 sent=14 lease=10; c0 release 50 60 fail",
		"2 1 2 3 n0 SETNX k c -> 1\n2 1 5 9 n0 DEL k -> 1\n0 1 7 8 n0 SETNX k a -> 1\n1 1 14 15 n0 " +
			"SETNX k b -> 1", Violated, LostByServer},
	{"a grant that was believed too late", "S",
		"lease; c0 acquire 1 50 sent=2 lease=10; c1 acquire 6 30 sent=29 lease=100; c0 release 60 61; " +
			"c1 release 62 63", "", Violated, LateMessage},
	{"the second grant was believed too late", "S",
		"lease; c0 acquire 1 4 sent=2 lease=100; c1 acquire 6 50 sent=29 lease=10; c0 release 60 61; " +
			"c1 release 62 63", "", Violated, LateMessage},
	{"the same, and the first holder had outlived its lease", "S",
		"lease; c0 acquire 1 4 sent=2 lease=10; c1 acquire 6 50 sent=29 lease=10; c0 release 60 61; " +
			"c1 release 62 63", "", Violated, LeaseOverrun},
}

// allCases are the histories for properties.
var allCases = slices.Concat(propertyCases, lostCases, conditionCases, declaredCases,
	undeclaredCases, causeCases, orderCases, keyCases, letterCases, progressCases,
	progressConditions, callCases, letterConditions, grantCases, depthCases, behindCases,
	certainCases, absentCases, presentCases, lostConditions, ownerConditions, waitConditions,
	deliveryConditions, stallConditions, reenteredConditions, nearCases, closerCases,
	closestCases, likelyCases, besideCases, gaveUpCases, severalCases,
	helperCases, lookCases, againCases, causedCases, noteCases, keptOutCases, formerCases,
	abortedCases, orphanConditions, untoldCases, renewedCases, strayCases)

func TestProperties(t *testing.T) {
	for _, c := range allCases {
		t.Run(c.property+" "+c.name, func(t *testing.T) {
			v := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{c.property}})
			p := v.Properties[0]
			if p.Verdict != c.want && !(p.Verdict == "" && c.want == Unknown) || p.Class != c.class &&
				c.want == Violated {
				t.Errorf("got %s (%s), want %s (%s)\n%+v\n%s", p.Verdict, p.Class, c.want, c.class, p,
					v.HarnessError)
			}
			if p.Verdict == Violated && p.Explanation == "" {
				t.Error("no words")
			}
			if p.Verdict != Violated && p.Verdict != Valid && p.Reason == "" {
				t.Error("no reason")
			}
		})
	}
}

// trace reads commands, one per line.
func commands(t testing.TB, text string) []history.Command {
	var out []history.Command
	for i, line := range strings.Split(text, "\n") {
		w := strings.Fields(line)
		if len(w) == 0 {
			continue
		}
		m := history.Command{Process: int(number(t, w[0])), Seq: i + 1, N: int(number(t, w[1])),
			Sent: number(t, w[2]), Recv: number(t, w[3]), Node: w[4]}
		rest := strings.Join(w[5:], " ")
		args, reply, _ := strings.Cut(rest, "->")
		reply, did, _ := strings.Cut(reply, " | ")
		m.Args, m.Reply = strings.Fields(args), strings.TrimSpace(reply)
		for _, effect := range strings.FieldsFunc(did, func(r rune) bool { return r == '|' }) {
			m.Effects = append(m.Effects, strings.Fields(effect))
		}
		if once, again := strings.CutSuffix(m.Reply, " again"); again {
			m.Reply, m.Again = once, 1
		}
		if why, failed := strings.CutPrefix(m.Reply, "!"); failed {
			m.Reply, m.Err, m.Why = "", why, history.BrokenOff
			switch why {
			case "timeout":
				m.Why = history.TimedOut
			case string(history.NotSent):
				m.Why = history.NotSent
			}
		}
		out = append(out, m)
	}
	return out
}
