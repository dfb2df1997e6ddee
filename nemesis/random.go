package nemesis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// drawing is an unfinished random scenario. It names all targets by number, so that the same plan
// hits the same targets again.
//
// At most one fault of a client and one of a node or link are in force at any time. More would be
// hard to tell apart, and a proxy must not be healed while its node is stopped (docs/running.md,
// toxiproxy).
type drawing struct {
	Params
	*rand.Rand
	out     Scenario
	clients []int       // that live
	masters []string    // that serve clients
	copies  [][2]string // replicas that can take over, each with its master
	moved   bool        // a replica was promoted, and its old master cannot start as a master again
	open    *stroke     // in force while the next one is added
}

// stroke is a drawn effect.
type stroke struct {
	Effect
	client bool // of a client's process, not of a node or a link
}

// random draws as many faults as the variant says, and some of them overlap. Each fault starts at a
// drawn time or event, and ends; only crashes and failovers last. Any one of the faults must hit a
// hold while a contender waits.
func random(variant string, p Params) Scenario {
	n, _ := strconv.Atoi(variant)
	d := &drawing{Params: p, Rand: rand.New(rand.NewPCG(p.Seed, 0xfa17))}
	d.place()
	for range n {
		d.inject()
	}
	d.close()
	d.out.Aimed = min(n, 1)
	return d.out
}

// place draws the topology, unless the plan names one.
func (d *drawing) place() {
	d.out.Topology = d.Topology
	switch {
	case d.Nodes > 1:
		d.out.Topology = Independent
		if d.Capabilities.lacks[Failover] == "" {
			d.out.Replicas = d.IntN(2)
		}
	case d.Topology == "":
		all := []string{Single, Failover, Failover, Failover, Sentinel}
		d.out.Topology = pick(d, slices.DeleteFunc(all, func(t string) bool {
			// an adapter need not know how to ask sentinels
			return d.Capabilities.lacks[t] != "" || t == Sentinel && d.Tapped
		}))
	}
	if d.out.Topology == Failover {
		d.out.Replicas = d.Replicas
	}
	g := d.out.Layout(d.Params)
	d.masters, d.copies = g.MasterNames(), g.ReplicaPairs()
	for i := range d.Clients {
		d.clients = append(d.clients, i)
	}
}

func pick[T any](d *drawing, all []T) T { return all[d.IntN(len(all))] }

// inject draws one fault and its start. A fault that was still in force ends before or after that.
func (d *drawing) inject() {
	kinds := slices.DeleteFunc(d.kinds(), func(k kind) bool {
		return !d.Capabilities.Has(k.actions()...) || d.open != nil && d.open.client == k.client()
	})
	if len(kinds) == 0 {
		return
	}
	k := pick(d, kinds)
	e := stroke{k.draw(d).aimed(true), k.client()}
	d.add(d.event(2 * d.TTL))
	// Let a stopped client go on at once: a long stop would be a pause that the plan does not contain.
	d.add(e.Begin[0], Step{Do: Go})
	d.add(e.Begin[1:]...)
	d.close()
	if len(e.End) > 0 && d.IntN(3) == 0 {
		d.open = &e
		return
	}
	d.add(d.lasting())
	d.add(e.End...)
	d.add(wait(d.upTo(d.TTL / 2)))
}

// close ends the effect that is still in force.
func (d *drawing) close() {
	if d.open == nil {
		return
	}
	end := d.open.End
	d.open = nil
	d.add(d.lasting())
	d.add(end...)
}

func (d *drawing) add(steps ...Step) { d.out.Steps = append(d.out.Steps, steps...) }

// upTo draws a rounded time.
func (d *drawing) upTo(most time.Duration) time.Duration {
	return max(time.Duration(d.Int64N(max(int64(most), 1))).Round(time.Millisecond), time.Millisecond)
}

// event draws the start of a fault: a time, a phase of a client's cycle, or a command. The scenario
// goes on if the event does not occur.
func (d *drawing) event(most time.Duration) Step {
	a := &Await{Nth: 1 + d.IntN(3)}
	if d.IntN(2) == 0 {
		a.Client = client(pick(d, d.clients))
	}
	seen := d.Capabilities.Has(CommandAwait)
	switch n := d.IntN(4); {
	case n == 0:
		return wait(d.upTo(d.TTL))
	case n == 1 && seen:
		a.Command, a.At = ".", pick(d, []string{Before, JustSent, After})
	default:
		a.Phase = pick(d, slices.DeleteFunc(slices.Clone(phases), func(p string) bool {
			return p == Sent && !seen
		}))
		a.Contended = d.IntN(2) == 0
	}
	return Step{Await: a, For: history.Duration(most)}
}

func wait(d time.Duration) Step { return Step{Do: Wait, For: history.Duration(d)} }

func client(i int) string { return fmt.Sprintf("c%d", i) }

// lasting draws the duration of a fault: far less than a lease, a part of it, or more.
func (d *drawing) lasting() Step {
	from := pick(d, []time.Duration{d.TTL / 10, d.TTL / 2, d.TTL * 11 / 10})
	return wait(from + d.upTo(d.TTL*2/5))
}
