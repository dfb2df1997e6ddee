package checker

import (
	"fmt"
	"strings"
)

// refusals is a client that is refused in its acquisition n at n0 each 100 ms, from a stamp on.
func refusals(process, n, from, times int) (out string) {
	for i := range times {
		at := from + i*100_000_000
		out += fmt.Sprintf("%d %d %d %d n0 SET k b NX PX 1 -> (nil)\n", process, n, at, at+1)
	}
	return out
}

// leftBehind is a lock without a lease whose release found nothing, since its server had restarted.
const leftBehind = "environment process; names k; poll 10000000; c2 acquire 50 60 sent=52; " +
	"fault kill-node n0 70 80; c2 release 90 100 info; c1 acquire 110 9000000000 fail; end 9000000000"

// keptAlive is the same on a server that did not restart.
var keptAlive = strings.Replace(leftBehind, "fault kill-node n0 70 80; ", "", 1)

const leftOnN0 = "2 1 50 51 n0 GET k -> (nil)\n2 1 52 55 n0 SETNX k cccccccc -> 1\n"

// asksN0 is client 1 that gets an answer twice.
func asksN0(asks string) string {
	return "1 1 120 130 n0 " + asks + "\n1 1 8000000000 8000000010 n0 " + asks + "\n"
}

// tries is client 1 that is refused some times, and between two tries sends a command whose reply
// takes a second.
func tries(times int, between string) (out string) {
	for i := range times {
		at := 20 + i*1_000_000_010
		out += fmt.Sprintf("1 1 %d %d n0 SET k b NX PX 1 -> (nil)\n1 1 %d %d n0 %s -> (nil)\n", at, at+1,
			at+2, at+1_000_000_002, between)
	}
	return out
}

// behindOther is a client that holds lock 0 while another one waits for the locks 1 and 0.
const behindOther = "c0 acquire 1 3 sent=2 lease=9 key=0; c0 release 6500000000 6500000001; " +
	"c1 acquire 10 6500000000 fail keys=1,0; "

// Parts of histories in which a client waits for longer than the bound, and once pauses for long.
const (
	// waits is a client that waits while another one is inside, and then one that is refused for 3 s.
	waits = "ttl 1000; lease; topology single; c0 acquire 1 5 sent=2 lease=1000; " +
		"c0 release 1600000000 1600000007; c2 acquire 10 1500000000 fail; " +
		"c1 acquire 1700000000 4800000000 fail; "
	// bigLease is a lock whose lease is so long that a stall of 30 ms is none; the bound is 2 s.
	bigLease = "ttl 1000000000; lease; poll 1; topology single; " +
		"c0 acquire 1 5 sent=2 lease=1000000000; c0 release 6 7; "
	// twoLocks is a lock that is granted again after a fault, beside another lock.
	twoLocks = free + "c0 acquire 1 5 sent=2 lease=1000 key=0; c0 release 6 7 key=0; " +
		"fault pause-node n0 10 20; c1 acquire 30 40 sent=31 lease=1000 key=0; c1 release 41 42 key=0; "
	// session is a lock that is held by a session.
	session = "ttl 1000; poll 1; lease; loss; system etcd; c0 acquire 1 5; "
	// killedN0 is a server that stays away, and a client that is refused afterwards.
	killedN0 = "fault kill n0 8 1400000000 lasted; "
	refused1 = "c1 acquire 12 1300000000 fail; "
	// taken is a lock that was held and released, and lastTry a try 2 s later.
	taken   = "c0 acquire 1 5 sent=2 lease=1000; c0 release 6 7; "
	lastTry = "1 1 2000000040 2000000041 n0 SET k b NX PX 1 -> (nil)\n"
)

// backsOff is what they see: the first pauses for 1.4 s, the other one tries each 100 ms.
var backsOff = refusals(2, 1, 20, 1) + refusals(2, 1, 1_450_000_000, 1) +
	refusals(1, 1, 1_700_000_010, 31)

