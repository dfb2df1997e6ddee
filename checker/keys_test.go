package checker

import (
	"strings"
	"testing"
)

// These histories are about keys that are free although a client holds the lock. Each case has one
// next to it that comes near and is decided otherwise.
const (
	// lasting is a hold of client 0 until 150 whose lease runs when client 1 is granted the lock.
	lasting = "lease; names k; c0 acquire 10 20 sent=12 lease=200 node=n0; c1 acquire 11 90 sent=80 " +
		"lease=100 node=n0; c0 release 150 160 fail; c1 release 170 180; "
	setA = "0 1 12 15 n0 SET k a NX PX 0.0002 -> OK\n"
	setB = "1 1 80 85 n0 SET k b NX PX 0.0001 -> OK\n"
	// between has a hold of client 2, which is granted the lock and releases it meanwhile.
	between      = lasting + "c2 acquire 30 40 sent=32 lease=200 node=n0; c2 release 70 78; "
	betweenTrace = setA + "2 1 32 35 n0 SET k c NX PX 0.0002 -> OK\n2 1 71 75 n0 DEL k -> 1\n"
	// freed has a release of client 2 that overlaps the grant for which it frees the lock.
	freed      = "c2 acquire 1 4 sent=2 lease=200 node=n0; " + lasting + "c2 release 5 17; "
	freedTrace = "2 1 2 3 n0 SET k c NX PX 0.0002 -> OK\n2 1 10 16 n0 DEL k -> 1\n" + setA
	// onMasters is a hold on three servers that is promised until 212 ms; client 1 comes at 90 ms.
	onMasters = "masters 3; lease; names k; c0 acquire 10000000 20000000 sent=12000000 " +
		"lease=200000000; c1 acquire 11000000 90000000 sent=80000000 lease=100000000; " +
		"c0 release 150000000 160000000; c1 release 170000000 180000000"
	mastersWon = "1 1 80000000 85000000 n1 SET k b NX PX 100 -> OK\n" +
		"1 1 80000000 85000000 n2 SET k b NX PX 100 -> OK\n"
	// brief is a hold whose command asks for less than the client is promised.
	brief = "0 1 12 15 n0 SET k a NX PX 0.00003 -> OK\n"
)

