package checker

import "strings"

const (
	// A lock needs two keys, and its client leaves one of them behind.
	twoTaken = leased + "c2 acquire 1 5 sent=3 lease=200000000; c2 release 6 9; c0 acquire 10 20 " +
		"sent=14 lease=200000000; c0 release 100 110; c1 acquire 200 300 fail; end 900"
	twoKept = "2 1 1 2 n0 SETNX two:k c -> 1\n2 1 3 4 n0 SET lock:k cccccccc NX PX 200 -> OK\n" +
		"2 1 6 7 n0 DEL lock:k -> 1\n2 1 7 8 n0 DEL two:k -> 1\n0 1 12 13 n0 SETNX two:k a -> 1\n" +
		"0 1 14 15 n0 SET lock:k aaaaaaaa NX PX 200 -> OK\n0 1 101 105 n0 DEL lock:k -> 1\n" +
		"1 1 202 203 n0 SETNX two:k b -> 0\n"
	// A client makes a list of one token, and each takes it from the list.
	tokenHeld = inside + "c2 acquire 204 220 sent=206 lease=200000000; c2 release 330 340; " +
		"c1 acquire 200 300 fail; end 900"
	tokenMade = "0 0 5 6 n0 SETNX init:k 1 -> 1\n0 0 7 8 n0 RPUSH k t -> 1\n" +
		"0 1 12 13 n0 LPOP k -> t\n0 1 101 105 n0 RPUSH k t -> 1\n1 1 201 202 n0 SETNX init:k 1 -> 0\n"
	tokenTaken = "2 1 205 206 n0 SETNX init:k 1 -> 0\n2 1 206 207 n0 LPOP k -> t\n" +
		"2 1 331 335 n0 RPUSH k t -> 1\n"
	entryTaken = "0 1 12 15 n0 HSETNX k aaaaaaaa 1 -> 1\n0 1 16 17 n0 PEXPIRE k 200 -> 1\n" +
		"0 2 27 29 n0 HINCRBY k aaaaaaaa -1 -> 1\n1 1 80 85 n0 HSETNX k bbbbbbbb 1 -> 1\n"
)

// lookCases are cases in which the answer to a command that only looks decides.
var lookCases = []propertyCase{
	// R: what shows that a call went on, although a key refused it.
	{"look: the key was refused for good", "R", twoTaken, twoKept, Violated, ""},
	{"look: the lock is shown to be another's", "R", strings.Replace(twoTaken, "c0 release 100 110",
		"c0 release 100 350", 1), twoKept + "1 1 204 205 n0 PTTL lock:k -> 150\n", NA, ""},
	{"look: it finds no field", "R", twoTaken, twoKept + "1 1 204 205 n0 HGETALL lock:k -> []\n",
		Violated, ""},
	{"look: it subscribes", "R", twoTaken, twoKept + "1 1 204 205 n0 SUBSCRIBE lock:k -> lock:k\n",
		Violated, ""},
	{"look: it finds no text, twice", "R", twoTaken, twoKept + "1 1 204 205 n0 STRLEN lock:k -> 0\n" +
		"1 1 232 233 n0 SETNX two:k b -> 0\n1 1 234 235 n0 STRLEN lock:k -> 0\n", Violated, ""},
	{"look: it leaves a mark", "R", twoTaken, twoKept + "1 1 204 205 n0 ZADD seen:k 1 b -> 1\n",
		Violated, ""},
	{"look: a counter refuses it twice, and it is granted the lock", "R", inside + "c1 acquire 200 " +
		"260 sent=252 lease=200000000", helped + lockFreed + counterMade +
		"1 1 230 231 n0 SET fence:k 0 NX -> (nil)\n" +
		"1 1 252 253 n0 SET lock:k bbbbbbbb NX PX 200 -> OK\n", NA, ""},
	{"look: the list has no token", "R", tokenHeld, tokenMade + tokenTaken +
		"1 1 208 209 n0 LPOP k -> (nil)\n", NA, ""},
	{"look: the list has no token, twice", "R", tokenHeld, tokenMade + tokenTaken +
		"1 1 208 209 n0 LPOP k -> (nil)\n1 1 238 239 n0 SETNX init:k 1 -> 0\n" +
		"1 1 240 241 n0 LPOP k -> (nil)\n", NA, ""},
	{"look: it does not ask for a token", "R", tokenHeld, tokenMade + tokenTaken, Violated, ""},
	{"look: it only reads another key", "R", tokenHeld, tokenMade + tokenTaken +
		"1 1 208 209 n0 GET size:k -> 1\n", Violated, ""},
	{"look: it asks for a token and gets no answer", "R", tokenHeld, tokenMade + tokenTaken +
		"1 1 208 209 n0 LPOP k -> (error) WRONGTYPE\n", Violated, ""},
	{"look: no client had the lock, and the refused one waits", "R", leased + "c0 acquire 10 20 " +
		"fail; c1 acquire 200 260 fail; end 900", "0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n" +
		"1 1 202 203 n0 SETNX k bbbbbbbb -> 0\n1 1 204 250 n0 BLPOP signal:k 1 -> (nil)\n", Violated,
		""},

	// E: what shows that the key is there after an inner release.
	{"look: the owner asks how long its key lives", "E", reentry, takes +
		"0 2 27 29 n0 GET k -> aaaaaaaa\n0 1 40 45 n0 PTTL k -> 150\n" + nextTakes, Valid, ""},
	{"look: the owner is told that its key has gone", "E", reentry, takes +
		"0 2 27 29 n0 DEL k -> 1\n0 1 40 45 n0 PTTL k -> -2\n" + nextTakes, Violated, DoubleGrant},
	{"look: another reads the key", "E", reentry, takes + "0 2 27 29 n0 GET k -> aaaaaaaa\n" +
		"1 1 40 45 n0 GET k -> aaaaaaaa\n" + nextTakes, Valid, ""},
	{"look: the owner counts the fields of its key", "E", reentry, entryTaken +
		"0 1 40 45 n0 HLEN k -> 1\n", Valid, ""},
	{"look: the owner finds no field", "E", reentry, entryTaken + "0 1 40 45 n0 HLEN k -> 0\n",
		Violated, DoubleGrant},
	{"look: the owner finds its own field", "E", reentry, entryTaken +
		"0 1 40 45 n0 HGET k aaaaaaaa -> 1\n", Valid, ""},
	{"look: another does not find its own field", "E", reentry, entryTaken +
		"1 1 40 45 n0 HGET k bbbbbbbb -> (nil)\n", Violated, DoubleGrant},
}
