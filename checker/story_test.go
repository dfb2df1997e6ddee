package checker

import (
	"strings"
	"testing"
	"time"
)

// storyCases are violations and what they must and must not be told with. Times are milliseconds.
var storyCases = []struct{ name, story, want, without string }{
	{"failover in the order of time",
		"lease; fault cut n0>n1 1 414; c1 acquire 0 4 sent=3 lease=2000 node=n0; fault kill n0 4 414; " +
			"fault promote n1 5 6; fault redirect n1 6 7; c0 acquire 1 28 sent=27 lease=2000 node=n1; c1 " +
			"release 206 207; c0 release 300 301",
		"At 0.001 s the link from n0 to n1 was cut. " +
			"Client 1 was granted lock 0 by n0 at 0.004 s. n0 was " +
			"killed at 0.004 s, n1 was promoted at 0.005 s and clients were redirected to it at 0.006 s. " +
			"Client 0 was granted the same lock by n1 at 0.028 s. Client 1 was still inside until 0.206 " +
			"s, when it released: both were inside for 178 ms.", "started again"},
	{"a fault that was over is left out",
		"fault pause-node n0 1 2; c0 acquire 5 6; c1 acquire 5 8; c0 release 20 21; c1 release 30 31",
		"Client 0 was granted lock 0 at 0.006 s. Client 1 was granted", "n0"},
	{"a fault that came too late is left out",
		"c0 acquire 5 6; c1 acquire 5 8; fault pause c1 9 12; c0 release 20 21; c1 release 30 31", "",
		"paused"},
	{"a fault that may have caused it is kept",
		"c0 acquire 5 16; fault kill n0 8 12; c1 acquire 5 18; c0 release 20 21; c1 release 30 31",
		"n0 was killed at 0.008 s and it was started again at 0.012 s. Client 0", ""},
	{"a clock stays moved",
		"fault node-clock n0 1 2; c0 acquire 5 16; c1 acquire 5 18; c0 release 20 21; c1 release 30 31",
		"At 0.001 s the clock of n0 was moved.", ""},
	{"an end that matters is told",
		"lease; c0 acquire 1 5 sent=1 lease=20; fault pause c0 6 40; c1 acquire 2 30 sent=29 lease=90; " +
			"c0 release 45 46; c1 release 50 51",
		"At 0.006 s client 0 was paused. Client 0's lease ran out at 0.021 s while it was paused. " +
			"Client 1 was granted the same lock at 0.030 s. At 0.040 s client 0 ran again. Client 0 was " +
			"still inside until 0.045 s, when it released: both were inside for 15 ms.", ""},
	{"a holder that is told, and stays", "lease; c0 acquire 1 5 sent=1 lease=20; c1 acquire 2 30 " +
		"sent=29 lease=90; c0 lost 33; c0 release 45 46; c1 release 50 51",
		"at 0.030 s. Client 0 was told that its hold was over at 0.033 s. Client 0 was still", ""},
	{"a holder that is told when it has left", "lease; c0 acquire 1 5 sent=1 lease=20; c1 acquire 2 " +
		"30 sent=29 lease=90; c0 release 45 49; c0 lost 47; c1 release 50 51", "at 0.030 s.", "told"},
	{"the second one leaves first",
		"c0 acquire 1 5; c1 acquire 2 9; c1 release 12 13; c0 release 20 21",
		"Client 1 was inside until 0.012 s, when it released, and client 0 still was then: both were " +
			"inside for 3.0 ms.", ""},
	{"cuts of requests and of replies are told apart",
		"c0 acquire 1 5; fault cut c0>* 6 20 mode=requests; fault cut c1>* 6 20 mode=replies; " +
			"c1 acquire 2 9; c0 release 12 13; c1 release 20 21",
		"Every link of client 0 was cut (requests only) at 0.006 s and every link of client 1 was cut " +
			"(replies only) at 0.006 s.", "likewise"},
	{"a fault that nobody has words for",
		"c0 acquire 1 5; fault wobble n0 6 10; c1 acquire 2 9; c0 release 12 13; c1 release 20 21",
		"At 0.006 s the fault \"wobble\" hit n0. Client 1 was granted the same lock at 0.009 s. At " +
			"0.010 s the fault \"wobble\" of n0 ended. Client 0", ""},
	{"many faults",
		"c0 acquire 1 5; fault a x 6; fault b x 6; fault c x 6; fault d x 6; fault e x 6; fault f x 6; " +
			"fault g x 6; fault h x 6; fault i x 6; fault j x 6; c1 acquire 2 9; c0 release 12 13; c1 " +
			"release 20 21", "2 more things began or ended", "the fault \"e\""},
}

func TestStories(t *testing.T) {
	for _, c := range storyCases {
		t.Run(c.name, func(t *testing.T) {
			h := story(t, c.story)
			for i := range h.Events {
				e := &h.Events[i]
				e.T *= int64(time.Millisecond)
				if e.Grant != nil {
					e.Grant.Sent *= int64(time.Millisecond)
					e.Grant.Lease *= 1_000_000
				}
			}
			words := Check(h, nil, Options{Properties: []string{"S"}}).Properties[0].Explanation
			if !strings.Contains(words, c.want) || c.without != "" && strings.Contains(words, c.without) {
				t.Errorf("got  %s\nwant %s\nwithout %s", words, c.want, c.without)
			}
		})
	}
}

