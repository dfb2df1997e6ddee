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

// draw creates scenarios with a fault at a random moment: at a time, at a phase of a client's
// cycle, or before or after one of its commands. The scenarios of the nemesis table aim at moments
// that are known to hurt a lock. Random moments may find others.
type draw struct {
	rand   *rand.Rand
	plan   harness.Plan
	victim string // the client that is hit most often; if empty, none is chosen yet
	// the commands that the lock was seen to send, as breakpoints name them; each is drawn with the
	// same probability, however rare it is
	commands []string
}

// newPlan returns the plan with its fault at a random moment.
func (d draw) newPlan() harness.Plan {
	d.pace()
	d.plan.Scenario, d.plan.Requires = d.scenario(d.plan.Nemesis), history.Requires{}
	return d.plan
}

// pace sometimes makes holds very short or almost as long as a lease, and adds pauses between
// holds, because real programs use locks in these ways as well.
func (d *draw) pace() {
	p := &d.plan
	if d.rand.IntN(3) > 0 {
		return
	}
	switch lease := p.Leases.Least(p.TTL); d.rand.IntN(3) {
	case 0:
		p.Hold = max(1, lease/20)
	case 1:
		p.Hold = lease * 7 / 10
	}
	if d.rand.IntN(2) == 0 {
		p.Think = p.TTL / 2
	}
}

// scenario returns the fault at a random moment, and sometimes two such faults. It returns nil if
// the fault has no form without an aim.
func (d draw) scenario(fault string) (steps []nemesis.Step) {
	if fault == noFault {
		return d.slow()
	}
	for n := 1 + d.rand.IntN(4)/3; n > 0; n-- {
		more, ok := d.injectOnce(fault)
		if !ok {
			return nil
		}
		steps = append(steps, more...)
	}
	return steps
}