var keyCases = []propertyCase{
	{"vanished: no client deleted it", "L", lasting, setA + setB, Violated, Vanished},
	{"vanished: no client deleted it, says O", "O", lasting, setA + setB, Valid, ""},
	{"vanished: the same, and others may delete keys", "O", "environment external; " + lasting,
		setA + setB, Unknown, ""},
	{"vanished: others may delete keys, and a restart took it", "O", "environment external; " +
		lasting + "fault restart n0 30 40", setA + setB, Valid, ""},
	{"vanished: others may delete keys, and the lease was over", "O", "environment external; " +
		lasting, brief + setB, Valid, ""},
	{"vanished: another client deleted it", "L", "c2 acquire 1 4 sent=2 lease=3; " + lasting +
		"c2 release 40 60", "2 1 2 3 n0 SET k c NX PX 0.000003 -> OK\n" + setA +
		"2 1 41 45 n0 DEL k -> 1\n" + setB, Violated, ReleasedByNonOwner},
	{"vanished: a server lost it", "L", lasting + "fault restart n0 30 40", setA + setB, Violated,
		LostByServer},
	{"vanished: another server lost its memory", "L", lasting + "fault restart n1 30 40", setA + setB,
		Violated, DoubleGrant},
	{"vanished: the next command does not ask whether it is free", "L", lasting,
		setA + "1 1 80 85 n0 SET k b -> OK\n", Violated, DoubleGrant},
	{"vanished: nothing but a script can have deleted it", "L", lasting, setA +
		"2 1 40 45 n0 EVAL text 1 k -> 1\n" + setB, Violated, ReleasedByNonOwner},
	{"vanished: two scripts may have deleted it", "L", lasting, setA + "2 1 40 45 n0 EVAL text 1 k " +
		"-> 1\n3 1 42 46 n0 EVAL text 1 k -> 1\n" + setB, Violated, ReleasedByNonOwner},
	{"vanished: others may delete keys, and a script, too", "L", "environment external; " + lasting,
		setA + "2 1 40 45 n0 EVAL text 1 k -> 1\n" + setB, Violated, DoubleGrant},
	{"vanished: on the run's own servers a deletion may have found it", "L", freed,
		freedTrace + setB, Violated, DoubleGrant},
	{"vanished: the same, and others may delete keys", "L", "environment external; " + freed,
		freedTrace + setB, Violated, Vanished},
	{"vanished: a third client was granted it before", "L", between, betweenTrace + setB, Violated,
		Vanished},
	{"O: its own release, of a grant in between", "O", between, betweenTrace + setB, Valid, ""},
	{"O: its own release freed the lock for the holder, and others may delete keys", "O",
		"environment external; " + freed, freedTrace + setB, Unknown, ""},
	{"O: its own release freed the lock for the holder, whose key no client deleted", "O", freed,
		freedTrace + setB, Valid, ""},
	{"O: the same, and the release came twice", "O", freed + "fault duplicate c2 9 11", freedTrace +
		setB, Violated, LateMessage},
	{"O: the same, and a late deletion is for the holder's value", "O",
		"c3 acquire 1 9 info; " + freed,
		"2 1 2 3 n0 SET k c NX PX 0.0002 -> OK\n3 1 5 0 n0 DELEX k IFEQ a ->\n" +
			"2 1 10 16 n0 DEL k -> 1\n" + setA + setB, Violated, LateMessage},
	{"O: the same, and its client may have sent it again", "O", freed,
		"2 1 2 3 n0 SET k c NX PX 0.0002 -> OK\n2 1 10 16 n0 DEL k -> 1 again\n" + setA + setB,
		Violated, ReleasedByNonOwner},
	{"O: the same, and its own hold was on another server", "O", freed,
		"2 1 2 3 n1 SET k c NX PX 0.0002 -> OK\n2 1 10 16 n0 DEL k -> 1\n" + setA + setB, Violated,
		ReleasedByNonOwner},
	{"O: the same, and a restart may have freed the lock before", "O", freed +
		"fault restart n0 5 6", freedTrace + setB, Violated, ReleasedByNonOwner},
	{"O: the same, and the holder needed no free lock", "O", freed,
		"2 1 2 3 n0 SET k c NX PX 0.0002 -> OK\n2 1 10 16 n0 DEL k -> 1\n" +
			"0 1 12 15 n0 GETSET k a -> c\n" + setB, Violated, ReleasedByNonOwner},
	{"O: the same, and a third client took it over for a short time", "O",
		"c3 acquire 3 6 sent=4 lease=3; c3 release 8 9; " + freed,
		"2 1 2 3 n0 SET k c NX PX 0.0002 -> OK\n3 1 4 5 n0 SET k d PX 0.000003 -> OK\n" +
			"2 1 10 16 n0 DEL k -> 1\n" + setA + setB, Violated, ReleasedByNonOwner},
	{"O: the release of a hold that was over came between two grants", "O",
		"c2 acquire 1 4 sent=2 lease=3; " + lasting + "c2 release 5 17",
		"2 1 2 3 n0 SET k c NX PX 0.000003 -> OK\n2 1 10 16 n0 DEL k -> 1\n" + setA + setB, Violated,
		ReleasedByNonOwner},
	{"O: a release that was never answered, of a hold that was over", "O",
		"c2 acquire 1 4 sent=2 lease=3 node=n0; " + lasting + "c2 release 5 17 info",
		"2 1 2 3 n0 SET k c NX PX 0.000003 -> OK\n2 1 10 0 n0 DEL k ->\n" + setA + setB, Violated,
		LateMessage},
	{"O: the same, and the servers are others' too", "O",
		"environment external; c2 acquire 1 4 sent=2 lease=3 node=n0; " + lasting +
			"c2 release 5 17 info",
		"2 1 2 3 n0 SET k c NX PX 0.000003 -> OK\n2 1 10 0 n0 DEL k ->\n" + setA + setB, Unknown, ""},
	{"O: the same, and the servers evict", "O",
		"evicts; c2 acquire 1 4 sent=2 lease=3 node=n0; " + lasting + "c2 release 5 17 info",
		"2 1 2 3 n0 SET k c NX PX 0.000003 -> OK\n2 1 10 0 n0 DEL k ->\n" + setA + setB, Unknown, ""},
	{"O: the same, and the server counted only what the clients deleted", "O",
		"counted n0 deleted=1; " + unanswered, unansweredTrace, Violated, LateMessage},
	{"O: the same, and the server counted a deletion that no client sent", "O",
		"counted n0 deleted=2; " + unanswered, unansweredTrace, Unknown, ""},
	{"O: the same, and a script of unknown effect may have deleted a key", "O",
		"counted n0 deleted=2; " + unanswered, "3 1 11 14 n0 EVAL text 1 j -> 1\n" + unansweredTrace,
		Violated, LateMessage},
	{"O: the same, and the server was emptied", "O",
		"counted n0 deleted=1 emptied=1; " + unanswered, unansweredTrace, Unknown, ""},
	{"O: the same, and the server evicted a key", "O",
		"evicts; counted n0 deleted=1 evicted=1; " + unanswered, unansweredTrace, Unknown, ""},
	{"O: the same, and the server may evict keys, but did not", "O",
		"evicts; counted n0 deleted=1; " + unanswered, unansweredTrace, Violated, LateMessage},
	{"O: the same, and another server may evict keys, but did not", "O",
		"evicts; counted n1; " + unanswered, unansweredTrace, Unknown, ""},
	{"vanished: the server counted a deletion that no client sent", "L", "counted n0 deleted=9; " +
		freed, freedTrace + setB, Violated, Vanished},
	{"O: the same, and a client empties the server", "O",
		"c2 acquire 1 4 sent=2 lease=3 node=n0; " + lasting + "c2 release 5 17 info",
		"2 1 2 3 n0 SET k c NX PX 0.000003 -> OK\n2 1 10 0 n0 DEL k ->\n3 1 11 14 n0 FLUSHALL -> OK\n" +
			setA + setB, Unknown, ""},
	{"O: the same, and a client had emptied the server before", "O",
		"counted n0 deleted=1 emptied=1; " + unanswered, "3 0 0 1 n0 FLUSHALL -> OK\n" +
			unansweredTrace, Violated, LateMessage},
	{"O: the same, and a client emptied the server afterwards", "O",
		"counted n0 deleted=1 emptied=1; " + unanswered, unansweredTrace +
			"3 0 92 93 n0 FLUSHALL -> OK\n", Violated, LateMessage},
	{"O: the same, and a client may have emptied the server after all", "O", unanswered,
		"3 0 0 0 n0 FLUSHALL -> \n" + unansweredTrace, Unknown, ""},
	{"O: the same, and the server was emptied once more than a client did", "O",
		"counted n0 deleted=1 emptied=2; " + unanswered, "3 0 0 1 n0 FLUSHALL -> OK\n" +
			unansweredTrace, Unknown, ""},
	{"O: the same, and another server was emptied", "O",
		"counted n1 emptied=1; " + unanswered, "3 0 0 1 n0 FLUSHALL -> OK\n" +
			unansweredTrace, Unknown, ""},

	{"lease of the key: shorter than the promise", "L", lasting, brief + setB, Violated,
		PromisedTooLong},
	{"lease of the key: shorter than the promise on a quorum", "L", onMasters,
		"0 1 12000000 15000000 n0 SET k a NX PX 30 -> OK\n" +
			"0 1 12000000 15000000 n1 SET k a NX PX 30 -> OK\n" + mastersWon, Violated, PromisedTooLong},
	{"lease of the key: shorter than the promise on one of three", "L", onMasters,
		"0 1 12000000 15000000 n0 SET k a NX PX 200 -> OK\n" +
			"0 1 12000000 15000000 n1 SET k a NX PX 200 -> OK\n" +
			"0 1 12000000 15000000 n2 SET k a NX PX 30 -> OK\n" + mastersWon, Violated, DoubleGrant},
	{"lease of the key: a renewal made it longer", "L", lasting,
		brief + "0 1 30 32 n0 PEXPIRE k 0.0003 -> 1\n" + setB, Violated, Vanished},
	{"lease of the key: a renewal made it shorter", "L", lasting,
		setA + "0 1 30 32 n0 PEXPIRE k 0.00003 -> 1\n" + setB, Violated, LostRenewal},
	{"lease of the key: a renewal that found no key", "L", lasting,
		setA + "0 1 30 32 n0 PEXPIRE k 0.00003 -> 0\n" + setB, Violated, Vanished},
	{"lease of the key: over before another client's late deletion", "O",
		"c2 acquire 1 4 sent=2 lease=3 node=n0; " + lasting + "c2 release 5 17 info",
		"2 1 2 3 n0 SET k c NX PX 0.000003 -> OK\n2 1 10 0 n0 DEL k ->\n" + brief + setB, Valid, ""},
}

