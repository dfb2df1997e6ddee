package checker

// renews is a renewal of the key by client 1 while client 0 is inside.
const renews = "1 1 30 35 n0 PEXPIRE k 200 -> 1\n"

// renewedCases are renewals by another client than the holder.
var renewedCases = []propertyCase{
	{"renewed: another's key", "O", inside + "c1 acquire 25 60 fail", takes + renews + givesBack,
		Violated, RenewedByNonOwner},
	{"renewed: another's key, by a script that compares nothing", "O", inside +
		"c1 acquire 25 60 fail", takes +
		"1 1 30 35 n0 EVAL keep 1 k -> 1 | PEXPIRE k 200\n" + givesBack, Violated,
		RenewedByNonOwner},
	{"renewed: no key is there, by a script that compares nothing", "S", inside +
		"c1 acquire 25 60 sent=50 lease=200 node=n0; c1 release 120 130", "0 1 12 15 n0 SET k " +
		"aaaaaaaa NX PX 0.00002 -> OK\n0 1 35 38 n0 EVAL keep 1 k -> 0 | PEXPIRE k 200\n" +
		"1 1 50 55 n0 SET k bbbbbbbb NX PX 200 -> OK\n", Violated, PromisedTooLong},
	{"renewed: another's key, which is deleted, too", "O", inside + "c1 acquire 25 60 fail", takes +
		renews + "1 1 40 45 n0 DEL k -> 1\n0 1 101 105 n0 DEL k -> 0\n", Violated, ReleasedByNonOwner},
	{"renewed: one's own key", "O", inside + "c1 acquire 25 60 fail", takes +
		"0 1 30 35 n0 PEXPIRE k 200 -> 1\n" + givesBack, Valid, ""},
	{"renewed: no key is there", "O", inside + "c1 acquire 25 60 fail", takes +
		"1 1 30 35 n0 PEXPIRE k 200 -> 0\n" + givesBack, Valid, ""},
	{"renewed: a script compares, and leaves the key", "O", inside + "c1 acquire 25 60 fail", takes +
		"1 1 30 35 n0 EVAL keep 1 k bbbbbbbb -> 0 | GET k\n" + givesBack, Valid, ""},
	{"renewed: a key without a lease gets one", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n" + renews + givesBack, Valid, ""},
	{"renewed: a key whose lease came later", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 15 n0 SETNX k aaaaaaaa -> 1\n0 1 16 17 n0 PEXPIRE k 200 -> 1\n" + renews + givesBack,
		Valid, ""},
	{"renewed: a key that several made", "O", inside + "c1 acquire 25 60 fail",
		"0 1 12 15 n0 EVAL take 1 k aaaaaaaa -> 1 | HSET k aaaaaaaa 1 | PEXPIRE k 200\n" + renews +
			givesBack, Valid, ""},
	{"renewed: it may have come before the grant", "O", inside + "c1 acquire 5 60 fail",
		"1 1 11 35 n0 PEXPIRE k 200 -> 1\n" + takes + givesBack, Valid, ""},
	{"renewed: an attempt of its client may have taken the key", "O", inside +
		"c1 acquire 25 60 info", takes + "1 1 26 0 n0 SET k bbbbbbbb NX PX 200 ->\n" + renews +
		givesBack, Valid, ""},
	{"renewed: a note beside the lock", "O", inside + "c1 acquire 25 60 fail", takes +
		"1 1 30 35 n0 PEXPIRE waiters:k 200 -> 1\n" + givesBack, Valid, ""},
	{"renewed: the holder may have left", "O", inside + "c1 acquire 25 160 fail", takes +
		"1 1 99 103 n0 PEXPIRE k 200 -> 1\n" + givesBack, Valid, ""},
}
