package gate

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/batch/batchtest"
	"github.com/lockbench/lockbench/internal/run/store"
)

// snapshot is a gate of one entry with what its file says was found.
func snapshot(t *testing.T, environment string, f Found) *File {
	g := gate(t, "e|"+environment+"|5|safe")
	g.Entries[0].Found, g.Entries[0].Expect = &f, Expectation{Snapshot: f.String()}
	return g
}

// TestASnapshotTurnsRed: each row is what the file has, what the runs find now, and what must
// become of the entry.
func TestASnapshotTurnsRed(t *testing.T) {
	say := func(letters string) *checker.Verdict { return batchtest.Verdict(checker.Valid, letters) }
	for _, c := range []struct {
		name   string
		then   Found
		now    func(seed uint64) *checker.Verdict
		result Outcome
		runs   int
		claim  string
	}{
		{"as it was", Found{Runs: 5, Must: []string{"S"}},
			func(uint64) *checker.Verdict { return say("S") }, Passed, 5,
			"S 5 of 5, as when the file was written (process, seeds 1 to 5)."},
		{"a new letter beside those that must be", Found{Runs: 5, Must: []string{"S"}},
			func(seed uint64) *checker.Verdict {
				return say(map[bool]string{true: "SO", false: "S"}[seed == 3])
			}, Failed, 5, "O is new, in 1 of 5 runs, first with seed 3: lease overrun. Then: S 5 of 5. " +
				"Now: S 5 of 5; O 1 of 5."},
		{"two new letters", Found{Runs: 5, Must: []string{"S"}},
			func(uint64) *checker.Verdict { return say("SLO") }, Failed, 5, "L, O are new, in 5 of 5 runs"},
		{"a letter that may be there, more often", Found{Runs: 5, May: map[string]int{"O": 1}},
			func(uint64) *checker.Verdict { return say("O") }, Passed, 5, "O 5 of 5"},
		{"a letter that may be there, and is not", Found{Runs: 5, May: map[string]int{"O": 1}},
			func(uint64) *checker.Verdict { return say("") }, Passed, 5,
			"No letter in 5 runs, as when the file was written (O 1 of 5) (process"},
		{"a letter that is gone", Found{Runs: 5, Must: []string{"S"}},
			func(uint64) *checker.Verdict { return say("") }, Failed, 11,
			"S did not happen any more. Then: S 5 of 5. Now: no letter in 11 runs."},
		{"a letter that is there later", Found{Runs: 5, Must: []string{"S"}},
			func(seed uint64) *checker.Verdict { return say(map[bool]string{true: "S"}[seed > 7]) },
			Passed, 8, "S 1 of 8"},
		{"a letter that cannot be told any more", Found{Runs: 5},
			func(uint64) *checker.Verdict { return batchtest.Verdict(checker.Unknown, "") }, Unknown, 10,
			"S, L, O, R, D, A, F, E, V could be judged then"},
		{"a letter that no run is asked for any more", Found{Runs: 5, Valid: []string{"S", "U"}},
			func(uint64) *checker.Verdict { return say("") }, Unknown, 5,
			"U was judged then (no letter in 5 runs), and no run judges it now: the entry does not ask"},
		{"nothing was known", Found{Runs: 5, Unknown: map[string]int{"S": 5}},
			func(uint64) *checker.Verdict { return say("") }, Passed, 5,
			"as when the file was written (nothing known in 5 runs)"},
	} {
		b := &bench{found: func(_ string, seed uint64, _ int) (*checker.Verdict, error) {
			return c.now(seed), nil
		}}
		r := b.run(t, snapshot(t, "process", c.then), Options{Jobs: 2})
		e := r.Entries[0]
		if e.Result != c.result || len(b.runs) != c.runs || !strings.Contains(e.Claim, c.claim) {
			t.Errorf("%s: %s after %d runs: %s\nwant %s after %d: %s", c.name, e.Result, len(b.runs),
				e.Claim, c.result, c.runs, c.claim)
		}
	}
}

