package explore

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
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

// fresh is the plan with its fault at a drawn moment.
func (d draw) fresh() harness.Plan {
	d.pace()
	d.plan.Scenario, d.plan.Requires = d.scenario(d.plan.Nemesis), history.Requires{}
	return d.plan
}

// pace lets clients work for a moment or for most of a lease, and take their time between two
// holds, now and then: locks are used so, too.
func (d *draw) pace() {
	p := &d.plan
	if d.rand.IntN(3) > 0 {
		return
	}
	switch d.rand.IntN(3) {
	case 0:
		p.Hold = max(1, p.TTL/20)
	case 1:
		p.Hold = p.TTL * 7 / 10
	}
	if d.rand.IntN(2) == 0 {
		p.Think = p.TTL / 2
	}
}

// scenario is the fault with this name at a drawn moment, now and then twice; nil: the name has no
// form without an aim.
func (d draw) scenario(fault string) (steps []nemesis.Step) {
	if fault == noFault {
		return d.slow()
	}
	for n := 1 + d.rand.IntN(4)/3; n > 0; n-- {
		more, ok := d.once(fault)
		if !ok {
			return nil
		}
		steps = append(steps, more...)
	}
	return steps
}

// once is the fault once; false: the name has no form without an aim.
func (d draw) once(fault string) ([]nemesis.Step, bool) {
	d.victim = d.client()
	if about, _, _ := nemesis.Find(fault); about.Work {
		return d.works(), true
	}
	e, ok := d.effect(fault)
	if !ok {
		return nil, false
	}
	return d.inject(e), true
}

// noFault is the name of no fault at all.
const noFault = "none"

// works lets a client work for about a lease, or for longer.
func (d draw) works() []nemesis.Step {
	at := d.at()
	at.Await.Phase = []string{nemesis.Granted, nemesis.Releasing}[d.rand.IntN(2)]
	at.Await.Nth = 1 + d.rand.IntN(3)
	return append([]nemesis.Step{at, {Do: nemesis.Wait, For: d.length()}}, goOn(at.Await.As)...)
}

// slow lets one client stand before or after one of its commands, or two clients, as clients do
// without any fault. Each is slow for less than a lease, together with the time that it is inside.
func (d draw) slow() []nemesis.Step {
	most := slowest(d.plan)
	part := func(of int64) history.Duration { return history.Duration(1 + d.rand.Int64N(max(1, of))) }
	first := d.stop()
	d.victim = ""
	if d.rand.IntN(3) == 0 {
		return slices.Concat([]nemesis.Step{first, {Do: nemesis.Wait, For: part(most)}},
			goOn(first.Await.As))
	}
	second, both := d.stop(), part(most/2)
	for second.Await.Client == first.Await.Client {
		second = d.stop()
	}
	second.Await.As, second.For = "later", part(most-int64(both))
	return slices.Concat([]nemesis.Step{first, second, {Do: nemesis.Wait, For: both},
		{Do: nemesis.Go, Target: first.Await.As},
		{Do: nemesis.Wait, For: part(most - int64(both))}}, goOn("later"))
}

// goOn lets the client with a name go on. If none came in time, none shall stand there later.
func goOn(name string) []nemesis.Step {
	return []nemesis.Step{{Do: nemesis.Go, Target: name}, {Do: nemesis.Go}}
}

// slowest is how long a client may be slow without any fault: its lease outlasts that and its work.
func slowest(p harness.Plan) int64 { return int64(p.TTL-p.Hold) * 9 / 10 }

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
	if d.plan.Renews() && len(e.End) > 0 && d.rand.IntN(4) == 0 {
		return d.during(e)
	}
	if len(e.End) > 0 && d.rand.IntN(8) == 0 {
		return d.alone(e)
	}
	steps := d.begin(e)
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
		steps = append(steps, goOn("until")...)
	}
	return steps
}

