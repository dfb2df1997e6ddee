package explore

import (
	"cmp"
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
	rand   *rand.Rand
	plan   harness.Plan
	victim string // the client that it is about, mostly; "": none yet
	// commands that the lock was seen to send, as breakpoints name them: one that is rare is as likely
	// a moment as any other
	commands []string
}

// scenario is the fault with this name at a drawn moment, now and then twice; nil: the name has no
// form without an aim.
func (d draw) scenario(fault string) []nemesis.Step {
	if fault == noFault {
		return d.slow()
	}
	var steps []nemesis.Step
	for n := 1 + d.rand.IntN(4)/3; n > 0; n-- {
		d.victim = d.client()
		e, ok := d.effect(fault)
		if !ok {
			return nil
		}
		steps = append(steps, d.inject(e)...)
	}
	return steps
}

// noFault is the name of no fault at all.
const noFault = "none"

// slow lets one client stand before or after one of its commands, or two clients, as clients do
// without any fault. Each is slow for less than a lease, together with the time that it is inside.
func (d draw) slow() []nemesis.Step {
	most := int64(d.plan.TTL-d.plan.Hold) * 9 / 10
	part := func(of int64) history.Duration { return history.Duration(1 + d.rand.Int64N(max(1, of))) }
	first := d.stop()
	d.victim = ""
	if d.rand.IntN(2) == 0 {
		return []nemesis.Step{first, {Do: nemesis.Wait, For: part(most)},
			{Do: nemesis.Go, Target: first.Await.As}}
	}
	second, both := d.stop(), part(most/2)
	for second.Await.Client == first.Await.Client {
		second = d.stop()
	}
	second.Await.As, second.For = "later", part(most-int64(both))
	return []nemesis.Step{first, second, {Do: nemesis.Wait, For: both},
		{Do: nemesis.Go, Target: first.Await.As},
		{Do: nemesis.Wait, For: part(most - int64(both))}, {Do: nemesis.Go, Target: "later"}}
}

// stop is a moment at which a client stands.
func (d draw) stop() nemesis.Step {
	for {
		if at, name := d.moment(); name != "" {
			return at
		}
	}
}

// inject does the effect at a drawn moment, lets the client that stands at the breakpoint go on at
// once, and undoes the effect after a drawn time or at another moment.
func (d draw) inject(e nemesis.Effect) []nemesis.Step {
	at, name := d.moment()
	steps := append([]nemesis.Step{at}, e.Begin...)
	if name != "" {
		steps = append(steps, nemesis.Step{Do: nemesis.Go, Target: name})
	}
	if d.rand.IntN(4) == 0 {
		steps = append(steps, d.dwells()...)
	}
	if len(e.End) == 0 {
		return steps
	}
	if d.rand.IntN(2) == 0 {
		return append(append(steps, nemesis.Step{Do: nemesis.Wait, For: d.length()}), e.End...)
	}
	until, name := d.moment()
	if d.rand.IntN(2) == 0 { // while a client is inside, mostly the one that it is about
		until, name = d.at(), "until"
		until.Await.Phase, until.Await.Nth = nemesis.Granted, 1+d.rand.IntN(3)/2
	}
	if steps = append(append(steps, until), e.End...); name != "" {
		until.Await.As = "until"
		steps = append(steps, nemesis.Step{Do: nemesis.Go, Target: "until"})
	}
	return steps
}

// dwells lets a client take its time where it may take as much as it likes: between two holds, or
// inside if its lock renews its lease by itself.
func (d draw) dwells() []nemesis.Step {
	at := d.at()
	at.Await.As, at.Await.Phase = "slow", nemesis.Released
	if d.plan.Renews() && d.rand.IntN(2) == 0 {
		at.Await.Phase = nemesis.Granted
	}
	return []nemesis.Step{at, {Do: nemesis.Wait, For: d.length()}, {Do: nemesis.Go, Target: "slow"}}
}

// moment is a step that is over at the moment, and the name of the client that stands at a
// breakpoint then.
func (d draw) moment() (s nemesis.Step, name string) {
	s = d.at()
	switch a := s.Await; d.rand.IntN(3) {
	case 0:
		return nemesis.Step{Do: nemesis.Wait, For: history.Duration(d.rand.Int64N(int64(s.For)/40)+1) *
			40}, ""
	case 1:
		a.Phase = []string{nemesis.Acquiring, nemesis.Granted, nemesis.Releasing,
			nemesis.Released}[d.rand.IntN(4)]
		a.Nth = 1 + d.rand.IntN(3)
	default:
		a.Command, a.At = ".", []string{nemesis.Before, nemesis.After}[d.rand.IntN(2)]
		a.Nth = 1 + d.rand.IntN(12)
		if len(d.commands) > 0 && d.rand.IntN(4) > 0 {
			a.Command, a.Nth = d.commands[d.rand.IntN(len(d.commands))], 1+d.rand.IntN(3)
		}
	}
	return s, s.Await.As
}

// at is a moment of a client, mostly of the victim, whose phase or command is still open. It
// is not waited for longer than three leases.
func (d draw) at() nemesis.Step {
	a := &nemesis.Await{As: "drawn", Client: d.client()}
	if d.victim != "" && d.rand.IntN(3) > 0 {
		a.Client = d.victim
	}
	return nemesis.Step{Await: a, For: history.Duration(3 * d.plan.TTL)}
}

// lengths of a fault in percent of a lease: mostly longer, just over it and just under it, and now
// and then much shorter.
var lengths = []history.Duration{130, 130, 250, 105, 95, 60, 30}

// length is how long a fault lasts.
func (d draw) length() history.Duration {
	return d.plan.TTL * lengths[d.rand.IntN(len(lengths))] / 100
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
	on := nemesis.On{Client: cmp.Or(d.victim, d.client()), Nodes: []string{d.node()}}
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