// TestAnAcceptedDefectIsCounted wants a deadlock that the file expects to pass and to be told, and
// neither a lease that work outlasted nor a letter of an entry that failed.
func TestAnAcceptedDefectIsCounted(t *testing.T) {
	for _, c := range []struct {
		then, now, accepted, sentence string
	}{
		{"D", "D", "D", "1 of 1 entries are as expected; 1 of them with a defect that the file accepts " +
			"(D)."},
		{"S", "S", "", "1 of 1 entries are as expected."},
		{"D", "DO", "", "0 of 1 entries are as expected; 1 not as expected (1 worse)."},
	} {
		b := &bench{found: func(string, uint64, int) (*checker.Verdict, error) {
			return batchtest.Verdict(checker.Valid, c.now), nil
		}}
		r := b.run(t, snapshot(t, "process", Found{Runs: 5, Must: []string{c.then}}), Options{Jobs: 2})
		got := strings.Join(r.Entries[0].Accepted, "")
		if got != c.accepted || r.Sentence() != c.sentence || c.accepted != "" && r.Exit != 0 {
			t.Errorf("%s, now %s: %q, exit %d, %s", c.then, c.now, got, r.Exit, r.Sentence())
		}
	}
}

// TestTheChanceOfAbsence has counts that are easy to think over.
func TestTheChanceOfAbsence(t *testing.T) {
	for _, c := range []struct {
		n, m   int
		chance string
	}{{0, 1, "0.5"}, {1, 1, "0.3333"}, {5, 0, "1"}, {5, 11, "8.08e-05"}, {20, 4, "7.905e-05"}} {
		if got := fmt.Sprintf("%.4g", absence(c.n, c.m)); got != c.chance {
			t.Errorf("%d of %d then, none of %d now: %s, want %s", c.n, c.n, c.m, got, c.chance)
		}
	}
	if got := batch.Chance(3, 2, 2); fmt.Sprintf("%.3f", got) != "0.100" { // one of ten pairs
		t.Errorf("2 of 2 now, none of 3 then: %v", got)
	}
}

// TestAStallMakesNoLetterNew: a letter that a stalled run shows counts only if it is there without
// the stall.
func TestAStallMakesNoLetterNew(t *testing.T) {
	for _, then := range []struct {
		again  string
		result Outcome
	}{{"", Passed}, {"S", Failed}} {
		b := &bench{found: func(_ string, _ uint64, try int) (*checker.Verdict, error) {
			if try > 1 {
				return batchtest.Verdict(checker.Valid, then.again), nil
			}
			v := batchtest.Verdict(checker.Valid, "S")
			v.Evidence.TimedOut = 1
			return v, nil
		}}
		g := snapshot(t, "process", Found{Runs: 5})
		ready := b.processes(g)
		r, err := g.Run(t.Context(), Options{Jobs: 1}, ready)
		if err != nil || r.Entries[0].Result != then.result {
			t.Errorf("%q again: %s (%v): %s", then.again, r.Entries[0].Result, err, r.Entries[0].Claim)
		}
	}
}

// TestAnotherCourse: the letters are the same, and with one seed something else was done.
func TestAnotherCourse(t *testing.T) {
	b := always(batchtest.Verdict(checker.Valid, ""), nil)
	g := snapshot(t, "sim", Found{Runs: 5, Courses: []string{"a", "a", "b", "a", "a"}})
	ready := b.ready(g)
	p := ready["e"]
	p.Plan = func(seed uint64) (harness.Plan, error) {
		return harness.Plan{Seed: seed, Environment: "sim"}, nil
	}
	p.Look = func(string) Look { return Look{Course: "a"} }
	ready["e"] = p
	r, err := g.Run(context.Background(), Options{Jobs: 1}, ready)
	if e := r.Entries[0]; err != nil || e.Result != Failed || e.Shown.Seed != 3 ||
		!strings.Contains(e.Claim, "in 1 of 5 runs, first with seed 3, a client sent or got") {
		t.Errorf("%s (%v): %s", r.Entries[0].Result, err, r.Entries[0].Claim)
	}
}

