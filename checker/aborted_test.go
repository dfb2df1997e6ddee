package checker

// abortedCases are about the commands of a transaction that did not take place, since a key that
// its client watched had changed. Each has the reply (nil).
var abortedCases = []propertyCase{
	{"aborted: a SET was not refused", "R", leased + "c0 acquire 10 20 sent=12 lease=200000000; " +
		"c0 release 30 40; c1 acquire 15 60 fail; c1 acquire 70 80 sent=72 lease=200000000; " +
		"c1 release 90 99", "0 1 12 15 n0 SET k aaaaaaaa PX 200 -> OK\n0 1 31 35 n0 DEL k -> 1\n" +
		"1 1 41 42 n0 GET k -> (nil)\n1 1 50 55 n0 SET k bbbbbbbb PX 200 -> (nil)\n" +
		"1 2 72 75 n0 SET k cccccccc PX 200 -> OK\n1 2 91 95 n0 DEL k -> 1\n", NA, ""},
}
