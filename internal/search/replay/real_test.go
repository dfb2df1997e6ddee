package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

func TestMain(m *testing.M) {
	testenv.SideBySide(6)
	os.Exit(m.Run())
}

// recorded is the counterexample that a scenario gives in the simulator.
func recorded(t *testing.T, property string, w harness.RunOptions) *counterexample.Counterexample {
	t.Helper()
	w.Environment = "sim"
	if w.TTL == 0 {
		w.TTL = 500 * time.Millisecond
	}
	p, err := harness.NewPlan(w)
	if err != nil {
		t.Fatal(err)
	}
	c, err := simrun.Case{Plan: p, Schedule: counterexample.Timed}.Settle(t.Context(), property)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// here replays on the servers of this machine, each time in a new directory.
func here(t *testing.T) func() (Place, error) {
	return func() (Place, error) {
		dir, err := os.MkdirTemp(t.TempDir(), "run-")
		return Place{Environment: "process", Dir: dir, Version: "test",
			Command: "lockbench replay --env process FILE"}, err
	}
}

// confirm wants a counterexample to be confirmed on real Redis.
func confirm(t *testing.T, c *counterexample.Counterexample) {
	t.Helper()
	times := 1
	if testenv.Soak() {
		times = 20
	}
	o := replayed(t, c, times)
	t.Log(o, "late", o.Late.Round(time.Millisecond))
	skipTooSlow(t, o)
	if o.Confirmed {
		return
	}
	for i, s := range c.Steps[:min(o.Step, len(c.Steps))] {
		if i > o.Step-12 {
			t.Log(i+1, s)
		}
	}
	b, _ := os.ReadFile(filepath.Join(o.Dir, "history.jsonl"))
	t.Errorf("%s\n%s", o, b)
}

// mostReplays is how often a replay is made for which the machine was too slow.
const mostReplays = 5

// replayed replays a counterexample with real servers. If other tests made the machine too slow, it
// waits for them and tries again alone.
func replayed(t *testing.T, c *counterexample.Counterexample, times int) (o Outcome) {
	t.Helper()
	for try := 1; ; try++ {
		var err error
		testenv.Run(try > 1, func() { o, err = onServers(t.Context(), c, times, here(t)) })
		if err != nil {
			t.Fatal(err)
		}
		if !o.TooSlow || try == mostReplays {
			return o
		}
		t.Log("again:", o)
	}
}

// skipTooSlow skips a test for which the machine is too slow, unless CI demands it.
func skipTooSlow(t *testing.T, o Outcome) {
	t.Helper()
	if o.TooSlow && os.Getenv("LOCKBENCH_REQUIRE") == "" {
		t.Skip(o)
	}
}

// TestCorpusOnRealRedis replays every counterexample that is kept with real servers and clients,
// and with the race detector some of them.
func TestCorpusOnRealRedis(t *testing.T) {
	testenv.Part(t, "redis")
	files, err := filepath.Glob("../explore/testdata/corpus/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d counterexamples: %v", len(files), err)
	}
	for i, f := range files {
		if i%testenv.Large(1, 6) != 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(f), ".yaml"), func(t *testing.T) {
			t.Parallel()
			c, err := counterexample.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			err = Possible(c)
			switch short := c.Plan.Impl == "getset-java"; { // its lease of 4 ms is over before a step is
			case short && err == nil:
				t.Error("a lease of 4 ms is replayed")
			case !short && err != nil:
				t.Error(err)
			case !short:
				confirm(t, c)
			}
		})
	}
}

// scenario is a lock under a fault, and what it violates.
type scenario struct{ lock, fault, property string }

// TestScenariosOnRealRedis replays whole runs of the simulator that were not made smaller: one
// for each kind of fault, and with the race detector some of them.
func TestScenariosOnRealRedis(t *testing.T) {
	testenv.Part(t, "redis")
	all := []scenario{
		{"token-lua", "restart", "S"},
		{"setpx-del", "busy", "S"},
		{"setpx-del", "node-pause", "S"},
		{"redisson", "failover", "S"},
		{"redisson-multi", "restart", "S"},
		{"redlock", "restart", "S"},
	}
	if testenv.Soak() {
		all = append(all, []scenario{
			{"token-lua", "pause", "S"},
			{"getset", "pause", "S"},
			{"getset", "clock-client:+", "S"},
			{"token-lua", "clock-server:+", "S"},
			{"token-lua", "failover", "S"},
			{"setpx-del", "late:release", "S"},
			{"redisson", "pause", "S"},
			{"redisson-spin", "pause", "S"},
			{"redisson-fenced", "restart", "F"},
			{"redlock", "pause", "S"},
			{"redlock", "clock-server:+", "S"},
		}...)
	}
	for i, x := range all {
		if i%testenv.Large(1, 3) != 0 {
			continue
		}
		t.Run(x.lock+"/"+x.fault, func(t *testing.T) {
			t.Parallel()
			w := harness.RunOptions{Impl: x.lock, Nemesis: x.fault, Seed: 1, Clients: 3, TTL: time.Second,
				Poll: 150 * time.Millisecond, Hold: 100 * time.Millisecond}
			confirm(t, recorded(t, x.property, w))
		})
	}
}
