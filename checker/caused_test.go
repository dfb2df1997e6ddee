package checker

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/verdict"
)

// causedCases say who caused two holds that overlap. A third party deleted the key, the lock
// took an error for a grant beside a wrong clock, or the holder freed the key itself.
var causedCases = []propertyCase{
	{"two takes at the same time are granted, and the server was emptied", "S",
		"counted n0 emptied=1; " + takenTwice, bothTook, Violated, Vanished},
	{"two takes at the same time are granted", "S", "counted n0 deleted=0; " + takenTwice, bothTook,
		Violated, DoubleGrant},
	{"two takes at the same time are granted on servers of others", "S", takenOutside,
		bothTook, Violated, Vanished},
	{"two takes at the same time, and the first lease is short", "S", takenOutside,
		strings.Replace(bothTook, "PX 200", "PX 0.000001", 1), Violated, PromisedTooLong},
	{"two takes at the same time, and the second lease is short", "S", takenOutside,
		strings.Replace(bothTook, "bbbbbbbb NX PX 200", "bbbbbbbb NX PX 0.000001", 1), Violated,
		PromisedTooLong},
	{"two takes at the same time, and both leases are short", "S", takenOutside,
		strings.ReplaceAll(bothTook, "PX 200", "PX 0.000001"), Violated, PromisedTooLong},
	{"two takes at the same time, and the first lease is short, on servers of the run", "S",
		takenTwice, strings.Replace(bothTook, "PX 200", "PX 0.000001", 1), Violated, PromisedTooLong},
	{"two takes at the same time, the first lease is short, and a deletion is under way", "S",
		takenTwice + "; c2 acquire 1 4 sent=2 lease=9; c2 release 5 200 info",
		"2 1 2 3 n0 SET k cccccccc NX PX 0.000009 -> OK\n2 1 6 0 n0 DEL k -> \n" +
			strings.Replace(bothTook, "PX 200", "PX 0.000001", 1), Violated, LateMessage},
	{"two takes at the same time, and a deletion is under way", "S", takenOutside +
		"; c2 acquire 1 4 sent=2 lease=9; c2 release 5 200 info",
		"2 1 2 3 n0 SET k cccccccc NX PX 0.000009 -> OK\n2 1 6 0 n0 DEL k -> \n" + bothTook, Violated,
		LateMessage},
	{"two takes at the same time, and the server restarts", "S", takenOutside +
		"; fault kill n0 14 22", bothTook, Violated, LostByServer},
	{"a take that was not answered counts as a grant, and a clock is wrong", "S",
		takenTwice + "; fault client-clock c1 5 8", "0 1 12 25 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
			"1 1 13 35 n0 SET k bbbbbbbb NX PX 200 -> !timeout\n0 1 101 105 n0 DEL k -> 1\n" +
			"1 1 121 125 n0 DEL k -> 0\n", Violated, NoServer},
	{"a grant is late, and a deletion was under way when the next client took the key", "S",
		outlivedLease, "0 1 12 60 n0 SET k aaaaaaaa NX PX 0.000002 -> OK\n" +
			"3 1 21 23 n0 SET k dddddddd NX PX 200 -> OK\n3 1 26 35 n0 DEL k -> 1\n" +
			"1 1 34 39 n0 SET k bbbbbbbb NX PX 200 -> OK\n1 1 45 59 n0 DEL k -> 1\n" +
			"2 1 50 75 n0 SET k cccccccc NX PX 200 -> OK\n", Violated, LateMessage},
	{"a take that was not answered was executed, and a clock is wrong", "S",
		takenTwice + "; fault client-clock c1 5 8", "0 1 12 25 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
			"1 1 13 35 n0 SET k bbbbbbbb PX 200 -> !timeout\n1 1 121 122 n0 GET k -> bbbbbbbb\n",
		Violated, Clock},
	{"the holder's own script freed the key, and others were refused meanwhile", "S",
		takenTwice + "; c2 acquire 41 60 fail", "0 1 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
			"2 1 42 58 n0 EVAL take 1 k cccccccc -> 0 | SETNX k cccccccc\n" +
			"0 1 43 50 n0 EVAL rel 1 k aaaaaaaa -> 1 | GET k | DEL k\n" +
			"1 1 51 62 n0 SET k bbbbbbbb NX PX 200 -> OK\n", Violated, DoubleGrant},
	{"the holder's undescribed script may be a renewal, and the server restarts", "S", restarted,
		renewing, Violated, LostByServer},
	{"an undescribed script in the background may be a renewal, and the server restarts", "S",
		restarted, strings.Replace(renewing, "0 1 65", "0 0 65", 1), Violated, LostByServer},
	{"the holder's undescribed script may have freed the key", "S",
		strings.Replace(restarted, "fault kill n0 84 86", "", 1), renewing, Violated, DoubleGrant},
	{"a script in the background may have freed the key of its client's first hold", "S",
		strings.Replace(restarted, "fault kill n0 84 86", "", 1),
		strings.Replace(renewing, "0 1 65", "0 0 65", 1), Violated, DoubleGrant},
	{"a deletion in the background freed the key of its client's first hold", "S",
		strings.Replace(restarted, "fault kill n0 84 86", "", 1), deleting, Violated, DoubleGrant},
	{"a deletion in the background freed the key of its client's second hold", "S",
		strings.Replace(strings.Replace(restarted, "fault kill n0 84 86", "", 1), "c0 acquire",
			"c0 acquire 1 3 sent=2 lease=200000000; c0 release 4 5; c0 acquire", 1),
		strings.ReplaceAll(deleting, "0 1 12", "0 2 12"), Violated, ReleasedByNonOwner},
	{"a deletion in the background was sent before its client's first hold", "S",
		strings.Replace(restarted, "fault kill n0 84 86", "", 1),
		strings.Replace(deleting, "0 0 65", "0 0 11", 1), Violated, LateMessage},
}

