package checker

import (
	"fmt"
	"strings"
)

// shortCalls are acquire calls of client 1 that end soon, ten in a second, and what they see, if
// anything.
func shortCalls(from, times int, how, reply string) (story, trace string) {
	for i := range times {
		at := from + i*100_000_000
		story += fmt.Sprintf("c1 acquire %d %d %s; ", at, at+1000, how)
		if reply != "" {
			trace += fmt.Sprintf("1 %d %d %d n0 EVALSHA ab 1 k b -> %s\n", i+1, at+10, at+20, reply)
		}
	}
	return story, trace
}

// Calls that end with an error, and a bound of 1 s.
var (
	noScript, noScriptTrace = shortCalls(100, 20, "info", "(error) NOSCRIPT No matching script.")
	oom, oomTrace           = shortCalls(100, 20, "info", "(error) OOM command not allowed")
	later1, _               = shortCalls(100, 20, "info err=try_later", "")
	fewErrors, fewTrace     = shortCalls(100, 8, "info", "(error) NOSCRIPT No matching script.")
	// ping is a server that answers another client all the time
	ping = strings.ReplaceAll(refusals(0, 9, 20, 60), "SET k b NX PX 1 -> (nil)", "PING -> PONG")
	// others are granted the lock all the time
	others = busyLock(60)
)

// busyLock is a client that is granted the lock ten times a second.
func busyLock(times int) (out string) {
	for i := range times {
		at := 100 + i*100_000_000
		out += fmt.Sprintf("c0 acquire %d %d sent=%d lease=1000; c0 release %d %d; ", at, at+5, at+2,
			at+6, at+7)
	}
	return out
}

