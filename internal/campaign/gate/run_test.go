package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/batch/batchtest"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/nemesis"
	"pgregory.net/rapid"
)

// bench is an environment for gates: it finds what it is told to, and remembers what it was asked.
type bench struct {
	mu    sync.Mutex
	found func(entry string, seed uint64, try int) (*checker.Verdict, error)
	runs  []string
	tries map[string]int
}

// gate makes a gate from lines "name|environment|seeds|expectation".
func gate(t testing.TB, lines ...string) *File {
	t.Helper()
	g := &File{File: "f.yaml", Digest: "sha256:0", Environment: "sim", Seed: 1}
	for _, l := range lines {
		f := strings.Split(l, "|")
		e := Entry{Name: f[0], Environment: f[1], Seed: 1, Repeats: 1, Options: []Option{
			{Name: "impl", Values: []string{"lock"}}, {Name: "nemesis", Values: []string{"fault"}}}}
		if _, err := fmt.Sscan(f[2], &e.Seeds); err != nil {
			t.Fatal(err)
		}
		var err error
		if e.Expect, err = ParseExpectation(f[3]); err != nil {
			t.Fatal(err)
		}
		g.Entries = append(g.Entries, e)
	}
	return g
}

func (b *bench) ready(g *File) map[string]Prepared {
	b.tries = map[string]int{}
	out := map[string]Prepared{}
	for _, e := range g.Entries {
		out[e.Name] = Prepared{
			Plan: func(seed uint64) (harness.Plan, error) { return harness.Plan{Seed: seed}, nil },
			Run: func(_ context.Context, p harness.Plan, dir string) (*checker.Verdict, error) {
				b.mu.Lock()
				defer b.mu.Unlock()
				key := fmt.Sprintf("%s %d", e.Name, p.Seed)
				b.tries[key]++
				b.runs = append(b.runs, key)
				return b.found(e.Name, p.Seed, b.tries[key])
			},
			Replay: func(_ context.Context, dir string) (*checker.Verdict, string, error) {
				v, err := b.found(e.Name, 0, 1)
				if v.Verdict == checker.Violated {
					return v, "", err
				}
				return v, "step 3: expected DEL, got GET", err
			},
		}
	}
	return out
}

