package explore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// result is what a search through a space comes to: its letters, and all ends of runs.
type result struct {
	letters string
	ends    map[string]bool
	Covered
}

func through(t *testing.T, x Exhaustive) result {
	t.Helper()
	r := result{ends: map[string]bool{}}
	x.Properties, x.KeepGoing, x.Pace, x.Jobs = batch.Properties, true, Ticks, 2
	x.ended = func(rec *simrun.Record) { r.ends[endOf(rec)] = true }
	hits, c, _, err := x.Find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	letters := map[string]bool{}
	for _, h := range hits {
		letters[h.Property] = true
	}
	r.letters, r.Covered = strings.Join(slices.Sorted(maps.Keys(letters)), ""), c
	return r
}

// endOf is what each client did, was told and reported in a run, to the millisecond.
func endOf(r *simrun.Record) string {
	clients := map[int][]string{}
	for _, e := range r.History.Events {
		clients[e.Process] = append(clients[e.Process], fmt.Sprint(e.Type, e.F, e.N, about(e.T), e.Err))
	}
	for _, c := range r.Trace {
		clients[c.Process] = append(clients[c.Process], fmt.Sprint(c.Seq, c.Node,
			about(c.Sent), about(c.Recv), c.Args, c.Reply, c.Err))
	}
	return fmt.Sprint(clients)
}

// about is a time to 10 ms: which side of a millisecond it is on depends on how many messages came
// before, of whichever clients.
func about(t int64) int64 { return (t + 5e6) / 10e6 }

// sleepCells are spaces with every kind of lock and fault that finish soon. Of some only the
// letters are compared: with a watchdog two timers may end within a microsecond, and which ends
// first depends on how many messages came before.
var sleepCells = []struct {
	impl, variant, nemesis string
	masters                int
	bounds                 Bounds
	lettersOnly            bool
}{
	{"setnx", "", "none", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 2, Expiries: 1}, false},
	{"setnx-del-expired", "", "crash", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"setnx-expire", "", "partition", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"getset", "", "reply-loss", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"getset", "", "clock-client", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"setpx-del", "", "late", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"setpx-del", "", "failover", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"setpx-getdel", "", "pause", 0, Bounds{Clients: 2, Rounds: 2}, false},
	{"token-lua", "", "pause", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 2}, false},
	{"token-lua", "", "clock-server", 0, Bounds{Clients: 2, Rounds: 2}, false},
	{"token-lua", "constant", "node-pause", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"setpx-del", "", "busy", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"token-lua", "", "restart", 0, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"token-lua", "", "request-loss", 0, Bounds{Clients: 2, Rounds: 2}, false},
	{"redisson", "", "pause", 0, Bounds{Clients: 2, Rounds: 1}, true},
	{"redisson", "", "late", 0, Bounds{Clients: 2, Rounds: 1}, false},
	{"redisson-multi", "", "pause", 0, Bounds{Clients: 2, Rounds: 1}, true},
	{"redlock", "call", "none", 3, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"redlock", "call", "pause", 3, Bounds{Clients: 2, Rounds: 1, Preemptions: 1}, false},
	{"redlock", "call", "late", 3, Bounds{Clients: 2, Rounds: 1}, false},
	{"redlock", "attempt", "minority-loss", 3, Bounds{Clients: 2, Rounds: 1}, false},
}

// TestSleepSetsChangeNoVerdict goes through the same spaces with and without them: the same letters
// are violated, and runs end in the same ways. If only time clashed, letters or ends would be
// missing.
func TestSleepSetsChangeNoVerdict(t *testing.T) {
	testenv.SkipRace(t)
	saved, missed := 0, 0
	for _, c := range sleepCells {
		if c.bounds.Tries = 8; c.nemesis != "none" {
			c.bounds.Faults = 1
		}
		x := Exhaustive{Options: harness.RunOptions{Impl: c.impl, Variant: c.variant,
			Nemesis: c.nemesis, Masters: c.masters}, Bounds: c.bounds}
		with := through(t, x)
		x.Sleepless = true
		without := through(t, x)
		x.Sleepless, x.clashes = false, func(_, t asleep) bool { return t.option.Name == sim.Time }
		planted := through(t, x)
		name := fmt.Sprintf("%s %s under %s, %s", c.impl, c.variant, c.nemesis, c.bounds)
		t.Logf("%s: %d+%d instead of %d+%d, %d ends, %q", name, with.Schedules, with.Merged,
			without.Schedules, without.Merged, len(with.ends), with.letters)
		if !with.Whole || !without.Whole || with.letters != without.letters ||
			!c.lettersOnly && !maps.Equal(with.ends, without.ends) {
			t.Errorf("%s: %q and %d ends with sleep sets, %q and %d without", name, with.letters,
				len(with.ends), without.letters, len(without.ends))
		}
		if without.Asleep > 0 {
			t.Errorf("%s: %d ways slept although nothing does", name, without.Asleep)
		}
		if planted.letters != without.letters || !maps.Equal(planted.ends, without.ends) {
			t.Logf("%s: %q and %d ends if only time clashed", name, planted.letters, len(planted.ends))
			missed++
		}
		saved += without.Schedules + without.Merged - with.Schedules - with.Merged
	}
	if saved < 1000 || missed < len(sleepCells)/2 {
		t.Errorf("%d schedules are saved; letters or ends are missing in %d spaces if only time clashes",
			saved, missed)
	}
}
