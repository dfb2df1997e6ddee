package checker

// said is a grant that a lock calls good until 80, with the votes of three servers.
const said = "validity; masters 3; names k; c0 acquire 1 100 sent=50 lease=100 valid=80; " +
	"c0 release 110 111"

// deliveryConditions are histories for single conditions of the validity of a grant: without the
// condition the verdict would be another (see TestNoConditionIsIdle).
var deliveryConditions = []propertyCase{
	{"over when the second vote arrives, since a vote of an earlier attempt was refused later", "V",
		said, "0 1 12 14 n0 SET k a NX PX 100 -> OK\n0 1 12 15 n1 SET k a NX PX 100 -> OK\n" +
			"0 1 20 21 n0 DEL k -> 1\n0 1 50 55 n0 SET k a NX PX 100 -> OK\n" +
			"0 1 50 60 n1 SET k a NX PX 100 -> (nil)\n0 1 50 90 n2 SET k a NX PX 100 -> OK",
		Violated, OverWhenDelivered},
	{"a vote that arrives after the return is none", "V", said,
		"0 1 50 55 n0 SET k a NX PX 100 -> OK\n0 1 50 120 n1 SET k a NX PX 100 -> OK\n" +
			"0 1 50 60 n2 SET k a NX PX 100 -> (nil)\n0 1 110 111 n0 DEL k -> 1", Violated, NoServer},
	{"the command names the end by the server's clock, and the lock names a lease", "V",
		oneGrant + " lease=100", "0 1 2 12 n0 SET k a NX PXAT 2 -> OK", Valid, ""},
	{"the command sets a longer lease than the lock names", "V", oneGrant + " lease=100",
		"0 1 2 12 n0 SET k a NX PX 300 -> OK", Valid, ""},
	{"the command sets no lease, and the lock names one that is long enough", "V",
		oneGrant + " lease=200", "0 1 2 12 n0 SETNX k a -> 1", Valid, ""},
	{"a key's own lease is over when its deletion is answered", "O", robberyStory,
		"0 1 12 15 n0 SETNX k a -> 1\n1 1 50 55 n0 SET k b NX PX 0.00002 -> OK\n" + deletion, Valid, ""},
}