// TestWhatALockSays is compared over all runs: what is new or gone in many, never what may be
// chance.
func TestWhatALockSays(t *testing.T) {
	then := Says{Of: 100, Forms: map[string]int{"SET KEY VALUE NX PX 500": 100, "DEL KEY": 3}}
	for _, c := range []struct {
		now   map[string]int
		found string
	}{
		{map[string]int{"SET KEY VALUE NX PX 500": 100, "DEL KEY": 1}, "as then"},
		{map[string]int{"SET KEY VALUE NX PX 500": 100}, "in doubt: 1 form"},
		{map[string]int{"SET KEY VALUE NX PX 500": 100, "GET KEY": 2}, "in doubt: 2 forms"},
		{map[string]int{"SET KEY VALUE NX PX 125": 100}, "1 new, 1 gone"},
		{map[string]int{"SET KEY VALUE NX PX 500": 100, "GET KEY": 40}, "1 new, 0 gone"},
	} {
		e := then.judge(Says{Of: 100, Forms: c.now}, heard{true, 100, 100}, "process")
		if e.Found != c.found {
			t.Errorf("%v: %s, want %s: %s", c.now, e.Found, c.found, e.Claim)
		}
	}
	for _, c := range []struct {
		now    map[string]int
		change Change
	}{
		{map[string]int{"SET KEY VALUE NX": 100}, Worse},
		{map[string]int{"SETNX KEY VALUE": 100}, Worse},
		{map[string]int{"SETNX KEY VALUE": 100, "PEXPIRE KEY 500": 100}, Said},
		{map[string]int{"SCRIPT e9f69f2b KEY VALUE 500": 100}, Said},
	} {
		e := then.judge(Says{Of: 100, Forms: c.now}, heard{true, 100, 100}, "process")
		if e.Change != c.change || (e.Change == Worse) !=
			strings.HasPrefix(e.Claim, "The key has no expiry any more") {
			t.Errorf("a lease that vanished, %v: %s: %s", c.now, e.Change, e.Claim)
		}
	}
	part := Says{Of: 50, Forms: map[string]int{"SET KEY VALUE NX PX 500": 50}}
	if e := then.judge(part, heard{false, 100, 50}, "process"); e.Result != Passed ||
		e.Claim != "No form is new in 50 runs; they are a part of the gate." ||
		e.Found != "no new form" {
		t.Errorf("a shard need not have everything: %s", e.Claim)
	}
}

// TestFormsOfWhatRan: what a gate did not run has forms of its own, so that they are neither gone
// nor passed; what was in more runs than were left out is gone all the same, and what few runs of
// one entry show is not new because the file has many others.
func TestFormsOfWhatRan(t *testing.T) {
	then := Says{Of: 610, Forms: map[string]int{"SET": 610, "LATE": 120, "GET": 300}}
	for _, c := range []struct {
		name   string
		now    Says
		h      heard
		result Outcome
		claim  string
	}{
		{"the budget ended", Says{44, map[string]int{"SET": 44, "GET": 20}}, heard{true, 50, 44}, Unknown,
			"1 form may be gone, or belong to runs that were not made: " +
				"44 of 610 runs of the file were run. " +
				"The first: LATE (then in 120 of 610 runs, now in 0 of 44)."},
		{"a part was asked for", Says{44, map[string]int{"SET": 44, "GET": 20}}, heard{false, 50, 44},
			Passed, "No form is new in 44 runs; they are a part of the gate."},
		{"gone from each run", Says{44, map[string]int{"GET": 20}}, heard{true, 50, 44}, Failed,
			"gone: SET (then in 610 of 610 runs, now in 0 of 44)"},
		{"gone, but for a few", Says{600, map[string]int{"SET": 600, "GET": 300}}, heard{true, 610, 600},
			Failed, "gone: LATE"},
		{"by luck in one entry", Says{5, map[string]int{"SET": 5, "RARE": 2}}, heard{false, 5, 5},
			Passed, "No form is new in 5 runs"},
		{"new", Says{44, map[string]int{"SET": 44, "GET": 20, "NEW": 44}}, heard{true, 50, 44}, Failed,
			"new: NEW (then in 0 of 610 runs, now in 44 of 44)"},
	} {
		e := then.judge(c.now, c.h, "process")
		if e.Result != c.result || !strings.Contains(e.Claim, c.claim) {
			t.Errorf("%s: %s: %s", c.name, e.Result, e.Claim)
		}
	}
}

// TestABudgetIsNoVerdictOnForms runs an unchanged lock, whose later entry says what no other does,
// until the budget ends.
func TestABudgetIsNoVerdictOnForms(t *testing.T) { synctest.Test(t, aBudgetIsNoVerdict) }

