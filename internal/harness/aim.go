package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/option"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// aim turns the faults into the scenario for the lock, and chooses the topology that both need.
func (p *Plan) aim(w RunOptions, lock impls.Entry, faults nemesis.Faults) error {
	if w.Capabilities.Environment == "" {
		w.Capabilities = nemesis.CapabilitiesOf(w.Environment)
	}
	w.Capabilities = w.Capabilities.On(p.System())
	if a := p.Adapter; a != nil && (a.Clock == clockNone ||
		p.Environment == "sim" && !workloads.IsProgram(p.Impl)) {
		w.Capabilities = w.Capabilities.Minus(nemesis.ClientClock, fmt.Sprintf(
			"the wall clock of %s cannot be moved", p.Impl))
	}
	if p.Adapter != nil && p.Environment == "sim" && !workloads.IsProgram(p.Impl) {
		w.Capabilities = w.Capabilities.Minus(nemesis.Suspend, fmt.Sprintf(
			"the monotonic clock of %s, which calls time.Now, cannot stand", p.Impl))
	}
	if a := p.Adapter; a != nil && !a.Declares.Cancels {
		w.Capabilities = w.Capabilities.Minus(nemesis.Cancel, fmt.Sprintf(
			"%s does not declare that its calls can be given up (cancels)", p.Impl))
	}
	if err := faults.TooShort(p.TTL.D()); err != nil {
		return err
	}
	if w.Topology != "" && !slices.Contains(nemesis.Topologies(), w.Topology) {
		return fmt.Errorf("no topology %q; there are %s", w.Topology,
			strings.Join(nemesis.Topologies(), ", "))
	}
	params := p.params(w, lock)
	if err := lock.On(max(p.Masters, w.Masters, 1)); err != nil {
		return err
	}
	s, err := faults.Scenario(params)
	if err != nil {
		return err
	}
	p.Topology, p.Replicas, p.Scenario = s.Topology, s.Replicas, p.writeFirst(s.Steps)
	p.Requires = requires(s, p.Clients)
	if lock.Optimistic {
		p.Requires.Conflicts = minConflicts
	}
	p.ClientTimeout = history.Duration(cmp.Or(w.ClientTimeout, s.Timeout, defaultTimeout))
	if s.GivesUp && p.Adapter != nil && !slices.Contains(p.Adapter.Told, toldTimeout) {
		p.Adapter.Told = append(p.Adapter.Told, toldTimeout)
	}
	p.replicate(w)
	if w.Topology != "" && w.Topology != p.Topology {
		if p.Topology != nemesis.Single || !slices.Contains(
			[]string{nemesis.Failover, nemesis.Ensemble}, w.Topology) {
			return fmt.Errorf("%s under %s needs --topology %s, not %q", p.Impl, p.Nemesis, p.Topology,
				w.Topology)
		}
		p.Topology = w.Topology
	}
	if err := w.Capabilities.Possible(nemesis.Scenario{Topology: p.Topology, Replicas: p.Replicas,
		Steps: p.Scenario}); err != nil {
		err = fmt.Errorf("--nemesis %s: %w", p.Nemesis, err)
		if aim := possibleAim(p, lock, params); aim != "" {
			return fmt.Errorf("%w; use --nemesis %s", err, aim)
		}
		return err
	}
	return p.last(w)
}

// possibleAim returns the first aim of the plan's fault that the environment supports and that can
// strike the lock, or "". It returns "" for several faults.
func possibleAim(p *Plan, lock impls.Entry, params nemesis.Params) string {
	fault, _, err := nemesis.Find(p.Nemesis)
	if err != nil {
		return ""
	}
	return firstAim(fault, func(aim string) bool {
		faults, err := nemesis.Parse(aim)
		if err != nil || p.Adapter == nil && !meets(lock, aim, params) {
			return false
		}
		s, err := faults.Scenario(params)
		return err == nil && params.Capabilities.Possible(s) == nil
	})
}

// replicate gives the plan the replicas that the user asked for or that must confirm a write. It
// adds one if the scenario promotes a replica, since a replica does not confirm to itself.
func (p *Plan) replicate(w RunOptions) {
	if w.Replicas == 0 && p.WaitReplicas == 0 {
		return
	}
	if p.Topology == nemesis.Single {
		p.Topology = nemesis.Failover
	}
	switch {
	case w.Replicas > 0:
		p.Replicas = w.Replicas
	case p.Topology == nemesis.Independent:
		p.Replicas = 1
	case p.Topology == nemesis.Failover && p.Replicas == 0:
		p.Replicas = p.WaitReplicas
		if p.Requires.Failover {
			p.Replicas++
		}
	}
}

// params returns the values of the plan that the faults need.
func (p *Plan) params(w RunOptions, lock impls.Entry) nemesis.Params {
	params := nemesis.Params{
		TTL: p.TTL.D(), Hold: p.Hold.D(), Poll: p.Poll.D(), Clients: p.Clients, Nodes: 1,
		Timeout:  cmp.Or(w.ClientTimeout, defaultTimeout),
		Topology: w.Topology, Replicas: w.Replicas, Seed: p.Seed, Capabilities: w.Capabilities,
		Tapped: p.Adapter != nil,
	}
	if lock.Topology == impls.Independent {
		p.Masters = cmp.Or(w.Masters, defaultMasters)
		if n := len(w.Place.Addrs); w.Masters == 0 && n > 1 {
			p.Masters = n // each address is a master
		}
		params.Nodes = p.Masters
	}
	return params
}

