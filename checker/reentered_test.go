package checker

import (
	"fmt"
	"strings"
	"testing"
)

// chain is a client that left the lock behind, since its release was lost, and that enters it again
// and again, while another client waits for it.
const (
	leftoverScripts = "reentrant; names k,l; script take take OK [0-9]+; script free free 1 no; " +
		"kept free 0; "
	chain = free + leftoverScripts +
		"c0 acquire 1 5 sent=2 lease=1000; fault cut c0>* 6 20; c0 release 7 15 info; " +
		"c0 acquire 21 23 sent=22 lease=1000; c0 release 24 26; " +
		"c0 acquire 30 40 sent=31 lease=1000; c0 release 700000000 700000010; " +
		"c0 acquire 800000000 800000010 sent=800000001 lease=1000; c0 release 1500000000 1500000010; "
	chainTakes = "0 1 2 4 n0 EVAL take 1 k a -> OK\n0 2 22 23 n0 EVAL take 1 k a -> OK\n" +
		"0 3 31 39 n0 EVAL take 1 k a -> OK\n0 4 800000001 800000009 n0 EVAL take 1 k a -> OK\n"
	chainLost  = "0 1 7 15 n0 EVAL free 1 k a -> !timeout\n"
	chainStays = "0 2 24 26 n0 EVAL free 1 k a -> 0\n" +
		"0 3 700000001 700000009 n0 EVAL free 1 k a -> 0\n" +
		"0 4 1500000001 1500000009 n0 EVAL free 1 k a -> 0\n"
	chainSeen  = chainTakes + chainLost + chainStays
	chainWaits = "c1 acquire 50 1400000000 fail; "
	chainTold  = "1 1 51 60 n0 EVAL take 1 k b -> 900\n" +
		"1 1 1300000000 1300000010 n0 EVAL take 1 k b -> 900\n"
)

// TestTheCauseOfALeftoverThatLetsItsOwnerIn: the cause begins with what left the key there.
func TestTheCauseOfALeftoverThatLetsItsOwnerIn(t *testing.T) {
	const again = "he lock lets its owner in again: client 0 entered its own leftover, and each " +
		"release undid only the latest entry."
	promoted := strings.Replace(strings.ReplaceAll(chainTakes+chainStays+chainTold, "n0", "n1"),
		"n1", "n0", 1) // but for the first grant
	for _, c := range []struct{ story, trace, want string }{
		{chain, chainSeen + chainTold, "t" + again},
		// and no client was inside for too long afterwards, either
		{chain + "c2 acquire 60 4400000000 fail; ", chainSeen + chainTold +
			"2 1 1600000000 1600000010 n0 EVAL take 1 k c -> 900\n" +
			"2 1 4300000000 4300000010 n0 EVAL take 1 k c -> 900\n", "t" + again},
		{chain, chainTakes + "0 1 7 15 n0 EVAL free 1 k a -> (error) OOM no memory\n" + chainStays +
			chainTold,
			"client 0's release at 0.000 s was answered \"OOM no memory\". T" + again},
		{strings.Replace(chain, "fault cut c0>* 6 20; c0 release 7 15 info",
			"c0 release 7 15; fault promote n1 16 20", 1),
			promoted + "0 1 7 15 n0 EVAL free 1 k a -> 1\n",
			"n1 was promoted without client 0's release of 0.000 s, so the key is there again. T" + again},
	} {
		p := Check(story(t, c.story+chainWaits), commands(t, c.trace),
			Options{Properties: []string{"D"}}).Properties[0]
		if p.Cause != c.want {
			t.Errorf("%s: %q, want %q; %s%s", p.Verdict, p.Cause, c.want, p.Explanation, p.Reason)
		}
	}
}