// injectOnce returns the fault at one random moment. It returns false if the fault has no form
// without an aim.
func (d draw) injectOnce(fault string) ([]nemesis.Step, bool) {
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

// noFault is the name of the absence of a fault.
const noFault = "none"

// works makes a client hold the lock for about a lease or longer.
func (d draw) works() []nemesis.Step {
	at := d.drawAwait()
	at.Await.Phase = []string{nemesis.Granted, nemesis.Releasing}[d.rand.IntN(2)]
	at.Await.Nth = 1 + d.rand.IntN(3)
	return append([]nemesis.Step{at, {Do: nemesis.Wait, For: d.length()}}, goOn(at.Await.As)...)
}

// slow stops one or two clients before or after a command, as happens without any fault. Each delay
// plus the hold time is shorter than a lease.
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

// goOn lets the named client continue. The second step cancels the breakpoint if no client reached
// it in time.
func goOn(name string) []nemesis.Step {
	return []nemesis.Step{{Do: nemesis.Go, Target: name}, {Do: nemesis.Go}}
}

// slowest returns the longest delay of a client, in ns, that with its work stays below the lease.
func slowest(p harness.Plan) int64 { return int64(p.Leases.Least(p.TTL)-p.Hold) * 9 / 10 }

// stop returns a moment at which a client stops at a breakpoint.
func (d draw) stop() nemesis.Step {
	for {
		if at, name := d.moment(); name != "" {
			return at
		}
	}
}

// inject starts the effect at a random moment and lets a client that waits at the breakpoint
// continue at once. It ends the effect after a random time or at another moment.
func (d draw) inject(e nemesis.Effect) []nemesis.Step {
	if d.plan.Renews() && d.rand.IntN(4) == 0 {
		if len(e.End) == 0 {
			return d.injectAfterWork(e)
		}
		return d.injectDuringWork(e)
	}
	slow := e.Begin[0].Do == nemesis.Delay // it adds to the time that alone spends inside
	if len(e.End) > 0 && !slow && d.rand.IntN(8) == 0 {
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
	if d.rand.IntN(2) == 0 { // while a client, usually the victim, is inside
		until, name = d.drawAwait(), "until"
		until.Await.Phase, until.Await.Nth = nemesis.Granted, 1+d.rand.IntN(3)/2
	}
	if steps = append(append(steps, until), e.End...); name != "" {
		until.Await.As = "until"
		steps = append(steps, goOn("until")...)
	}
	return steps
}

// injectDuringWork keeps a client inside the lock during the effect. This reveals failed renewals
// of a lock that renews its lease.
func (d draw) injectDuringWork(e nemesis.Effect) []nemesis.Step {
	at := d.drawAwait()
	at.Await.As, at.Await.Phase, at.Await.Nth = "slow", nemesis.Granted, 1+d.rand.IntN(3)
	begin := append([]nemesis.Step{at}, e.Begin...)
	lasts := nemesis.Step{Do: nemesis.Wait, For: d.length()}
	if d.rand.IntN(2) == 0 { // it keeps working when the fault is over
		return slices.Concat(begin, []nemesis.Step{lasts}, e.End,
			[]nemesis.Step{{Do: nemesis.Wait, For: d.length()}}, goOn("slow"))
	}
	return slices.Concat(begin, []nemesis.Step{lasts}, goOn("slow"), e.End)
}

// injectAfterWork starts a lasting effect when its victim has been inside for a while, so that the
// victim's lease was renewed. This reveals a renewal that asks for a wrong lease.
func (d draw) injectAfterWork(e nemesis.Effect) []nemesis.Step {
	at := d.drawAwait()
	at.Await.As, at.Await.Client, at.Await.Phase = "slow", d.victim, nemesis.Granted
	at.Await.Nth = 1 + d.rand.IntN(3)
	steps := []nemesis.Step{at, {Do: nemesis.Wait, For: d.length()}}
	return slices.Concat(steps, e.Begin, goOn("slow"))
}

// alone lets only the victim request the lock during the effect, until it gets it. Half the time
// the effect starts when the victim releases the lock. The effect ends while the victim is inside,
// and then the others request the lock. A message that the victim sent for an earlier hold may then
// interfere with a later one.
func (d draw) alone(e nemesis.Effect) []nemesis.Step {
	begin, again := d.begin(e), d.drawAwait()
	if d.rand.IntN(2) == 0 {
		leaves := d.drawAwait()
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

// begin starts the effect at a random moment. Sometimes it starts while no client requests the
// lock, so that all of them then request it at once.
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

// dwells delays a client where any delay is allowed: between two holds, or inside if the lock
// renews its lease by itself.
func (d draw) dwells() []nemesis.Step {
	at := d.drawAwait()
	at.Await.As, at.Await.Phase = "slow", nemesis.Released
	if d.plan.Renews() && d.rand.IntN(2) == 0 {
		at.Await.Phase = nemesis.Granted
	}
	return append([]nemesis.Step{at, {Do: nemesis.Wait, For: d.length()}}, goOn("slow")...)
}

// moment returns a step that ends at a random moment, and the name of the client that then waits at
// a breakpoint, if one does.
func (d draw) moment() (s nemesis.Step, name string) {
	s = d.drawAwait()
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

// drawAwait returns a step that waits for a client, usually the victim, for at most three leases.
// The caller sets the phase or command.
func (d draw) drawAwait() nemesis.Step {
	a := &nemesis.Await{As: "drawn", Client: d.client()}
	if d.victim != "" && d.rand.IntN(3) > 0 {
		a.Client = d.victim
	}
	return nemesis.Step{Await: a, For: history.Duration(3 * d.plan.TTL)}
}

// lengths lists the lengths of a fault in percent of a lease. Most are longer than a lease or close
// to it.
var lengths = []history.Duration{130, 130, 250, 105, 95, 60, 30}

// rates lists the drift rates of a clock as shares of double speed.
var rates = []float64{1, 0.2, 0.02, -0.02, -0.2}

// length draws how long a fault lasts.
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

// nodes draws the masters that the loss of a minority or a majority takes.
func (d draw) nodes(loss string) (names []string) {
	n := d.plan.Masters
	lost := nemesis.Minority(n)
	if loss == "majority-loss" {
		lost = nemesis.Majority(n)
	}
	for _, i := range d.rand.Perm(n)[:lost] {
		names = append(names, fmt.Sprintf("n%d", i))
	}
	return names
}

// targets draws a client and a server. The replica is the one that takes over from that server.
func (d draw) targets() nemesis.On {
	on := nemesis.On{Client: cmp.Or(d.victim, d.client()), Nodes: []string{d.node()}}
	if on.Copy = "n1"; d.plan.Topology == nemesis.Independent {
		on.Copy = strings.Replace(on.Nodes[0], "n", "r", 1)
	}
	on.Links = on.Client + ">*"
	return on
}

// effect draws the details of a fault and the client or server that it hits.
func (d draw) effect(fault string) (nemesis.Effect, bool) {
	name, variant, _ := strings.Cut(fault, ":")
	on := d.targets()
	if d.plan.Topology == nemesis.Independent && d.rand.IntN(3) == 0 {
		on.Links = on.Client + ">" + on.Nodes[0]
	}
	short := false
	switch name {
	case "minority-loss", "majority-loss":
		if d.plan.Topology != nemesis.Independent {
			return nemesis.Effect{}, false
		}
		on.Nodes = d.nodes(name)
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
	}
	e, ok := effects(d.plan).Effect(name, variant, on)
	switch {
	case name == "late" && d.rand.IntN(2) == 1:
		e.Begin = e.Begin[:1] // without the redirect: newer connections are held back as well
	case short:
		e.Begin[0].Offset /= []history.Duration{4, 20}[d.rand.IntN(2)]
		e.Begin[0].Rate *= rates[d.rand.IntN(len(rates))]
	case name == "failover" && (variant == "healthy" || variant == "synced"):
		e.Begin = append([]nemesis.Step{{Do: nemesis.Barrier}}, e.Begin...)
	case name == "failover":
		e.Begin = d.cutReplica(e.Begin, on.Nodes[0]+">"+on.Copy)
	}
	return e, ok
}

// cutReplica cuts the replica's link at a random moment before a failover, so that later writes are
// lost.
func (d draw) cutReplica(failover []nemesis.Step, link string) []nemesis.Step {
	at, name := d.moment()
	begin := []nemesis.Step{{Do: nemesis.Cut, Target: link}}
	if name == "" {
		return slices.Concat(begin, []nemesis.Step{at}, failover)
	}
	at.Await.As = "later"
	return slices.Concat(begin, []nemesis.Step{{Do: nemesis.Go, Target: name}, at}, failover,
		goOn("later"))
}
