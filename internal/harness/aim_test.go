package harness_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// simPlan runs a plan in the simulator and returns what was recorded.
func simPlan(t *testing.T, w harness.RunOptions) (*history.History, []history.Command) {
	t.Helper()
	p, err := harness.NewPlan(w)
	if err != nil {
		t.Fatal(err)
	}
	var hist, trace bytes.Buffer
	err = sim.Run(sim.Config{Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas,
		Clients: p.Clients, Seed: p.Seed, Worker: p.Worker()}, func(w *sim.Environment) error {
		return harness.Run(t.Context(), p, w, harness.Output{History: &hist, Trace: &trace})
	})
	if err != nil {
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

// moment is what a client had done when the fault hit.
type moment struct {
	t                                   time.Duration
	by                                  int
	acquires, replies, grants, releases int // calls, calls that had returned, grants, and calls
	inside                              bool
	lease                               time.Duration // when that of its last grant was over
	sets, unanswered                    int           // SET commands
}

// hitAt looks at the first fault of a run.
func hitAt(t *testing.T, h *history.History, trace []history.Command, client int) (m moment) {
	t.Helper()
	m.by = -1
	for _, e := range h.Events {
		if e.Type == history.Fault && e.Phase == history.PhaseFrom {
			m.t = time.Duration(e.T)
			if e.By != nil {
				m.by = *e.By
			}
			break
		}
	}
	if m.t == 0 {
		t.Fatal("no fault hit")
	}
	for _, e := range h.Events {
		if e.Process != client || e.T > int64(m.t) {
			continue
		}
		switch {
		case e.F == history.Acquire && e.Type == history.Invoke:
			m.acquires++
		case e.F == history.Acquire && e.Type.Completes():
			m.replies++
			if e.Type == history.OK {
				m.grants, m.inside = m.grants+1, true
				m.lease = time.Duration(e.Grant.Sent) + e.Grant.Lease.D()
			}
		case e.F == history.Release && e.Type == history.Invoke:
			m.releases, m.inside = m.releases+1, false
		}
	}
	replied := map[int]bool{}
	for _, c := range trace {
		if c.Process == client && c.Recv > 0 && c.Recv <= int64(m.t) {
			replied[c.Seq] = true
		}
	}
	for _, c := range trace {
		if c.Process == client && len(c.Args) > 0 && c.Sent <= int64(m.t) &&
			strings.EqualFold(c.Args[0], "set") {
			m.sets++
			if !replied[c.Seq] {
				m.unanswered++
			}
		}
	}
	return m
}

// TestEveryAim lets a fault begin at each kind of moment, and looks in the record what its client
// had done by then.
func TestEveryAim(t *testing.T) {
	for name, aim := range map[string]struct {
		steps string
		hit   func(m moment) bool
	}{
		"at a time": {"- {do: wait, until: 700ms}", func(m moment) bool {
			return m.t >= 700*time.Millisecond && m.t < 705*time.Millisecond
		}},
		"at a random time": {"- {do: wait, until: 100ms, upto: 900ms}", func(m moment) bool {
			return m.t > 100*time.Millisecond && m.t < 905*time.Millisecond && m.by == -1
		}},
		"sent its 2nd acquire": {"- await: {client: c1, phase: sent, nth: 2}", func(m moment) bool {
			return m.by == 1 && m.acquires == 2 && m.replies == 1 && m.unanswered == 1
		}},
		"about to send its 2nd acquire": {"- await: {client: c1, phase: acquire, nth: 2}",
			func(m moment) bool { return m.by == 1 && m.acquires == 1 && m.replies == 1 }},
		"got the reply of its 3rd acquire": {"- await: {client: c1, phase: replied, nth: 3}",
			func(m moment) bool {
				return m.by == 1 && m.acquires == 3 && m.replies == 3
			}},
		"holds": {"- await: {client: c1, phase: granted, nth: 2}", func(m moment) bool {
			return m.by == 1 && m.inside && m.grants == 2
		}},
		"about to release": {"- await: {client: c1, phase: release}", func(m moment) bool {
			return m.by == 1 && m.inside && m.grants == 1 && m.releases == 0
		}},
		"lost its lease": {"- await: {client: c1, phase: lost}", func(m moment) bool {
			return m.by == 1 && m.inside && m.t >= m.lease && m.t < m.lease+time.Millisecond
		}},
		"lost its 2nd lease": {"- await: {client: c1, phase: lost, nth: 2}",
			func(m moment) bool { return m.by == 1 && m.inside && m.t >= m.lease && m.grants >= 2 }},
		"a command is about to be sent": {"- await: {client: c1, command: ^set , at: before, nth: 4}",
			func(m moment) bool { return m.by == 1 && m.sets == 3 && m.unanswered == 0 }},
		"a command was sent just now": {"- await: {client: c1, command: ^set , at: sent, nth: 4}",
			func(m moment) bool { return m.by == 1 && m.sets == 4 && m.unanswered == 1 }},
		"a command's reply was read": {"- await: {client: c1, command: ^set , at: after, nth: 4}",
			func(m moment) bool { return m.by == 1 && m.sets == 4 && m.unanswered == 0 }},
		// the second await is armed before the client goes on from the first
		"the reply to the same command": {"- await: {client: c1, command: ^set , at: before, nth: 4}\n" +
			"- await: {client: c1, command: ^set , at: after}", func(m moment) bool {
			return m.by == 1 && m.sets == 4 && m.unanswered == 0
		}},
		"the first command of the same call": {"- await: {client: c1, phase: acquire, nth: 2}\n" +
			"- await: {client: c1, phase: sent}", func(m moment) bool {
			return m.by == 1 && m.acquires == 2 && m.replies == 1
		}},
		// one that is armed later is met by the client's next call
		"a phase that this call has passed": {"- await: {as: a, client: c1, phase: granted}\n" +
			"- {do: go, target: a}\n- {do: wait, for: 400ms}\n- await: {client: c1, phase: granted}",
			func(m moment) bool { return m.by == 1 && m.inside && m.grants > 1 }},
		"whoever comes first, contended": {"- await: {phase: granted, contended: true}",
			func(m moment) bool { return m.by >= 0 }},
		"a client that stands, loses it": {
			"- await: {as: a, client: c1, phase: granted}\n- await: {client: a, phase: lost}",
			func(m moment) bool {
				return m.by == 1 && m.inside && m.t >= m.lease
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "aim.yaml")
			text := "steps:\n" + aim.steps +
				"\n- {do: client-clock, target: c0, offset: 1ms}\n- {do: go}\n- {do: client-clock, target: " +
				"c0}\n"
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			h, trace := simPlan(t, harness.RunOptions{
				Impl: "setpx-del", Nemesis: file, Seed: 3, Clients: 2, TTL: 200 * time.Millisecond,
				Poll: 20 * time.Millisecond, Hold: 260 * time.Millisecond,
				AcquireTimeout: 100 * time.Millisecond,
			})
			if m := hitAt(t, h, trace, 1); !aim.hit(m) {
				t.Errorf("%+v", m)
			}
		})
	}
}

// TestLongWorkHasTheTimeThatItNeeds: a run is as long as its evidence takes, unless a user says
// otherwise.
func TestLongWorkHasTheTimeThatItNeeds(t *testing.T) {
	long := harness.RunOptions{Workload: workloads.LongWork, Nemesis: "none"}
	for _, long.Impl = range []string{"redisson", "token-lua"} {
		p, err := harness.NewPlan(long)
		if err != nil || p.Longer(0) != 0 {
			t.Errorf("%s: a run of %v is too short, it needs %v: %v", long.Impl, p.For, p.Longer(0),
				err)
		}
	}
	long.For = time.Second
	if p, err := harness.NewPlan(long); err != nil || p.For.D() != time.Second {
		t.Errorf("asked for a second, and it has %v: %v", p.For, err)
	}
}

// TestLongerHoldsOutlastTheScenario: a hold must outlast what the scenario waits for before a
// server takes over, and advice that was followed is not given again.
func TestLongerHoldsOutlastTheScenario(t *testing.T) {
	wait := nemesis.Step{Do: nemesis.Wait, For: history.Duration(2 * time.Second)}
	stall := nemesis.Step{Do: nemesis.Stall, Aimed: true}
	goOn, promote := nemesis.Step{Do: nemesis.Go}, nemesis.Step{Do: nemesis.Promote}
	for _, c := range []struct {
		steps     []nemesis.Step
		ttl, hold time.Duration
		want      string
	}{
		{[]nemesis.Step{stall, promote, wait}, 2 * time.Second, 0, "--hold 1s"},
		{[]nemesis.Step{stall, promote}, 2 * time.Second, time.Second, "--ttl 4s --hold 2s"},
		{[]nemesis.Step{wait, stall, goOn, wait, promote}, 2 * time.Second, 0, "--ttl 5s --hold 2.5s"},
		{[]nemesis.Step{stall, wait, goOn, promote}, 2 * time.Second, 0, "--hold 1s"},
		{[]nemesis.Step{stall, wait, promote}, 10 * time.Second, time.Second, "--hold 5s"},
		{[]nemesis.Step{stall, wait, promote}, 5 * time.Second, 2500 * time.Millisecond, ""},
	} {
		p := harness.Plan{Scenario: c.steps, TTL: history.Duration(c.ttl),
			Hold: history.Duration(c.hold)}
		if got := harness.LongerHolds(p); got != c.want {
			t.Errorf("%v: %q, want %q", c.steps, got, c.want)
		}
	}
}
