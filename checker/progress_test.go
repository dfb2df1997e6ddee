package checker

import (
	"fmt"
	"strings"
	"testing"
)

// Parts of histories in which progress is judged. The bound is a lease and two polls of next to
// nothing, and a second.
const (
	// a lock of which it is not known how long its clients pause
	unpaced = "ttl 1000; lease; topology single; "
	// one lock on one server, granted once and released; nothing else happens
	free = "ttl 1000; lease; poll 1; topology single; "
	once = free + "c0 acquire 1 5 sent=2 lease=1000; c0 release 6 7; "
	// the same, and then the server is stopped and goes on
	mended = once + "fault pause-node n0 10 20; "
	// three servers, of which each gives its vote to one client
	three = "masters 3; ttl 1000; lease; poll 1; "
	split = "c0 acquire 10 1500000000 fail; c1 acquire 10 1500000000 fail; "
)

// refusedTrace is what a client sees that tries for 1.2 seconds.
const refusedTrace = "1 1 20 21 n0 SET k b NX PX 1 -> (nil)\n" +
	"1 1 400000000 400000001 n0 SET k b NX PX 1 -> (nil)\n" +
	"1 1 800000000 800000001 n0 SET k b NX PX 1 -> (nil)\n" +
	"1 1 1200000000 1200000001 n0 SET k b NX PX 1 -> (nil)\n"