func aBudgetIsNoVerdict(t *testing.T) {
	slow := &bench{found: func(string, uint64, int) (*checker.Verdict, error) {
		time.Sleep(time.Second)
		return batchtest.Verdict(checker.Valid, ""), nil
	}}
	for _, c := range []struct {
		budget time.Duration
		exit   int
		says   Outcome
	}{{0, 0, Passed}, {25 * time.Second, 2, Unknown}} {
		g := gate(t, "first|sim|40|safe", "later|sim|40|safe")
		for i := range g.Entries {
			f := Found{Runs: 40}
			g.Entries[i].Found, g.Entries[i].Expect = &f, Expectation{Snapshot: f.String()}
		}
		g.Budget = history.Duration(c.budget)
		g.Written = &Written{Says: Says{Of: 80, Forms: map[string]int{"SET": 80, "GIVE UP": 40}}}
		ready := slow.ready(g)
		for name, p := range ready {
			p.Look = func(string) Look {
				return Look{Says: map[string][]string{"first": {"SET"}, "later": {"SET", "GIVE UP"}}[name]}
			}
			ready[name] = p
		}
		r, err := g.Run(t.Context(), Options{Jobs: 1}, ready)
		if err != nil {
			t.Fatal(err)
		}
		if e := r.Entries[2]; r.Exit != c.exit || e.Result != c.says {
			t.Errorf("budget %v: exit %d; %s: %s", c.budget, r.Exit, e.Result, e.Claim)
		}
	}
}

// TestAFormNamesARun that shows it, with its entry and its seed.
func TestAFormNamesARun(t *testing.T) {
	run := func(seed uint64, says ...string) Run {
		return Run{Seed: seed, Dir: fmt.Sprint("run-", seed), heard: true, says: says}
	}
	entries := []EntryResult{{Name: "first", Runs: []Run{run(1, "SET")}},
		{Name: "later", Runs: []Run{run(2, "SET"), run(3, "SET", "GIVE UP")}}}
	then := Says{Of: 80, Forms: map[string]int{"SET": 80}}
	now := Says{Of: 80, Forms: map[string]int{"SET": 80, "GIVE UP": 40}}
	e := EntryResult{Result: Failed}
	then.point(&e, now, heard{true, 80, 80}, entries)
	if e.Claim != " For example: later, seed 3." || e.Shown == nil || e.Shown.Dir != "run-3" {
		t.Errorf("%q, %+v", e.Claim, e.Shown)
	}
}

// TestWhatFailedIsToldInOrder: what is worse comes first, then what is gone, then what only
// differs, and the sentence counts them apart.
func TestWhatFailedIsToldInOrder(t *testing.T) {
	r := &Result{Entries: []EntryResult{{Name: "a", Result: Failed, Change: Different},
		{Name: "b", Result: Unknown}, {Name: "c", Result: Failed, Change: Gone},
		{Name: "d", Result: Passed}, {Name: "e", Result: Failed, Change: Said},
		{Name: "f", Result: Failed, Change: Worse}, {Name: "g", Result: Failed, Change: Different}}}
	var order string
	for _, e := range r.InOrder() {
		order += e.Name
	}
	const want = "1 of 7 entries are as expected; 5 not as expected (1 worse, 1 without what was " +
		"expected, 1 says something else, 2 only took another course), 1 unknown."
	if order != "fceagbd" || r.Sentence() != want {
		t.Errorf("%s; %s", order, r.Sentence())
	}
}

// TestAStallSaysWhatToDo: an entry that a busy machine left unknown says that it did, for how long
// it stalled, and how to run it alone; runs that were set aside were made.
func TestAStallSaysWhatToDo(t *testing.T) {
	for _, c := range []struct {
		stalled uint64 // as many seeds are disturbed
		claim   string
	}{
		{5, "None of 5 runs could be judged; 5 runs were disturbed, also when repeated (the machine " +
			"stalled for up to 812 ms). Then: S 5 of 5. Run it with nothing else running: lockbench gate " +
			"f.yaml --only e --jobs 1"},
		{3, "Only 2 of 5 runs could be judged; 3 runs were disturbed, also when repeated (the machine " +
			"stalled for up to 812 ms). Run it with nothing else running: lockbench gate f.yaml " +
			"--only e --jobs 1"},
	} {
		b := &bench{found: func(_ string, seed uint64, _ int) (*checker.Verdict, error) {
			v := batchtest.Verdict(checker.Valid, "S")
			if seed <= c.stalled {
				v.Evidence.LongestGapMS = 812
			}
			return v, nil
		}}
		g := snapshot(t, "process", Found{Runs: 5, Must: []string{"S"}})
		ready := b.processes(g)
		r, err := g.Run(t.Context(), Options{Jobs: 1}, ready)
		if e := r.Entries[0]; err != nil || e.Result != Unknown || e.Claim != c.claim {
			t.Errorf("%s (%v): %s", e.Result, err, e.Claim)
		}
	}
}

