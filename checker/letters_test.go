package checker

import "testing"

// letterCases are small histories for V and N, for fencing by the trace, and for the class of a
// client that is refused by its own write. Beside each that is violated stands one that must not
// be.
var letterCases = []propertyCase{
	// The validity of a grant when its last reply arrives.
	{"over when the reply arrives", "V",
		"validity; names k; c0 acquire 1 20 sent=2 valid=10 lease=100; c0 release 30 31",
		"0 1 2 12 n0 SET k a NX PX 1 -> OK", Violated, OverWhenDelivered},
	{"over only at the return: a pause lay between", "V",
		"validity; names k; c0 acquire 1 20 sent=2 valid=15 lease=100; fault pause c0 13 19; c0 " +
			"release 30 31", "0 1 2 12 n0 SET k a NX PX 1 -> OK", Valid, ""},
	{"over before its command was sent", "V",
		"validity; c0 acquire 1 20 sent=5 valid=4 lease=100; c0 release 30 31", "",
		Violated, OverWhenDelivered},
	{"over before its command was sent, by a clock that was moved", "V",
		"validity; fault client-clock c0 0 0; c0 acquire 1 20 sent=5 valid=4 lease=100; " +
			"c0 release 30 31",
		"", Valid, ""},
	{"over at the return, and no trace", "V",
		"validity; c0 acquire 1 20 sent=5 valid=10 lease=100; c0 release 30 31", "", Valid, ""},
	{"over when a late vote arrives that it did not need", "V",
		"validity; masters 3; names k; c0 acquire 1 40 sent=2 valid=20; c0 release 50 51",
		"0 1 2 11 n0 SET k a NX PX 1 -> OK\n0 1 2 12 n1 SET k a NX PX 1 -> OK\n" +
			"0 1 2 30 n2 SET k a NX " +
			"PX 1 -> OK", Valid, ""},
	{"over when the second vote of three arrives", "V",
		"validity; masters 3; names k; c0 acquire 1 40 sent=2 valid=20; c0 release 50 51",
		"0 1 2 11 n0 SET k a NX PX 1 -> OK\n0 1 2 22 n1 SET k a NX PX 1 -> OK\n" +
			"0 1 2 30 n2 SET k a NX " +
			"PX 1 -> OK", Violated, OverWhenDelivered},
	{"later than the lease", "V",
		"validity; c0 acquire 1 20 sent=2 valid=103 lease=100; c0 release 30 31", "",
		Violated, PromisedTooLong},
	{"as late as the lease", "V",
		"validity; c0 acquire 1 20 sent=2 valid=102 lease=100; c0 release 30 31", "", Valid, ""},
	{"later than the lease of the call, but the command was sent later", "V",
		"validity; c0 acquire 1 20 valid=110 lease=100; c0 release 30 31", "", Valid, ""},
	{"later than the lease that the command set", "V",
		"validity; names k; c0 acquire 1 20 sent=2 valid=2000003 lease=9000000; c0 release 30 31",
		"0 1 2 12 n0 SET k a NX PX 2 -> OK", Violated, PromisedTooLong},
	{"promised, and no grant says it", "V", "validity; c0 acquire 1 20; " +
		"c0 release 30 31", "", Unknown,
		""},
	{"nothing said and nothing seen", "V", "c0 acquire 1 20; c0 release 30 31", "", NA, ""},
	{"an extension's validity is not the grant's", "V",
		"validity; c0 acquire 1 20 sent=2 valid=50 lease=100; c0 extend 30 sent=29 lease=100 " +
			"valid=300; c0 release 40 41", "", Valid, ""},

	{"over before its command was sent, by a client that was only paused", "V",
		"validity; fault pause c0 0 1; c0 acquire 1 20 sent=5 valid=4 lease=100; " +
			"c0 release 30 31", "",
		Violated, OverWhenDelivered},
	{"over before its command was sent, and the clock is moved afterwards", "V",
		"validity; c0 acquire 1 20 sent=5 valid=4 lease=100; fault client-clock c0 25 25; " +
			"c0 release 30 31", "", Violated, OverWhenDelivered},
	{"over before its command was sent, by all clocks that were moved", "V",
		"validity; fault client-clock * 0 0; c0 acquire 1 20 sent=5 valid=4 lease=100; " +
			"c0 release 30 31", "", Valid, ""},
	{"granted when the run had broken", "V",
		"validity; c1 exit 15; c0 acquire 1 20 sent=5 valid=4 lease=100; c0 release 30 31", "",
		Unknown, ""},

	// The votes of a grant.
	{"a server that refuses after the return", "V",
		"masters 3; names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 12 n0 SET k a NX PX 1 -> OK\n0 1 2 12 n1 SET k a NX PX 1 -> (nil)\n" +
			"0 1 2 25 n2 SET k " +
			"a NX PX 1 -> (nil)", NA, ""},
	{"the server had refused, but which keys are locks is not known", "V",
		"c0 acquire 1 20; c0 release 30 31", "0 1 2 12 n0 SET k a NX PX 1 -> (nil)", NA, ""},
	{"the server had refused what its client had still", "V",
		"names k; c0 acquire 1 5; c0 release 6 7; c0 acquire 10 20",
		"0 1 2 3 n0 SET k a NX PX 1 -> OK\n0 2 12 13 n0 SET k a NX PX 1 -> (nil)", Valid, ""},
	{"the server had refused, and what the client had was deleted", "V",
		"names k; c0 acquire 1 5; c0 release 6 9; c0 acquire 10 20",
		"0 1 2 3 n0 SET k a NX PX 1 -> OK\n0 1 7 8 n0 DEL k -> 1\n" +
			"0 2 12 13 n0 SET k a NX PX 1 -> " +
			"(nil)\n0 2 30 31 n0 DEL k -> 1", Violated, NoServer},
	{"the server had refused", "V", "names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 12 n0 SET k a NX PX 1 -> (nil)\n0 1 30 31 n0 DEL k -> 1", Violated, NoServer},
	{"the server had failed", "V", "names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 12 n0 SET k a NX PX 1 -> (error) READONLY You can't write\n0 1 30 31 n0 DEL k -> 1",
		Violated, NoServer},
	{"the server had refused what an earlier attempt of the client had written", "V",
		"names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 0 n0 SET k a NX PX 1 -> \n0 1 5 12 n0 SET k a NX PX 1 -> (nil)", NA, ""},
	{"the old value is the reply of a grant, too", "V", "names k; c0 acquire 1 20; " +
		"c0 release 30 31",
		"0 1 2 12 n0 SET k a NX GET -> (nil)", Valid, ""},
	{"refused first and granted then", "V", "names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 4 n0 SET k a NX PX 1 -> (nil)\n0 1 8 12 n0 SET k a NX PX 1 -> OK", Valid, ""},
	{"one vote of three", "V", "masters 3; names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 12 n0 SET k a NX PX 1 -> OK\n0 1 2 12 n1 SET k a NX PX 1 -> (nil)\n" +
			"0 1 2 12 n2 SET k a " +
			"NX PX 1 -> (nil)\n0 1 30 31 n0 DEL k -> 1", Violated, NoServer},
	{"one vote of three, and one that nobody knows of", "V",
		"masters 3; names k; c0 acquire 1 20; c0 release 30 31",
		"0 1 2 12 n0 SET k a NX PX 1 -> OK\n0 1 2 12 n1 SET k a NX PX 1 -> (nil)\n" +
			"0 1 2 0 n2 SET k a " +
			"NX PX 1 -> ", NA, ""},
	{"two votes of three, of which a restart forgets one", "V",
		"masters 3; names k; c0 acquire 1 20; fault restart n0 13 14; c0 release 30 31",
		"0 1 2 12 n0 SET k a NX PX 1 -> OK\n0 1 2 12 n1 SET k a NX PX 1 -> OK\n" +
			"0 1 2 12 n2 SET k a NX " +
			"PX 1 -> (nil)", Valid, ""},

	// When a holder is told that its hold is over.
	{"told later, by the lock", "N",
		"loss; c0 acquire 1 5; c1 acquire 2 20; c0 lost 30; c0 release 40 41; c1 release 42 43", "",
		Violated, ""},
	{"told in time", "N",
		"loss; c0 acquire 1 5; c0 lost 19; c1 acquire 2 20; c0 release 40 41; c1 release 42 43", "",
		Valid, ""},
	{"told later, by the refused release", "N",
		"c0 acquire 1 5; c1 acquire 2 20; c0 release 40 41 fail; c1 release 42 43", "",
		Violated, ""},
	{"told before it heard of its grant", "N",
		"loss; lease; c0 acquire 1 15; c1 acquire 2 20; c1 lost 18 n=1; c0 release 40 41; " +
			"c1 release 42 43", "",
		Valid, ""},
	{"told after both were inside, and the other never", "N",
		"loss; lease; c0 acquire 1 15; c1 acquire 2 20; c1 lost 25; c0 release 40 41; " +
			"c1 release 42 43", "",
		Violated, ""},
	{"both were told, and the first one late", "N",
		"loss; lease; c0 acquire 1 15; c1 acquire 2 20; c1 lost 18 n=1; c0 lost 30; " +
			"c0 release 40 41; c1 release 42 43", "",
		Violated, ""},
	{"told after both were inside, and stood still before without a fault", "N",
		"loss; lease; ttl 8; c1 acquire 2 20; c-1 gap 8 gap=6; c0 acquire 9 15; c1 lost 25; " +
			"c0 release 40 41; c1 release 42 43", "",
		Unknown, ""},
	{"the second to be granted was told in time, and the first never", "N",
		"loss; lease; names k; c0 acquire 1 15 node=n0; c1 acquire 2 20 node=n0; c1 lost 18 n=1; " +
			"c0 release 40 41; c1 release 42 43",
		"0 1 3 4 n0 SET k a NX -> OK\n1 1 16 17 n0 SET k b NX -> OK", Violated, ""},
	{"told in time, by a refused extension", "N",
		"c0 acquire 1 5; c0 extend 10 15 fail; c1 acquire 2 20; c0 release 40 41; " +
			"c1 release 42 43", "",
		Valid, ""},
	{"told in advance, by a validity that was over", "N",
		"validity; c0 acquire 1 5 valid=18; c1 acquire 2 20; c0 release 40 41; " +
			"c1 release 42 43", "",
		Valid, ""},
	{"told in advance, by a validity that its client may read on a clock that stood", "N",
		"validity; c0 acquire 1 5 valid=18; fault suspend c0 6 10; c1 acquire 2 20; " +
			"c0 release 40 41; c1 release 42 43", "",
		Unknown, ""},
	{"told in advance, and it was paused", "N",
		"validity; c0 acquire 1 5 valid=18; fault pause c0 6 10; c1 acquire 2 20; " +
			"c0 release 40 41; c1 release 42 43", "",
		Valid, ""},
	{"told in advance, and its machine was suspended later", "N",
		"validity; c0 acquire 1 5 valid=18; fault suspend c0 22 30; c1 acquire 2 20; " +
			"c0 release 40 41; c1 release 42 43", "",
		Valid, ""},
	{"told in advance, and another client's machine was suspended", "N",
		"validity; c0 acquire 1 5 valid=18; fault suspend c1 6 10; c1 acquire 2 20; " +
			"c0 release 40 41; c1 release 42 43", "",
		Valid, ""},
	{"told in advance, and its machine had been suspended before the grant", "N",
		"validity; fault suspend c0 2 3; c0 acquire 1 5 valid=18; c1 acquire 2 20; " +
			"c0 release 40 41; c1 release 42 43", "",
		Valid, ""},
	{"told in time by the lock, after its machine was suspended", "N",
		"loss; c0 acquire 1 5; fault suspend c0 6 10; c0 lost 19; c1 acquire 2 20; " +
			"c0 release 40 41; c1 release 42 43", "",
		Valid, ""},
	{"told later by the lock, whose clock stood", "N",
		"loss; c0 acquire 1 5; fault suspend c0 6 10; c0 lost 30; c1 acquire 2 20; " +
			"c0 release 40 41; c1 release 42 43", "",
		Violated, ""},
	{"never told", "N",
		"c0 acquire 1 5; c1 acquire 2 20; c0 release 40 41; c1 release 42 43", "", Violated, ""},
	{"a write that is refused tells nothing of the lock", "N",
		"c0 acquire 1 5; c0 write 10 15 value=1 fail; c1 acquire 2 20; c0 release 40 41; " +
			"c1 release 42 43", "", Violated, ""},
	{"the machine stalled before the second one came in", "N",
		"ttl 8; c0 acquire 1 5; c-1 gap 12 gap=6; c1 acquire 2 20; c0 release 40 41; " +
			"c1 release 42 43",
		"", Unknown, ""},
	{"an extension that succeeds tells of no end", "N",
		"c0 acquire 1 5; c0 extend 10 15; c1 acquire 2 20; c0 release 40 41; c1 release 42 43", "",
		Violated, ""},
	{"a holder that vanished is told nothing", "N",
		"c0 acquire 1 5; c0 read 24 25 value=1; c1 acquire 2 20; c0 exit 30 planned; " +
			"c1 release 42 43",
		"", NA, ""},
	{"a dead holder is told nothing", "N",
		"c0 acquire 1 5; c1 acquire 2 20; c0 kill 30; c1 release 42 43", "", NA, ""},
	{"one after the other", "N",
		"c0 acquire 1 5; c0 release 10 11; c1 acquire 2 20; c1 release 42 43", "", NA, ""},

	// Fencing by the order of the granting commands.
	{"the older grant has the larger token, as the trace shows", "F",
		"lease; fencing; c0 acquire 1 60 sent=2 lease=20 token=9; " +
			"c1 acquire 3 50 sent=40 lease=100 " +
			"token=5; c0 release 70 71; c1 release 72 73",
		"0 1 2 5 n0 SETNX k a -> 1\n1 1 40 45 n0 SETNX k b -> 1", Violated, OldToken},
	{"the granting commands overlap", "F",
		"lease; fencing; c0 acquire 1 60 sent=2 lease=20 token=9; " +
			"c1 acquire 3 50 sent=40 lease=100 " +
			"token=5; c0 release 70 71; c1 release 72 73",
		"0 1 2 41 n0 SETNX k a -> 1\n1 1 40 45 n0 SETNX k b -> 1", Valid, ""},
	{"the older grant has the larger token, and no trace", "F",
		"lease; fencing; c0 acquire 1 60 sent=2 lease=20 token=9; " +
			"c1 acquire 3 50 sent=40 lease=100 " +
			"token=5; c0 release 70 71; c1 release 72 73", "", Valid, ""},

	// A key that is left behind by a command whose reply was lost.
	{"refused by its own write", "R",
		"names k; c1 acquire 1 5; c1 release 6 7; c0 acquire 20 90 fail",
		"0 1 22 0 n0 SETNX k a -> !eof\n0 1 50 55 n0 SETNX k a -> 0",
		Violated, RefusedThoughGranted},
	{"refused by its own write, which its library had sent before", "R",
		"names k; c1 acquire 1 5; c1 release 6 7; c0 acquire 20 90 fail",
		"0 1 22 55 n0 SETNX k a -> 0 again", Violated, RefusedThoughGranted},
	{"refused, sent again, and another has written", "R",
		"names k; c1 acquire 1 5; c1 release 6 7; c0 acquire 20 90 fail",
		"1 1 2 4 n0 SETNX k b -> 1\n0 1 22 55 n0 SETNX k a -> 0 again", Violated, ""},
	{"refused by another's write", "R",
		"names k; c1 acquire 1 5; c1 release 6 7; c0 acquire 20 90 fail",
		"1 1 2 4 n0 SETNX k b -> 1\n0 1 50 55 n0 SETNX k a -> 0", Violated, ""},
	{"refused by its own write or another's", "R",
		"names k; c1 acquire 1 5; c1 release 6 7; c0 acquire 20 90 fail; c1 acquire 30 95 info",
		"0 1 22 0 n0 SETNX k a -> !eof\n0 1 50 55 n0 SETNX k a -> 0", Valid, ""},

	// The lock's word beyond its lease.
	{"promised too long", "S",
		"lease; validity; c0 acquire 1 5 sent=2 lease=10 valid=40; " +
			"c1 acquire 6 20 sent=15 lease=10 " +
			"valid=24; c0 release 50 51; c1 release 52 53", "", Violated, PromisedTooLong},
	{"not looked at what was promised", "S",
		"lease; validity; c0 acquire 1 5 sent=2 lease=10 valid=11; " +
			"c1 acquire 6 20 sent=15 lease=10 " +
			"valid=24; c0 release 50 51; c1 release 52 53", "", Violated, LeaseOverrun},
}

