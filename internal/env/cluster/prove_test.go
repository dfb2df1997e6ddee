package cluster

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// TestWhatIsDoneToServersIsProved wants each proof to fail before the fault, since one that never
// does proves nothing, and to pass after it.
func TestWhatIsDoneToServersIsProved(t *testing.T) {
	testenv.Part(t, "redis")
	stall := nemesis.Step{Do: nemesis.Stall, Target: "n0",
		For: history.Duration(10 * silence)}
	w, err := Start(Config{Dir: t.TempDir(), Topology: nemesis.Failover,
		Scenario: []nemesis.Step{stall}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, row := range []struct {
		step   nemesis.Step
		mended func() error
	}{
		{nemesis.Step{Do: nemesis.PauseNode, Target: "n0"}, func() error { return w.ResumeNode("n0") }},
		{nemesis.Step{Do: nemesis.Busy, Target: "n0"}, func() error { return w.Free("n0") }},
		{stall, func() error { return w.Free("n0") }},
		{nemesis.Step{Do: nemesis.Flush, Target: "n0"}, func() error { return nil }},
		{nemesis.Step{Do: nemesis.ForgetScripts, Target: "n0"}, func() error { return nil }},
		{nemesis.Step{Do: nemesis.FillMemory, Target: "n0"}, func() error {
			return errors.Join(w.FreeMemory("n0"), redisOf(w.nodes.all[0]).Set(t.Context(), "a", 1, 0).Err())
		}},
		{nemesis.Step{Do: nemesis.KillNode, Target: "n0"}, func() error { return w.StartNode("n0") }},
		{nemesis.Step{Do: nemesis.Promote, Target: "n1"}, func() error { return nil }},
	} {
		// a machine that stands still for a moment looks as if a server were silent
		if !slices.ContainsFunc(make([]int, 5), func(int) bool { return w.Prove(row.step) != nil }) {
			t.Errorf("%s is proved before it is done", row.step.Do)
		}
		if err := errors.Join(nemesis.Apply(w, row.step), w.Prove(row.step), row.mended()); err != nil {
			t.Errorf("%s: %v", row.step.Do, err)
		}
	}
}

// TestWhatIsNotThere names the node, the link or the client of each step in the error.
func TestWhatIsNotThere(t *testing.T) {
	b := newBench(t)
	for _, s := range []nemesis.Step{
		{Do: nemesis.KillNode, Target: "n7"}, {Do: nemesis.PauseNode, Target: "n7"},
		{Do: nemesis.Promote, Target: "n7"}, {Do: nemesis.Busy, Target: "n7"},
		{Do: nemesis.NodeClock, Target: "n7", Offset: history.Duration(time.Hour)},
		{Do: nemesis.Refuse, Target: "c7>n0"}, {Do: nemesis.Crash, Target: "c7"},
	} {
		for what, err := range map[string]error{"done": nemesis.Apply(b, s), "proved": b.Prove(s)} {
			if err == nil || !strings.Contains(err.Error(), "7") {
				t.Errorf("%s of %s is %s: %v", s.Do, s.Target, what, err)
			}
		}
	}
}

// TestAServerThatEndsByItself is reported; one that was killed on purpose is not.
func TestAServerThatEndsByItself(t *testing.T) {
	b := newBench(t)
	b.must(b.KillNode("n0"))
	b.must(b.StartNode("n0"))
	b.nodes.all[0].Kill() // not by the harness
	for {
		r, ok := b.Next(t.Context(), b.Now()+int64(5*time.Second))
		if !ok {
			t.Fatal("the end of a server is not reported")
		}
		if r.Exit == nil {
			continue // the machine did not run for a while
		}
		if r.Exit.Node != "n0" || !strings.Contains(r.Exit.Err, "redis-server n0 ended") {
			t.Errorf("the report is %+v", r.Exit)
		}
		break
	}
	if r, ok := b.Next(t.Context(), b.Now()+int64(50*time.Millisecond)); ok && r.Exit != nil {
		t.Errorf("a server that was killed on purpose is reported: %+v", r.Exit)
	}
}

// TestAPromotionIsReportedOnce has the messages of three sentinels, in any order.
func TestAPromotionIsReportedOnce(t *testing.T) {
	const (
		begins = "+failover-state-wait-promotion slave 127.1.1.2:7 127.1.1.2 7 @ lockbench 127.1.1.1 7"
		ends   = "1:X # +switch-master lockbench 127.1.1.1 7 127.1.1.2 7"
	)
	for name, lines := range map[string][]string{
		"in order": {begins, ends, ends, ends}, "the end comes first": {ends, begins, ends},
		"among others": {"+sdown master", begins, "+switch-master", ends, "+failover-end"},
	} {
		w := newEnvironment(Config{Launcher: server.Processes{}})
		w.names["127.1.1.2:7"] = "n1"
		for _, line := range lines {
			sentinelLayout{w.site()}.observe(line)
		}
		var phases []string
		for len(w.reports) > 0 {
			e := (<-w.reports).Event
			phases = append(phases, e.F+" "+e.Target+" "+e.Phase)
		}
		want := nemesis.Promote + " n1 " + history.PhaseFrom + "," + nemesis.Promote + " n1 " +
			history.PhaseTo
		if got := strings.Join(phases, ","); got != want {
			t.Errorf("%s: reported %s, want %s", name, got, want)
		}
	}
}

// TestAFaultWithoutProofIsRefused keeps a new action from being believed: an effect that this
// environment cannot see would make every lock look safe.
func TestAFaultWithoutProofIsRefused(t *testing.T) {
	e := newEnvironment(Config{Launcher: server.Processes{}})
	e.proxies = &proxy.Links{}
	if err := e.Prove(nemesis.Step{Do: nemesis.Heal, Target: "n0"}); err != nil {
		t.Errorf("a repair needs no proof: %v", err)
	}
	for _, a := range nemesis.Actions() {
		if !nemesis.CapabilitiesOf("process").Has(a.Name) {
			continue
		}
		err := e.Prove(nemesis.Step{Do: a.Name, Target: "nothing"})
		if err != nil && strings.Contains(err.Error(), "has no proof of it") {
			t.Error(err)
		}
	}
}