// TestTheLockThatWasMeasured is in the command that shows how it was, and in one line where the
// file runs another lock now.
func TestTheLockThatWasMeasured(t *testing.T) {
	for _, c := range []struct {
		of, then string
		notes    []string
	}{
		{"setpx", "lockbench run --env sim --impl=setpx --nemesis=fault --seed 1",
			[]string{"This file was measured with setpx and now runs lock."}},
		{"lock", "lockbench run --env sim --impl=lock --nemesis=fault --seed 1", nil},
		{"", "lockbench run --env sim --impl=lock --nemesis=fault --seed 1", nil},
	} {
		g := snapshot(t, "sim", Found{Runs: 5})
		g.Written = &Written{Of: c.of}
		r := always(batchtest.Verdict(checker.Valid, "S"), nil).run(t, g, Options{Jobs: 1})
		if e := r.Entries[0]; e.Shown.Then != c.then || !slices.Equal(r.Notes(), c.notes) {
			t.Errorf("%q: %s\n%s", c.of, e.Shown.Then, r.Notes())
		}
	}
}

// TestAnotherVersionIsNamed names what has another version than the file says, and nothing else.
func TestAnotherVersionIsNamed(t *testing.T) {
	r := &Result{Versions: map[string]map[string]string{"process": {"redis": "7.0.15",
		"redis-py": "6.4.0"}}}
	r.Gate.Written = &Written{With: map[string]string{"process's redis": "7.0.15",
		"process's redis-py": "5.0.4", "process's go": "1.26"}}
	want := []string{"Since the file was measured: redis-py 6.4.0 (was 5.0.4)."}
	if got := r.Notes(); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}

// TestFewRunsDoNotPass what was in each of them and is in none: they prove nothing, either way.
func TestFewRunsDoNotPass(t *testing.T) {
	then := Says{Of: 5, Forms: map[string]int{"SET KEY VALUE NX PX 500": 5,
		"SCRIPT e9f69f2b KEY VALUE": 5, "GET KEY": 1}}
	for _, c := range []struct {
		name   string
		now    map[string]int
		result Outcome
		claim  string
	}{
		{"the same", map[string]int{"SET KEY VALUE NX PX 500": 6, "SCRIPT e9f69f2b KEY VALUE": 6,
			"GET KEY": 1}, Passed, "Each of the 3 forms"},
		{"a rare one is not there", map[string]int{"SET KEY VALUE NX PX 500": 6,
			"SCRIPT e9f69f2b KEY VALUE": 6}, Passed,
			"GET KEY was in 1 of 5 runs of the file, and is in 0 of 6 now"},
		{"another release", map[string]int{"SET KEY VALUE NX PX 500": 6, "DEL KEY": 6, "GET KEY": 1},
			Unknown,
			"DEL KEY was in 0 of 5 runs of the file, and is in 6 of 6 now"},
	} {
		e := then.judge(Says{Of: 6, Forms: c.now}, heard{true, 5, 5}, "process")
		if e.Result != c.result || !strings.Contains(e.Claim, c.claim) {
			t.Errorf("%s: %s: %s", c.name, e.Result, e.Claim)
		}
	}
}

// TestARandomValueOfDigitsIsNoTime: one of many random values looks like a time. A lock that sends
// times sends nothing else there.
func TestARandomValueOfDigitsIsNoTime(t *testing.T) {
	set := func(value string) history.Command {
		return history.Command{Args: []string{"SET", "lock:0", value, "NX", "PX", "2000"}}
	}
	del := history.Command{Args: []string{"DEL", "lock:0"}}
	for _, c := range []struct {
		values []string
		want   string
	}{
		{[]string{"9b21353428d52a93", "7208218082686371"}, "SET KEY VALUE NX PX 2000 → DEL KEY"},
		{[]string{"1763830000123", "1763830000124"}, "SET KEY TIME NX PX 2000 → DEL KEY"},
	} {
		r := &store.Run{History: &history.History{}}
		for _, v := range c.values {
			r.Trace = append(r.Trace, set(v), del)
		}
		all := forms(r)
		if !slices.Contains(all, c.want) || len(all) != 2 {
			t.Errorf("%q: %q", c.values, all)
		}
	}
}