func (b *bench) run(t testing.TB, g *File, o Options) *Result {
	t.Helper()
	r, err := g.Run(t.Context(), o, b.ready(g))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// always is a bench that finds the same in every run.
func always(v *checker.Verdict, err error) *bench {
	return &bench{found: func(string, uint64, int) (*checker.Verdict, error) { return v, err }}
}

// withGap is the verdict on a run that the machine was too slow for.
func withGap() *checker.Verdict {
	v := batchtest.Verdict(checker.Unknown, "")
	v.Evidence.Gaps = 1
	return v
}

// TestTheGateTurnsRed plants what a gate is for: each row is what an entry expects, what its runs
// find, and what must become of the gate.
func TestTheGateTurnsRed(t *testing.T) {
	valid, unknown := batchtest.Verdict(checker.Valid, ""), batchtest.Verdict(checker.Unknown, "")
	for _, c := range []struct {
		name, expect string
		found        *checker.Verdict
		err          error
		result       Outcome
		exit         int
		claim        string
	}{
		{"a good lock", "safe", valid, nil, Passed, 0,
			"No violation of S, L, O, R, D, A, F, E, V in 2 runs of lock under fault (process, " +
				"seeds 1 to 2)"},
		{"a lock that broke", "safe", batchtest.Verdict(checker.Valid, "S"), nil, Failed, 1,
			"S violated in 2 of 2 runs, first with seed 1: lease overrun."},
		{"a broken lock, and a run that is worth less", "safe", batchtest.Verdict(checker.Valid, "S"),
			errors.New("clean-up"), Failed, 1, "S violated in 2 of 2 runs"},
		{"evidence that is missing", "safe", unknown, nil, Unknown, 2,
			"Nobody can tell in 2 of 2 runs: the evidence is not enough."},
		{"a verdict of its zero value", "safe", &checker.Verdict{}, nil, Unknown, 2, "Nobody can tell"},
		{"a known weakness", "violates S", batchtest.Verdict(checker.Valid, "SL"), nil, Passed, 0,
			"S, L violated in 2 of 2 runs of lock under fault (process, seeds 1 to 2), as expected: lease " +
				"overrun."},
		{"a weakness that vanished", "violates S", valid, nil, Failed, 1,
			"A violation of S was expected and did not happen in 2 of 2 runs: S is valid. If the lock was " +
				"mended, write `expect: safe`."},
		{"another weakness than the one that is known", "violates S", batchtest.Verdict(checker.Valid,
			"R"), nil,
			Failed, 1, "S is valid"},
		{"a weakness that nobody can see", "violates S", unknown, nil, Unknown, 2,
			"Nobody can tell in 2 of 2 runs"},
		{"any weakness", "violates", batchtest.Verdict(checker.Valid, "D"), nil, Passed, 0,
			"D violated in 2 of 2 runs"},
		{"any weakness that vanished", "violates", valid, nil, Failed, 1,
			"A violation was expected and did not happen in 2 of 2 runs: the run is valid."},
		{"a search that finds", "violates S within 1m", batchtest.Verdict(checker.Valid, "S"), nil,
			Passed, 0,
			"S violated in run 1 of lock under fault (process, seed 1), as expected"},
		{"a search that does not", "violates S within 1m", valid, nil, Failed, 1,
			"A violation of S was expected within 1m and not found in 2 runs. If the lock was mended, " +
				"write `expect: safe`."},
		{"a search that cannot see", "violates S within 1m", unknown, nil, Unknown, 2,
			"A violation of S was not found, and nothing can be said: none of 2 runs can be judged"},
		{"a harness that broke", "safe", nil, errors.New("no room"), Broken, 255,
			"2 of 2 runs broke: no room."},
		{"a harness that broke, though all is valid", "safe", valid, errors.New("no room"), Broken, 255,
			"2 of 2 runs broke: no room."},
		{"a fault that this environment has not", "safe", nil, errNoClock,
			Refused, 254,
			"It cannot be run like this: not possible in this environment, because no clock."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := always(c.found, c.err).run(t, gate(t, "e|process|2|"+c.expect), Options{Jobs: 2})
			e := r.Entries[0]
			if e.Result != c.result || r.Exit != c.exit || !strings.HasPrefix(e.Claim, c.claim) &&
				!strings.Contains(e.Claim, c.claim) {
				t.Errorf("%s, exit %d: %s\nwant %s, exit %d: %s", e.Result, r.Exit, e.Claim, c.result, c.exit,
					c.claim)
			}
		})
	}
}

// errNoClock is the error of a run that an environment cannot support.
var errNoClock = runner.UsageError{Err: nemesis.ImpossibleError{Reason: errors.New("no clock")}}

func TestTheWorstEntryDecides(t *testing.T) {
	b := &bench{found: func(name string, _ uint64, _ int) (*checker.Verdict, error) {
		switch name {
		case "red":
			return batchtest.Verdict(checker.Valid, "S"), nil
		case "broke":
			return nil, errors.New("no room")
		case "impossible":
			return nil, errNoClock
		case "open":
			return batchtest.Verdict(checker.Unknown, ""), nil
		}
		return batchtest.Verdict(checker.Valid, ""), nil
	}}
	line := func(name string) string { return name + "|sim|1|safe" }
	for _, c := range []struct {
		names []string
		exit  int
	}{
		{[]string{"green", "red", "broke", "impossible", "open"}, 1},
		{[]string{"green", "broke", "impossible", "open"}, 254},
		{[]string{"broke", "open"}, 255}, {[]string{"open", "green"}, 2}, {[]string{"green"}, 0},
	} {
		var lines []string
		for _, n := range c.names {
			lines = append(lines, line(n))
		}
		if r := b.run(t, gate(t, lines...), Options{}); r.Exit != c.exit {
			t.Errorf("%v: exit %d, want %d", c.names, r.Exit, c.exit)
		}
	}
	g := gate(t, line("open"), line("green"))
	g.AllowUnknown = []string{"open"}
	if r := b.run(t, g, Options{}); r.Exit != 0 || r.Entries[0].Result != Allowed ||
		r.Result != Passed {
		t.Errorf("what may be unknown: exit %d, %s", r.Exit, r.Entries[0].Result)
	}
	g = gate(t, line("red"), line("broke"))
	g.AllowUnknown = []string{"red", "broke"}
	if r := b.run(t, g, Options{}); r.Exit != 1 || r.Entries[1].Result != Broken {
		t.Errorf("only what is unknown may be allowed: exit %d, %s", r.Exit, r.Entries[1].Result)
	}
}