// TestAStorySaysThingsOnce: what was done on several servers is one sentence that names them.
func TestAStorySaysThingsOnce(t *testing.T) {
	h := story(t, lostVotesOf+"fault refuse c0>n0 10 95; fault refuse c0>n1 10 95; "+
		"fault refuse c0>n2 10 95; fault hold-back c0>n1 13 94")
	trace := commands(t, "0 1 10 0 n0 SET k z NX PX 200 ->\n0 1 10 0 n1 SET k z NX PX 200 ->\n"+
		"0 1 11 0 n0 DEL k ->\n0 1 11 0 n1 DEL k ->\n"+ownerVotes+winnerVotes)
	words := Check(h, trace, Options{Properties: []string{"L"}}).Properties[0].Explanation
	for _, want := range []string{
		"lient 0's link to n0 began to refuse connections, and likewise client 0's link to n1 and " +
			"client 0's link to n2 at 0.000 s",
		"lient 0 sent \"DEL k\" to n0 and n1 at 0.000 s, which was sent before the grant",
	} {
		if strings.Count(words, want) != 1 {
			t.Errorf("%q is not told once in\n%s", want, words)
		}
	}
	if n := strings.Count(words, "DEL k"); n != 1 {
		t.Errorf("told %d times: %s", n, words)
	}
}

func TestAStoryNamesScripts(t *testing.T) {
	for letter, traced := range map[string]string{
		"R": nobodyTrace + "1 1 50 55 n0 EVAL grab 1 k b -> 0",
		"O": "0 1 12 15 n0 EVAL grab 1 k a -> 1\n0 1 71 75 n0 EVAL drop 1 k a -> yes\n1 1 50 55 n0 " +
			"EVAL grab 1 k b -> 1\n",
	} {
		told := grabs + nobodyStory
		if letter == "O" {
			told = grabs + robberyStory
		}
		words := Check(story(t, told), commands(t, traced), Options{Properties: []string{letter}}).
			Properties[0].Explanation
		if strings.Contains(words, "grab") || strings.Contains(words, "drop") ||
			!strings.Contains(words, "\"EVAL <script: ") {
			t.Errorf("%s: %s", letter, words)
		}
	}
}

// TestACommandThatIsSentAgainIsToldSo: the cause of a deletion tells when the same command was
// first sent, if the same hold sent it before and got no reply. Times are nanoseconds.
func TestACommandThatIsSentAgainIsToldSo(t *testing.T) {
	const again = ", and it had sent this deletion at 0.030 s and got no reply, so that it was sent " +
		"again"
	const holds = "lease; names k; fault cut c0>* 25000000 390000000; c0 acquire 10000000 20000000 " +
		"sent=12000000 lease=200000000 node=n0; c1 acquire 11000000 380000000 sent=300000000 " +
		"lease=200000000 node=n0; c2 acquire 12000000 450000000 sent=440000000 lease=200000000 " +
		"node=n0; " +
		"c0 release 30000000 430000000; c1 release 470000000 480000000; c2 release 500000000 510000000"
	const took = "0 1 12000000 15000000 n0 SET k a NX PX 200 -> OK\n"
	const others = "1 1 300000000 350000000 n0 SET k b NX PX 200 -> OK\n" +
		"0 1 400000000 420000000 n0 DEL k -> 1\n2 1 440000000 445000000 n0 SET k c NX PX 200 -> OK\n"
	for sent, want := range map[string]bool{
		"0 1 30000000 280000000 n0 DEL k -> !timeout\n":  true,
		"0 1 30000000 280000000 n0 DEL k -> 0\n":         false, // a reply came
		"0 0 30000000 280000000 n0 DEL k -> !timeout\n":  false, // of another hold
		"0 1 30000000 280000000 n0 DEL kk -> !timeout\n": false, // another command
		"": false,
	} {
		p := Check(story(t, holds), commands(t, took+sent+others),
			Options{Properties: []string{"L"}}).Properties[0]
		if p.Class != ReleasedByNonOwner || strings.Contains(p.Explanation+p.Cause, again) != want {
			t.Errorf("%q: %s: %s %s", sent, p.Class, p.Explanation, p.Cause)
		}
	}
}

// TestADeletionWithinAnAttemptIsToldSo wants the cause of an overlap to say that the client which
// deleted the key was still acquiring the lock.
func TestADeletionWithinAnAttemptIsToldSo(t *testing.T) {
	const trying = "it was acquiring the lock, and this was a part of its attempt"
	const took = "0 1 10000000 15000000 n0 SET k a NX PX 500 -> OK\n" +
		"1 1 100000000 110000000 n0 DEL k -> 1\n2 1 120000000 125000000 n0 SET k c NX PX 500 -> OK\n"
	for call, want := range map[string]bool{
		"c1 acquire 90000000 150000000 fail":                   true,
		"c1 acquire 90000000 95000000 info":                    false, // it had returned
		"c1 acquire 160000000 170000000 fail":                  false, // it was not called yet
		"c3 acquire 90000000 150000000 fail":                   false, // of another client
		"c1 acquire 90000000 150000000 sent=140000000 lease=5": true,
	} {
		p := Check(story(t, "lease; names k; c0 acquire 10000000 20000000 sent=10000000 "+
			"lease=500000000 node=n0; "+call+"; c2 acquire 110000000 130000000 sent=120000000 "+
			"lease=500000000 node=n0; c0 release 300000000 310000000; c2 release 300000000 310000000"),
			commands(t, took), Options{Properties: []string{"L"}}).Properties[0]
		if p.Class != ReleasedByNonOwner || strings.Contains(p.Explanation+p.Cause, trying) != want {
			t.Errorf("%q: %s: %s %s", call, p.Class, p.Explanation, p.Cause)
		}
	}
}
