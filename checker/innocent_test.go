package checker

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/history"
)

// innocent are histories of locks that do what can be asked of them, in circumstances that look
// like a defect. Each is judged by all letters; convicted are those that it violates for sure, and
// judged are those that are valid, so that no case is empty.
var innocent = []struct {
	name, story, trace   string
	convicted, acquitted string
}{
	{"a slow machine: a release timed out although no fault held it back",
		"environment sim; ttl 3000000000; lease; poll 1; names k; " +
			"c0 acquire 1 5 sent=2 lease=3000000000; c0 release 6 300000000 info; " +
			"c-1 gap 700000000 gap=250000000; c1 acquire 10 2900000000 fail; " +
			"c1 acquire 3100000000 3100000010 sent=3100000001 lease=3000000000; " +
			"c1 release 3100000020 3100000030",
		"0 1 2 3 n0 SET k a NX PX 3000 -> OK\n0 1 6 300000000 n0 DEL k -> !timeout\n" +
			"1 1 600000000 600000001 n0 SET k b NX PX 3000 -> (nil)\n" +
			"1 1 2600000000 2600000001 n0 SET k b NX PX 3000 -> (nil)\n" +
			"1 2 3100000001 3100000002 n0 SET k b NX PX 3000 -> OK\n" +
			"1 2 3100000021 3100000022 n0 DEL k -> 1", "", "S L O D V"},
	{"votes that are split among live clients", three + "names k; " +
		"c2 acquire 1 5 sent=2 lease=1; c2 release 6 7; c0 acquire 10 3000000000 fail; " +
		"c1 acquire 10 3000000000 fail", splitVotes(30), "", "S L R D"},
	{"a client that starves while the others are granted the lock", once + "names k; " +
		"c1 acquire 10 1300000000 fail; " +
		"c0 acquire 600000000 600000005 sent=600000001 lease=1000; c0 release 600000006 600000007",
		"0 1 2 3 n0 SET k a NX PX 1 -> OK\n0 1 6 7 n0 DEL k -> 1\n" +
			"1 1 600000002 600000003 n0 SET k b NX PX 1 -> (nil)\n" +
			"0 2 600000001 600000002 n0 SET k a NX PX 1 -> OK\n" +
			"0 2 600000006 600000007 n0 DEL k -> 1", "", "S L O R D V"},
	{"a back-off that is longer than the bound", unpaced + "names k; " +
		"c0 acquire 1 5 sent=2 lease=1000; c1 acquire 3 1500000000 sent=1450000000 lease=1000; " +
		"c0 release 6 7; c1 release 1500000001 1500000002",
		"0 1 2 3 n0 SET k a NX PX 1 -> OK\n1 1 4 5 n0 SET k b NX PX 1 -> (nil)\n" +
			"0 1 6 7 n0 DEL k -> 1\n1 1 1450000000 1450000001 n0 SET k b NX PX 1 -> OK\n" +
			"1 1 1500000001 1500000002 n0 DEL k -> 1", "", "S L O R V"},
	{"a pause between the last check and the return: two are inside, which S says",
		"ttl 100; lease; validity; fencing; poll 1; names k; topology single; fault pause c0 13 190; " +
			"c0 acquire 1 200 sent=2 valid=102 lease=100 token=1; " +
			"c1 acquire 20 170 sent=150 valid=250 lease=100 token=2; c0 release 230 231 fail; " +
			"c1 release 240 241",
		"0 1 2 12 n0 SET k a NX PX 1 -> OK\n1 1 30 31 n0 SET k b NX PX 1 -> (nil)\n" +
			"1 1 150 151 n0 SET k b NX PX 1 -> OK", "S", "L O R F V N"},
	{"one client survives", once + "names k; c2 acquire 8 9 sent=8 lease=1000; c2 kill 10; " +
		"c2 exit 12 planned; c0 kill 13; c0 exit 14 planned; " +
		"c1 acquire 20 900000000 sent=800000000 lease=1000; c1 release 900000001 900000002",
		"0 1 2 3 n0 SET k a NX PX 1 -> OK\n0 1 6 7 n0 DEL k -> 1\n2 1 8 9 n0 SET k c NX PX 1 -> OK\n" +
			"1 1 30 31 n0 SET k b NX PX 1 -> (nil)\n1 1 800000000 800000001 n0 SET k b NX PX 1 -> OK\n" +
			"1 1 900000001 900000002 n0 DEL k -> 1", "", "S L O D V"},
	{"a server that answers READONLY", once + "names k; c1 acquire 10 1400000000 fail " +
		"why=server-refused; c1 acquire 1500000000 1500000010 sent=1500000001 lease=1000; " +
		"c1 release 1500000020 1500000030",
		"0 1 2 3 n0 SET k a NX PX 1 -> OK\n0 1 6 7 n0 DEL k -> 1\n" +
			"1 1 20 21 n0 SET k b NX PX 1 -> (error) READONLY You can't write\n" +
			"1 1 1300000000 1300000001 n0 SET k b NX PX 1 -> (error) READONLY You can't write\n" +
			"1 2 1500000001 1500000002 n0 SET k b NX PX 1 -> OK\n1 2 1500000021 1500000022 n0 DEL k -> 1",
		"A", "S L O D V"},
	{"a single client", once + "names k; reentrant; fencing; validity; " +
		"c0 acquire 8 20 sent=9 lease=1000 token=7 valid=900; " +
		"c0 acquire 21 22 depth=1 sent=21 lease=1000; c0 release 23 24; c0 release 25 26",
		"0 1 2 3 n0 SET k a NX PX 1 -> OK\n0 1 6 7 n0 DEL k -> 1\n0 2 9 10 n0 SET k a NX PX 1 -> OK\n" +
			"0 2 25 26 n0 DEL k -> 1", "", "S L O D F E V"},
}

// TestInnocent: no letter convicts a lock for what its machine, its servers, its clients or chance
// have done.
func TestInnocent(t *testing.T) {
	for _, c := range innocent {
		v := Check(story(t, c.story), commands(t, c.trace), Options{
			Properties: history.DefaultProperties()})
		var convicted, acquitted []string
		for _, p := range v.Properties {
			switch p.Verdict {
			case Violated:
				convicted = append(convicted, p.Property)
				t.Logf("%s: %s: %s", c.name, p.Property, p.Explanation)
			case Valid:
				acquitted = append(acquitted, p.Property)
			}
		}
		if got := strings.Join(convicted, " "); got != c.convicted {
			t.Errorf("%s: convicted %q, not %q", c.name, got, c.convicted)
		}
		if got := strings.Join(acquitted, " "); got != c.acquitted {
			t.Errorf("%s: acquitted %q, not %q; %s", c.name, got, c.acquitted, show(v))
		}
	}
}