// progressCases are histories that progress decides, each beside one that it must not convict.
var progressCases = []propertyCase{
	// Without a fault.
	{"a free lock that no client is granted", "D", once +
		"c1 acquire 10 1300000000 fail", "", Violated,
		""},
	{"a free lock, and many short calls of several clients", "D", once +
		"c1 acquire 10 500000000 fail; c2 acquire 400000000 900000000 fail; " +
		"c1 acquire 800000000 1100000000 fail", "", Violated, ""},
	{"a client that starves while others are granted", "D", once + "c1 acquire 10 1300000000 fail; " +
		"c0 acquire 600000000 600000005 sent=600000001 lease=1000; c0 release 600000006 600000007", "",
		Valid, ""},
	{"a free lock that one is granted too late", "D",
		free + "c1 acquire 10 1500000000 sent=1450000000 lease=1000; c1 release 1500000001 1500000002",
		"1 1 20 21 n0 SET k b NX PX 1 -> (nil)\n1 1 100000000 100000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 200000000 200000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 300000000 300000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 400000000 400000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 500000000 500000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 600000000 600000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 700000000 700000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 800000000 800000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 900000000 900000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 1000000000 1000000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 1100000000 1100000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 1200000000 1200000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 1300000000 1300000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 1400000000 1400000001 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 1450000000 1450000001 n0 SET k b NX PX 1 -> OK", Violated, ""},
	{"a back-off that is longer than the bound, of a lock that declares none", "D",
		unpaced + "c1 acquire 10 1500000000 sent=1450000000 lease=1000; c1 release 1500000001 1500000002",
		"1 1 20 21 n0 SET k b NX PX 1 -> (nil)\n1 1 1450000000 1450000001 n0 " +
			"SET k b NX PX 1 -> OK", Unknown,
		""},
	{"a pause between tries that is not known", "D", "ttl 1000; lease; c0 acquire 1 5 sent=2 " +
		"lease=1000; c0 release 6 7; c1 acquire 10 1300000000 fail", "", Unknown, ""},
	{"a pause that is between calls of one try each", "D", "ttl 1000; lease; c0 acquire 1 5 sent=2 " +
		"lease=1000; c0 release 6 7; c1 acquire 10 20 fail; c1 acquire 400 1300000000 fail", "",
		Violated, ""},
	{"such a pause that is longer than the bound without it", "D", "ttl 1000; lease; c0 acquire 1 5 " +
		"sent=2 lease=1000; c0 release 6 7; c1 acquire 10 20 fail; c1 acquire 1200000000 1200000010 " +
		"fail", "", Valid, ""},
	{"dead waiters keep their place for a while", "D", once + "deadwaiters 500000000; " +
		"c1 acquire 10 1300000000 fail", "", Valid, ""},
	{"a single client that never waits", "D", once + "c0 acquire 8 9 sent=8 lease=1000", "", NA, ""},
	{"a single client that is refused its own leftover", "D", free +
		"c0 acquire 1 5 sent=2 lease=1000; c0 release 6 7; c0 acquire 10 1300000000 fail", "", Violated,
		""},

	// What counts for a try.
	{"refused by the server", "D", once +
		"c1 acquire 10 1300000000 fail why=server-refused", "", Valid,
		""},
	{"a READONLY answer", "D", once + "c1 acquire 10 1300000000 fail",
		refusedTrace + "1 1 600000000 600000001 n0 SET k b NX PX 1 -> (error) READONLY\n", Valid, ""},
	{"a READONLY answer before", "D", once + "c1 acquire 10 1300000000 fail",
		"1 1 18 19 n0 SET k b NX PX 1 -> (error) READONLY\n" + refusedTrace, Violated, ""},
	{"an error of the lock's own command", "D", once + "c1 acquire 10 1500000000 info",
		strings.ReplaceAll(dense(), "(nil)", "(error) NOSCRIPT No matching script."), Violated,
		ForgottenScript},
	{"many READONLY answers", "D", once + "c1 acquire 10 1500000000 fail",
		strings.ReplaceAll(dense(), "(nil)", "(error) READONLY You can't write"), Valid, ""},
	{"many refusals", "D", once + "c1 acquire 10 1500000000 fail", dense(), Violated, ""},
	{"a long pause of a client that was paused says nothing of the lock's own", "D", once +
		"fault pause c1 10 700000000; c1 acquire 9 2400000000 fail",
		line(1, 9, "n0", "b", "(nil)") + later(dense(), 800_000_000), Violated, ""},
	{"gave up early", "D", once + "c1 acquire 10 1300000000 fail why=gave-up", "", Violated, ""},
	{"an unknown outcome whose commands had all been answered", "D",
		once + "c1 acquire 10 1500000000 info", dense(), Violated, ""},
	{"an unknown outcome, and a command without an answer", "D",
		once + "c1 acquire 10 1500000000 info", dense() + "1 1 1250000000 0 n0 DEL k -> ", Valid, ""},
	{"a call that never returns though servers answer", "D",
		once + "timeout 1000; c1 acquire 10; c0 acquire 1200000000 1300000000 info; end 3000000000",
		"1 1 20 21 n0 PING -> PONG\n0 2 1200000000 1200000001 n0 PING -> PONG\n" +
			"0 2 2000000000 2000000001 n0 PING -> PONG", Violated, EndlessCall},
	{"a call that does not return, and no server answers", "D",
		once + "timeout 1000; c1 acquire 10; end 3000000000", "1 1 20 21 n0 PING -> PONG", Unknown, ""},

	// A slow machine.
	{"a gap that no fault made, since the last grant", "D",
		once + "c1 acquire 10 1500000000 fail; c-1 gap 700000000 gap=324000000", "", Violated, ""},
	{"a gap that is short beside the lease", "D", "ttl 1000000000; lease; poll 1; " +
		"c0 acquire 1 5 sent=2 lease=1000000000; c0 release 6 7; c1 acquire 10 2300000000 fail; " +
		"c-1 gap 700000000 gap=30000000", "", Violated, ""},
	{"a time-out that no fault explains", "D", free + "c0 acquire 1 5 sent=2; c0 release 6 7 info; " +
		"c1 acquire 10 1500000000 fail", "0 1 6 7 n0 DEL k -> !timeout\n" + dense(), Unknown, ""},
	{"a time-out that a fault explains", "D", free + "c0 acquire 1 5 sent=2; fault cut c0>* 6 8; " +
		"c0 release 6 7 info; c1 acquire 10 1500000000 fail",
		"0 1 6 7 n0 DEL k -> !timeout\n" + dense(), Violated, ""},

	// Recovery.
	{"granted again after the fault", "D", mended + "c1 acquire 30 40 sent=31 lease=1000", "", Valid,
		""},
	{"granted by a command that was sent under the fault", "D", mended +
		"c1 acquire 12 40 sent=13 lease=1000", "", Unknown, ""},
	{"not granted again, and the run ends before that is certain", "D", mended +
		"c1 acquire 30 900000000 fail", "", Unknown, ""},
	{"not granted again for longer than the bound", "D", mended + "c1 acquire 30 1200000000 fail", "",
		Violated, ""},
	{"re-enters what it left behind", "D", free + "reentrant; c0 acquire 1 5 sent=2 lease=1000; " +
		"fault cut c0>* 6 20; c0 release 7 15 info; c0 acquire 30 40 sent=31 lease=1000", "", Unknown,
		""},
	{"another is granted what it left behind", "D", free +
		"reentrant; c0 acquire 1 5 sent=2 lease=1000; fault cut c0>* 6 20; c0 release 7 15 info; " +
		"c1 acquire 30 40 sent=31 lease=1000", "", Valid, ""},
	{"makes the key anew", "D", free + "reentrant; c0 acquire 1 5 sent=2 lease=1000; " +
		"fault cut c0>* 6 20; c0 release 7 15 info; c0 acquire 30 40 sent=31 lease=1000",
		"0 2 31 33 n0 SET k a NX PX 1 -> OK", Valid, ""},
	{"makes no re-entry where its own release had succeeded", "D", free + "reentrant; " +
		"c0 acquire 1 5 sent=2 lease=1000; c0 release 6 7; fault cut c0>* 8 20; " +
		"c0 acquire 30 40 sent=31 lease=1000", "", Valid, ""},
	{"a later call of unknown outcome leaves nothing for an earlier grant", "D", free + "reentrant; " +
		"c1 acquire 1 5 sent=2 lease=1000; c1 release 6 7; fault cut c0>* 8 20; " +
		"c0 acquire 30 40 sent=31 lease=1000; c0 release 41 42; c0 acquire 50 60 info", "", Valid, ""},
	{"re-enters by a script that its author does not explain", "D", free +
		"c0 acquire 1 5 sent=2 lease=1000; fault cut c0>* 6 20; c0 release 7 15 info; " +
		"c0 acquire 30 40 sent=31 lease=1000", "0 2 31 33 n0 EVAL s 1 k a -> 1", Unknown, ""},
	{"re-enters by a script that takes", "D", free + "reentrant; script s take 1 0; " +
		"c0 acquire 1 5 sent=2 lease=1000; fault cut c0>* 6 20; c0 release 7 15 info; " +
		"c0 acquire 30 40 sent=31 lease=1000", "0 2 31 33 n0 EVAL s 1 k a -> 1", Unknown, ""},
	{"commands are not answered at the end, and nothing explains it", "D", once +
		"c1 acquire 10 1500000000 info", "1 1 20 1400000000 n0 SET k b NX PX 1 -> !timeout", Unknown,
		""},
	{"commands were not answered, and others are granted the lock", "D", once +
		"c1 acquire 10 1500000000 info; c0 acquire 1400000000 1400000009 sent=1400000001 lease=9; " +
		"c0 release 1400000010 1400000011", "1 1 20 1300000000 n0 SET k b NX PX 1 -> !timeout", Valid,
		""},
	{"one survivor is granted the lock", "D", once + "c0 kill 10; c0 exit 12 planned; " +
		"c1 acquire 30 40 sent=31 lease=1000", "", Valid, ""},
	{"one survivor is refused for longer than the bound", "D", once +
		"c0 kill 10; c0 exit 12 planned; c1 acquire 30 1300000000 fail", "", Violated, ""},

	// Faults that are never over.
	{"a server that stays away", "D", once + "fault kill n0 8 1400000000 lasted; " +
		"c1 acquire 10 1300000000 fail", "", NA, ""},
	{"a link that stays cut", "D", once + "fault cut c1>n0 8 1400000000 lasted; " +
		"c1 acquire 10 1300000000 fail", "", NA, ""},
	{"a server that stays away, but its replica is promoted", "D", once +
		"fault kill n0 8 1400000000 lasted; fault promote n1 9 10; c1 acquire 12 1300000000 fail", "",
		Violated, ""},
	{"a replica had been promoted before the other server was gone", "D", once +
		"fault promote n1 7 8; fault kill n0 9 1400000000 lasted; c1 acquire 12 1300000000 fail", "", NA,
		""},
	{"the server that was promoted stays away", "D", once + "fault kill n1 8 1400000000 lasted; " +
		"fault promote n1 9 10; c1 acquire 12 1300000000 fail", "", NA, ""},
	{"a client that stays away", "D", once + "fault crash c2 8 1400000000 lasted; c2 kill 8; " +
		"c2 exit 9 planned; c1 acquire 12 1300000000 fail", "", Violated, ""},

	// Votes.
	{"votes are split among live clients", "D", three +
		"c2 acquire 1 5 sent=2 lease=1; c2 release 6 7; c0 acquire 10 3000000000 fail; " +
		"c1 acquire 10 3000000000 fail", splitVotes(30), Valid, ""},
	{"votes are split among live clients for longer than five bounds", "D", three +
		"c2 acquire 1 5 sent=2 lease=1; c2 release 6 7; c0 acquire 10 6500000000 fail; " +
		"c1 acquire 10 6500000000 fail", splitVotes(65), Violated, ""},
	{"votes are those of a client that is gone", "D", three + "c2 kill 5; c2 exit 6 planned; " + split,
		"2 1 1 2 n0 SET k c NX PX 1 -> OK\n2 1 1 2 n1 SET k c NX PX 1 -> OK\n" + deadVotes(), Violated,
		""},

	// Outages.
	{"nothing lasted", "A", once, "", NA, ""},
	{"a server refuses to serve for long", "A", refusedStory, refusedFor("OOM used memory", ""),
		Violated, ""},
	{"a server refuses, and carries out a write in between", "A", refusedStory, refusedFor(
		"OOM used memory", "1 1 600000000 600000001 n0 SET k b NX PX 1 -> (nil)\n"), NA, ""},
	{"a server refuses, and answers a read in between", "A", refusedStory, refusedFor(
		"OOM used memory", "1 1 600000000 600000001 n0 GET k -> (nil)\n"), Violated, ""},
	{"a server refers to another one", "A", refusedStory, refusedFor("MOVED 7 h:1", ""), NA, ""},
	{"an error of the command itself", "A", refusedStory, refusedFor("WRONGTYPE Operation", ""), NA,
		""},
	{"no server for long", "A", once + "fault kill n0 8 1400000000 lasted; " +
		"c1 acquire 10 1300000000 info", "", Violated, ""},
	{"no server for long, and nobody ran for most of it", "A", once + "fault kill n0 8 3000000000 " +
		"lasted; c1 acquire 10 3000000000 info; c-1 gap 2900000000 gap=2500000000", "", Unknown, ""},
	{"no server for long, and nobody ran for some of it", "A", once + "fault kill n0 8 3000000000 " +
		"lasted; c1 acquire 10 3000000000 info; c-1 gap 2900000000 gap=100000000", "", Violated, ""},
	{"no server for long, and nobody ran before", "A", once + "fault kill n0 600000000 3000000000 " +
		"lasted; c1 acquire 600000010 3000000000 info; c-1 gap 500000000 gap=400000000", "", Violated,
		""},
	{"a minority is dead, and a server that no fault hit answers nothing", "A", three + "names k; " +
		"fault kill n0 8 4000000000 lasted; c0 acquire 10 4000000000 info", silent("n1"), Unknown, ""},
	{"a minority is dead, and the link to another is cut", "A", three + "names k; " +
		"fault kill n0 8 4000000000 lasted; fault cut c0>n1 9 4000000000 lasted; " +
		"c1 acquire 1 5; c1 release 6 7; c0 acquire 10 4000000000 info", silent("n1"), Violated, ""},
	{"no lock was ever granted, and a minority is dead", "A", three + "names k; " +
		"fault kill n0 8 4000000000 lasted; fault cut c0>n1 9 4000000000 lasted; " +
		"c0 acquire 10 4000000000 info", silent("n1"), Unknown, ""},
	{"no server for long, and others are granted once it is back", "A", once +
		"fault kill n0 8 1400000000; c1 acquire 10 1410000000 sent=1405000000 lease=9; " +
		"c1 release 1410000001 1410000002", "", Violated, ""},
	{"a dead server for long, then a full one, and the harness did not run for most of it", "A", once +
		"c1 acquire 10 1410000000 sent=1405000000 lease=9; c1 release 1410000001 1410000002; " +
		"c1 acquire 1420000000 2710000000 sent=2705000000 lease=9; " +
		"c1 release 2710000001 2710000002; c-1 gap 2690000000 gap=1100000000; " +
		"fault kill n0 8 1400000000; fault memory-full n0 1500000000 2700000000", "", Unknown, ""},
	{"no server for a while", "A", once + "fault kill n0 8 900000000; c1 acquire 10 1300000000 info",
		"", Valid, ""},
	{"no server for long, and clients give up at once and try again", "A", once +
		"fault kill n0 8 2400000000 lasted; c1 acquire 10 11 info; " +
		"c1 acquire 900000000 900000001 info; " +
		"c1 acquire 1600000000 1600000001 info", "", Violated, ""},
	{"no server for long, and no client asks", "A", once + "fault kill n0 8 1900000000 lasted; " +
		"c1 acquire 1200000000 1200000001 info", "", Valid, ""},
	{"a client that is paused is no outage", "A", once + "fault pause c2 8 1400000000; " +
		"c1 acquire 10 1300000000 fail", "", NA, ""},
	{"two faults that overlap", "A", once + "fault kill n0 8 800000000; " +
		"fault pause-node n0 700000000 1500000000; c1 acquire 10 1450000000 info", "", Violated, ""},
	{"only the client asks that is cut off", "A", once + "fault cut c1>n0 8 2400000000 lasted; " +
		"c1 acquire 10 2300000000 info", "", NA, ""},
	{"the same, and another client asks", "A", once + "fault cut c1>n0 8 2400000000 lasted; " +
		"c1 acquire 10 2300000000 info; c2 acquire 11 2300000000 info", "", Violated, ""},
	{"the same, and another client asks for a moment", "A", once +
		"fault cut c1>n0 8 2400000000 lasted; c1 acquire 10 2300000000 info; c2 acquire 11 20 info", "",
		NA, ""},
	{"the same, and its other connections are cut", "A", once +
		"fault cut c1+>* 8 2400000000 lasted; c1 acquire 10 2300000000 info", "", NA, ""},
	{"only the client asks that is cut off from one of three masters", "A", three +
		"c0 acquire 1 5 sent=2 lease=1000; c0 release 6 7; fault cut c1>n0 8 2400000000 lasted; " +
		"c1 acquire 10 2300000000 info", "", Violated, ""},
	{"the same, from all three", "A", three +
		"c0 acquire 1 5 sent=2 lease=1000; c0 release 6 7; fault cut c1>* 8 2400000000 lasted; " +
		"c1 acquire 10 2300000000 info", "", NA, ""},
	{"a live hold keeps it under the fault", "A", once + "fault cut c2>n0 8 2400000000 lasted; " +
		"c0 acquire 9 10 sent=9; c1 acquire 10 2300000000 fail; c0 release 2390000000 2390000001", "",
		Valid, ""},
	{"a release that the fault holds up", "A", once + "fault kill n0 14 1400000000 " +
		"lasted; c2 acquire 8 9 sent=8; c1 acquire 10 1390000000 info; " +
		"c2 release 20 1390000000 info", "", Violated, ""},
	{"others are granted under the fault", "A", once + "fault cut c2>n0 8 1400000000 lasted; " +
		"c2 acquire 9 1390000000 info; c1 acquire 600000000 600000001 sent=600000000 lease=9; " +
		"c1 release 600000002 600000003", "", Valid, ""},
}