// TestABusyMachineMakesNoVerdict stalls or misses each first run: it is done once more, alone, and
// that counts.
func TestABusyMachineMakesNoVerdict(t *testing.T) {
	second := func(first, then *checker.Verdict) *bench {
		return &bench{found: func(_ string, _ uint64, try int) (*checker.Verdict, error) {
			if try == 1 {
				return first, nil
			}
			return then, nil
		}}
	}
	for _, c := range []struct {
		name, line  string
		first, then *checker.Verdict
		want        Outcome
		runs        int
	}{
		{"a stall", "e|process|2|safe", withGap(), batchtest.Verdict(checker.Valid, ""), Passed, 4},
		{"a stall that hid a violation", "e|process|2|safe", withGap(), batchtest.Verdict(checker.Valid,
			"S"),
			Failed, 4},
		{"a violation is never taken back", "e|process|2|safe", batchtest.Verdict(checker.Valid, "S"),
			batchtest.Verdict(checker.Valid, ""), Failed, 2},
		{"a missed weakness", "e|process|2|violates S", batchtest.Verdict(checker.Valid, ""),
			batchtest.Verdict(checker.Valid,
				"S"), Passed, 4},
		{"nothing changes in the sim", "e|sim|2|violates S", batchtest.Verdict(checker.Valid, ""),
			batchtest.Verdict(checker.Valid, "S"), Failed, 2},
		{"a search has tried enough", "e|process|2|violates S within 1m", batchtest.Verdict(checker.Valid,
			""),
			batchtest.Verdict(checker.Valid, "S"), Failed, 2},
	} {
		b := second(c.first, c.then)
		r := b.run(t, gate(t, c.line), Options{Jobs: 4})
		if r.Entries[0].Result != c.want || len(b.runs) != c.runs {
			t.Errorf("%s: %s after %d runs, want %s after %d: %s", c.name, r.Entries[0].Result, len(b.runs),
				c.want, c.runs, r.Entries[0].Claim)
		}
		var text strings.Builder
		if err := r.Text(&text, ""); err != nil || strings.Contains(c.name, "a stall") !=
			strings.Contains(text.String(), "4, 2 disturbed") {
			t.Errorf("%s: the table does not say how many runs were disturbed: %v\n%s", c.name, err, &text)
		}
	}
}

// TestRunsThatDoNotAgree finds a violation with one of two seeds.
func TestRunsThatDoNotAgree(t *testing.T) {
	b := &bench{found: func(_ string, seed uint64, _ int) (*checker.Verdict, error) {
		if seed == 2 {
			return batchtest.Verdict(checker.Valid, "S"), nil
		}
		return batchtest.Verdict(checker.Valid, ""), nil
	}}
	r := b.run(t, gate(t, "e|sim|2|violates S"), Options{})
	if want :=
		"A violation of S was found in 1 of 2 runs only, not with seed 1. If that is how it is, write " +
			"`expect: violates S within 30s`."; r.Entries[0].Claim != want || r.Exit != 1 {
		t.Errorf("exit %d: %s", r.Exit, r.Entries[0].Claim)
	}
	if r := b.run(t, gate(t, "e|sim|9|violates S within 30s"), Options{}); r.Exit != 0 ||
		len(r.Entries[0].Runs) != 2 {
		t.Errorf("exit %d after %d runs", r.Exit, len(r.Entries[0].Runs))
	}
}