// TestOnlyTheRandomValueIsNoTime: a true time in the same command stays, and a reply is read as an
// argument is.
func TestOnlyTheRandomValueIsNoTime(t *testing.T) {
	r := &store.Run{History: &history.History{}}
	for _, v := range []string{"9b21353428d52a93", "7208218082686371"} {
		r.Trace = append(r.Trace,
			history.Command{Args: []string{"SET", "k", v, "NX", "PXAT", "1763830000123"}, Recv: 1,
				Reply: "OK"},
			history.Command{Args: []string{"GET", "k"}, Recv: 2, Reply: v})
	}
	want := []string{"GET KEY = VALUE", "GET KEY → SET KEY VALUE NX PXAT TIME",
		"SET KEY VALUE NX PXAT TIME = OK", "SET KEY VALUE NX PXAT TIME → GET KEY"}
	if all := forms(r); !slices.Equal(all, want) {
		t.Errorf("%q", all)
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"set lock:0 9f31ab NX px 500", "SET KEY VALUE NX PX 500"},
		{"EVALSHA E9F69F2BD671c 1 lock:0 9f31ab 500", "SCRIPT e9f69f2b KEY VALUE 500"},
		{"SETNX lock:0 1763830000123", "SETNX KEY TIME"},
		{"PING", "PING"},
	} {
		if got := form(strings.Fields(c.args)); got != c.want {
			t.Errorf("%s: %s, want %s", c.args, got, c.want)
		}
	}
	all := map[string]int{"A 1": 1, "A 2": 1, "A 3": 4, "A 4": 1, "B 1": 9}
	many := Says{Of: 9, Forms: all}.general()
	if len(many.Forms) != 2 || many.Forms["A N"] != 4 || many.Forms["B 1"] != 9 {
		t.Errorf("numbers that are never the same: %v", many.Forms)
	}
	now := Says{Of: 1, Forms: map[string]int{"A 77": 1, "B 1": 1}}.like(many)
	if now.Forms["A N"] != 1 {
		t.Errorf("a number that the file does not have: %v", now.Forms)
	}
}

// TestASnapshotComesBack: what is written is read as it was.
func TestASnapshotComesBack(t *testing.T) {
	want := Found{Runs: 5, Must: []string{"S", "L"}, May: map[string]int{"O": 2},
		Unknown: map[string]int{"D": 1}, Courses: []string{"00e123", "abcdef"}}
	var text strings.Builder
	if err := snapshotTemplate.ExecuteTemplate(&text, "found", want); err != nil {
		t.Fatal(err)
	}
	g, err := Read("f.yaml", []byte("environment: sim\nentries:\n  - {impl: setnx, found: "+
		text.String()+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Entries[0].Found; !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v\nwant %+v", *got, want)
	}
}

// TestThePauseBetweenTries is the power of four below the shortest one; the same command again
// after an error is no try.
func TestThePauseBetweenTries(t *testing.T) {
	at := func(process int, sent, recv time.Duration, reply string, args ...string) history.Command {
		return history.Command{Process: process, N: 1, Sent: int64(sent), Recv: int64(recv),
			Reply: reply, Args: args}
	}
	const ms = time.Millisecond
	trace := []history.Command{
		at(0, 1*ms, 2*ms, "(nil)", "SET", "k", "v", "NX"),
		at(1, 3*ms, 4*ms, "OK", "SET", "k", "w", "NX"),
		at(0, 52*ms, 53*ms, "OK", "SET", "k", "x", "NX"),
		at(0, 60*ms, 61*ms, "(error) NOSCRIPT", "EVALSHA", "1234567890", "1", "k"),
		at(0, 62*ms, 63*ms, "1", "EVALSHA", "1234567890", "1", "k"),
	}
	next := at(0, 64*ms, 65*ms, "1", "EVALSHA", "1234567890", "1", "k")
	next.N = 2
	if got := pause(append(trace, next)); got != 16*ms {
		t.Errorf("%v, want 16ms", got)
	}
	if got := pause(trace[:2]); got != 0 {
		t.Errorf("%v without a second try", got)
	}
}

// processes is ready with the entry e on real servers, of whose runs nothing is looked at.
func (b *bench) processes(g *File) map[string]Prepared {
	ready := b.ready(g)
	p := ready["e"]
	p.Look = func(string) Look { return Look{} }
	p.Plan = func(seed uint64) (harness.Plan, error) {
		return harness.Plan{Seed: seed, Environment: "process"}, nil
	}
	ready["e"] = p
	return ready
}