// progressConditions are histories for single conditions of progress and outages: without the
// condition the verdict would be another (see TestNoConditionIsIdle).
var progressConditions = []propertyCase{
	{"a release without a certain answer, of a session that lives", "D", session +
		"c0 release 6 9 info; c1 acquire 10 9800000000 fail", "", Unknown, ""},
	{"a release that was answered", "D", session +
		"c0 release 6 9; c1 acquire 10 9800000000 fail", "", Violated, ""},
	{"a release without a certain answer, and a later grant", "D", session +
		"c0 release 6 9 info; c2 acquire 11 12; c2 release 13 14; c1 acquire 10 9800000000 fail", "",
		Violated, ""},
	{"a release without a certain answer, whose client has ended", "D", session +
		"c0 release 6 9 info; c0 kill 10; c0 exit 11 planned; c1 acquire 12 9800000000 fail", "",
		Violated, ""},
	{"a release without a certain answer, of a lease that has ended", "D",
		strings.Replace(session, "1 5", "1 5 sent=1 lease=1000", 1) +
			"c0 release 6 9 info; c1 acquire 10 9800000000 fail", "", Violated, ""},
	{"a release that was answered, and after the wait one without a certain answer", "D", session +
		"c0 release 6 9; c1 acquire 10 9800000000 fail; c2 acquire 9810000000 9820000000; " +
		"c2 release 9830000000 9840000000 info", "", Violated, ""},
	// Which times count.
	{"kept standing before its first command", "D", once + "c1 acquire 10 1700000000 fail",
		refusals(1, 1, 1_000_000_000, 6), Valid, ""},
	{"kept standing after its last answer", "D", once + "c1 acquire 10 1700000000 fail",
		refusals(1, 1, 20, 6), Valid, ""},
	{"kept standing before the command that granted", "D", free +
		"c1 acquire 10 1500000000 sent=1450000000 lease=1000; c1 release 1500000001 1500000002",
		"1 1 1450000000 1450000001 n0 SET k b NX PX 1 -> OK", NA, ""},
	{"granted too late, and a later command of the call is lost", "D", free +
		"c1 acquire 10 1500000000 sent=1450000000 lease=1000; c1 release 1500000001 1500000002",
		refusals(1, 1, 20, 14) + "1 1 1450000000 1450000001 n0 SET k b NX PX 1 -> OK\n" +
			"1 1 1460000000 0 n0 EXPIRE k 5 ->", Violated, ""},
	{"a renewal of another hold is lost meanwhile", "D", free + "names k,other; " +
		"c1 acquire 1 5 sent=2 lease=1000 key=1; c1 acquire 10 1500000000 fail key=0; " +
		"c1 release 1600000000 1600000001 key=1 n=1",
		refusals(1, 2, 20, 15) + "1 1 700000000 0 n0 EVAL renew 1 other x ->", Violated, ""},
	{"commands that do not say for which acquisition they are", "D",
		once + "c1 acquire 10 1500000000 fail", refusals(1, 0, 20, 15), Violated, ""},

	// Calls of unknown outcome.
	{"another's call never returned, so that the trace may lack a command", "D",
		once + "c1 acquire 10 1500000000 fail; c2 acquire 11", refusals(1, 1, 20, 15) +
			"2 1 20 21 n0 SET k c NX PX 1 -> (nil)", Valid, ""},
	{"another's call is unknown, and all its commands were answered", "D",
		once + "c1 acquire 10 1500000000 fail; c2 acquire 11 1500000000 info", refusals(1, 1, 20, 15) +
			"2 1 20 21 n0 SET k c NX PX 1 -> (nil)", Violated, ""},
	{"another's call is unknown, and a command has no answer", "D",
		once + "c1 acquire 10 1500000000 fail; c2 acquire 11 1500000000 info", refusals(1, 1, 20, 15) +
			"2 1 700000000 0 n0 SET k c NX PX 1 ->", Valid, ""},
	{"another's call is unknown, and a command ended in an error after a fault", "D",
		mended + "c1 acquire 30 1500000000 fail; c2 acquire 30 1500000000 info",
		refusals(1, 1, 40, 15) + "2 1 700000000 700000009 n0 SET k c NX PX 1 -> !EOF", Unknown, ""},
	{"a call that outlives its time-out, but not by the bound", "D",
		once + "timeout 500000000; c1 acquire 10; end 1900000000",
		"0 1 600000000 600000001 n0 PING -> PONG\n0 1 1700000000 1700000001 n0 PING -> PONG", Unknown,
		""},

	// The longest pause between tries.
	{"a long pause of another call", "D", waits, backsOff, Valid, ""},
	{"a long pause while another client was paused", "D", waits + "fault pause c3 100 200", backsOff,
		Unknown, ""},
	{"a long pause, and the client is paused later", "D", waits +
		"fault pause c2 1550000000 1550000009", backsOff, Unknown, ""},
	{"a long pause, and the client had been paused before", "D", waits + "fault pause c2 8 9",
		backsOff, Unknown, ""},
	{"a long pause while the client was paused", "D", waits + "fault pause c2 100 200", backsOff,
		Violated, ""},
	{"a long pause while another client stalled", "D", waits + "c3 gap 200 gap=50", backsOff, Valid,
		""},
	{"a long pause, and the client stalls later", "D", waits + "c2 gap 1550000000 gap=50", backsOff,
		Valid, ""},
	{"a long pause, and the client had stalled before", "D", waits + "c2 gap 15 gap=3", backsOff,
		Valid, ""},
	{"a long pause while the client stalled", "D", waits + "c2 gap 200 gap=50", backsOff,
		Violated, ""},
	{"a long pause, and a short one is declared", "D", waits + "pause 1000000", backsOff,
		Violated, ""},
	{"a pause that is spent in a command that waits", "D", unpaced + taken +
		"c1 acquire 10 2500000000 fail", tries(2, "BLPOP s 1") + lastTry, Valid, ""},
	{"a pause that is spent in another that waits", "D", unpaced + taken +
		"c1 acquire 10 2500000000 fail", tries(2, "XREAD block 1000 STREAMS s 0") + lastTry, Valid, ""},
	{"pauses in a command that waits, for longer than the bound with them", "D", unpaced + taken +
		"c1 acquire 10 6500000000 fail", tries(6, "BLPOP s 1"), Violated, ""},
	{"a slow command that does not wait", "D", unpaced + taken + "c1 acquire 10 2500000000 fail",
		tries(2, "XREAD STREAMS s 0") + lastTry, Violated, ""},

	{"a long pause between calls of one try each, while the client was paused", "D",
		"ttl 1000; lease; c0 acquire 1 5 sent=2 lease=1000; c0 release 6 7; c1 acquire 10 20 fail; " +
			"fault pause c1 100 200; c1 acquire 1200000000 1200000010 fail; " +
			"c2 acquire 300 310 fail; c2 acquire 700 3000000000 fail", "", Violated, ""},

	// Stalls that are short beside the lease, in a wait that is hardly longer than the bound.
	{"hardly longer than the bound", "D", bigLease + "c1 acquire 10 2010000000 fail", "",
		Violated, ""},
	{"hardly longer, and the client stalled", "D", bigLease +
		"c1 acquire 10 2010000000 fail; c1 gap 700000000 gap=30000000", "", Unknown, ""},
	{"hardly longer, and the harness stalled", "D", bigLease +
		"c1 acquire 10 2010000000 fail; c-1 gap 700000000 gap=30000000", "", Unknown, ""},
	{"hardly longer, and another client stalled", "D", bigLease +
		"c1 acquire 10 2010000000 fail; c2 gap 700000000 gap=30000000", "", Violated, ""},
	{"hardly longer, and one stall lay within another", "D", bigLease +
		"c1 acquire 10 2010000000 fail; c1 gap 9 gap=3; c-1 gap 30000005 gap=30000000", "", Unknown, ""},

	{"hardly longer, and two stalls far from each other", "D", bigLease +
		"c1 acquire 10 2010000000 fail; c1 gap 100 gap=3; c1 gap 1900000000 gap=3", "", Violated, ""},

	// What may explain a violation since the last grant.
	{"a gap, and another lock was granted since", "D", once + "c-1 gap 300000000 gap=200000000; " +
		"c2 acquire 400000000 400000009 sent=400000001 lease=9 key=1; " +
		"c2 release 400000010 400000011 key=1; c1 acquire 500000000 1700000000 fail", "", Violated, ""},
	{"a gap, and the lock is granted afterwards", "D", once + "c1 acquire 10 1500000000 fail; " +
		"c-1 gap 700000000 gap=324000000; c0 acquire 1600000000 1600000005 sent=1600000001 lease=9; " +
		"c0 release 1600000006 1600000007", "", Violated, ""},
	{"a time-out before the last grant", "D", free + "c2 acquire 1 3 info; " +
		"c0 acquire 4 6 sent=5 lease=1000; c0 release 7 8; c1 acquire 10 1500000000 fail",
		"2 1 1 3 n0 SET k c NX PX 1 -> !timeout\n" + refusals(1, 1, 20, 15), Violated, ""},
	{"a time-out afterwards", "D", once + "c1 acquire 10 1500000000 fail; " +
		"c2 acquire 1600000000 1700000000 info",
		"2 1 1600000001 1700000000 n0 SET k c NX PX 1 -> !timeout\n" + refusals(1, 1, 20, 15), Violated,
		""},

	// Commands without an answer at the end of a run without a fault.
	{"commands are not answered, soon after the last grant", "D", free +
		"c0 acquire 1400000000 1400000005 sent=1400000001 lease=9; c0 release 1400000006 1400000007; " +
		"c1 acquire 1400000020 1500000000 info",
		"1 1 1400000021 1500000000 n0 SET k b NX PX 1 -> !timeout", Valid, ""},
	{"commands were not answered before the last grant", "D", once + "c1 acquire 2 4 info; " +
		"end 1500000000", "1 1 2 4 n0 SET k b NX PX 1 -> !timeout", Valid, ""},
	{"commands are not answered at the end, so that calls fail", "D", once +
		"c1 acquire 10 1500000000 fail why=unreachable",
		"1 1 20 1400000000 n0 SET k b NX PX 1 -> !timeout", Unknown, ""},

	// Recovery.
	{"a fault, no wait, and no pause is known", "D", "c0 acquire 1 5; fault pause-node n0 2 3; " +
		"c0 release 6 7", "", Unknown, ""},
	{"another lock is asked for in vain after the fault", "D",
		twoLocks + "c2 acquire 50 900 fail key=1", "", Unknown, ""},
	{"another lock is asked for after the fault with an unknown outcome", "D",
		twoLocks + "c2 acquire 50 900 info key=1", "", Unknown, ""},
	{"another lock was asked for in vain before the fault", "D",
		twoLocks + "c2 acquire 8 9 fail key=1", "", Valid, ""},
	{"another lock cannot be reached after the fault", "D",
		twoLocks + "c2 acquire 50 900 fail why=unreachable key=1", "", Valid, ""},
	{"re-enters what a call of unknown outcome left behind", "D", free + "reentrant; " +
		"c1 acquire 1 5 sent=2 lease=1000; c1 release 6 7; fault cut c0>* 8 20; " +
		"c0 acquire 9 15 info; c0 acquire 30 40 sent=31 lease=1000", "", Unknown, ""},
	{"granted again to a client that had been refused before", "D", free + "reentrant; " +
		"c1 acquire 1 5 sent=2 lease=1000; c1 release 6 7; c0 acquire 8 9 fail; " +
		"fault cut c0>* 10 20; c0 acquire 30 40 sent=31 lease=1000", "", Valid, ""},

	// Faults that last.
	{"a client that stays paused", "D", once + "fault pause c2 8 1400000000 lasted; " + refused1, "",
		Violated, ""},
	{"a promotion that has no end", "D", once + "fault promote n1 8 1400000000 lasted; " +
		refused1, "",
		Violated, ""},
	{"a client whose process is long in dying, while another ends", "D",
		once + "fault crash c2 8 9; " +
			"c2 kill 8; c2 exit 1200000000 planned; c3 exit 10 planned; c1 acquire 12 1100000000 fail", "",
		Unknown, ""},
	{"a server stays away, and the promotion of its replica has no end", "D",
		once + killedN0 + "fault promote n1 9; " + refused1, "", Violated, ""},
	{"the first server is promoted for another one", "D", once +
		"fault kill n1 8 1400000000 lasted; fault promote n0 9 10; " + refused1, "", Violated, ""},
	{"the replica of the first of several servers is promoted", "D", three + "c2 kill 5; " +
		"c2 exit 6 planned; " + killedN0 + "fault promote n3 9 10; " + split, deadVotes(), Violated, ""},
	{"the replica of the first server is promoted, and another one stays away", "D", three +
		"c2 kill 5; c2 exit 6 planned; fault kill n1 8 1400000000 lasted; fault promote n3 9 10; " +
		split,
		deadVotes(), NA, ""},

	// Several locks at once, of which each client has some.
	{"some of several locks each", "D", once + "c0 acquire 10 1500000000 fail keys=0,1; " +
		"c1 acquire 10 1500000000 fail keys=1,0", "", Valid, ""},
	{"some of several locks each, for longer than five bounds", "D", once +
		"c0 acquire 10 6500000000 fail keys=0,1; c1 acquire 10 6500000000 fail keys=1,0", "", Violated,
		""},
	{"several locks, of which another client has one for as long", "D", free + behindOther, "", Valid,
		""},
	{"several locks, of which another client has one for a part of the time", "D", free +
		strings.Replace(behindOther, "6500000000 6500000001", "1000000000 1000000001", 1), "", Violated,
		""},
	{"several locks, of which another client had one before", "D", free +
		strings.Replace(behindOther, "6500000000 6500000001", "5 6", 1), "", Violated, ""},
	{"several locks, and another client has one that is not wanted with this one", "D", free +
		strings.Replace(behindOther, "keys=1,0", "keys=1,2", 1), "", Violated, ""},
	{"several locks had been asked for before", "D", free + "c0 acquire 1 3 fail keys=0,1; " +
		"c2 acquire 4 5 sent=4 lease=9 key=0; c2 release 6 7 key=0; c1 acquire 10 1500000000 fail key=0",
		"", Violated, ""},
	{"several locks are asked for later", "D", free + "c1 acquire 10 1500000000 fail key=0; " +
		"c2 acquire 1500000001 1500000005 sent=1500000002 lease=9 key=0; " +
		"c2 release 1500000006 1500000007 key=0; c0 acquire 1500000010 1500000020 fail keys=0,1", "",
		Violated, ""},

	// Votes.
	{"votes may be split, and no trace shows them", "D", three +
		"c2 acquire 1 5 sent=2 lease=1; c2 release 6 7; " + split, "", Valid, ""},
	{"votes that are given when the quiet time is over", "D",
		three + "c2 kill 5; c2 exit 6 planned; " +
			split + "c0 acquire 1500000001 1600000000 sent=1500000002 lease=9; " +
			"c0 release 1600000001 1600000002", deadVotes() + line(0, 1_500_000_002, "n0", "a", "OK") +
			line(0, 1_500_000_002, "n1", "a", "OK"), Violated, ""},

	// Outages.
	{"nobody asks under the fault, and no pause is known", "A",
		"c0 acquire 1 5; c0 release 6 7; fault kill n0 8 1400000000 lasted", "", Valid, ""},
	{"two faults with a time between them", "A", once + "fault kill n0 8 400000000; " +
		"fault kill n0 900000000 1300000000; c1 acquire 10 1290000000 info", "", Valid, ""},
	{"a short try within a long one", "A", once + "fault kill n0 8 1400000000 lasted; " +
		"c1 acquire 10 1300000000 info; c2 acquire 400000000 500000000 info", "", Violated, ""},
	{"rests between tries, and a short one within the first", "A", once +
		"fault kill n0 8 2400000000 lasted; c1 acquire 10 700000000 info; c2 acquire 20 30 info; " +
		"c1 acquire 1600000000 1600000001 info", "", Violated, ""},
}

// askedAgain is nobodyStory, and client 0 has asked once more, without an answer.
const (
	askedAgain      = nobodyStory + "c0 acquire 42 46 info; "
	askedAgainTrace = nobodyTrace + "0 1 31 0 n0 DEL k ->\n0 2 43 0 n0 SETNX k c ->\n" + refusedR
)

// refusedR is a refusal while no client is inside.
const refusedR = "1 1 50 55 n0 SETNX k b -> 0\n"