// A release that was never answered may have deleted the key of the next holder.
const (
	unanswered      = "c2 acquire 1 4 sent=2 lease=3 node=n0; " + lasting + "c2 release 5 17 info"
	unansweredTrace = "2 1 2 3 n0 SET k c NX PX 0.000003 -> OK\n2 1 10 0 n0 DEL k ->\n" + setA + setB
)

// TestCausesOfKeys: a cause names the reply that a client got and why the key was free, and accuses
// no client that was granted a free key.
func TestCausesOfKeys(t *testing.T) {
	for _, c := range []struct{ name, story, trace, want, not string }{
		{"vanished", lasting, setA + setB,
			"client 1's SET at 0.000 s was answered \"OK\", so the key of client 0 was gone", "although"},
		{"a third client was granted it", between, betweenTrace + setB,
			"client 2's SET at 0.000 s was answered \"OK\", so the key of client 0 was gone", "although it"},
		{"vanished while it was asked for", "lease; names k; c0 acquire 10000000 20000000 " +
			"sent=12000000 lease=100000000 node=n0; c1 acquire 11000000 135000000 sent=80000000 " +
			"lease=100000000 node=n0; c0 extend 93000000 sent=90000000 lease=200000000; " +
			"c0 release 150000000 160000000 fail; c1 release 170000000 180000000",
			"0 1 12000000 15000000 n0 SET k a NX PX 100 -> OK\n" +
				"1 1 80000000 130000000 n0 SET k b NX PX 100 -> OK\n" +
				"0 1 90000000 92000000 n0 PEXPIRE k 200 -> 1\n", "Its lease lasts until 0.290 s", "0.112"},
		{"a shorter lease", lasting, brief + setB, "asked for a lease until 0.000 s", "third party"},
		{"a renewal", lasting, setA + "2 1 30 32 n0 PEXPIRE k 0.00003 -> 1\n" + setB,
			"was last renewed at 0.000 s by client 2's PEXPIRE", "third party"},
		{"written over", lasting, setA + "2 1 30 32 n0 SET k c -> OK\n1 1 80 85 n0 SET k b -> OK\n",
			"client 2's SET at 0.000 s was answered \"OK\" and wrote over client 0's key",
			"third party"},
		{"two looks before two writes", bothWrite, bothLook, "Client 1's GET found the key free at " +
			"0.000 s. Client 0 was granted lock 0", "third party"},
		{"the cause of two looks", bothWrite, bothLook, "Cause: client 0 (GET at 0.000 s) and client " +
			"1 (GET at 0.000 s) both read the key as free before either wrote it", "third party"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Check(story(t, c.story), commands(t, c.trace),
				Options{Properties: []string{"L"}}).Properties[0]
			if !strings.Contains(p.Explanation, c.want) || strings.Contains(p.Explanation, c.not) {
				t.Errorf("got %s\nwant %s\nwithout %s", p.Explanation, c.want, c.not)
			}
		})
	}
}

