package nemesis

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// TestScenariosPassTheCheck holds what lockbench itself does to the rules for what people write.
func TestScenariosPassTheCheck(t *testing.T) {
	everything(t, func(name string, s Scenario) {
		p := params
		if s.Topology == Independent {
			p.Nodes = 3
		}
		if err := Check(s.Steps, s.Layout(p)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
}

// TestCheck takes one mistake after the other.
func TestCheck(t *testing.T) {
	await := func(a Await) Step { return Step{Await: &a} }
	second := history.Duration(time.Second)
	for want, steps := range map[string][]Step{
		`step 1: "kil" is not a step; the steps are: barrier, busy,`: {
			{Do: "kil", Target: "n0"}},
		`step 1: kill: unknown node "n7"; there are: n0, n1`: {
			{Do: KillNode, Target: "n7"}},
		"step 1: kill: c1 is a client, and kill is for nodes; write `crash c1`": {
			{Do: KillNode, Target: "c1"}},
		"step 2: kill: second is a client, and kill is for nodes; write `crash second`": {
			await(Await{As: "second", Phase: "granted"}),
			{Do: KillNode, Target: "second"}},
		`step 1: promote: unknown replica "n0"; there are: n1`: {
			{Do: Promote, Target: "n0"}},
		`step 1: pause: client c4 does not exist; there are c0 to c3`: {
			{Do: Pause, Target: "c4"}},
		`step 1: pause: "owner" is not a client: a client is`: {
			{Do: Pause, Target: "owner"}},
		`step 1: cut: unknown link "n1>n0"; links are called c0>n0, c0>*, *>n0, n0>n1`: {
			{Do: Cut, Target: "n1>n0"}},
		`step 1: cut has the mode "up"; there are: requests, replies`: {
			{Do: Cut, Target: "c0>n0", Mode: "up"}},
		`step 1: delay needs the field "for"`: {
			{Do: Delay, Target: "c0>n0"}},
		`step 1: quiesce has no field "for"`: {
			{Do: Quiesce, For: second}},
		`step 1: warm: it has no target, but "c0" is given`: {
			{Do: Warm, Target: "c0"}},
		`step 1: wait needs one of the fields "for" and "until"`: {{Do: Wait}},
		`step 1: wait: a time is below zero`: {
			{Do: Wait, For: second, Until: -1}},
		`step 1: client-clock: with a rate of -1`: {
			{Do: ClientClock, Target: "c0", Rate: -1}},
		`step 1: redirect: unknown node "n2"`: {
			{Do: Redirect, Target: "*", Node: "n2"}},
		`step 1: pause: c1 is launched by a later step`: {
			{Do: Pause, Target: "c1"}, {Do: Launch, Target: "c1"}},
		`step 1: c1 is launched twice`: {
			{Do: Launch, Target: "c1"}, {Do: Launch, Target: "c1"}},
		`step 1: launch names its client by its number, as c1, not "waiter"`: {
			{Do: Launch, Target: "waiter"}},
		`step 1: start: n0 was not killed`: nil,
		`step 2: n0 was killed by step 1`: {
			{Do: KillNode, Target: "n0"}, {Do: PauseNode, Target: "n0"}},
		`step 2: pause: c1 was killed by step 1`: {
			{Do: Crash, Target: "c1"}, {Do: Pause, Target: "c1"}},
		`step 3: pause: whether c0 still lives is unknown: step 2 kills the client`: {
			await(Await{As: "x", Phase: Granted}), {Do: Crash, Target: "x"}, {Do: Pause, Target: "c0"}},
		`step 2: delay: step 1 has done hold-back to c0>* already; heal that first`: {
			{Do: HoldBack, Target: "c0>*"}, {Do: Delay, Target: "*>n0", For: second}},
		`step 2: cut: since step 1 c0 may go another way than c0>n0`: {
			{Do: Redirect, Target: "c0", Node: "spare"}, {Do: Cut, Target: "c0>n0"}},
		`step 1: an await needs one of the fields "phase" and "command", or "means"`: {await(Await{})},
		`step 1: no command means "x"; there are: first-of-acquire, creates-key,`: {
			await(Await{Means: "x", At: Before})},
		`step 1: "at" is "y"; write before`: {await(Await{Means: CreatesKey, At: "y"})},
		`step 1: unknown phase "held"; the phases are: acquire, sent,`: {
			await(Await{Phase: "held"})},
		`step 1: "at" is ""; write before, sent or after`: {
			await(Await{Command: "^set "})},
		`step 1: the command is not a regular expression: `: {
			await(Await{Command: "(", At: Before})},
		`step 1: the name "c3" has a meaning already; give the client another one`: {
			await(Await{As: "c3", Phase: Granted})},
		`step 1: a step does something or awaits a client, not both`: {
			{Do: Quiesce, Await: &Await{Phase: Granted}}},
	} {
		if steps == nil {
			steps = []Step{{Do: Start, Target: "n0"}}
			want = `step 1: n0 was not killed`
		}
		err := Check(steps, Layout{Topology: Failover, Clients: 4})
		var at *StepError
		if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\n got %v\nwant %s", steps, err, want)
		}
	}
}

// TestAnyLinkAnyWay lets every link of every topology be cut, both ways and one way, held, delayed,
// refused and reset.
func TestAnyLinkAnyWay(t *testing.T) {
	for _, g := range []Layout{
		{Topology: Single, Clients: 2}, {Topology: Failover, Clients: 2},
		{Topology: Sentinel, Clients: 2}, {Topology: Independent, Masters: 3, Replicas: 1, Clients: 2},
	} {
		links := g.links()
		if len(links) < 4 {
			t.Fatalf("%s has the links %v", g.Topology, links)
		}
		for _, l := range links {
			for _, s := range []Step{
				{Do: Cut}, {Do: Cut, Mode: Requests}, {Do: Cut, Mode: Replies}, {Do: HoldBack},
				{Do: HoldBack, Mode: Requests}, {Do: HoldBack, Mode: Replies},
				{Do: Delay, For: 1}, {Do: Refuse}, {Do: Reset},
			} {
				s.Target = l
				if err := Check([]Step{s, {Do: Heal, Target: l}}, g); err != nil {
					t.Errorf("%s: %v", g.Topology, err)
				}
			}
		}
	}
}