// dense is a client that is refused each 100 ms, for 1.4 seconds.
func dense() (out string) {
	for i := range 15 {
		at := 20 + i*100_000_000
		out += line(1, at, "n0", "b", "(nil)")
	}
	return out
}

// later is a trace that begins later.
func later(trace string, by int) string {
	var out strings.Builder
	for l := range strings.Lines(trace) {
		var p, n, sent, recv int
		var rest string
		fmt.Sscan(l, &p, &n, &sent, &recv)
		rest = strings.SplitN(l, " ", 5)[4]
		fmt.Fprintf(&out, "%d %d %d %d %s", p, n, sent+by, recv+by, rest)
	}
	return out.String()
}

// deadVotes: two live clients are refused by two of three servers each 100 ms, and share the third.
func deadVotes() (out string) {
	for i := range 15 {
		at := 20 + i*100_000_000
		for p, value := range []string{"a", "b"} {
			out += line(p, at, "n0", value, "(nil)") + line(p, at, "n1", value, "(nil)")
		}
		out += line(i%2, at+5, "n2", "x", "OK")
	}
	return out
}

// splitVotes: two live clients get one of three votes each, every 100 ms.
func splitVotes(times int) (out string) {
	for i := range times {
		at := 20 + i*100_000_000
		out += line(0, at, "n0", "a", "OK") + line(0, at, "n1", "a", "(nil)") +
			line(1, at, "n1", "b", "OK") + line(1, at, "n0", "b", "(nil)")
	}
	return out
}

