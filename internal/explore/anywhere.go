package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/explore/simrun"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// form is a fault that can strike at any place of a run: before any message arrives. A client that
// it hits is client 0: all clients are alike, and every order of them is gone through.
type form struct {
	name    string
	steps   func(p harness.Plan) []nemesis.Step // none: it is not for this plan
	timeout time.Duration                       // of the Redis client; 0: it gives up on nothing
}

// giveUp is after how long a client gives up on a lost reply.
const giveUp = 250 * time.Millisecond

// forms is the closed list.
var forms = []form{
	{"pause", func(p harness.Plan) []nemesis.Step {
		return []nemesis.Step{{Do: nemesis.Pause, Target: "c0"}, outlast(p),
			{Do: nemesis.Unpause, Target: "c0"}}
	}, 0},
	{"crash", just(nemesis.Step{Do: nemesis.Crash, Target: "c0"}), 0},
	{"partition", cut(nemesis.Both, outlasting), giveUp},
	{"request-loss", cut(nemesis.Requests, twice), giveUp},
	{"reply-loss", cut(nemesis.Replies, twice), giveUp},
	{"late", held(nemesis.Requests, "c0>*"), giveUp},
	{"late", held(nemesis.Replies, "c0>*"), 0},
	{"late", amongMasters(held(nemesis.Requests, "c0>n0")), giveUp},
	{"restart", just(nemesis.Step{Do: nemesis.KillNode, Target: "n0"}, nemesis.Step{Do: nemesis.Start,
		Target: "n0"}), 0},
	{"restart-delayed", func(p harness.Plan) []nemesis.Step {
		return []nemesis.Step{{Do: nemesis.KillNode, Target: "n0"}, outlast(p),
			{Do: nemesis.Start, Target: "n0"}}
	}, 0},
	{"failover", func(p harness.Plan) []nemesis.Step {
		replica := "n1"
		if p.Masters > 1 {
			replica = nemesis.Replica(0)
		}
		return []nemesis.Step{{Do: nemesis.KillNode, Target: "n0"},
			{Do: nemesis.Promote, Target: replica}, {Do: nemesis.Redirect, Target: "*", Node: replica}}
	}, 0},
	{"clock-client:+", skewed(nemesis.Step{Do: nemesis.ClientClock, Target: "c0"}, 1), 0},
	{"clock-client:-", skewed(nemesis.Step{Do: nemesis.ClientClock, Target: "c0"}, -1), 0},
	{"clock-server:+", every(skewed(nemesis.Step{Do: nemesis.NodeClock}, 1)), 0},
	{"clock-server:-", every(skewed(nemesis.Step{Do: nemesis.NodeClock}, -1)), 0},
	{"busy", func(p harness.Plan) []nemesis.Step {
		return slices.Concat(each(p, nemesis.Step{Do: nemesis.Stall, For: outlast(p).For}),
			[]nemesis.Step{outlast(p)}, each(p, nemesis.Step{Do: nemesis.Free}))
	}, 0},
	{"node-pause", func(p harness.Plan) []nemesis.Step {
		return slices.Concat(each(p, nemesis.Step{Do: nemesis.PauseNode}), []nemesis.Step{outlast(p)},
			each(p, nemesis.Step{Do: nemesis.ResumeNode}))
	}, 0},
	{"node-crash", every(just(nemesis.Step{Do: nemesis.KillNode})), 0},
	{"minority-loss", amongMasters(func(p harness.Plan) []nemesis.Step {
		return each(p, nemesis.Step{Do: nemesis.KillNode})[:(p.Masters-1)/2]
	}), 0},
	{"majority-loss", amongMasters(func(p harness.Plan) []nemesis.Step {
		return each(p, nemesis.Step{Do: nemesis.KillNode})[:p.Masters/2+1]
	}), 0},
}

// each is a step done to every server that the lock uses.
func each(p harness.Plan, s nemesis.Step) (steps []nemesis.Step) {
	for i := range max(p.Masters, 1) {
		s.Target = fmt.Sprintf("n%d", i)
		steps = append(steps, s)
	}
	return steps
}

// every does a single step to every server.
func every(steps func(harness.Plan) []nemesis.Step) func(harness.Plan) []nemesis.Step {
	return func(p harness.Plan) []nemesis.Step { return each(p, steps(p)[0]) }
}

// amongMasters is for locks that use several.
func amongMasters(steps func(harness.Plan) []nemesis.Step) func(harness.Plan) []nemesis.Step {
	return func(p harness.Plan) []nemesis.Step {
		if p.Masters < 2 {
			return nil
		}
		return steps(p)
	}
}

func outlast(p harness.Plan) nemesis.Step {
	return nemesis.Step{Do: nemesis.Wait, For: p.TTL * 13 / 10}
}

func just(steps ...nemesis.Step) func(harness.Plan) []nemesis.Step {
	return func(harness.Plan) []nemesis.Step { return steps }
}

// cut loses what passes client 0's links, for a time.
func cut(mode string, lasts func(harness.Plan) history.Duration) func(harness.Plan) []nemesis.Step {
	return func(p harness.Plan) []nemesis.Step {
		return []nemesis.Step{{Do: nemesis.Cut, Target: "c0>*", Mode: mode},
			{Do: nemesis.Wait, For: lasts(p)}, {Do: nemesis.Heal, Target: "c0>*"}}
	}
}

// outlasting is longer than a lease, and twice until client 0 has given up twice.
func outlasting(p harness.Plan) history.Duration { return outlast(p).For }
func twice(harness.Plan) history.Duration        { return history.Duration(giveUp * 5 / 2) }

// held keeps what passes client 0's links until a lease is over, while newer connections pass.
func held(mode, links string) func(harness.Plan) []nemesis.Step {
	return func(p harness.Plan) []nemesis.Step {
		return []nemesis.Step{
			{Do: nemesis.HoldBack, Target: links, Mode: mode}, {Do: nemesis.Redirect, Target: "c0",
				Node: "spare"},
			outlast(p), {Do: nemesis.Heal, Target: links},
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

// anywhere are the plans in which the fault of a plan strikes at any place: one for each of its
// forms.
func anywhere(p harness.Plan) (plans []harness.Plan) {
	for _, f := range forms {
		name, variant, _ := strings.Cut(p.Nemesis, ":")
		of, form, _ := strings.Cut(f.name, ":")
		if of != name || variant != "" && form != "" && variant != form {
			continue
		}
		steps := f.steps(p)
		if len(steps) == 0 {
			continue
		}
		n := p
		n.Scenario = append([]nemesis.Step{
			{Await: &nemesis.Await{Client: "c0", Command: simrun.Anywhere, At: nemesis.Before}}}, steps...)
		if f.timeout > 0 {
			n.ClientTimeout = history.Duration(f.timeout)
		}
		plans = append(plans, n)
	}
	return plans
}