// TestVotesByNode: of several servers a cause gives the votes of each holder, names no server that
// did not answer, and blames no third client for a key that it wrote where the first holder had
// none.
func TestVotesByNode(t *testing.T) {
	third := "2 1 30 35 n2 SET k c NX PX 200 -> OK\n2 1 36 39 n2 DEL k -> 1\n"
	judge := func(told, trace string) Property {
		return Check(story(t, told), commands(t, trace), Options{Properties: []string{"L"}}).Properties[0]
	}
	p := judge(lostVotesOf+"c2 acquire 11 99 fail", ownerVotes+third+winnerVotes)
	if want := "Votes: client 0 had n0 and n1, client 1 had n1 and n2."; p.Class != DoubleGrant ||
		!strings.Contains(p.Explanation, want) || strings.Contains(p.Explanation, "client 2") {
		t.Errorf("%s: %s", p.Class, p.Explanation)
	}
	silent := "1 1 80 85 n0 SET k b NX PX 100 -> !timeout\n"
	p = judge(lasting, ownerOnN0+silent)
	if strings.Contains(p.Explanation, "granted the same lock by") {
		t.Errorf("a server is named that did not answer: %s", p.Explanation)
	}
	if !strings.Contains(p.Explanation, "Client 0 was granted lock 0 by n0") {
		t.Errorf("the server that answered is not named: %s", p.Explanation)
	}
}

