package gate

import (
	"errors"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/run/batch/batchtest"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/nemesis"
)

// unready is what a run says whose server did not start in time.
var unready = runner.UsageError{Err: errors.New("redis-server n1 is not ready after 5s; see n1")}

// TestOnlyWhatIsImpossibleIsRefused: a machine that is too busy to start a server says nothing of
// the lock.
func TestOnlyWhatIsImpossibleIsRefused(t *testing.T) {
	no := nemesis.ImpossibleError{Reason: errors.New("the server has no DELIFEQ")}
	for _, c := range []struct {
		err  error
		want bool
	}{{unready, false}, {runner.UsageError{Err: no}, true}, {runner.BrokenError{Err: no}, false},
		{nil, false}} {
		if got := refused(c.err); got != c.want {
			t.Errorf("%v: refused is %v", c.err, got)
		}
	}
}

// TestACellThatIsMeasured by --init: each row is what the first and the second try of seed 1 find,
// how many runs that takes, and what is said of the cell, and of the file if the cell is missing.
func TestACellThatIsMeasured(t *testing.T) {
	good, disturbed := batchtest.Verdict(checker.Valid, "S"), batchtest.Verdict(checker.Valid, "S")
	disturbed.Evidence.LongestGapMS = 812
	no := errNoClock
	type try struct {
		v   *checker.Verdict
		err error
	}
	for _, c := range []struct {
		name    string
		tries   []try
		seeds   string
		runs    int
		result  Outcome
		claim   string
		missing string
	}{
		{"well", []try{{good, nil}}, "5", 5, Passed, "S 5 of 5", ""},
		{"a server that starts the next time", []try{{nil, unready}, {good, nil}}, "5", 6,
			Passed, "S 5 of 5", ""},
		{"a run that is not disturbed the next time", []try{{disturbed, nil}, {good, nil}}, "3", 4,
			Passed, "S 3 of 3", ""},
		{"a run that stays disturbed", []try{{disturbed, nil}}, "3", 4, Passed,
			"S 2 of 2; 1 run was disturbed, also when repeated (the machine stalled for up to 812 ms)", ""},
		{"runs that are judged in one of five", []try{{good, nil}}, "5 blind", 5, Passed,
			"S 1 of 5; warning: only 1 of 5 runs could be judged, so the gate file is weak evidence " +
				"for it", ""},
		{"a server that never starts", []try{{nil, unready}}, "5", 6, Broken,
			"1 of 5 runs broke: redis-server n1 is not ready after 5s; see n1.",
			"1 of 5 runs broke: redis-server n1 is not ready after 5s; see n1"},
		{"a machine that is never quiet", []try{{disturbed, nil}}, "1", 2, Unknown,
			"not measured: 1 run was disturbed, also when repeated (the machine stalled for up to 812 ms)",
			"not measured: 1 run was disturbed, also when repeated (the machine stalled for up to 812 ms)"},
		{"what cannot be had", []try{{nil, no}}, "5", 5, Refused,
			"It cannot be run like this: not possible in this environment, because no clock.", ""},
	} {
		seeds, blind := strings.CutSuffix(c.seeds, " blind")
		b := &bench{found: func(_ string, seed uint64, n int) (*checker.Verdict, error) {
			switch {
			case seed != 1 && blind:
				return batchtest.Verdict(checker.Unknown, ""), nil
			case seed != 1:
				return good, nil
			}
			x := c.tries[min(n, len(c.tries))-1]
			return x.v, x.err
		}}
		g := gate(t, "e|process|"+seeds+"|safe")
		g.Entries[0].Found = &Found{}
		r, err := g.Run(t.Context(), Options{Jobs: 2}, b.processes(g))
		if err != nil {
			t.Fatal(err)
		}
		e := r.Entries[0]
		if e.Result != c.result || len(b.runs) != c.runs || e.Claim != c.claim {
			t.Errorf("%s: %s after %d runs: %s\nwant %s after %d: %s", c.name, e.Result, len(b.runs),
				e.Claim, c.result, c.runs, c.claim)
		}
		s := Snapshot{Adapter: ".", Environment: "process", Runs: 5, Seed: 1, file: "f.yaml"}
		want := ""
		if c.missing != "" {
			want = `f.yaml is not written, since 1 of 1 cell could not be measured, first "e": ` + c.missing +
				". Do it again with less load: lockbench gate --init --adapter . --env process " +
				"--repeat 5 --seed 1 f.yaml --jobs 1"
		}
		few := strings.Contains(c.claim, "warning: ")
		if got := s.Warnings(r); few != (len(got) > 0) || few && got[0] != "e: only 1 of 5 runs could "+
			"be judged, so the gate file is weak evidence for it" {
			t.Errorf("%s: warnings %q", c.name, got)
		}
		if got := s.Missing(r); got != want {
			t.Errorf("%s: %s\nwant %s", c.name, got, want)
		}
	}
}

// TestAnEntryWithoutRunsIsNoPass: there is nothing to compare with, whatever its runs find.
func TestAnEntryWithoutRunsIsNoPass(t *testing.T) {
	g := snapshot(t, "sim", Found{})
	g.Written = &Written{Of: "lock"}
	b := always(batchtest.Verdict(checker.Valid, "S"), nil)
	r := b.run(t, g, Options{Jobs: 1})
	if e := r.Entries[0]; r.Exit != checker.ExitUnknown || e.Claim != "It was not measured when the "+
		"file was written, so nothing can be compared. Now: S 5 of 5. Write the file anew." {
		t.Errorf("exit %d: %s", r.Exit, e.Claim)
	}
	g.AllowUnknown = []string{"e"}
	if r := b.run(t, g, Options{Jobs: 1}); r.Exit != 0 || r.Entries[0].Result != Allowed {
		t.Errorf("what may be unknown: exit %d, %s", r.Exit, r.Entries[0].Result)
	}
}

// TestAnAdapterIsNamedByWhatItSaysOfItself: the folder of a user's own lock may name no library.
func TestAnAdapterIsNamedByWhatItSaysOfItself(t *testing.T) {
	for want, m := range map[string]adapters.Manifest{
		"redis 8.1.0, files 12ab": {Library: "redis", Version: "8.1.0"},
		"redis, files 12ab":       {Library: "redis"},
		"8.1.0, files 12ab":       {Version: "8.1.0"},
		"files 12ab":              {Name: "mine"},
	} {
		if got := (adapters.Adapter{Manifest: m, Hash: "12ab"}).Drives(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestASnapshotPinsTheFilesOfAVersion: lockbench's own adapter, and a folder of the user's, may
// change.
func TestASnapshotPinsTheFilesOfAVersion(t *testing.T) {
	a, err := adapters.Find("redis-py@5.0.4")
	if err != nil {
		t.Fatal(err)
	}
	own, _ := adapters.Find("redis-py")
	for _, c := range []struct {
		a       adapters.Adapter
		written string
		ok      bool
	}{
		{a, a.Drives(), true}, {a, "", true}, {a, "redis 5.0.4, files 00", false},
		{a, "redis 5.0.5, files " + a.Hash, false}, {own, "redis 8.1.0, files 00", true},
	} {
		g := &File{Written: &Written{By: "v0.1.0", Lock: c.written}}
		if err := g.pinned(c.a); (err == nil) != c.ok {
			t.Errorf("%s, written with %q: %v", c.a.Name, c.written, err)
		}
	}
}
