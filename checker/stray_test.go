package checker

// These histories have renewals that were under way while the lease of their client's key ended.
const (
	// stopped is a hold of client 0 until 2450 whose server did not answer from 1020 to 2300. Client 1
	// asked for the lock before the lease was over, and was granted it afterwards.
	stopped = "ttl 1000; lease; names k; c0 acquire 1000 1010 sent=1001 lease=1000 node=n0; " +
		"c1 acquire 1015 2310 sent=1030 lease=2000 node=n0; c0 extend 2312 sent=1340 lease=1000; " +
		"c0 extend 2313 sent=1670 lease=1000; c0 release 2450 2460 fail; c1 release 2500 2510; " +
		"fault pause-node n0 1020 2300; "
	// answeredSoon is the same, but the renewals were answered before the lease was over.
	answeredSoon = "ttl 1000; lease; names k; c0 acquire 1000 1010 sent=1001 lease=1000 node=n0; " +
		"c1 acquire 1015 2310 sent=1030 lease=2000 node=n0; c0 extend 1345 sent=1340 lease=1000; " +
		"c0 extend 1675 sent=1670 lease=1000; c0 release 2450 2460 fail; c1 release 2500 2510; "
	takesK    = "0 1 1001 1005 n0 SET k aaaaaaaa NX PX 0.001 -> OK\n"
	takesLate = "1 1 1030 2305 n0 SET k bbbbbbbb NX PX 0.002 -> OK\n"
	renewsK   = "0 1 1340 2311 n0 PEXPIRE k 0.001 -> 1\n0 1 1670 2312 n0 PEXPIRE k 0.001 -> 1\n"
	renewsNow = "0 1 1340 1344 n0 PEXPIRE k 0.001 -> 1\n0 1 1670 1674 n0 PEXPIRE k 0.001 -> 1\n"
	comparesK = "0 1 1340 2311 n0 EVAL keep 1 k aaaaaaaa -> 1 | GET k | PEXPIRE k 0.001\n" +
		"0 1 1670 2312 n0 EVAL keep 1 k aaaaaaaa -> 1 | GET k | PEXPIRE k 0.001\n"
)

// strayCases are renewals that may have found the key of the next holder.
var strayCases = []propertyCase{
	{"stray: the server was stopped until the lease was over", "S", stopped,
		takesK + takesLate + renewsK, Violated, LeaseOverrun},
	{"stray: the same, and others may delete keys", "S", "environment external; " + stopped,
		takesK + takesLate + renewsK, Violated, LeaseOverrun},
	{"stray: the same, judged by leases", "L", "environment external; " + stopped,
		takesK + takesLate + renewsK, Valid, ""},
	{"stray: a script that compares nothing", "S", stopped, takesK + takesLate +
		"0 1 1340 2311 n0 EVAL keep 1 k -> 1 | PEXPIRE k 0.001\n" +
		"0 1 1670 2312 n0 EVAL keep 1 k -> 1 | PEXPIRE k 0.001\n", Violated, LeaseOverrun},
	{"stray: the renewals came in time, and the key is gone", "S",
		"environment external; " + answeredSoon, takesK + takesLate + renewsNow, Violated, Vanished},
	{"stray: the renewals found the owner's value", "S", "environment external; " + stopped,
		takesK + takesLate + comparesK, Violated, Vanished},
	{"stray: another client deleted the key before", "L", "c2 acquire 1 4 sent=2 lease=3; " +
		stopped + "c2 release 1039 1060", "2 1 2 3 n0 SET k cccccccc NX PX 0.000003 -> OK\n" + takesK +
		takesLate + "2 1 1040 1050 n0 DEL k -> 1\n" + renewsK, Violated, ReleasedByNonOwner},
}