// outlivedLease is a client that is inside when its lease is over, while others came and went.
const outlivedLease = "environment external; lease; names k; c0 acquire 10 60 sent=12 lease=2; " +
	"c3 acquire 20 24 sent=21 lease=200000000; c3 release 25 40; c1 acquire 33 40 sent=34 " +
	"lease=200000000; c1 release 44 60; c2 acquire 41 80 sent=50 lease=200000000; " +
	"c0 release 100 110; c2 release 120 130"

// A holder's script is not described, and another client is refused before.
const (
	restarted = leased + "c0 acquire 10 60 sent=12 lease=200000000; c2 acquire 61 80 fail; " +
		"c1 acquire 81 99 sent=87 lease=200000000; c0 release 100 110; c1 release 120 130; " +
		"fault kill n0 84 86"
	renewing = "0 1 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
		"2 1 62 70 n0 SET k cccccccc NX PX 200 -> (nil)\n" +
		"0 1 65 83 n0 EVAL renew 1 k aaaaaaaa 200 -> 1\n" +
		"1 1 87 90 n0 SET k bbbbbbbb NX PX 200 -> OK\n"
	deleting = "0 1 12 15 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
		"2 1 62 70 n0 SET k cccccccc NX PX 200 -> (nil)\n0 0 65 83 n0 DEL k -> 1\n" +
		"1 1 87 90 n0 SET k bbbbbbbb NX PX 200 -> OK\n"
)

// Two clients ask at the same time, and both are inside.
const (
	takenTwice = "environment process; lease; names k; c0 acquire 10 30 sent=12 lease=200000000; " +
		"c1 acquire 11 70 sent=13 lease=200000000; c0 release 100 110; c1 release 120 130"
	takenOutside = takenTwice + "; environment external" // third parties use the servers, too
	bothTook     = "0 1 12 25 n0 SET k aaaaaaaa NX PX 200 -> OK\n" +
		"1 1 13 26 n0 SET k bbbbbbbb NX PX 200 -> OK\n"
)

// TestWhoEmptiedTheServer: if a client sent FLUSHALL meanwhile, the cause does not say that no
// client deleted the key.
func TestWhoEmptiedTheServer(t *testing.T) {
	const asks = leased + "environment external; c0 acquire 10 30 sent=20 lease=200000000; " +
		"c1 acquire 11 70 sent=40 lease=200000000; c0 release 100 110; c1 release 120 130"
	const granted = "0 1 20 25 n0 SET k aaaaaaaa NX PX 200 -> OK\n1 1 "
	const later = "40 45 n0 SET k bbbbbbbb NX PX 200 -> OK\n"
	for _, c := range []struct {
		trace string
		want  bool
	}{
		{later + "1 1 32 35 n0 FLUSHALL -> OK", true},
		{later + "2 1 32 0 n0 FLUSHALL -> ", true},
		{strings.Replace(later, "40", "12", 1) + "2 1 13 14 n0 FLUSHALL -> OK", true},
		{later + "1 1 32 35 n0 FLUSHALL -> (error) NOPERM", false},
		{later + "1 1 32 35 n1 FLUSHALL -> OK", false},
		{later + "2 1 2 5 n0 FLUSHALL -> OK", false},
		{later + "2 1 46 47 n0 FLUSHALL -> OK", false},
	} {
		p := Check(story(t, asks), commands(t, granted+c.trace),
			Options{Properties: []string{"L"}}).Properties[0]
		if p.Class != Vanished || strings.Contains(p.Explanation, "had sent FLUSHALL") != c.want ||
			strings.Contains(p.Explanation, "no client") == c.want {
			t.Errorf("%s: %s, %q", c.trace, p.Class, p.Explanation)
		}
	}
}

