package explore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/nemesis"
)

// form is a variant of a fault that can strike at any place of a run, before any message arrives.
// It always hits client 0. That loses nothing, because all clients are alike and the search tries
// every order of them.
type form struct {
	fault, variant string
	mode           string // overrides the mode of the effect on links, unless empty
	links          string // the affected links; if empty, all links of client 0
	// nodes returns how many servers the fault affects. If nil, it affects the first one.
	nodes   func(n int) int
	masters bool          // requires several independent masters
	lasts   time.Duration // if zero, a little longer than a lease
	timeout time.Duration // of the Redis client; if zero, the client never gives up
}

// A client gives up on a lost reply after giveUp. After twice it has given up two times.
const (
	giveUp = 250 * time.Millisecond
	twice  = giveUp * 5 / 2
)

// forms lists all forms.
var forms = []form{
	{fault: "pause"}, {fault: "crash"}, {fault: "partition", timeout: giveUp},
	{fault: "request-loss", lasts: twice, timeout: giveUp},
	{fault: "reply-loss", lasts: twice, timeout: giveUp},
	{fault: "late", mode: nemesis.Requests, timeout: giveUp},
	{fault: "late", mode: nemesis.Replies},
	{fault: "late", mode: nemesis.Requests, links: "c0>n0", masters: true, timeout: giveUp},
	{fault: "restart"}, {fault: "restart-delayed"}, {fault: "failover"},
	{fault: "clock-client", variant: "+"}, {fault: "clock-client", variant: "-"},
	{fault: "clock-server", variant: "+", nodes: nemesis.Every},
	{fault: "clock-server", variant: "-", nodes: nemesis.Every},
	{fault: "busy", nodes: nemesis.Every}, {fault: "node-pause", nodes: nemesis.Every},
	{fault: "node-crash", nodes: nemesis.Every},
	{fault: "minority-loss", nodes: nemesis.Minority, masters: true},
	{fault: "majority-loss", nodes: nemesis.Majority, masters: true}, {fault: "suspend"},
}

// effects returns the parameters of the nemesis for a plan.
func effects(p harness.Plan) nemesis.Params {
	return nemesis.Params{TTL: p.TTL.D(), Nodes: max(p.Masters, 1)}
}

// steps returns the effect, a wait, and the end of the effect. It returns nil if the form does not
// apply to the plan.
func (f form) steps(p harness.Plan) []nemesis.Step {
	params := effects(p)
	if f.masters && params.Nodes < 2 {
		return nil
	}
	on := params.Servers(1)
	if f.nodes != nil {
		on = params.Servers(f.nodes(params.Nodes))
	}
	on.Client, on.Links, on.Copy = "c0", cmp.Or(f.links, "c0>*"), "n1"
	if params.Nodes > 1 {
		on.Copy = nemesis.Replica(0)
	}
	lasts := history.Duration(cmp.Or(f.lasts, params.Long()))
	on.For, on.Mode = lasts, f.mode
	e, _ := params.Effect(f.fault, f.variant, on)
	if len(e.End) == 0 {
		return e.Begin
	}
	return slices.Concat(e.Begin, []nemesis.Step{{Do: nemesis.Wait, For: lasts}}, e.End)
}

// AnywhereFaults returns the names of the faults that can strike at any place.
func AnywhereFaults() (names []string) {
	for _, f := range forms {
		names = append(names, f.fault)
	}
	return history.Distinct(names)
}

// anywhere returns one plan for each form of the plan's fault.
func anywhere(p harness.Plan) (plans []harness.Plan) {
	name, variant, _ := strings.Cut(p.Nemesis, ":")
	for _, f := range forms {
		if f.fault != name || variant != "" && f.variant != "" && variant != f.variant {
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

// Draw returns a function that returns the run of a seed and the name of its schedule, without
// using anything learned from earlier runs. It returns an error if the lock or the simulator does
// not support the fault.
func (s Search) Draw() (func(seed uint64) (simrun.Job, string), error) {
	f := &searching{Search: s}
	if err := f.prepare(); err != nil {
		return nil, err
	}
	return func(seed uint64) (simrun.Job, string) {
		n := int(seed)
		a := &attempt{seed: seed, number: n % len(f.plans),
			schedule: f.turns.members[n/len(f.plans)%len(f.turns.members)]}
		f.plan(a)
		chooser, _ := randomChooser(a.schedule, a.plan, a.plan.Seed)
		return simrun.Job{Plan: a.plan, Chooser: chooser}, a.schedule
	}, nil
}
