package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// draw is a fault that hits at a moment drawn at random: at a time, at a phase of a client's
// cycle, or before or after one of its commands. The scenarios of the nemesis table are aimed where
// a lock is known to hurt; these may find another place.
type draw struct {
	rand *rand.Rand
	plan harness.Plan
}

// scenario is the fault with this name at a drawn moment, now and then twice; nil: the name has no
// form without an aim.
func (d draw) scenario(fault string) []nemesis.Step {
	var steps []nemesis.Step
	for n := 1 + d.rand.IntN(4)/3; n > 0; n-- {
		e, ok := d.effect(fault)
		if !ok {
			return nil
		}
		steps = append(steps, d.inject(e)...)
	}
	return steps
}

// inject does the effect at a drawn moment, lets the client that stands at the breakpoint go on at
// once, and undoes the effect after a drawn time.
func (d draw) inject(e nemesis.Effect) []nemesis.Step {
	at, name := d.moment()
	steps := append([]nemesis.Step{at}, e.Begin...)
	if name != "" {
		steps = append(steps, nemesis.Step{Do: nemesis.Go, Target: name})
	}
	if len(e.End) > 0 {
		steps = append(steps, nemesis.Step{Do: nemesis.Wait, For: d.length()})
	}
	return append(steps, e.End...)
}

// moment is a step that is over at the moment, and the name of the client that stands at a
// breakpoint then.
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

// effect draws what a fault does, and to which client or server.
func (d draw) effect(fault string) (nemesis.Effect, bool) {
	name, variant, _ := strings.Cut(fault, ":")
	on := nemesis.On{Client: d.client(), Nodes: []string{d.node()}}
	on.Links = on.Client + ">*"
	short := false
	switch name {
	case "latency", "minority-loss", "majority-loss":
		return nemesis.Effect{}, false // it lasts for the whole run, or needs several servers
	case "late":
		on.Mode = []string{nemesis.Requests, nemesis.Replies}[d.rand.IntN(2)]
	case "restart", "busy":
		variant = ""
		if name == "busy" {
			on.For = d.length()
		}
	case "clock-client", "clock-server":
		n := d.rand.IntN(5)
		variant = []string{"+", "+", "-", "-", "+"}[n]
		if short = n == 4; short && name == "clock-client" {
			variant = "rate"
		}
	case "failover":
		on.Nodes, on.Copy = []string{"n0"}, "n1"
	}
	e, ok := effects(d.plan).Effect(name, variant, on)
	switch {
	case name == "late" && d.rand.IntN(2) == 1:
		e.Begin = e.Begin[:1] // newer connections do not take another way
	case short:
		e.Begin[0].Offset /= 4
	case name == "failover":
		e.Begin = d.behind(e.Begin)
	}
	return e, ok
}

// behind loses what the replica has not heard before a failover: its link is cut from a moment of
// its own.
func (d draw) behind(failover []nemesis.Step) []nemesis.Step {
	at, name := d.moment()
	begin := []nemesis.Step{{Do: nemesis.Cut, Target: "n0>n1"}}
	if name == "" {
		return slices.Concat(begin, []nemesis.Step{at}, failover)
	}
	at.Await.As = "later"
	return slices.Concat(begin, []nemesis.Step{{Do: nemesis.Go, Target: name}, at}, failover,
		[]nemesis.Step{{Do: nemesis.Go, Target: "later"}})
}