// TestAReleaseThatUndidOneEntry: R names the release that left the key there, if the key's writer
// sent it and all was answered.
func TestAReleaseThatUndidOneEntry(t *testing.T) {
	const undid = `Client 0's release at 0.000 s was answered "0": that undid one entry of several.`
	for released, want := range map[string]string{
		"0 1 7 15 n0 EVAL free 1 k a -> 0\n":                                 undid,
		"0 1 7 10 n0 EVAL free 1 k a -> 0\n0 1 11 0 n0 EVAL free 1 k a ->\n": "",
		"0 1 7 15 n1 EVAL free 1 k a -> 0\n":                                 "",
		"0 1 7 15 n0 GET k -> a\n2 1 16 17 n0 DEL k2 -> 0\n":                 "",
	} {
		p := Check(story(t, free+leftoverScripts+"c0 acquire 1 5 sent=2 lease=1000; "+
			"c0 release 7 15; c1 acquire 20 40 fail"), commands(t,
			"0 1 2 3 n0 EVAL take 1 k a -> OK\n0 1 2 4 n0 EVAL take 1 k a -> OK\n"+released+
				"1 1 21 39 n0 EVAL take 1 k b -> 900\n"),
			Options{Properties: []string{"R"}}).Properties[0]
		if p.Verdict != Violated || p.Cause != want {
			t.Errorf("%s: %s: %q, want %q; %s%s", released, p.Verdict, p.Cause, want, p.Explanation,
				p.Reason)
		}
	}
}

// TestALockThatDeletesNothing: R names the declaration of a minimum hold if a lock was released,
// and certainly sent no deletion.
func TestALockThatDeletesNothing(t *testing.T) {
	const never = "No client sent a deletion of a key."
	const declare = " A lock that keeps its key on purpose says minimum_hold in adapter.yaml, or " +
		"MinimumHold in locktest."
	for _, c := range []struct{ header, release, more, want string }{
		{"", "c0 release 7 15; ", "", never + declare},
		{"minimumhold 9; ", "c0 release 7 15; ", "", never},
		{"", "c0 release 7 15; ", "2 1 50 51 n0 DEL k2 -> 0\n", ""},
		{"", "c0 release 7 15; ", "2 1 50 51 n0 EVAL s 1 k2 -> 0\n", ""},
		{"", "c0 release 7 15 info; ", "", ""},
		{"", "c0 exit 15; ", "", ""},
	} {
		p := Check(story(t, "names k; lease; "+c.header+"c0 acquire 1 5 sent=2 lease=9; "+c.release+
			"c1 acquire 20 40 fail; end 60"), commands(t, "0 1 2 3 n0 SET k a NX PX 9 -> OK\n"+
			"1 1 21 39 n0 SET k b NX PX 9 -> (nil)\n"+c.more), Options{Properties: []string{"R"}}).
			Properties[0]
		if p.Cause != c.want {
			t.Errorf("%+v: %s: %q, want %q; %s%s", c, p.Verdict, p.Cause, c.want, p.Explanation, p.Reason)
		}
	}
}