// TestExpectations holds exit codes to what is expected of a history that violates S, leaves O
// unknown and is clean of F.
func TestExpectations(t *testing.T) {
	h := story(t, "c0 acquire 1 5; c1 acquire 2 20; c0 release 40 41; c1 release 42 43")
	h.Header.Properties, h.Header.Reported = []string{"S", "F", "N"}, []string{"N"}
	for expect, want := range map[string]int{
		"valid": ExitUnexpected, "violated": ExitExpected, "S": ExitExpected, "S,N": ExitExpected,
		"exactly:S": ExitExpected, "exactly:S,N": ExitExpected, "exactly:N": ExitUnexpected,
		"S,F": ExitUnexpected, "exactly:S,F": ExitUnexpected, "O": ExitUnknown,
	} {
		if v := Check(h, nil, Options{Expect: expect}); v.Exit != want {
			t.Errorf("%s: exit %d, want %d (%s)", expect, v.Exit, want, show(v))
		}
	}
	h.Header.Properties = []string{"S", "O", "N"}
	if v := Check(h, nil, Options{Expect: "exactly:S"}); v.Exit != ExitUnknown {
		t.Errorf("what is unknown may be violated: exit %d", v.Exit)
	}
}

// TestReportedDecidesNothing: what is judged by default and only reported decides a run where it
// was asked for by name.
func TestReportedDecidesNothing(t *testing.T) {
	h := story(t, "names k; c1 acquire 1 5; c1 release 6 7; c0 acquire 20 90 fail")
	h.Header.Properties, h.Header.Reported = []string{"S", "R"}, []string{"R"}
	trace := commands(t, "0 1 22 0 n0 SETNX k a -> !eof\n0 1 50 55 n0 SETNX k a -> 0")
	for _, c := range []struct {
		o    Options
		want Result
		exit int
	}{
		{Options{}, Valid, ExitExpected},
		{Options{Expect: "violated"}, Valid, ExitUnexpected},
		{Options{Expect: "R"}, Violated, ExitExpected},
		{Options{Properties: []string{"S", "R"}}, Violated, ExitUnexpected},
	} {
		v := Check(h, trace, c.o)
		if v.Verdict != c.want || v.Exit != c.exit || v.Property("R").Verdict != Violated {
			t.Errorf("%+v: %s, exit %d: %s", c.o, v.Verdict, v.Exit, show(v))
		}
	}
}