func TestReplays(t *testing.T) {
	for _, c := range []struct {
		expect string
		found  *checker.Verdict
		want   Outcome
	}{
		{"violates", batchtest.Verdict(checker.Valid, "S"), Passed},
		{"violates S", batchtest.Verdict(checker.Valid, "S"),
			Passed}, {"violates", batchtest.Verdict(checker.Valid, ""), Failed},
	} {
		g := gate(t, "e|sim|1|"+c.expect)
		g.Entries[0].Replay = "x.yaml"
		r := always(c.found, nil).run(t, g, Options{})
		if r.Entries[0].Result != c.want {
			t.Errorf("%s: %s: %s", c.expect, r.Entries[0].Result, r.Entries[0].Claim)
		}
	}
}

func TestTheBudgetEnds(t *testing.T) { synctest.Test(t, theBudgetEnds) }

// theBudgetEnds runs on a clock of its own, so that a busy machine does not spend the budget.
func theBudgetEnds(t *testing.T) {
	slow := &bench{found: func(string, uint64, int) (*checker.Verdict, error) {
		time.Sleep(30 * time.Millisecond)
		return batchtest.Verdict(checker.Valid, ""), nil
	}}
	g := gate(t, "e|sim|1000|safe")
	g.Entries[0].Budget = history.Duration(50 * time.Millisecond)
	r := slow.run(t, g, Options{Jobs: 1})
	if r.Exit != 2 || !strings.HasSuffix(r.Entries[0].Claim,
		"of 1000 runs were done: the entry's budget of 50ms ended.") {
		t.Errorf("exit %d: %s", r.Exit, r.Entries[0].Claim)
	}
	g = gate(t, "a|sim|1000|safe", "b|sim|1000|violates S within 1m")
	g.Budget = history.Duration(50 * time.Millisecond)
	r = slow.run(t, g, Options{Jobs: 1})
	for _, e := range r.Entries {
		if e.Result != Unknown || !strings.Contains(e.Claim, "the gate's budget of 50ms ended") {
			t.Errorf("%s: %s", e.Result, e.Claim)
		}
	}
	r = slow.run(t, gate(t, "e|sim|1000000|violates S within 50ms"), Options{Jobs: 1})
	if r.Exit != 1 || !strings.Contains(r.Entries[0].Claim, "expected within 50ms and not found in") {
		t.Errorf("exit %d: %s", r.Exit, r.Entries[0].Claim)
	}
}

func TestAnInterruptedGateIsNoPass(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := &bench{found: func(string, uint64, int) (*checker.Verdict, error) {
		cancel()
		return batchtest.Verdict(checker.Valid, ""), nil
	}}
	g := gate(t, "e|sim|5|safe")
	r, err := g.Run(ctx, Options{}, b.ready(g))
	if !errors.Is(err, context.Canceled) || r.Exit == 0 || !r.Partial || len(r.Entries[0].Runs) != 0 {
		t.Errorf("exit %d, %v: %+v", r.Exit, err, r.Entries)
	}
}

// TestShardsOfAGateAreTheWhole: whatever the runs find, any number of shards joined is what one
// machine finds.
func TestShardsOfAGateAreTheWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		verdicts := []*checker.Verdict{batchtest.Verdict(checker.Valid, ""),
			batchtest.Verdict(checker.Valid, "S"),
			batchtest.Verdict(checker.Valid, "SLO"), batchtest.Verdict(checker.Unknown, ""), withGap()}
		salt, of := rapid.Uint64().Draw(rt, "salt"), rapid.IntRange(1, 6).Draw(rt, "of")
		b := &bench{found: func(name string, seed uint64, try int) (*checker.Verdict, error) {
			x := salt ^ uint64(len(name))*31 ^ seed*0x9e3779b97f4a7c15 ^ uint64(try)<<40
			return verdicts[(x>>7)%uint64(len(verdicts))], nil
		}}
		g := gate(t, "a|sim|4|safe", "bb|process|3|violates S", "ccc|process|7|safe",
			"dddd|sim|9|violates O within 1m", "eeeee|process|2|violates")
		whole := b.run(t, g, Options{Jobs: 3})
		var parts []Part
		for i := 1; i <= of; i++ {
			parts = append(parts, Part{fmt.Sprint(i),
				b.run(t, g, Options{Jobs: 2, Shard: batch.Shard{Index: i, Of: of}})})
		}
		merged, err := Merge(parts, false)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(timeless(t, whole), timeless(t, merged)); d != "" {
			rt.Fatal(d)
		}
	})
}

