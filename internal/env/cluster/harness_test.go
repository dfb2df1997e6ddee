package cluster_test

import (
	"bytes"
	"strconv"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// runPlan runs a plan on real processes and returns what was recorded: the history and the trace.
func runPlan(t *testing.T, w harness.RunOptions) (*history.History, []history.Command) {
	t.Helper()
	testenv.Part(t, "redis")
	p, err := harness.NewPlan(w)
	if err != nil {
		t.Fatal(err)
	}
	environment, err := cluster.Start(cluster.Config{Dir: t.TempDir(), Topology: p.Topology,
		Clients: p.Clients, Seed: p.Seed, Worker: p.Worker()})
	if err != nil {
		t.Fatal(err)
	}
	defer environment.Close()
	var hist, trace bytes.Buffer
	out := harness.Output{History: &hist, Trace: &trace}
	if err := harness.Run(t.Context(), p, environment, out); err != nil {
		t.Fatal(err)
	}
	h, err := history.Read(&hist)
	if err != nil {
		t.Fatal(err)
	}
	commands, err := history.ReadTrace(&trace)
	if err != nil {
		t.Fatal(err)
	}
	return h, commands
}

// TestStartedIsTheWallClockAtZero compares values with stamps: a SETNX has the end of a lease that
// began after the client's call and before the command was sent.
func TestStartedIsTheWallClockAtZero(t *testing.T) {
	h, commands := runPlan(t, harness.RunOptions{Impl: "getset", Nemesis: "none", Seed: 1})
	started, err := time.Parse(time.RFC3339Nano, h.Header.Started)
	if err != nil {
		t.Fatal(err)
	}
	called := map[[2]int]int64{}
	for _, e := range h.Events {
		if e.F == history.Acquire && e.Type == history.Invoke {
			called[[2]int{e.Process, e.N}] = e.T
		}
	}
	const step = 2 * time.Millisecond // values count milliseconds, and wall clocks are slewed
	for _, m := range commands {
		if len(m.Args) == 0 || m.Args[0] != "SETNX" {
			continue
		}
		end, err := strconv.ParseInt(m.Args[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		began := time.UnixMilli(end).Add(-h.Header.TTL.D()).Sub(started)
		from, to := time.Duration(called[[2]int{m.Process, m.N}]), time.Duration(m.Sent)
		if began < from-step || began > to+step {
			t.Errorf("a lease began at %v by its value, and between %v and %v by the stamps", began,
				from, to)
		}
	}
	if len(commands) == 0 {
		t.Error("no command was traced")
	}
}

// TestTheFaultHitsAContendedHold looks at the record of a real failover: the master dies while
// a client is inside that the replica does not know of, and another waits.
func TestTheFaultHitsAContendedHold(t *testing.T) {
	h, _ := runPlan(t, harness.RunOptions{Impl: "getset", Nemesis: "failover", Seed: 1})
	inside, waiting := map[int]bool{}, map[int]bool{}
	hit := false
	for _, e := range h.Events {
		switch {
		case e.F == history.Acquire:
			waiting[e.Process], inside[e.Process] = e.Type == history.Invoke, e.Type == history.OK
		case e.F == history.Release && e.Type == history.Invoke:
			inside[e.Process] = false
		case e.Aimed && e.Phase == history.PhaseFrom:
			hit = true
			if e.By == nil || !inside[*e.By] {
				t.Errorf("%s hit outside of a hold", e.F)
			}
			if len(waiting) < 2 {
				t.Errorf("%s hit while no other client waited", e.F)
			}
		}
	}
	if !hit || !h.Complete() || h.HarnessError() != "" {
		t.Errorf("hit %v, complete %v, harness error %q", hit, h.Complete(), h.HarnessError())
	}
}

// TestAnElectionHasBeginAndEnd looks at the fault that no step does.
func TestAnElectionHasBeginAndEnd(t *testing.T) {
	testenv.Part(t, "sentinel")
	h, _ := runPlan(t, harness.RunOptions{Impl: "token-lua", Nemesis: "failover-sentinel", Seed: 1})
	type fault struct {
		id        int
		f, target string
	}
	promoted, phases := 0, map[fault]string{}
	for _, e := range h.Events {
		if e.Type == history.Fault {
			phases[fault{e.ID, e.F, e.Target}] += e.Phase + " "
		}
	}
	for f, had := range phases {
		if had != history.PhaseFrom+" "+history.PhaseTo+" " {
			t.Errorf("%s of %s has the phases %s", f.f, f.target, had)
		}
		if f.f == nemesis.Promote {
			promoted++
		}
	}
	if promoted != 1 {
		t.Errorf("%d promotions", promoted)
	}
}
