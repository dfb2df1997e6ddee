package checker

import "strings"

// Parts of histories of a lock that takes its key by SET with NX and GET: the reply is the value
// that is there, and none if the key was free.
const (
	asksFormer  = "0 1 12 15 n0 SET k aaaaaaaa NX GET PX 200 -> (nil)\n"
	othersIs    = "1 1 30 35 n0 SET k bbbbbbbb NX GET PX 200 -> aaaaaaaa\n"
	triesInside = inside + "c1 acquire 25 60 fail; "
	comesInside = inside + "c1 acquire 25 60 sent=30 lease=200000000; c1 release 120 130; "
	endsLater   = "1 1 121 125 n0 EVAL rel 1 k bbbbbbbb -> 0\n"
)

// formerCases are about the reply to a SET with NX and GET.
var formerCases = []propertyCase{
	{"former: no value is a grant", "O", triesInside, asksFormer + othersIs + givesBack, Valid, ""},
	{"former: another deletes the key", "O", triesInside, asksFormer + othersIs +
		"1 1 40 45 n0 DEL k -> 1\n0 1 101 105 n0 DEL k -> 0\n", Violated, ReleasedByNonOwner},
	{"former: another's value is no grant", "V", comesInside, asksFormer + othersIs + givesBack +
		endsLater, Violated, NoServer},
	{"former: the own value is one", "V", comesInside, asksFormer + strings.Replace(othersIs,
		"aaaaaaaa", "bbbbbbbb", 1) + givesBack + endsLater, Valid, ""},
	{"former: the call does not believe its grant", "R", leased + "c0 acquire 10 20 sent=12 " +
		"lease=200000000; c0 release 22 26; c1 acquire 28 60 fail; c1 acquire 70 80 fail; " +
		"c0 acquire 90 100 fail", asksFormer + "0 1 23 25 n0 DEL k -> 1\n" +
		strings.Replace(othersIs, "aaaaaaaa", "(nil)", 1) +
		"1 2 71 75 n0 SET k cccccccc NX GET PX 200 -> bbbbbbbb\n" +
		"0 2 91 95 n0 SET k dddddddd NX GET PX 200 -> bbbbbbbb\n", Violated, RefusedThoughGranted},
}