// TestOneOfSeveralDeletions: two deletions between two grants were answered, and one of them can
// have deleted the key of a third client. If their order is not known, each may have done it, and
// the class is as if one had done it. One that was answered before the other was sent did it.
func TestOneOfSeveralDeletions(t *testing.T) {
	const text = "environment external; c2 acquire 1 4 sent=2 lease=3; " +
		"c3 acquire 5 7 sent=6 lease=3; " + lasting + "c2 release 40 60; c3 release 40 60; " +
		"c4 acquire 30 49 sent=42 lease=100 node=n0; c4 release 68 69"
	const before = "2 1 2 3 n0 SET k c NX PX 0.000003 -> OK\n" +
		"3 1 6 7 n0 SET k d NX PX 0.000003 -> OK\n" + setA
	const another = "4 1 42 48 n0 SET k x NX PX 0.0001 -> OK\n"
	const atOnce = "2 1 41 49 n0 DEL k -> 1\n" + another + "3 1 43 50 n0 DEL k -> 1\n"
	for _, c := range []struct{ deletions, fault, want string }{
		{atOnce, "", "may have deleted"},
		{atOnce, "; fault node-clock n0 20 21", "may have deleted"},
		{"2 1 41 42 n0 DEL k -> 1\n" + another + "3 1 49 50 n0 DEL k -> 1\n", "", "deleted"},
	} {
		v := Check(story(t, text+c.fault), commands(t, before+c.deletions+setB),
			Options{Properties: []string{"L"}})
		p := v.Properties[0]
		if p.Class != ReleasedByNonOwner || !strings.Contains(p.Explanation,
			"Client 2 sent \"DEL k\" at 0.000 s, which "+c.want+" the key of client 0.") {
			t.Errorf("%s: %s", p.Class, p.Explanation)
		}
	}
}