// during does the effect while a client works for as long as it takes, since its lock renews its
// lease: what keeps the renewals away shows only so.
func (d draw) during(e nemesis.Effect) []nemesis.Step {
	at := d.at()
	at.Await.As, at.Await.Phase, at.Await.Nth = "slow", nemesis.Granted, 1+d.rand.IntN(3)
	begin := append([]nemesis.Step{at}, e.Begin...)
	lasts := nemesis.Step{Do: nemesis.Wait, For: d.length()}
	if d.rand.IntN(2) == 0 { // it works on when the fault is over
		return slices.Concat(begin, []nemesis.Step{lasts}, e.End,
			[]nemesis.Step{{Do: nemesis.Wait, For: d.length()}}, goOn("slow"))
	}
	return slices.Concat(begin, []nemesis.Step{lasts}, goOn("slow"), e.End)
}

// alone does the effect, half the time when its victim leaves, and then only the victim asks for
// the lock, until it is granted it. There the effect ends while it is inside, for no longer than a
// client that is slow without a fault, and the others ask: what it sent for an earlier hold may
// meet a later one.
func (d draw) alone(e nemesis.Effect) []nemesis.Step {
	begin, again := d.begin(e), d.at()
	if d.rand.IntN(2) == 0 {
		leaves := d.at()
		leaves.Await.Client, leaves.Await.Phase = d.victim, nemesis.Releasing
		leaves.Await.Nth = 1 + d.rand.IntN(2)
		begin = slices.Concat([]nemesis.Step{leaves}, e.Begin, goOn(leaves.Await.As))
	}
	again.Await.As, again.Await.Client, again.Await.Phase = "again", d.victim, nemesis.Granted
	inside := history.Duration(1 + d.rand.Int64N(slowest(d.plan)))
	return slices.Concat(append(begin, nemesis.Step{Do: nemesis.Quiesce},
		nemesis.Step{Do: nemesis.Resume, Target: d.victim}, again), e.End,
		[]nemesis.Step{{Do: nemesis.Resume}, {Do: nemesis.Wait, For: inside}}, goOn("again"))
}

// begin does the effect at a drawn moment, or now and then while no client asks for the lock, so
// that all of them ask at once when it has begun.
func (d draw) begin(e nemesis.Effect) []nemesis.Step {
	if d.rand.IntN(8) == 0 {
		return slices.Concat([]nemesis.Step{{Do: nemesis.Quiesce}}, e.Begin,
			[]nemesis.Step{{Do: nemesis.Resume}})
	}
	at, name := d.moment()
	steps := append([]nemesis.Step{at}, e.Begin...)
	if name != "" {
		steps = append(steps, goOn(name)...)
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
	return append([]nemesis.Step{at, {Do: nemesis.Wait, For: d.length()}}, goOn("slow")...)
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
			a.Command = d.commands[d.rand.IntN(len(d.commands))]
			a.Nth = 1 + d.rand.IntN(3)*d.rand.IntN(2)
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

// rates of a clock that drifts, as shares of twice the speed.
var rates = []float64{1, 0.2, 0.02, -0.02, -0.2}

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
		n := d.rand.IntN(6)
		variant = []string{"+", "+", "-", "-", "+", "-"}[n]
		if short = n > 3; short && name == "clock-client" && d.rand.IntN(2) == 0 {
			variant = "rate"
		}
	case "failover":
		if on.Copy = "n1"; d.plan.Topology == nemesis.Independent {
			on.Copy = strings.Replace(on.Nodes[0], "n", "r", 1)
		}
	}
	e, ok := effects(d.plan).Effect(name, variant, on)
	switch {
	case name == "late" && d.rand.IntN(2) == 1:
		e.Begin = e.Begin[:1] // newer connections do not take another way
	case short:
		e.Begin[0].Offset /= []history.Duration{4, 20}[d.rand.IntN(2)]
		e.Begin[0].Rate *= rates[d.rand.IntN(len(rates))]
	case name == "failover":
		e.Begin = d.behind(e.Begin, on.Nodes[0]+">"+on.Copy)
	}
	return e, ok
}

// behind loses what the replica has not heard before a failover: its link is cut from a moment of
// its own.
func (d draw) behind(failover []nemesis.Step, link string) []nemesis.Step {
	at, name := d.moment()
	begin := []nemesis.Step{{Do: nemesis.Cut, Target: link}}
	if name == "" {
		return slices.Concat(begin, []nemesis.Step{at}, failover)
	}
	at.Await.As = "later"
	return slices.Concat(begin, []nemesis.Step{{Do: nemesis.Go, Target: name}, at}, failover,
		goOn("later"))
}
