package explore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// draw is a fault that strikes at a moment drawn at random: at a time, at a phase of a client's
// cycle, or before or after one of its commands. The scenarios of the nemesis table are aimed where
// a lock is known to hurt; these find where nobody looked.
type draw struct {
	rand *rand.Rand
	plan harness.Plan
}

// effect is what a fault does: now, and later to undo it.
type effect struct{ begin, end []nemesis.Step }

// scenario is the fault with this name at a drawn moment, now and then twice; nil: the name has no
// form without an aim.
func (d draw) scenario(fault string) []nemesis.Step {
	var steps []nemesis.Step
	for n := 1 + d.rand.IntN(4)/3; n > 0; n-- {
		e, ok := d.effect(fault)
		if !ok {
			return nil
		}
		steps = append(steps, d.strike(e)...)
	}
	return steps
}

// strike does the effect at a drawn moment, lets whoever stands at the gate go on at once, and
// undoes it after a drawn time. A failover's link is cut from the beginning, or from a moment of
// its own.
func (d draw) strike(e effect) []nemesis.Step {
	var steps []nemesis.Step
	gate, name := d.moment()
	steps = append(steps, gate)
	steps = append(steps, e.begin...)
	if name != "" {
		steps = append(steps, nemesis.Step{Do: nemesis.Go, Target: name})
	}
	if len(e.end) > 0 {
		steps = append(steps, nemesis.Step{Do: nemesis.Wait, For: d.length()})
	}
	return append(steps, e.end...)
}

// moment is a step that is over at the moment, and the name of the client that stands at a gate
// then.
func (d draw) moment() (s nemesis.Step, name string) {
	const who = "drawn"
	longest := history.Duration(3 * d.plan.TTL)
	a := &nemesis.Await{As: who, Client: fmt.Sprintf("c%d", d.rand.IntN(d.plan.Clients))}
	switch d.rand.IntN(3) {
	case 0:
		return nemesis.Step{Do: nemesis.Wait, For: history.Duration(d.rand.Int64N(int64(longest)/40)+1) *
			40}, ""
	case 1:
		a.Phase = []string{nemesis.Acquiring, nemesis.Granted, nemesis.Releasing,
			nemesis.Released}[d.rand.IntN(4)]
		a.Nth = 1 + d.rand.IntN(3)
	default:
		a.Command, a.At = ".", []string{nemesis.Before, nemesis.After}[d.rand.IntN(2)]
		a.Nth = 1 + d.rand.IntN(12)
	}
	return nemesis.Step{Await: a, For: longest}, who
}

// length is how long a fault lasts: mostly longer than a lease, now and then much shorter.
func (d draw) length() history.Duration {
	return d.plan.TTL * history.Duration([]int{13, 13, 25, 3, 6}[d.rand.IntN(5)]) / 10
}

func (d draw) client() string { return fmt.Sprintf("c%d", d.rand.IntN(d.plan.Clients)) }

func (d draw) node() string {
	if d.plan.Topology == nemesis.Independent {
		return fmt.Sprintf("n%d", d.rand.IntN(d.plan.Masters))
	}
	return "n0"
}

// effect draws what a fault does, and to whom.
func (d draw) effect(fault string) (effect, bool) {
	name, variant, _ := strings.Cut(fault, ":")
	c, n := d.client(), d.node()
	links := c + ">*"
	one := func(begin nemesis.Step, end ...nemesis.Step) (effect, bool) {
		return effect{[]nemesis.Step{begin}, end}, true
	}
	heal := nemesis.Step{Do: nemesis.Heal, Target: links}
	switch name {
	case "pause":
		return one(nemesis.Step{Do: nemesis.Pause, Target: c}, nemesis.Step{Do: nemesis.Unpause,
			Target: c})
	case "crash":
		return one(nemesis.Step{Do: nemesis.Crash, Target: c})
	case "partition":
		return one(d.partition(variant, links), heal)
	case "request-loss":
		return one(nemesis.Step{Do: nemesis.Cut, Target: links, Mode: nemesis.Requests}, heal)
	case "reply-loss":
		return one(nemesis.Step{Do: nemesis.Cut, Target: links, Mode: nemesis.Replies}, heal)
	case "late":
		return d.late(c, links), true
	case "restart":
		return effect{[]nemesis.Step{{Do: nemesis.KillNode, Target: n}, {Do: nemesis.Start, Target: n}},
			nil}, true
	case "restart-delayed":
		return one(nemesis.Step{Do: nemesis.KillNode, Target: n}, nemesis.Step{Do: nemesis.Start,
			Target: n})
	case "clock-client":
		return one(d.clock(nemesis.Step{Do: nemesis.ClientClock, Target: c}))
	case "clock-server":
		return one(d.clock(nemesis.Step{Do: nemesis.NodeClock, Target: n}))
	case "node-pause":
		return one(nemesis.Step{Do: nemesis.PauseNode, Target: n}, nemesis.Step{Do: nemesis.ResumeNode,
			Target: n})
	case "busy":
		return one(nemesis.Step{Do: nemesis.Stall, Target: n, For: d.length()}, nemesis.Step{
			Do: nemesis.Free, Target: n})
	case "node-crash":
		return one(nemesis.Step{Do: nemesis.KillNode, Target: n})
	case "failover":
		return d.failover(), true
	}
	return effect{}, false
}

func (d draw) partition(variant, links string) nemesis.Step {
	s := nemesis.Step{Do: nemesis.Cut, Target: links}
	switch variant {
	case nemesis.Requests, nemesis.Replies:
		s.Mode = variant
	case nemesis.Refuse, nemesis.Reset:
		s.Do = variant
	}
	return s
}

// late holds what a client sends or is told; newer connections may take another way.
func (d draw) late(c, links string) effect {
	e := effect{
		[]nemesis.Step{{Do: nemesis.HoldBack, Target: links, Mode: []string{nemesis.Requests,
			nemesis.Replies}[d.rand.IntN(2)]}},
		[]nemesis.Step{{Do: nemesis.Heal, Target: links}},
	}
	if d.rand.IntN(2) == 0 {
		e.begin = append(e.begin, nemesis.Step{Do: nemesis.Redirect, Target: c, Node: "spare"})
	}
	return e
}

// clock makes a clock wrong by more than a lease, or a client's fast.
func (d draw) clock(s nemesis.Step) nemesis.Step {
	jump := d.plan.TTL + history.Duration(500*time.Millisecond)
	switch d.rand.IntN(5) {
	case 0, 1:
		s.Offset = jump
	case 2, 3:
		s.Offset = -jump
	case 4:
		if s.Offset = jump / 4; s.Do == nemesis.ClientClock {
			s.Offset, s.Rate = 0, 1
		}
	}
	return s
}

// failover loses what the replica has not heard: its link is cut from a moment of its own.
func (d draw) failover() effect {
	gate, name := d.moment()
	begin := []nemesis.Step{{Do: nemesis.Cut, Target: "n0>n1"}}
	if name != "" {
		begin = append(begin, nemesis.Step{Do: nemesis.Go, Target: name})
		gate.Await.As = "later"
	}
	begin = append(begin, gate, nemesis.Step{Do: nemesis.KillNode, Target: "n0"}, nemesis.Step{
		Do: nemesis.Promote, Target: "n1"},
		nemesis.Step{Do: nemesis.Redirect, Target: "*", Node: "n1"})
	if name != "" {
		begin = append(begin, nemesis.Step{Do: nemesis.Go, Target: "later"})
	}
	return effect{begin, nil}
}