func line(process, at int, node, value, reply string) string {
	return fmt.Sprintf("%d 1 %d %d %s SET k %s NX PX 1 -> %s\n", process, at, at+1, node, value, reply)
}

// TestAllServersThatAreGoneAreNamed: a fault of several servers is told as that.
func TestAllServersThatAreGoneAreNamed(t *testing.T) {
	h := story(t, three+"c0 acquire 1 5 sent=2 lease=1; c0 release 6 7; fault kill n0 8 1400000000 "+
		"lasted; fault kill n1 9 1400000000 lasted; fault kill n2 10 1400000000 lasted; "+
		"fault cut c2>n2 11 1400000000 lasted; c1 acquire 20 1300000000 info")
	v := Check(h, nil, Options{Properties: []string{"A", "D"}})
	want := "n0 was killed, and likewise n1 and n2; client 2's link to n2 was cut"
	if a := v.Property("A"); a.Verdict != Violated || !strings.Contains(a.Explanation, want) {
		t.Errorf("A is %s: %s", a.Verdict, a.Explanation)
	}
	if d := v.Property("D"); d.Verdict != NA || !strings.Contains(d.Reason, want) {
		t.Errorf("D is %s: %s", d.Verdict, d.Reason)
	}
}

// TestStoryOfProgress: what is said of a lock that stays taken names who left it, what became of
// that client, and what is wrong with the key's time to live.
func TestStoryOfProgress(t *testing.T) {
	for name, c := range map[string]struct {
		story, trace string
		want         []string
		cause        string
	}{
		"killed before it set a time to live": {
			free + "c0 acquire 1; c0 kill 5; c0 exit 6 planned; c1 acquire 10 1500000000 fail",
			"0 1 2 3 n0 SETNX k a -> 1\n" + dense(),
			[]string{"client 0, at 0.000 s with \"SETNX k a\"", "it was killed at 0.000 s",
				"no time to live"}, "client 0 left the key on its server: it was killed at 0.000 s, and the " +
				"key has no time to live."},
		"a lease that is too long": {
			free + "c0 acquire 1; c0 kill 5; c0 exit 6 planned; c1 acquire 10 1500000000 fail",
			"0 1 2 3 n0 SET k a NX EX 90 -> OK\n" + dense(),
			[]string{"it was killed", "the key lives for 90.00 s, longer than the lease of 1 µs"},
			"client 0 left the key on its server: it was killed at 0.000 s, and the key lives for " +
				"90.00 s, longer than the lease of 1 µs."},
		"a release that got lost": {
			free + "c0 acquire 1 5 sent=2; fault cut c0>* 6 8; c0 release 6 7 info; " +
				"c1 acquire 10 1500000000 fail",
			"0 1 2 3 n0 SETNX k a -> 1\n0 1 6 0 n0 DEL k ->\n" + dense(),
			[]string{"its release of 0.000 s did not succeed", "no time to live"},
			"client 0 left the key on its server: its release of 0.000 s did not succeed, and the key has " +
				"no time to live."},
		"a lease that was never given": {
			free + "c0 acquire 1 6 info; c1 acquire 10 1500000000 fail",
			"0 1 2 3 n0 SETNX k a -> 1\n0 1 4 0 n0 EXPIRE k 2 ->\n" + dense(),
			[]string{"its acquire was not granted, and its EXPIRE"},
			"client 0 left the key on its server: its acquire was not granted, and its EXPIRE at 0.000 s, " +
				"which would have given the key its lease, was never answered."},
		"a call that did not take the grant for one": {
			free + "c0 acquire 1 6 fail; c1 acquire 2 1500000000 fail; script take take 1 0",
			"0 1 2 3 n0 EVAL take 1 k a -> 1\n" + dense(), nil,
			"client 0 took the key by its EVAL at 0.000 s (reply \"1\"), and was not granted the lock."},
		"a release that the new master never heard of": {
			promotes + "fault promote n1 8 9; " + waitsOn, gaveBack + denseOnN1(), nil,
			"n1 was promoted without client 0's release of 0.000 s, so the key is there again."},
		"the same, and another client was granted it since": {
			promotes + "fault promote n1 8 9; c2 acquire 10 12 sent=11 node=n1; " +
				"c2 release 13 14; c1 acquire 15 1500000000 fail", gaveBack + "2 1 11 12 n1 SETNX k c -> 1\n" +
				"2 1 13 14 n1 DEL k -> 1\n" + denseOnN1(), nil, ""},
		"a server that was killed after a release elsewhere": {
			promotes + "fault kill n1 8 9; " + waitsOn, gaveBack + denseOnN1(), nil, ""},
		"the server of the release was promoted": {
			promotes + "fault promote n0 8 9; " + waitsOn, gaveBack + dense(), nil, ""},
		"another server was promoted after the wait": {
			promotes + waitsOn + "; fault promote n1 1600000000 1600000001", gaveBack + dense(),
			nil, ""},
		"another server was promoted before the release": {
			"fault promote n1 0 1; " + promotes + waitsOn, gaveBack + dense(), nil, ""},
		"a lease that was asked for twice, and never given": {
			free + "c0 acquire 1 6 info; c1 acquire 10 1500000000 fail",
			"0 1 2 3 n0 SETNX k a -> 1\n0 1 4 0 n0 EXPIRE k 2 ->\n0 1 5 0 n0 EXPIRE k 2 ->\n" +
				dense(), nil, "client 0 left the key on its server: its acquire was not granted, and " +
				"its EXPIRE at 0.000 s, which would have given the key its lease, was never answered."},
		"a script that may have given a lease, and an EXPIRE that may have": {
			free + "c0 acquire 1 6 info; c1 acquire 10 1500000000 fail",
			"0 1 2 3 n0 EVAL take 1 k a -> 1\n0 1 4 0 n0 EXPIRE k 2 ->\n" + dense(), nil, ""},
		"a take that was never answered": {
			free + "c0 acquire 1 6 fail; c1 acquire 2 1500000000 fail; script take take 1 0",
			"0 1 2 0 n0 EVAL take 1 k a ->\n" + dense(), nil, ""},
		"votes": {
			three + "c2 kill 5; c2 exit 6 planned; " + split,
			"2 1 1 2 n0 SET k c NX PX 1 -> OK\n2 1 1 2 n1 SET k c NX PX 1 -> OK\n" + deadVotes(),
			[]string{"Votes were given: n2 to client"}, ""},
	} {
		v := Check(story(t, c.story), commands(t, c.trace), Options{Properties: []string{"D"}})
		p := v.Properties[0]
		for _, want := range c.want {
			if !strings.Contains(p.Explanation, want) {
				t.Errorf("%s: %q is not in: %s %s", name, want, p.Explanation, p.Reason)
			}
		}
		if p.Cause != c.cause {
			t.Errorf("%s: the cause is %q", name, p.Cause)
		}
	}
}

