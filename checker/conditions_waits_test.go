package checker

import "fmt"

// rarely are calls of client 1 with these ends, all answered, that begin some time after each other
// and are over soon.
func rarely(times, apart int, how, reply string) (story, trace string) {
	for i := range times {
		at := 100 + i*apart
		story += fmt.Sprintf("c1 acquire %d %d %s; ", at, at+1000, how)
		if reply != "" {
			trace += fmt.Sprintf("1 %d %d %d n0 SET k b NX PX 1 -> %s\n", i+1, at+10, at+20, reply)
		}
	}
	return story, trace
}

// Calls of client 1 over 4 s, and a bound of 1 s.
var (
	seldomErrors, seldomErrorsTrace = rarely(4, 1_400_000_000, "info", "(error) NOSCRIPT No")
	refusedOften, refusedOftenTrace = rarely(8, 600_000_000, "fail", "(nil)")
	starving                        = "wholetrace; " + free + "timeout 500000000; "
	noServer, _                     = rarely(8, 600_000_000, "fail why=unreachable", "")
)

// waitConditions are histories for single conditions of how long clients wait: without the
// condition the verdict would be another (see TestNoConditionIsIdle).
var waitConditions = []propertyCase{
	// Whether calls that fail mean that their client waits for the lock.
	{"calls that end with an error, and long rests between them", "D", once + seldomErrors,
		seldomErrorsTrace, Valid, ""},
	{"calls that are refused, and rests between them", "D", once + refusedOften, refusedOftenTrace,
		Valid, ""},
	{"calls that reach no server, and rests between them", "D", once + noServer, ping, Valid, ""},
	{"a call that sends nothing and is refused", "D", once + "c1 acquire 10 1500000000 fail", ping,
		Valid, ""},
	{"a call that sends nothing and is granted the lock late", "D", free +
		"c1 acquire 10 1500000000 sent=1450000000 lease=1000; c1 release 1500000001 1500000002", ping,
		NA, ""},
	{"a call that sends nothing and never returns", "D", once + "c1 acquire 10; end 1500000000", ping,
		Valid, ""},

	// How long clients pause.
	{"no pause is known, and no client waits for long", "D", "ttl 1000; lease; " +
		"c0 acquire 1 5 sent=2 lease=1000; c1 acquire 3 900 fail; c0 release 6 7", "", Unknown, ""},
	{"absent: a client sleeps until it gives up, of a lock that asks once in a call", "D", unpaced +
		"names k; c3 acquire 1 5 sent=2 lease=1000; c3 release 89 92; c1 acquire 10 20 fail; " +
		"c1 acquire 40 9000000005 fail", "3 1 2 4 n0 SET k d NX PX 1000 -> OK\n" +
		"1 1 12 13 n0 SET k b NX PX 1000 -> (nil)\n1 2 41 42 n0 SET k b NX PX 1000 -> (nil)\n" +
		"3 1 90 91 n0 DEL k -> 1\n", Violated, MissedWake},
	{"a back-off that the lock does not declare, and the harness did not run meanwhile", "D",
		unpaced + "c1 acquire 10 1500000000 sent=1450000000 lease=1000; " +
			"c1 release 1500000001 1500000002; c-1 gap 1200000000 gap=600000000",
		"1 1 20 21 n0 SET k b NX PX 1 -> (nil)\n1 1 1450000000 1450000001 n0 " +
			"SET k b NX PX 1 -> OK", Unknown, ""},

	// Calls that hang.
	{"an acquire that is open at the end and late, under a fault that lasts", "D", free +
		"timeout 500000000; " + others + "c1 acquire 4900000000; " +
		"fault pause-node n0 5000000000 6000000000 lasted; end 6000000000", ping, NA, ""},

	{"an acquire that hangs and waits for no answer", "D", starving + "c1 acquire 10; end 6000000000",
		"1 1 1 2 n0 PING -> PONG", Violated, EndlessCall},
	{"an acquire that hangs and waits for an answer", "D", starving +
		"c1 acquire 10; end 6000000000", "1 1 1 2 n0 PING -> PONG\n" +
		"1 1 20 7000000000 n0 SET k b NX PX 1 -> OK", Unknown, ""},
	{"an acquire that hangs, of a client that never sent anything", "D", starving +
		"c1 acquire 10; end 6000000000", "0 1 1 2 n0 PING -> PONG", Unknown, ""},
	{"an acquire that hangs and whose commands are not all known", "D", free +
		"timeout 500000000; c1 acquire 10; end 6000000000", "1 1 1 2 n0 PING -> PONG", Unknown, ""},

	// Time that a client lost in an outage counts only within its call.
	{"an outage in which a client did not run", "A", once + "fault kill n0 8 4000000000 lasted; " +
		"c1 acquire 1500000000 3000000000 fail; c1 gap 2800000000 gap=700000000", "", Unknown, ""},
	{"an outage in which a client did not run, and did not before", "A", once +
		"fault kill n0 8 4000000000 lasted; c1 gap 700000000 gap=600000000; " +
		"c1 acquire 1500000000 3000000000 fail; c1 gap 2800000000 gap=700000000", "", Unknown, ""},
	{"an outage in which a client did not run, and did not afterwards", "A", once +
		"fault kill n0 8 4000000000 lasted; c1 acquire 1500000000 3000000000 fail; " +
		"c1 gap 2800000000 gap=700000000; c1 gap 3900000000 gap=200000000", "", Unknown, ""},
}