// timeless is a result as JSON without what a clock measured.
func timeless(t testing.TB, r *Result) string {
	t.Helper()
	c := *r
	c.Took = 0
	for i := range c.Entries {
		for j := range c.Entries[i].Runs {
			c.Entries[i].Runs[j].Took = 0
		}
	}
	c.Versions = nil
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWhatCannotBeJoined(t *testing.T) {
	b := always(batchtest.Verdict(checker.Valid, ""), nil)
	g := gate(t, "a|sim|4|safe")
	shard := func(i, of int) Part {
		r := b.run(t, g, Options{Shard: batch.Shard{Index: i, Of: of}})
		r.Version, r.Versions = "v1", map[string]map[string]string{"sim": {"redis": "7"}}
		return Part{fmt.Sprintf("dir%d", i), r}
	}
	changed := func(p Part, change func(*Result)) Part {
		change(p.Result)
		return p
	}
	for _, c := range []struct {
		parts []Part
		want  string
	}{
		{nil, "nothing to join; name the directories of the shards"},
		{[]Part{changed(shard(1, 1), func(r *Result) { r.Shard = batch.Shard{} })},
			"dir1 is already complete; there is nothing to merge"},
		{[]Part{shard(1, 2), shard(1, 2)}, "dir1 and dir1 are both shard 1/2; name one of them"},
		{[]Part{shard(1, 3), shard(3, 3)},
			"shard 2/3 is missing; name its directory, or join what there is with --allow-missing"},
		{[]Part{shard(1, 2), shard(2, 3)},
			"dir1 is shard 1/2 and dir2 is shard 2/3: they are parts of different splits; run all with " +
				"the same number"},
		{[]Part{shard(1, 2), changed(shard(2, 2), func(r *Result) { r.Gate.Seed = 9 })},
			"dir1 and dir2 differ in seed: 1 and 9; only shards of one whole can be joined"},
		{[]Part{shard(1, 2), changed(shard(2, 2), func(r *Result) {
			r.Gate.Digest = "sha256:1"
		})}, `dir1 and dir2 differ in digest: "sha256:0" and "sha256:1"; only shards of one whole can be joined`},
		{[]Part{shard(1, 2), changed(shard(2, 2), func(r *Result) { r.Only = []string{"a"} })},
			`dir1 and dir2 differ in only: [] and ["a"]; only shards of one whole can be joined`},
		{[]Part{shard(1, 2), changed(shard(2, 2), func(r *Result) { r.Version = "v2" })},
			"dir1 was run by lockbench v1 and dir2 by v2; run all shards with one version"},
		{[]Part{shard(1, 2), changed(shard(2, 2), func(r *Result) {
			r.Versions["sim"]["redis"] = "6"
		})}, "dir1 had sim's redis 7 and dir2 had 6; run all shards with one version"},
		{[]Part{changed(shard(1, 2), func(r *Result) {
			r.Locks = map[string]string{"./mine": "files 1"}
		}), changed(shard(2, 2), func(r *Result) { r.Locks = map[string]string{"./mine": "files 2"} })},
			"dir1 had ./mine files 1 and dir2 had files 2; run all shards with one version"},
		{[]Part{shard(1, 2), changed(shard(2, 2), func(r *Result) { r.Partial = true })},
			"dir2 was interrupted; run it again, or join what there is with --allow-missing"},
	} {
		if _, err := Merge(c.parts, false); batchtest.ErrText(err) != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	r, err := Merge([]Part{shard(1, 3), shard(3, 3)}, true)
	if err != nil || r.Exit != 2 || !r.Partial ||
		r.Entries[0].Claim != "Only 3 of 4 runs were done: shard 2/3 is missing." {
		t.Errorf("%v: exit %d: %+v", err, r.Exit, r.Entries)
	}
}