// longestFor is the longest run that a plan may choose without --for.
const longestFor = 2 * time.Minute

// last gives a run the time that its scenario may take, unless the user set --for.
func (p *Plan) last(w RunOptions) error {
	if w.For > 0 {
		return nil
	}
	p.For = max(p.For, history.Duration(min(p.Longer(0), longestFor))) // holds may be long
	p.For += p.forCycles()
	longest := time.Duration(0)
	for _, s := range p.Scenario {
		longest += max(s.For.D(), s.Until.D()-longest, 0)
	}
	if longest == 0 {
		return nil // it waits for nothing that depends on the lease
	}
	need := longest + 2*p.TTL.D() + DefaultFor/2
	if need > longestFor {
		return fmt.Errorf(
			"with a lease of %v, %s may take %v: choose a shorter one with --ttl, or say --for %v", p.TTL,
			p.Nemesis, need.Round(time.Second), need.Round(time.Second))
	}
	p.For = max(p.For, history.Duration(need.Round(time.Second)))
	return nil
}

// forCycles returns the time that all clients need for the cycles of the plan, one after another.
func (p *Plan) forCycles() history.Duration {
	each, n := p.Hold+p.Poll+p.Think, history.Duration(p.Cycles*p.Clients)
	if n == 0 || each < (history.Duration(option.Longest)-p.For)/n {
		return n * each
	}
	return history.Duration(option.Longest) - p.For
}

// spareHolds is added to the required number of holds: the first hold is not contended, and the
// last one may not end.
const spareHolds = 2

// Longer returns how long the run should last to reach the contended acquisitions that it requires.
// It returns 0 if the run had enough of them, or if its time already suffices for that many holds
// in a row.
func (p Plan) Longer(contended int) time.Duration {
	need := time.Duration(p.Requires.Contended+spareHolds) * p.shape().Longest()
	if contended >= p.Requires.Contended || need <= p.For.D() {
		return 0
	}
	return (need + time.Second - 1).Truncate(time.Second)
}

// LongerHolds returns the flags for holds of half a lease, or of half of a longer lease if the run
// had such holds already or if its scenario waits for longer before a server takes over. It returns
// "" if the holds outlasted such a wait: longer ones would show no more.
func LongerHolds(p Plan) string {
	half, hold, wait := p.TTL.D()/2, p.Hold.D(), beforeTakeover(p.Scenario)
	need := (wait + p.Poll.D() + usualAnswer).Round(time.Second / 2)
	switch {
	case wait > 0 && hold >= need:
		return ""
	case wait > 0 && half < need:
		return fmt.Sprintf("--ttl %v --hold %v", 2*need, need)
	case hold < half:
		return fmt.Sprintf("--hold %v", half)
	}
	return fmt.Sprintf("--ttl %v --hold %v", 4*hold, 2*hold)
}

// usualAnswer is the time in which a client that lost its connection tries again and is answered.
const usualAnswer = 500 * time.Millisecond

// beforeTakeover returns how long a scenario waits between its aimed step, or the step that lets
// the holder go after it, and the promotion of a server.
func beforeTakeover(steps []nemesis.Step) (wait time.Duration) {
	aimed := false
	for _, s := range steps {
		switch {
		case s.Aimed || aimed && s.Do == nemesis.Go:
			aimed, wait = true, 0
		case s.Do == nemesis.Promote:
			return wait
		case s.Do == nemesis.Wait && aimed:
			wait += s.For.D()
		}
	}
	return 0
}

// requires returns the evidence without which a run of this scenario proves nothing.
func requires(s nemesis.Scenario, clients int) history.Requires {
	r := history.Requires{Contended: minContended, Handovers: min(minHandovers, clients-1),
		Hits: s.Aimed}
	for _, step := range s.Steps {
		r.Failover = r.Failover || step.Do == nemesis.Promote || step.Do == nemesis.Elected
	}
	return r
}

// successor names the client that was granted a lock while its first holder is still inside.
const successor = "successor"

// writeFirst changes the steps so that the successor of a late holder writes before that holder. A
// resource that checks tokens has then seen a newer one, and must refuse the late write. A holder
// is late only if it has not written yet, because it was stopped right after its grant.
func (p *Plan) writeFirst(steps []nemesis.Step) (out []nemesis.Step) {
	if p.Workload != workloads.Fenced {
		return steps
	}
	owner, waiting := "", false
	for _, s := range steps {
		switch a := s.Await; {
		case a != nil && a.Phase == nemesis.Granted && a.As != "":
			owner = a.As
		case a != nil && a.Phase == nemesis.Granted && owner != "" && a.Client == "other":
			named := *a
			named.As, s.Await, waiting = successor, &named, true
		case s.Do == nemesis.Go && s.Target == owner && waiting:
			leave := history.Duration(p.Hold.D() + 3*p.Poll.D() + 50*time.Millisecond)
			out = append(out, nemesis.Step{Do: nemesis.Go, Target: successor},
				nemesis.Step{Do: nemesis.Wait, For: leave})
			waiting = false
		}
		out = append(out, s)
	}
	return out
}