// reenteredConditions are histories of a client that alone is let in, by its own leftover, and some
// that only look like it.
var reenteredConditions = []propertyCase{
	{"alone by its own leftover", "D", chain + chainWaits, chainSeen + chainTold, Violated, ""},
	{"alone, and refused only while it is inside", "R", chain + chainWaits, chainSeen + chainTold,
		Unknown, ""},
	{"alone by a leftover that no lost release explains", "D",
		strings.Replace(chain, "c0 release 7 15 info", "c0 release 7 15", 1) + chainWaits,
		chainTakes + "0 1 7 15 n0 EVAL free 1 k a -> 0\n" + chainStays + chainTold, Violated, ""},
	{"alone for as long, and the lock is not re-entrant", "D",
		strings.Replace(chain, "reentrant; ", "", 1) + chainWaits, chainSeen + chainTold, Valid, ""},
	{"alone, and the lock is shared", "D", chain + chainWaits +
		"c2 acquire 1500000020 1500000030 shared; c2 release 1500000040 1500000050", chainSeen +
		chainTold + "2 1 1500000021 1500000029 n0 EVAL take 1 k c -> OK\n", Valid, ""},
	{"alone for less than the bound", "D", chain + "c1 acquire 50 900000000 fail; ",
		chainSeen + chainTold, Unknown, ""},
	{"alone, and nobody waits", "D", chain, chainSeen, Unknown, ""},
	{"alone, and only its own calls are refused", "D",
		chain + "c0 acquire 1500000020 2900000000 fail; ", chainSeen +
			"0 5 1500000021 1500000029 n0 EVAL take 1 k a -> 900\n" +
			"0 5 2890000021 2890000029 n0 EVAL take 1 k a -> 900\n", Violated, ""},
	{"alone and slow, and nobody waits", "D", strings.NewReplacer("30 40", "30 690000000",
		"800000000 800000010", "710000000 1490000000").Replace(chain),
		strings.ReplaceAll(chainSeen, "800000001 800000009", "710000001 710000009"), Unknown, ""},
	{"alone, and another is refused in short calls", "D", chain + briefCalls,
		chainSeen + briefTold, Violated, ""},
	{"alone on several keys", "D", strings.ReplaceAll(strings.ReplaceAll(chain, "lease=1000",
		"lease=1000 keys=0,1"), "0 15 info", "0 15 info") + "c1 acquire 50 1400000000 fail keys=0,1; ",
		strings.ReplaceAll(chainSeen, "30 40", "30 690000000") + chainTold, Violated, ""},
	{"alone, and the pause of the others is not known", "D",
		strings.Replace(chain, "poll 1; ", "", 1) + chainWaits, chainSeen + chainTold, Unknown, ""},
	{"alone, and before it the client that waits now was", "D", free + "reentrant; names k; script " +
		"take take OK [0-9]+; script free free 1 no; kept free 0; c0 acquire 1 5 sent=2 lease=1000; " +
		"fault cut c0>* 6 20; c0 release 7 15 info; c0 acquire 30 40 sent=31 lease=1000; " +
		"c0 release 50 60; c0 acquire 61 63 sent=62 lease=1000; c0 release 64 66; " +
		"c2 acquire 1000 1010 sent=1001 lease=1000; fault cut c2>* 1020 1040; " +
		"c2 release 1021 1030 info; c2 acquire 1050 1060 sent=1051 lease=1000; c2 release 1070 1080; " +
		"c2 acquire 1090 1099 sent=1091 lease=1000; c2 release 1500000000 1500000010; " +
		"c0 acquire 1400 1400000000 fail",
		chainLost + "0 1 2 4 n0 EVAL take 1 k a -> OK\n0 2 31 39 n0 EVAL take 1 k a -> OK\n" +
			"0 2 51 59 n0 EVAL free 1 k a -> 0\n0 3 62 63 n0 EVAL take 1 k a -> OK\n" +
			"0 3 64 66 n0 EVAL free 1 k a -> 0\n2 1 1001 1009 n0 EVAL take 1 k c -> OK\n" +
			"2 1 1021 1030 n0 EVAL free 1 k c -> !timeout\n2 2 1051 1059 n0 EVAL take 1 k c -> OK\n" +
			"2 2 1071 1079 n0 EVAL free 1 k c -> 0\n2 3 1091 1098 n0 EVAL take 1 k c -> OK\n" +
			"2 3 1500000001 1500000009 n0 EVAL free 1 k c -> 0\n" +
			"0 4 1401 1410 n0 EVAL take 1 k a -> 900\n", Violated, ""},
	{"alone, and a command about another key was lost without a fault", "D", chain + chainWaits,
		chainSeen + chainTold + "0 1 25 27 n0 GET l -> !timeout\n", Violated, ""},
	{"a single hold that stays, after another client's", "D", free + "reentrant; names k; " +
		"script take take OK [0-9]+; script free free 1 no; kept free 0; c2 acquire 1 5 sent=2 " +
		"lease=1000; fault pause c3 6 7; c2 release 8 9; c0 acquire 30 40 sent=31 lease=1000; " +
		"c0 release 1500000000 1500000010; " + chainWaits,
		"2 1 2 4 n0 EVAL take 1 k c -> OK\n2 1 8 9 n0 EVAL free 1 k c -> 0\n" +
			"0 1 31 39 n0 EVAL take 1 k a -> OK\n0 1 1500000001 1500000009 n0 EVAL free 1 k a -> 0\n" +
			chainTold, Unknown, ""},
	{"a single hold that stays, after its client had freed the lock", "D", free + leftoverScripts +
		"c0 acquire 1 5 sent=2 lease=1000; fault pause c3 6 7; c0 release 8 9; c0 acquire 30 40 " +
		"sent=31 lease=1000; c0 release 1500000000 1500000010; " + chainWaits,
		"0 1 2 4 n0 EVAL take 1 k a -> OK\n0 1 8 9 n0 EVAL free 1 k a -> 1\n" +
			"0 2 31 39 n0 EVAL take 1 k a -> OK\n0 2 1500000001 1500000009 n0 EVAL free 1 k a -> 0\n" +
			chainTold, Unknown, ""},
	{"alone in its first hold, which stays", "D", free + leftoverScripts + "fault pause c3 6 7; " +
		"c0 acquire 30 40 sent=31 lease=1000; c0 release 1500000000 1500000010; " + chainWaits,
		"0 1 31 39 n0 EVAL take 1 k a -> OK\n0 1 1500000001 1500000009 n0 EVAL free 1 k a -> 0\n" +
			chainTold, Unknown, ""},
	{"a single hold that stays, after another client's lost release", "D", free + leftoverScripts +
		"c2 acquire 1 5 sent=2 lease=1000; fault cut c2>* 6 7; c2 release 6 9 info; " +
		"c0 acquire 30 40 sent=31 lease=1000; c0 release 1500000000 1500000010; " + chainWaits,
		"2 1 2 4 n0 EVAL take 1 k c -> OK\n2 1 6 9 n0 EVAL free 1 k c -> !timeout\n" +
			"0 1 31 39 n0 EVAL take 1 k a -> OK\n0 1 1500000001 1500000009 n0 EVAL free 1 k a -> 0\n" +
			chainTold, Unknown, ""},
	{"alone, though its first release had freed the lock", "D", strings.Replace(chain, "7 15 info",
		"7 15", 1) + chainWaits, strings.Replace(chainSeen, "a -> !timeout", "a -> 1", 1) + chainTold,
		Violated, ""},
	{"kept out for too long before it enters again", "D", free + leftoverScripts + "c0 acquire 1 5 " +
		"sent=2 lease=1000; fault cut c0>* 6 20; c0 release 7 15 info; c1 acquire 50 1250000000 fail; " +
		"c0 acquire 21 23 sent=22 lease=1000; c0 release 24 26; " +
		"c0 acquire 1300000000 1300000010 sent=1300000001 lease=1000; " +
		"c0 release 1300000020 1300000030; " +
		"c0 acquire 1300000040 1300000050 sent=1300000041 lease=1000; c0 release 1300000060 1300000070",
		chainLost + "0 1 2 4 n0 EVAL take 1 k a -> OK\n1 1 51 60 n0 EVAL take 1 k b -> 900\n" +
			"1 1 1200000000 1200000010 n0 EVAL take 1 k b -> 900\n" +
			"0 2 22 23 n0 EVAL take 1 k a -> OK\n0 2 24 26 n0 EVAL free 1 k a -> 0\n" +
			"0 3 1300000001 1300000009 n0 EVAL take 1 k a -> OK\n" +
			"0 3 1300000021 1300000029 n0 EVAL free 1 k a -> 0\n" +
			"0 4 1300000041 1300000049 n0 EVAL take 1 k a -> OK\n" +
			"0 4 1300000061 1300000069 n0 EVAL free 1 k a -> 0\n", Violated, ""},
	{"alone, and a command was lost without a fault before another client's hold", "D",
		strings.NewReplacer("c0 acquire 1 5 sent=2",
			"c2 acquire 2 3 sent=2 lease=1000; c2 release 4 5; "+
				"c0 acquire 6 7 sent=6", "c0>* 6 20", "c0>* 8 20", "c0 release 7 15", "c0 release 9 15").
			Replace(chain) + chainWaits, strings.NewReplacer("0 1 2 4", "0 1 6 7", "0 1 7 15", "0 1 9 15").
			Replace(chainSeen) + chainTold + "0 0 1 2 n0 GET k -> !timeout\n" +
			"2 1 2 3 n0 EVAL take 1 k c -> OK\n2 1 4 5 n0 EVAL free 1 k c -> 1\n", Violated, ""},
	{"alone, since its acquire arrived twice", "D", strings.Replace(chain, "fault cut c0>* 6 20; ",
		"fault duplicate c0>n0 29 41; fault cut c0>* 6 20; ", 1) + chainWaits, chainSeen + chainTold,
		Unknown, ""},
	{"alone, since each acquire was sent twice", "D", chain + chainWaits,
		strings.NewReplacer("0 3 31 39 n0 EVAL take 1 k a -> OK", "0 3 31 39 n0 EVAL take 1 k a -> OK "+
			"again", "800000009 n0 EVAL take 1 k a -> OK", "800000009 n0 EVAL take 1 k a -> OK again").
			Replace(chainSeen) + chainTold, Unknown, ""},
	{"alone, since its first try was lost", "D", strings.Replace(chain, "fault cut c0>* 6 20; ",
		"fault cut c0>* 29 33; fault cut c0>* 6 20; ", 1) + chainWaits, strings.Replace(chainSeen,
		"0 3 31 39", "0 3 34 39", 1) + chainTold + "0 3 30 32 n0 EVAL take 1 k a -> !timeout\n",
		Unknown, ""},
	{"alone, and nobody is refused", "R", chain, chainSeen, Unknown, ""},
	{"alone, and what let it in is not known", "D", chain + chainWaits, strings.NewReplacer(
		"0 3 31 39 n0 EVAL take 1 k a -> OK\n", "", "0 4 800000001 800000009 n0 EVAL take 1 k a -> OK\n",
		"").Replace(chainSeen) + chainTold, Unknown, ""},
	{"its key was deleted between its holds", "D", chain + chainWaits, chainSeen + chainTold +
		"3 0 27 28 n0 DEL k -> 1\n3 0 750000000 750000001 n0 DEL k -> 1\n", Unknown, ""},
	{"its key was deleted inside of a hold", "D", chain + chainWaits, chainSeen + chainTold +
		"3 0 50 51 n0 DEL k -> 1\n", Violated, ""},
	{"the outer acquire is released first", "D", free + leftoverScripts + "fault pause c3 6 7; " +
		"c0 acquire 11 12 sent=11 lease=1000; c0 acquire 13 14 sent=13 lease=1000 depth=1; " +
		"c0 release 15 16 n=1; c0 release 17 18 n=2; c0 acquire 30 40 sent=31 lease=1000; " +
		"c0 acquire 41 42 sent=41 lease=1000 depth=1; c0 release 1500000000 1500000010 n=3; " +
		"c0 release 1500000020 1500000030 n=4; " + chainWaits,
		"0 1 11 12 n0 EVAL take 1 k a -> OK\n0 2 13 14 n0 EVAL take 1 k a -> OK\n" +
			"0 1 15 16 n0 EVAL free 1 k a -> 0\n0 2 17 18 n0 EVAL free 1 k a -> 1\n" +
			"0 3 31 39 n0 EVAL take 1 k a -> OK\n0 4 41 42 n0 EVAL take 1 k a -> OK\n" +
			"0 3 1500000001 1500000009 n0 EVAL free 1 k a -> 0\n" +
			"0 4 1500000021 1500000029 n0 EVAL free 1 k a -> 1\n" + chainTold, Valid, ""},
	{"a release has freed the lock", "D", chain + chainWaits,
		strings.ReplaceAll(chainSeen, "a -> 0", "a -> 1") + chainTold, Valid, ""},
	{"the last release has freed the lock", "D", chain + chainWaits, strings.Replace(chainSeen,
		"1500000009 n0 EVAL free 1 k a -> 0", "1500000009 n0 EVAL free 1 k a -> 1", 1) + chainTold,
		Unknown, ""},
	{"a release may have freed the lock as well", "D", chain + chainWaits, chainSeen + chainTold +
		"0 2 700000002 700000010 n0 DEL k -> 1\n0 3 1500000002 1500000010 n0 DEL k -> 1\n", Valid, ""},
	{"another key was freed meanwhile", "D", chain + chainWaits, chainSeen + chainTold +
		"0 2 700000002 700000010 n0 DEL l -> 1\n", Violated, ""},
	{"the releases have another lock's key", "D", chain + chainWaits,
		strings.ReplaceAll(chainSeen, "free 1 k a -> 0", "free 1 l a -> 0") + chainTold, Valid, ""},
	{"the releases failed", "D", strings.NewReplacer("700000010;", "700000010 fail;", "1500000010;",
		"1500000010 fail;").Replace(chain) + chainWaits, chainSeen + chainTold, Unknown, ""},
	{"another client is let in between", "D", chain + chainWaits + "c2 acquire 710000000 710000010 " +
		"sent=710000001 lease=9; c2 release 720000000 720000001", chainSeen + chainTold +
		"2 1 710000001 710000009 n0 EVAL take 1 k c -> OK\n", Valid, ""},
	{"a fault strikes meanwhile", "D", chain + chainWaits + "fault pause-node n0 710000000 790000000",
		chainSeen + chainTold, Unknown, ""},
	{"the release was lost without a fault", "D",
		strings.Replace(chain, "fault cut c0>* 6 20; ", "fault cut c2>* 6 20; ", 1) + chainWaits,
		chainSeen + chainTold, Unknown, ""},
	{"the machine stood meanwhile", "D", chain + chainWaits + "c-1 gap 1200000000 gap=900000000",
		chainSeen + chainTold, Unknown, ""},
	{"it entered once more inside", "D", strings.Replace(chain, "lease=1000; c0 release 7000",
		"lease=1000; c0 acquire 50 60 sent=51 lease=1000 depth=1; c0 release 70 80; c0 release 7000",
		1) + chainWaits, chainSeen + chainTold, Unknown, ""},
}

