package explore

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

// TestTheSearchDoesNotDependOnCores finds the same seed first with one core and with three.
func TestTheSearchDoesNotDependOnCores(t *testing.T) {
	for _, schedule := range Schedules() {
		var first [2]Hit
		for i, jobs := range []int{1, 3} {
			s := Search{
				Options: harness.RunOptions{Impl: "getset", Nemesis: "pause"}, Properties: []string{"S"},
				Schedule: schedule, Moments: Drawn, Seeds: 400, Jobs: jobs,
			}
			hits, p, err := s.Find(context.Background())
			if err != nil || len(hits) == 0 || p.Runs == 0 || p.States == 0 {
				t.Fatalf("%s: %d hits, %+v, %v", schedule, len(hits), p, err)
			}
			first[i] = hits[0]
		}
		if diff := cmp.Diff(first[0], first[1]); diff != "" {
			t.Errorf("%s: %s", schedule, diff)
		}
	}
}

// TestSearchFindsNothingWhereNothingIs wants no violation of the right lock without a fault, and of
// the lock without a lease under a pause.
func TestSearchFindsNothingWhereNothingIs(t *testing.T) {
	seeds := testenv.Large(60, 10)
	for _, c := range []struct{ lock, fault string }{{"token-lua", "none"}, {"setnx", "pause"}} {
		for _, schedule := range Schedules() {
			s := Search{Options: harness.RunOptions{Impl: c.lock, Nemesis: c.fault}, Properties: []string{
				"S", "L", "O", "D"}, Schedule: schedule, Moments: Both, Seeds: seeds, Jobs: 2}
			hits, p, err := s.Find(context.Background())
			if err != nil || len(hits) > 0 || p.Runs != seeds || p.HarnessErrors > 0 {
				t.Errorf("%s under %s, %s: %v, %+v, %v", c.lock, c.fault, schedule, hits, p, err)
			}
		}
	}
}

// TestAnOverrunDoesNotEndTheSearch: without a named fault, a lock with a lease is searched for what
// is its own. If there is nothing else in the budget, the overrun is told.
func TestAnOverrunDoesNotEndTheSearch(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	s := Search{Options: harness.RunOptions{Impl: "token-lua"}, Schedule: Portfolio, Moments: Both,
		Seeds: 200, Jobs: 2}
	hits, p, err := s.Find(t.Context())
	if err != nil || len(hits) == 0 || hits[0].Class != checker.LateMessage ||
		!slices.Contains(p.Aside, Aside{"S", checker.LeaseOverrun, "overrun"}) {
		t.Errorf("%v, %+v, %v", hits, p, err)
	}
	s.Seeds = 14
	hits, p, err = s.Find(t.Context())
	if err != nil || len(hits) != 1 || hits[0].Class != checker.LeaseOverrun || len(p.Aside) > 0 {
		t.Errorf("%v, %+v, %v", hits, p, err)
	}
}

// TestWhatNoLockPreventsDoesNotEndTheSearch: without a named fault, a key that a server lost is
// told last, and the answer is that no defect was seen. With the fault named, it is the answer.
func TestWhatNoLockPreventsDoesNotEndTheSearch(t *testing.T) {
	testenv.SkipRace(t)
	t.Parallel()
	s := Search{Options: harness.RunOptions{Impl: "token-lua"},
		Properties: []string{history.LeaseExclusion}, Schedule: Portfolio, Moments: Both, Seeds: 300,
		Jobs: 2}
	hits, p, err := s.Find(t.Context())
	if err != nil || len(hits) != 1 || hits[0].Outside == "" || len(p.Aside) < 2 || p.Runs < 200 {
		t.Fatalf("%v, %+v, %v", hits, p, err)
	}
	for _, x := range []struct{ fault, begins string }{
		{"", "no defect of token-lua was seen in "},
		{"flush", "token-lua under flush violates L"},
	} {
		var b strings.Builder
		f := Findings{Impl: "token-lua", Nemesis: x.fault, Progress: p, Found: []Finding{{Property: "L",
			Class: hits[0].Class, Outside: hits[0].Outside}}}
		if err := f.Text(&b); err != nil || !strings.HasPrefix(b.String(), x.begins) {
			t.Errorf("%q, %v\n%s", x.fault, err, b.String())
		}
	}
	s.Options.Nemesis = "flush"
	if hits, p, err = s.Find(t.Context()); err != nil || len(hits) == 0 || p.Runs > 100 {
		t.Errorf("%v, %+v, %v", hits, p, err)
	}
}

// TestBadSearches are refused before anything runs.
func TestBadSearches(t *testing.T) {
	for _, w := range []harness.RunOptions{
		{Impl: "nobody", Nemesis: "none"}, {Impl: "getset", Nemesis: "nothing"},
		{Impl: "getset", Nemesis: "minority-loss"}, {Impl: "getset", Nemesis: "failover-sentinel"},
	} {
		if _, _, err := (Search{Options: w, Schedule: Random, Moments: Both, Seeds: 1, Jobs: 1}).Find(
			context.Background()); err == nil {
			t.Errorf("%s under %s was searched", w.Impl, w.Nemesis)
		}
	}
	if _, _, err := (Search{Options: harness.RunOptions{Impl: "getset", Nemesis: "race"},
		Moments: Drawn,
		Seeds:   1}).Find(context.Background()); err == nil {
		t.Error("a race was drawn")
	}
}

// TestSearchEndsWithItsTime and with its context.
func TestSearchEndsWithItsTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []context.Context{ctx, context.Background()} {
		s := Search{Options: harness.RunOptions{Impl: "token-lua", Nemesis: "none"}, Schedule: Random,
			Moments: Both, Budget: 50 * time.Millisecond, Jobs: 2}
		if hits, _, err := s.Find(c); err != nil || len(hits) > 0 {
			t.Errorf("%v, %v", hits, err)
		}
	}
}

// TestANamedFaultThatTheSimulatorLacksIsRefused, while one of several forms is searched.
func TestANamedFaultThatTheSimulatorLacksIsRefused(t *testing.T) {
	t.Parallel()
	s := Search{Options: harness.RunOptions{Impl: "token-lua", Nemesis: "restart"}, Schedule: Random,
		Moments: Both, Seeds: 6, Jobs: 1, KeepGoing: true}
	if _, done, err := s.Find(t.Context()); err != nil || done.Runs != 6 {
		t.Errorf("%d runs: %v", done.Runs, err)
	}
	s.Options.Nemesis = "disk-loss"
	if _, _, err := s.Find(t.Context()); err == nil {
		t.Error("a fault that the simulator lacks was searched")
	}
}