// TestAWrongClockAsksForAShortLease: a short lease has the assumption that a client's clock is
// right if the clock of the client that asked for it was moved.
func TestAWrongClockAsksForAShortLease(t *testing.T) {
	short := strings.Replace(bothTook, "PX 200", "PX 0.000001", 1)
	for fault, want := range map[string]string{"fault client-clock c0 11 12": "client clock",
		"fault client-clock c1 11 12": "", "": ""} {
		p := Check(story(t, takenTwice+"; "+fault), commands(t, short),
			Options{Properties: []string{"L"}}).Properties[0]
		if p.Class != PromisedTooLong || p.Assumption != want {
			t.Errorf("%q: %s, %q, want %q", fault, p.Class, p.Assumption, want)
		}
	}
	p := Check(story(t, takenTwice+"; fault client-clock c0 11 12; counted n0 emptied=1"),
		commands(t, bothTook), Options{Properties: []string{"L"}}).Properties[0]
	if p.Class != Vanished || p.Assumption != "" {
		t.Errorf("no lease is short: %s, %q", p.Class, p.Assumption)
	}
}

// TestAnOutageWithoutServers: an outage in which no server answered says so.
func TestAnOutageWithoutServers(t *testing.T) {
	const asks = once + "c1 acquire 10 1410000000 sent=1405000000 lease=9; c1 release 1410000001 " +
		"1410000002; fault kill n0 8 1400000000"
	for _, c := range []struct{ name, story, want string }{
		{"the only server is dead", asks, verdict.ServersAnswer},
		{"the only server is stopped", strings.Replace(asks, "kill", "pause-node", 1),
			verdict.ServersAnswer},
		{"no link to it works", strings.Replace(asks, "kill n0", "cut *>n0", 1), verdict.ServersAnswer},
		{"no link works", strings.Replace(asks, "kill n0", "cut *>*", 1), verdict.ServersAnswer},
		{"it gets no message", strings.Replace(asks, "kill n0", "hold-back *>n0", 1),
			verdict.ServersAnswer},
		{"it takes no connection", strings.Replace(asks, "kill n0", "refuse *>n0", 1),
			verdict.ServersAnswer},
		{"all links to it are late", strings.Replace(asks, "kill n0", "delay *>n0", 1), ""},
		{"it stays dead", asks + " lasted; end 1420000000", verdict.ServersAnswer},
		{"a client is dead", strings.Replace(asks, "kill", "memory-full", 1) +
			"; fault crash c0 8 1400000000", ""},
		{"it is full afterwards, too, for a shorter time", asks + "; c1 acquire 1420000000 2710000000 " +
			"sent=2705000000 lease=9; c1 release 2710000001 2710000002; " +
			"fault memory-full n0 1500000000 2700000000", ""},
		{"another server may take over", asks + "; topology failover", ""},
		{"it is stopped, and then dead", strings.Replace(asks, "kill n0 8",
			"pause-node n0 8 1399999999; fault kill n0 700000000", 1), verdict.ServersAnswer},
		{"it is dead, and then cut off", strings.Replace(asks, "kill n0 8 1400000000",
			"kill n0 8 700000000; fault cut *>n0 600000000 1400000000", 1), verdict.ServersAnswer},
		{"it is dead for most of the time", strings.Replace(asks, "kill n0 8 1400000000",
			"kill n0 8 700000000; fault memory-full n0 600000000 1400000000", 1), verdict.ServersAnswer},
		{"it is dead in the beginning", strings.Replace(asks, "kill n0 8 1400000000",
			"kill n0 8 300000000; fault memory-full n0 200000000 1400000000", 1), ""},
		{"it is dead in the end", strings.Replace(asks, "kill n0 8",
			"memory-full n0 8 1399999999; fault kill n0 1100000000", 1), ""},
		{"one of three is dead", asks + "; masters 3", ""},
		{"two of three are dead", asks + "; masters 3; fault kill n1 8 1400000000",
			verdict.ServersAnswer},
		{"two of three are dead at any time", asks + "; masters 3; fault kill n1 8 700000000; " +
			"fault kill n2 700000000 1400000000", verdict.ServersAnswer},
		{"two of three are dead, one after the other", strings.Replace(asks, "1400000000", "700000000",
			1) + "; masters 3; fault kill n1 700000000 1400000000", ""},
	} {
		p := Check(story(t, c.story), nil, Options{Properties: []string{"A"}}).Properties[0]
		if p.Verdict != Violated || p.Assumption != c.want {
			t.Errorf("%s: %s, %q, want %q", c.name, p.Verdict, p.Assumption, c.want)
		}
		if p.Seconds <= 1.1 {
			t.Errorf("%s: the outage lasted for %v s", c.name, p.Seconds)
		}
	}
}