// briefCalls is a client that is refused again and again, for 100 ms each time, and briefTold is
// its trace.
var briefCalls, briefTold = func() (calls, told string) {
	for i := range 12 {
		at := 50 + i*100_000_000
		calls += fmt.Sprintf("c1 acquire %d %d fail; ", at, at+99_999_990)
		told += fmt.Sprintf("1 %d %d %d n0 EVAL take 1 k b -> 900\n", i+1, at+1, at+9)
	}
	return calls, told
}()

// TestAloneByItsOwnLeftover says which client was let in, why, and how often.
func TestAloneByItsOwnLeftover(t *testing.T) {
	t.Parallel()
	p := Check(story(t, chain+chainWaits), commands(t, chainSeen+chainTold),
		Options{Properties: []string{"D"}}).Properties[0]
	for _, want := range []string{"no client but client 0 was granted lock 0, although client 1",
		"Client 0's release at 0.000 s was not answered", "client 0 in again 2 times"} {
		if !strings.Contains(p.Explanation, want) {
			t.Errorf("%q lacks %q", p.Explanation, want)
		}
	}
}

// TestTheWitnessOfAReentry has the release that was lost, and the entries and releases after it.
func TestTheWitnessOfAReentry(t *testing.T) {
	trace := chainTakes + chainLost + strings.Replace(chainStays,
		"0 2 24 26 n0 EVAL free 1 k a -> 0\n", "0 2 24 25 n0 EVAL free 1 k a -> 0\n"+
			"0 2 25 26 n0 EVAL free 1 l a -> 0\n0 2 25 26 n0 EXISTS k -> 1\n", 1)
	v := Check(story(t, chain+chainWaits), commands(t, trace+chainTold),
		Options{Properties: []string{Deadlock}})
	var got []string
	for _, m := range v.Property(Deadlock).Witness.Commands {
		got = append(got, strings.Join(m.Args, " ")+": "+m.Effect)
	}
	const frees = "EVAL free 1 k a: leaves the key"
	want := []string{"EVAL free 1 k a: is not answered, and may leave the key",
		"EVAL take 1 k a: grants client 0", frees, "EVAL take 1 k a: grants client 0", frees}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the witness has\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
