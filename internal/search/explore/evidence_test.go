package explore

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// TestOneRunBroke has the verb of one run.
func TestOneRunBroke(t *testing.T) {
	for n, says := range map[int]string{1: "1 run broke and shows nothing",
		2: "2 runs broke and show nothing"} {
		var b strings.Builder
		err := Findings{Progress: Progress{Runs: 100, HarnessErrors: n, Broke: "why"}}.Text(&b)
		if err != nil || !strings.Contains(b.String(), says) {
			t.Errorf("%v\n%s", err, &b)
		}
	}
}

// TestASearchThatShowsTooLittleSaysSo: each row stands next to one that shows enough.
func TestASearchThatShowsTooLittleSaysSo(t *testing.T) {
	enough := Evidence{Granted: 100, HandedOver: 80}
	aimless := enough
	aimless.isNotJudged("E", "not re-entrant")
	partly := aimless
	partly.isJudged("S")
	for name, c := range map[string]struct {
		progress Progress
		says     string
	}{
		"enough":      {Progress{Runs: 100, Evidence: enough}, ""},
		"a few broke": {Progress{Runs: 104, HarnessErrors: 4, Broke: "why", Evidence: enough}, ""},
		"many broke": {Progress{Runs: 110, HarnessErrors: 10, Broke: "why", Evidence: enough},
			"10 of 110 runs broke, the first because: why"},
		"all broke": {Progress{Runs: 5, HarnessErrors: 5, Broke: "why"}, "5 of 5 runs broke"},
		"no run":    {Progress{}, "no run was made"},
		"no grant":  {Progress{Runs: 100}, "granted the lock in 0 of 100 runs"},
		"few grants": {Progress{Runs: 100, Evidence: Evidence{Granted: 49, HandedOver: 40}},
			"granted the lock in 49 of 100 runs"},
		"enough grants": {Progress{Runs: 100, Evidence: Evidence{Granted: 50, HandedOver: 40}}, ""},
		"one client only": {Progress{Runs: 100, Evidence: Evidence{Granted: 100, HandedOver: 9}},
			"two clients were granted the lock in 9 of 100 runs"},
		"some one client": {Progress{Runs: 100, Evidence: Evidence{Granted: 100, HandedOver: 10}}, ""},
		"an untouched key": {Progress{Runs: 100, Evidence: Evidence{Granted: 100, HandedOver: 80,
			Untouched: "lock:0"}}, `names the key "lock:0"`},
		"nothing judged": {Progress{Runs: 100, Evidence: aimless},
			"no run could judge E: not re-entrant"},
		"few runs":          {Progress{Runs: 29, Evidence: enough}, "fewer than 30 runs"},
		"runs just enough":  {Progress{Runs: 30, Evidence: enough}, ""},
		"one of two judged": {Progress{Runs: 100, Evidence: partly}, ""},
	} {
		says := (Findings{Progress: c.progress}).WhyTooLittle()
		if (says == "") != (c.says == "") || !strings.Contains(says, c.says) {
			t.Errorf("%s: %q, want %q", name, says, c.says)
		}
	}
}

// TestFewRunsShowTooLittleUnlessTheyWereAskedFor: the other shards of a search have their share.
func TestFewRunsShowTooLittleUnlessTheyWereAskedFor(t *testing.T) {
	p := Progress{Runs: 15, Evidence: Evidence{Granted: 15, HandedOver: 15}}
	for name, x := range map[string]struct {
		search Findings
		enough bool
	}{
		"over a time":   {Findings{Progress: p}, false},
		"a half":        {Findings{Progress: p, Shard: batch.Shard{Index: 1, Of: 2}}, true},
		"15 seeds":      {Findings{Progress: p, Asked: map[string]string{"seeds": "15"}}, true},
		"all schedules": {Findings{Progress: p, Covered: &Covered{}}, true},
	} {
		if why := x.search.WhyTooLittle(); (why == "") != x.enough {
			t.Errorf("%s: %q", name, why)
		}
	}
}

func TestASlowSearchSaysHowLongARunTakes(t *testing.T) {
	for rate, want := range map[float64]string{0.04: "25 s for each run", 152.3: "152 runs/s"} {
		if got := (Findings{Rate: rate}).pace(); got != want {
			t.Errorf("%v: %q, want %q", rate, got, want)
		}
	}
}

// TestShardsTellWhatAnyOfThemJudged: the reason why one could not judge a property goes if another
// could.
func TestShardsTellWhatAnyOfThemJudged(t *testing.T) {
	var a, b Evidence
	a.isJudged("S")
	a.isNotJudged("F", "no tokens")
	a.isNotJudged("E", "not re-entrant")
	b.isJudged("F")
	b.isNotJudged("S", "nobody entered")
	for _, pair := range [][]Evidence{{a, b}, {b, a}} {
		var all Evidence
		all.add(pair[0])
		all.add(pair[1])
		if got, want := all.Letters(false), "S, F; no run could judge E: not re-entrant"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestARunThatWasSuspectedBeforeShowsTheSame: what does not apply to a run is not judged again.
func TestARunThatWasSuspectedBeforeShowsTheSame(t *testing.T) {
	testenv.SkipRace(t)
	for _, lock := range []string{"getset", "redisson-fenced", "redlock"} {
		draw, err := Search{Options: harness.RunOptions{Impl: lock}, Schedule: Portfolio,
			Moments: Both}.Draw()
		if err != nil {
			t.Fatal(err)
		}
		var plain, quick Evidence
		for seed := range uint64(12) {
			job, _ := draw(seed)
			r, err := job.Run(t.Context())
			if err != nil {
				continue // the simulator does not support the fault
			}
			plain.note(r, history.Properties())
			r.Suspects(history.Properties())
			quick.note(r, history.Properties())
		}
		diff := cmp.Diff(plain, quick)
		if diff != "" || len(quick.Judged) == 0 || len(quick.NotJudged) == 0 {
			t.Errorf("%s: %s (judged %v, not %v)", lock, diff, quick.Judged, quick.NotJudged)
		}
	}
}

// TestTheBudgetBindsWhatIsDoneWithHits: with next to no time a hit is saved as it was found, and no
// curve is measured.
func TestTheBudgetBindsWhatIsDoneWithHits(t *testing.T) {
	testenv.SkipRace(t)
	hits, _, err := Search{Options: harness.RunOptions{Impl: "setpx-del", Nemesis: "pause"},
		Properties: []string{"L"}, Schedule: Random, Moments: Both, Seeds: 200, Jobs: 1}.Find(t.Context())
	if err != nil || len(hits) == 0 {
		t.Fatal(hits, err)
	}
	for _, c := range []struct {
		keeper         Keeper
		curve, shrinks bool
	}{
		{Keeper{Store: t.TempDir(), Budget: time.Nanosecond}, false, false},
		{Keeper{Store: t.TempDir(), Plain: true}, false, true},
		{Keeper{Store: t.TempDir()}, true, true},
	} {
		found, err := c.keeper.Keep(context.Background(), hits[:1])
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		f := found[0]
		if (f.Curve != nil) != c.curve || (f.ShrinkRuns > 0) != c.shrinks || !c.shrinks && !f.Unfinished {
			t.Errorf("%+v: curve %v, %d runs to make it small, unfinished %v", c.keeper, f.Curve != nil,
				f.ShrinkRuns, f.Unfinished)
		}
	}
}