// callCases are histories of calls that fail, hang or lose replies, each with one near it.
var callCases = []propertyCase{
	// Errors.
	{"calls that end with an error of the lock's own command", "D", once + noScript, noScriptTrace,
		Violated, ForgottenScript},
	{"such calls, for less than the bound", "D", once + fewErrors, fewTrace, Valid, ""},
	{"calls that a server refuses to serve", "D", once + oom, oomTrace, Valid, ""},
	{"calls that fail and send nothing", "D", once + later1, ping, Violated, ""},
	{"calls that fail, of a run without a trace", "D", once + later1, "", Valid, ""},

	// Calls that do not return.
	{"an acquire that hangs while others are granted the lock", "D",
		free + "timeout 500000000; " + others + "c1 acquire 10; end 6000000000", ping, Violated,
		EndlessCall},
	{"an acquire that returns in time", "D", free + "timeout 500000000; " + others +
		"c1 acquire 10 2000000000 fail; end 6000000000", ping, Valid, ""},
	{"an acquire that hangs while a fault is under way", "D", free + "timeout 500000000; " + others +
		"fault cut c1>n0 20 5000000000; c1 acquire 10 5500000000 fail; end 6000000000", ping, Valid, ""},
	{"an acquire of a client that did not run", "D", free + "timeout 500000000; " + others +
		"c1 acquire 10 3000000000 fail; c1 gap 2900000000 gap=2000000000; end 6000000000", ping, Valid,
		""},
	{"an acquire that is open at the end and late", "D", free + "timeout 500000000; " + others +
		"c1 acquire 4900000000; end 6000000000", ping, Unknown, ""},
	{"an acquire that is open at the end and in time", "D", free + "timeout 500000000; " + others +
		"c1 acquire 5900000000; end 6000000000", ping, Valid, ""},
	{"an acquire that hangs until its client is killed", "D", free + "timeout 500000000; " + others +
		"c1 acquire 10; c1 kill 4000000000; end 6000000000", ping, Violated, EndlessCall},
	{"an acquire whose client is killed in time", "D", free + "timeout 500000000; " + others +
		"c1 acquire 10; c1 kill 900000000; end 6000000000", ping, Valid, ""},
	{"a release that hangs", "D", free + "clienttimeout 250000000; " +
		"c1 acquire 10 15 sent=12 lease=1000; c1 release 20; " + others + "end 6000000000", ping,
		Violated, EndlessCall},
	{"a release that hangs for unknown time-outs, and was answered", "D", free +
		"c1 acquire 10 15 sent=12 lease=1000; c1 release 20; " + others + "end 6000000000", ping +
		"\n1 1 12 13 n0 SET k b NX PX 1 -> OK\n1 1 21 22 n0 DEL k -> 1", Violated, EndlessCall},
	{"a release that takes long for unknown time-outs, and its command was lost", "D", free +
		"c1 acquire 10 15 sent=12 lease=1000; c1 release 20; " + others + "end 6000000000", ping +
		"\n1 1 12 13 n0 SET k b NX PX 1 -> OK\n1 1 21 30 n0 DEL k -> !EOF", NA, ""},
	{"a release that waits for a renewal that was lost", "D", free +
		"c1 acquire 10 15 sent=12 lease=1000; c1 release 20; " + others + "end 6000000000", ping +
		"\n1 1 12 13 n0 SET k b NX PX 1 -> OK\n1 1 18 30 n0 PEXPIRE k 1 -> !EOF\n" +
		"1 1 21 22 n0 DEL k -> 1", NA, ""},
	{"a release that takes long for unknown time-outs, and no command of it is known", "D", free +
		"c1 acquire 10 15 sent=12 lease=1000; c1 release 20; " + others + "end 6000000000", ping, NA,
		""},
	{"a release that returns in time", "D", free + "clienttimeout 250000000; " +
		"c1 acquire 10 15 sent=12 lease=1000; c1 release 20 1200000000; " + others + "end 6000000000",
		ping, NA, ""},
	{"a release that is open at the end and late", "D", free + "clienttimeout 250000000; " + others +
		"c1 acquire 5000000000 5000000005 sent=5000000001 lease=1000; c1 release 5000000010; " +
		"end 6000000000", ping, Unknown, ""},
	{"a release of a client that nobody answers", "D", free + "clienttimeout 250000000; " +
		"c1 acquire 10 15 sent=12 lease=1000; c1 release 20 6000000000 info",
		"1 1 12 13 n0 SET k b NX PX 1 -> OK", NA, ""},

	// Lost time.
	{"a stall of 0.1 s in ten bounds", "D", once + "c1 acquire 10 10000000000 fail; " +
		"c-1 gap 3000000000 gap=100000000", "", Violated, ""},
	{"a stall that leaves no more than the bound", "D", once + "c1 acquire 10 2000000000 fail; " +
		"c-1 gap 1500000000 gap=1100000000", "", Unknown, ""},
	{"a server that did not answer for too long for more than the bound to be left", "D", once +
		"c1 acquire 10 2000000000 fail; c-1 gap 1500000000 gap=1100000000 server=n0", "", Unknown, ""},
	{"a server that did not answer for a part of ten bounds", "D", once +
		"c1 acquire 10 10000000000 fail; c-1 gap 1500000000 gap=1100000000 server=n0", "", Violated, ""},
	{"an outage by a fault, in which the server did not answer", "A", once + "fault pause-node n0 " +
		"10 9000000000; c1 acquire 10 10000000000 fail; c-1 gap 9000000000 gap=8000000000 server=n0",
		"", Violated, ""},
	{"a lost reply, and the key that it may have left has expired", "D",
		once + "c2 acquire 8 9 info; " +
			"c1 acquire 10 1500000000 fail", "2 1 8 9 n0 SET k c NX PX 1 -> !timeout\n" + dense(), Violated,
		""},
	{"a lost reply, and the key that it may have left lives on", "D",
		"ttl 1000000000; lease; poll 1; " +
			"topology single; c0 acquire 1 5 sent=2 lease=1000000000; c0 release 6 7; " +
			"c2 acquire 700000000 700000009 info; c1 acquire 10 2300000000 fail",
		"2 1 700000000 700000009 n0 SET k c NX PX 1000 -> !timeout\n" + refusals(1, 1, 20, 23), Unknown,
		""},
	{"an answer that stayed away for long after the fault that held it back", "D", once +
		"c1 acquire 10 2300000000 fail; fault pause c1 100 200",
		"1 1 150 2250000000 n0 SET k b NX PX 1000 -> (nil)", Unknown, ""},
	{"answers that came after the fault that held one back", "D", once +
		"c1 acquire 10 2300000000 fail; fault pause c1 100 200", refusals(1, 1, 150, 23), Violated, ""},

	// Pauses.
	{"a client that sleeps at a free lock", "D", unpaced + "c1 acquire 10 9000000005 " +
		"sent=9000000000 lease=1000; c1 release 9000000006 9000000007; c0 acquire 9100000000 " +
		"9100000005 " +
		"sent=9100000001 lease=1000; c0 release 9300000000 9300000001; c2 acquire 9100000010 " +
		"9290000000 " +
		"fail",
		"1 1 20 21 n0 SET k b NX PX 1 -> (nil)\n1 1 9000000000 9000000001 n0 SET k b NX PX 1 -> OK\n" +
			refusals(2, 1, 9_100_000_020, 2), Violated, ""},
	{"a client that sleeps at a free lock for as long as another has slept", "D", unpaced +
		"c0 acquire 1 5 sent=2 lease=1000; c2 acquire 8 4300000000 fail; c0 release 4400000000 " +
		"4400000001; c1 acquire 4500000000 9000000005 sent=9000000000 lease=1000; " +
		"c1 release 9000000006 9000000007",
		refusals(2, 1, 20, 1) + refusals(2, 1, 4_200_000_000, 1) +
			"1 1 4500000020 4500000021 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 9000000000 9000000001 n0 SET k b NX PX 1 -> OK", Valid, ""},
	{"a client that sleeps for as long as the lock declares", "D", unpaced + "pause 4500000000; " +
		"c1 acquire 10 9000000005 sent=9000000000 lease=1000; c1 release 9000000006 9000000007; " +
		"c0 acquire 9100000000 9100000005 sent=9100000001 lease=1000; c0 release 9300000000 9300000001",
		"1 1 20 21 n0 SET k b NX PX 1 -> (nil)\n1 1 9000000000 9000000001 n0 SET k b NX PX 1 -> OK",
		NA, ""},

	// Leases that a new leader gives their full time again.
	{"a lease that a new leader gave its full time again", "D", "ttl 1000000000; lease; poll 1; " +
		"leaderrenews; fault kill n0 8 9; c1 acquire 10 2900000000 fail", "", Unknown, ""},
	{"the same, and nothing renews leases", "D", "ttl 1000000000; lease; poll 1; " +
		"fault kill n0 8 9; c1 acquire 10 2900000000 fail", "", Violated, ""},

	// Leases that run out in lost time. Client 0 reads, its lease is over at 62, and it writes at 95.
	{"a lost update by a client that did not run", "U", lateWrite + "c0 gap 90 gap=40", "",
		Unknown, ""},
	{"a lost update by a client that ran for long enough", "U", lateWrite + "c0 gap 90 gap=20", "",
		Violated, ""},
	{"a lost update while another client did not run", "U", lateWrite + "c1 gap 60 gap=40", "",
		Violated, ""},
	{"a lost update whose lease was prolonged by a command that was lost", "U", lateWrite,
		"0 1 30 40 n0 PEXPIRE k 60 -> !timeout", Unknown, ""},
	{"an overrun by a client that a fault stopped", "U", lateWrite + "fault pause c0 50 90; " +
		"c0 gap 90 gap=40", "", Violated, ""},
	{"an overrun of a lease of which the server's late answer took a part", "S", "lease; names k; " +
		"c0 acquire 1 200000005 sent=2 lease=300000000; c1 acquire 310000000 310000009 " +
		"sent=310000001 lease=300000000; c0 release 350000000 350000010; c1 release 400000000 400000010",
		"0 1 2 200000003 n0 SET k a NX PX 300 -> OK", Unknown, ""},
	{"an overrun after an answer that was late, which took no part of what was lacking", "S",
		"lease; names k; c0 acquire 1 200000005 sent=2 lease=300000000; c1 acquire 610000000 610000009 " +
			"sent=610000001 lease=300000000; c0 release 650000000 650000010; " +
			"c1 release 700000000 700000010",
		"0 1 2 200000003 n0 SET k a NX PX 300 -> OK", Violated, LeaseOverrun},
	{"a session that a server's silence may have ended", "S", "loss; " + sessionOf +
		"c1 acquire 6 1500000000; c-1 gap 900000000 gap=600000000 server=n0; " + sessionsEnd, "",
		Unknown, ""},
	{"a session that a short silence of its server cannot have ended", "S", "loss; " + sessionOf +
		"c1 acquire 6 1500000000; c-1 gap 900000000 gap=200000000 server=n0; " + sessionsEnd, "",
		Violated, DoubleGrant},
	{"a session that a pause of the holder has ended, and a server's silence later", "S", "loss; " +
		sessionOf + "fault pause c0 8 2000000000; c1 acquire 6 1500000000; " +
		"c-1 gap 1400000000 gap=600000000 server=n0; " + sessionsEnd, "", Violated, SessionLost},
	{"an overrun by a client that did not run", "S", lateWrite + "c0 gap 65 gap=20", "", Unknown, ""},
	{"an overrun by a client that did not run for less than it overran", "S", lateWrite +
		"c0 gap 65 gap=2", "", Violated, LeaseOverrun},
}

// lateWrite is a client whose lease is over when it writes, after another one has written.
const lateWrite = "ttl 60; lease; c0 acquire 1 5 sent=2 lease=60; c0 read 6 7 value=1; " +
	"c1 acquire 3 70 sent=65 lease=60; c1 read 71 72 value=1; c1 write 73 74 value=2; " +
	"c1 release 80 81; c0 write 94 95 value=3; c0 release 100 101; "
