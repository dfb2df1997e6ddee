package checker

import "strings"

// Clients look at the lock, count a field of it, or lose a token.
const (
	bySeen = " | EXISTS k | HINCRBY k aaaaaaaa 1 | PEXPIRE k 200\n"
	again  = "c0 acquire 40 45 depth=1 sent=41 lease=200000000; c0 release 150 160; c1 acquire 24"
	looks  = "c2 acquire 204 220 sent=206 lease=200000000; c2 release 230 240; " +
		"c1 acquire 200 260 sent=252 lease=200000000"
	endsInTry = "environment process; names k; poll 10000000; c2 acquire 50 60 fail; " +
		"c2 kill 70; c0 acquire 200 9000000000 info; c1 acquire 300 8999999900 fail; end 9000000000"
	refusedToo = "1 1 310 315 n0 SETNX k bbbbbbbb -> 0\n1 1 8900000000 8900000010 n0 SETNX k " +
		"bbbbbbbb -> 0\n"
	lostGetdel = "environment process; names k; poll 10000000; clienttimeout 10; " +
		"c0 acquire 10 20 sent=12; c0 release 30 40; c2 acquire 50 70 info; " +
		"c0 acquire 200 9000000000 fail; end 9000000000"
)

// likelyCases are cases in which another key than the lock's looks like it, or a command shows less
// than it seems to.
var likelyCases = []propertyCase{
	// Which command was the grant.
	{"likely: a counted lock, and a note that the release names", "V", longHold,
		"0 1 12 13 n0 HINCRBY k aaaaaaaa 1 -> 1\n0 1 14 15 n0 PEXPIRE k 200 -> 1\n" +
			"0 1 16 17 n0 SET holder:k aaaaaaaa PX 20 -> OK\n" +
			"0 1 4000001 4000005 n0 EVAL rel 2 k holder:k aaaaaaaa -> 1\n", Valid, ""},
	{"likely: a counted lock behind a throttle", "V", longHold,
		"0 1 11 12 n0 SET busy:k aaaaaaaa NX PX 20 -> OK\n0 1 12 13 n0 HINCRBY k aaaaaaaa 1 -> 1\n" +
			"0 1 14 15 n0 PEXPIRE k 200 -> 1\n" + longFreed + "0 1 4000006 4000007 n0 DEL busy:k -> 1\n",
		Valid, ""},
	{"likely: a script that looks and writes, behind a throttle", "V", leased +
		"c0 acquire 10 60 sent=18 lease=500000000; c0 kill 90; end 200",
		"0 1 11 12 n0 SET throttle:k me123456 NX PX 50 -> OK\n0 1 18 19 n0 EVAL tk 1 k me123456 500 " +
			"-> 1 | EXISTS k | SET k me123456 PX 500\n", Valid, ""},
	{"likely: a note that was read before", "V", leased + "c0 acquire 10 60 sent=12 " +
		"lease=200000000; c0 kill 90; end 200", "0 1 11 12 n0 GET holder:k -> (nil)\n" + takesThenNote,
		Valid, ""},
	{"likely: a counting script, with a token", "D", oneKilled, "0 1 12 13 n0 EVAL tk 1 k a 300 -> " +
		"1 | EXISTS k | HINCRBY k a 1 | PEXPIRE k 300\n0 1 14 15 n0 INCR fence:k -> 1\n" +
		"1 1 70 75 n0 EVAL tk 1 k b 300 -> 0 | EXISTS k | PTTL k\n", Unknown, ""},
	{"likely: another deletes a note that the release names", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 13 n0 EVAL tk 1 k aaaaaaaa 300 -> 1\n0 1 14 15 n0 SET seen:k aaaaaaaa -> OK\n" +
			"1 1 30 35 n0 EVAL tk 1 k bbbbbbbb 300 -> 0\n1 1 40 45 n0 DEL seen:k -> 1\n" +
			"0 1 101 105 n0 EVAL rel 2 k seen:k aaaaaaaa -> 1\n", Valid, ""},
	{"likely: another deletes a counted lock with a token", "O", leased + "c0 acquire 10 20 sent=12 " +
		"lease=200000000; c0 kill 100; c1 acquire 25 60 fail", "0 1 12 13 n0 EVAL tk 1 k aaaaaaaa 200 " +
		"-> 1" + bySeen + "0 1 14 15 n0 INCR fence:k -> 1\n" +
		"1 1 30 35 n0 EVAL tk 1 k bbbbbbbb 200 -> 0 | EXISTS k | PTTL k\n1 1 40 45 n0 DEL k -> 1\n",
		Violated, ReleasedByNonOwner},

	// O: a deletion that compares.
	{"likely: a script compares in its deletion", "O", inside + "c1 acquire 25 60 fail", takes +
		"1 1 30 31 n0 SET guard:k bbbbbbbb NX PX 200 -> OK\n1 1 40 45 n0 EVAL leave 2 guard:k k " +
		"bbbbbbbb -> 1 | DEL guard:k | DELIFEQ k bbbbbbbb\n" + givesBack, Valid, ""},

	// D: a lost place in a queue, and a lost token.
	{"likely: a lost place in a queue", "D", lossyWait, "2 1 52 62 n0 RPUSH queue:k cccccccc -> " +
		"!timeout\n0 1 111 112 n0 RPUSH queue:k aaaaaaaa -> 1\n" +
		"0 1 113 114 n0 LINDEX queue:k 0 -> aaaaaaaa\n0 1 115 116 n0 SETNX k aaaaaaaa -> 1\n" +
		"0 1 131 132 n0 DEL k -> 1\n0 1 133 134 n0 LREM queue:k 0 aaaaaaaa -> 1\n" +
		"1 1 151 152 n0 RPUSH queue:k bbbbbbbb -> 1\n1 1 153 154 n0 LINDEX queue:k 0 -> bbbbbbbb\n" +
		"1 1 155 156 n0 SETNX k bbbbbbbb -> 1\n1 1 171 172 n0 DEL k -> 1\n" +
		"1 1 173 174 n0 LREM queue:k 0 bbbbbbbb -> 1\n0 2 210 215 n0 RPUSH queue:k aaaaaaaa -> 2\n" +
		"0 2 216 217 n0 LINDEX queue:k 0 -> cccccccc\n" +
		"0 2 8000000000 8000000010 n0 LINDEX queue:k 0 -> cccccccc\n", Unknown, ""},
	{"likely: a lost token of GETDEL", "D", lostGetdel, "0 1 12 15 n0 GETDEL k -> " +
		"t\n0 1 31 35 n0 SET k t -> OK\n2 1 52 62 n0 GETDEL k -> !timeout\n" +
		"0 2 210 215 n0 GETDEL k -> (nil)\n0 2 8000000000 8000000010 n0 GETDEL k -> (nil)\n", Unknown,
		""},
	{"likely: a dead client whose call had no result", "D", strings.Replace(queuesUp,
		"c3 acquire 2; c3 kill 5; ", "c3 acquire 2 4 info; c3 kill 5; ", 1), inQueue, Valid, ""},

	{"likely: refused until the run ends, and the last answer is lost", "D", endsInTry,
		"2 1 52 53 n0 SETNX k cccccccc -> 1\n0 1 210 215 n0 SETNX k aaaaaaaa -> 0\n" +
			"0 1 8000000000 8000000010 n0 SETNX k aaaaaaaa -> 0\n" +
			"0 1 8999999000 8999999500 n0 SETNX k aaaaaaaa -> !canceled\n" + refusedToo, Violated, ""},
	{"likely: an answer is lost, and then it is refused", "D", endsInTry,
		"2 1 52 53 n0 SETNX k cccccccc -> 1\n0 1 210 215 n0 SETNX k aaaaaaaa -> !canceled\n" +
			"0 1 8000000000 8000000010 n0 SETNX k aaaaaaaa -> 0\n" + refusedToo, Unknown, ""},

	// D: what shows that the key was freed.
	{"likely: an expiry of nothing that came before the take", "D", strings.Replace(lossyWait,
		"c1 acquire 150 160 sent=152", "c1 acquire 120 160 sent=125", 1), lossySet +
		"0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n1 1 125 155 n0 SETNX k bbbbbbbb -> 1\n" +
		"0 1 131 135 n0 PEXPIRE k 0 -> 1\n1 1 171 175 n0 DEL x -> 0\n" + keptOut, Violated, ""},
	{"likely: the owner's script only looks at the key", "D", lossyWait, lossySet +
		"0 1 112 115 n0 SETNX k aaaaaaaa -> 1\n0 1 131 135 n0 DEL k -> 1\n" +
		"1 1 152 155 n0 SETNX k bbbbbbbb -> 1\n1 1 156 157 n0 EVAL chk 2 fence:k k bbbbbbbb -> 1 " +
		"| INCR fence:k | GET k\n1 1 171 175 n0 DEL x -> 0\n" + keptOut, Violated, ""},

	// R: clients share a counter, too.
	{"likely: a counter that expires and is made anew", "R", inside + looks,
		"0 1 12 13 n0 SET fence:k 0 NX PX 0.0002 -> OK\n" +
			"0 1 14 15 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n" + lockFreed +
			"1 1 201 202 n0 SET fence:k 0 NX PX 0.0002 -> (nil)\n2 1 205 206 n0 GET lock:k -> (nil)\n" +
			"2 1 206 207 n0 SET lock:k cccccccc NX PX 200 -> OK\n" +
			"1 1 208 209 n0 GET lock:k -> cccccccc\n2 1 231 235 n0 DEL lock:k -> 1\n" +
			"1 1 246 247 n0 SET fence:k 0 NX PX 0.0002 -> OK\n1 1 248 249 n0 GET lock:k -> (nil)\n" +
			"1 1 252 253 n0 SET lock:k bbbbbbbb NX PX 200 -> OK\n", NA, ""},
	{"likely: the call looks at the lock and says no", "R", inside + strings.Replace(strings.Replace(
		looks, "release 230 240", "release 330 340", 1), "260 sent=252 lease=200000000", "260 fail", 1),
		helped + lockFreed + "1 1 201 202 n0 SET fence:k 0 NX -> (nil)\n" +
			"2 1 205 206 n0 GET lock:k -> (nil)\n2 1 206 207 n0 SET lock:k cccccccc NX PX 200 -> OK\n" +
			"1 1 208 209 n0 GET lock:k -> cccccccc\n2 1 331 335 n0 DEL lock:k -> 1\n", NA, ""},
	{"likely: the release names the counter, and the run ends", "R", inside + "c1 acquire 200; " +
		"end 300", helped + "0 1 101 105 n0 EVAL rel 2 lock:k fence:k aaaaaaaa -> 1\n" + counterMade,
		NA, ""},
	{"likely: no command is known as a grant", "R", inside + "c1 acquire 200; end 300",
		"0 0 5 6 n0 SETNX init:k 1 -> 1\n0 0 7 8 n0 RPUSH k t -> 1\n0 1 12 13 n0 LPOP k -> t\n" +
			"0 1 101 105 n0 RPUSH k t -> 1\n1 1 201 202 n0 SETNX init:k 1 -> 0\n", NA, ""},

	// S: what came late.
	{"likely: the reply to WAIT came late", "S", pausedAfter, "0 1 12 15 n0 SET k aaaaaaaa NX PX " +
		"0.0002 -> OK\n0 1 16 800 n0 WAIT 1 100 -> 1\n1 1 300 305 n0 SET k bbbbbbbb NX PX 0.002 -> " +
		"OK\n", Violated, LateMessage},
	{"likely: recorded outside of the client, which was paused", "S", strings.Replace(pausedAfter,
		"lease; ", "lease; wholetrace; ", 1), "0 1 12 15 n0 SET k aaaaaaaa NX PX 0.0002 -> OK\n" +
		"1 1 300 305 n0 SET k bbbbbbbb NX PX 0.002 -> OK\n", Violated, LateMessage},
	{"likely: deleted, and the first grant came late", "S", leased + "c0 acquire 10 300000 sent=12 " +
		"lease=200000; c2 acquire 25 60 fail; c1 acquire 61 100 sent=70 lease=200000000; " +
		"c1 release 400000 400010; c0 release 500000 500010",
		"0 1 12 290000 n0 SET k aaaaaaaa NX PX 0.2 -> OK\n2 1 40 45 n0 DEL k -> 1\n" +
			"1 1 70 75 n0 SET k bbbbbbbb NX PX 200 -> OK\n1 1 400001 400005 n0 DEL k -> 1\n" +
			"0 1 500001 500005 n0 DEL k -> 0\n", Violated, ReleasedByNonOwner},

	// E: what shows that the key was there.
	{"likely: the owner looked, and wrote", "E", strings.Replace(strings.Replace(reentry,
		"c1 acquire 24", again, 1), "sent=41", "sent=43", 1), "0 1 11 12 n0 GET k -> (nil)\n" +
		"0 1 12 15 n0 SET k aaaaaaaa PX 200 -> OK\n0 3 40 41 n0 GET k -> aaaaaaaa\n" +
		"0 3 43 44 n0 SET k aaaaaaaa PX 200 -> OK\n1 1 25 26 n0 GET k -> aaaaaaaa\n" +
		"1 1 80 85 n0 SET k bbbbbbbb PX 200 -> OK\n1 1 221 225 n0 DEL k -> 1\n", Valid, ""},
	{"likely: the owner's script answers nil to a new key", "E", strings.Replace(reentry,
		"c1 acquire 24", again, 1), innerFreed + "0 3 41 44 n0 EVAL tk 1 k aaaaaaaa -> (nil)" + bySeen +
		nextTakes, Violated, DoubleGrant},
}
