package explore

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// form is a fault that can strike at any place of a run: before any message arrives. A client that it hits is client 0: all clients are alike, and
// every order of them is gone through.
type form struct {
	name    string
	steps   func(p harness.Plan) []nemesis.Step
	timeout time.Duration // of the Redis client; 0: it waits for ever
}

// giveUp is after how long a client gives up on a lost reply.
const giveUp = 250 * time.Millisecond

// forms is the closed list.
var forms = []form{
	{"pause", func(p harness.Plan) []nemesis.Step {
		return []nemesis.Step{{Do: nemesis.Pause, Target: "c0"}, outlast(p), {Do: nemesis.Unpause, Target: "c0"}}
	}, 0},
	{"crash", just(nemesis.Step{Do: nemesis.Crash, Target: "c0"}), 0},
	{"partition", cut(nemesis.Both), giveUp},
	{"request-loss", cut(nemesis.Requests), giveUp},
	{"reply-loss", cut(nemesis.Replies), giveUp},
	{"late", held(nemesis.Requests), giveUp},
	{"late", held(nemesis.Replies), 0},
	{"restart", just(nemesis.Step{Do: nemesis.KillNode, Target: "n0"}, nemesis.Step{Do: nemesis.Start, Target: "n0"}), 0},
	{"restart-delayed", func(p harness.Plan) []nemesis.Step {
		return []nemesis.Step{{Do: nemesis.KillNode, Target: "n0"}, outlast(p), {Do: nemesis.Start, Target: "n0"}}
	}, 0},
	{"failover", just(nemesis.Step{Do: nemesis.KillNode, Target: "n0"}, nemesis.Step{Do: nemesis.Promote, Target: "n1"},
		nemesis.Step{Do: nemesis.Direct, Target: "*", Node: "n1"}), 0},
	{"clock-client:+", skewed(nemesis.Step{Do: nemesis.ClientClock, Target: "c0"}, 1), 0},
	{"clock-client:-", skewed(nemesis.Step{Do: nemesis.ClientClock, Target: "c0"}, -1), 0},
	{"clock-server:+", skewed(nemesis.Step{Do: nemesis.NodeClock, Target: "n0"}, 1), 0},
	{"clock-server:-", skewed(nemesis.Step{Do: nemesis.NodeClock, Target: "n0"}, -1), 0},
	{"busy", func(p harness.Plan) []nemesis.Step {
		return []nemesis.Step{{Do: nemesis.Stall, Target: "n0", For: outlast(p).For}, outlast(p), {Do: nemesis.Free, Target: "n0"}}
	}, 0},
	{"node-pause", func(p harness.Plan) []nemesis.Step {
		return []nemesis.Step{{Do: nemesis.PauseNode, Target: "n0"}, outlast(p), {Do: nemesis.ResumeNode, Target: "n0"}}
	}, 0},
	{"node-crash", just(nemesis.Step{Do: nemesis.KillNode, Target: "n0"}), 0},
}

func outlast(p harness.Plan) nemesis.Step {
	return nemesis.Step{Do: nemesis.Wait, For: p.TTL * 13 / 10}
}

func just(steps ...nemesis.Step) func(harness.Plan) []nemesis.Step {
	return func(harness.Plan) []nemesis.Step { return steps }
}

// cut loses what passes client 0's links, until it has given up twice.
func cut(mode string) func(harness.Plan) []nemesis.Step {
	return just(nemesis.Step{Do: nemesis.Cut, Target: "c0>*", Mode: mode},
		nemesis.Step{Do: nemesis.Wait, For: history.Duration(giveUp * 5 / 2)}, nemesis.Step{Do: nemesis.Heal, Target: "c0>*"})
}

// held keeps it until a lease is over, while newer connections pass.
func held(mode string) func(harness.Plan) []nemesis.Step {
	return func(p harness.Plan) []nemesis.Step {
		return []nemesis.Step{
			{Do: nemesis.Hold, Target: "c0>*", Mode: mode}, {Do: nemesis.Direct, Target: "c0", Node: "spare"}, outlast(p), {Do: nemesis.Heal, Target: "c0>*"},
		}
	}
}

func skewed(s nemesis.Step, sign int) func(harness.Plan) []nemesis.Step {
	return func(p harness.Plan) []nemesis.Step {
		s.Offset = history.Duration(sign) * (p.TTL + history.Duration(500*time.Millisecond))
		return []nemesis.Step{s}
	}
}

// AnywhereFaults are the names of the faults that can strike at any place.
func AnywhereFaults() (names []string) {
	for _, f := range forms {
		name, _, _ := strings.Cut(f.name, ":")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// anywhere are the plans in which the fault of a plan strikes at any place: one for each of its forms.
func anywhere(p harness.Plan) (plans []harness.Plan) {
	for _, f := range forms {
		name, variant, _ := strings.Cut(p.Nemesis, ":")
		of, form, _ := strings.Cut(f.name, ":")
		if of != name || variant != "" && form != "" && variant != form {
			continue
		}
		n := p
		n.Scenario = append([]nemesis.Step{{Await: &nemesis.Await{Client: "c0", Command: Anywhere, At: nemesis.Before}}}, f.steps(p)...)
		if f.timeout > 0 {
			n.ClientTimeout = history.Duration(f.timeout)
		}
		plans = append(plans, n)
	}
	return plans
}