// A client is granted a lock by n0 and releases it.
const (
	promotes = free + "c0 acquire 1 5 sent=2 node=n0; c0 release 6 7; "
	gaveBack = "0 1 2 3 n0 SETNX k a -> 1\n0 1 6 7 n0 DEL k -> 1\n"
	waitsOn  = "c1 acquire 10 1500000000 fail"
)

// denseOnN1 is dense at another server.
func denseOnN1() string { return strings.ReplaceAll(dense(), " n0 ", " n1 ") }

// A client tries for a lock for 1.3 s.
const refusedStory = once + "names k; c1 acquire 10 1300000000 fail why=server-refused"

// refusedFor is what the server answers it at the begin and the end, and something between the two.
func refusedFor(reply, between string) string {
	return "1 1 20 21 n0 SET k b NX PX 1 -> (error) " + reply + "\n" + between +
		"1 1 1290000000 1290000001 n0 SET k b NX PX 1 -> (error) " + reply + "\n"
}

// silent is a trace in which a client asks a server every 20 ms for 4 s, and never gets an answer.
func silent(node string) string {
	var lines []string
	for t := 20; t < 4000; t += 20 {
		lines = append(lines, fmt.Sprintf("0 1 %d000000 %d000000 %s SET k a NX PX 1 -> !broken-off",
			t, t+20, node))
	}
	return strings.Join(lines, "\n")
}
