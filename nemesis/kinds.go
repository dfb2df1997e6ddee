package nemesis

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// kind is a sort of fault to draw: an action and its undoing or, with make, several actions.
type kind struct {
	does []string // actions that the environment must be able to do and to undo
	make func(*drawing) Effect
}

// client reports whether the fault hits a client's process, not a node or a link.
func (k kind) client() bool {
	a, _ := ActionOf(k.does[0])
	return a.Target == OneClient || a.Target == ClientOrAll
}

// actions returns all actions that the environment must support.
func (k kind) actions() []string {
	all := slices.Clone(k.does)
	if k.make == nil {
		for _, s := range undone(Step{Do: k.does[0]}).End {
			all = append(all, s.Do)
		}
	}
	return all
}

func (k kind) draw(d *drawing) Effect {
	if k.make != nil {
		return k.make(d)
	}
	return d.action(k.does[0])
}

// kinds returns the kinds of faults that are possible in the present state of the drawing.
func (d *drawing) kinds() (all []kind) {
	all = append(all, kind{[]string{Pause, Unpause}, drawStop})
	for _, do := range []string{Cancel, ClientClock, Cut, HoldBack, Delay, Refuse, Reset} {
		all = append(all, kind{does: []string{do}})
	}
	if len(d.clients) > 2 {
		all = append(all, kind{[]string{Crash}, drawCrash})
	}
	switch {
	case d.out.Topology == Cluster && !d.moved:
		all = append(all, kind{[]string{Elected, KillNode, PauseNode}, drawVote})
	case d.out.Topology == Cluster:
	case d.out.Topology == Sentinel && !d.moved:
		all = append(all, kind{[]string{Elected, KillNode, PauseNode, Cut}, drawElection})
	case d.out.Topology == Sentinel:
	case len(d.masters) > 0:
		for _, do := range []string{PauseNode, Busy, Stall, NodeClock, Flush, ForgetScripts,
			FillMemory} {
			all = append(all, kind{does: []string{do}})
		}
		if len(d.copies) > 0 {
			all = append(all, kind{[]string{KillNode, Promote}, drawFailover},
				kind{[]string{Cut, Heal}, drawReplication})
		}
		if !d.moved {
			all = append(all, kind{does: []string{KillNode}})
		}
	}
	return all
}

// action draws a target and the optional fields of an action.
func (d *drawing) action(do string) Effect {
	a, _ := ActionOf(do)
	s := Step{Do: do}
	if a.Target == OneClient || a.Target == ClientOrAll {
		s.Target = client(pick(d, d.clients))
	}
	if listed(a.may, "mode") {
		s.Mode = pick(d, []string{Both, Requests, Replies})
	}
	if listed(a.must, "for") {
		longest := d.TTL * 3 / 2
		if a.Target == Link {
			longest = d.TTL / 4
		}
		s.For = history.Duration(d.upTo(longest))
	}
	if listed(a.may, "offset") {
		s.Offset = d.offset()
	}
	if listed(a.may, "rate") && d.IntN(3) == 0 {
		s.Offset, s.Rate = 0, pick(d, []float64{-0.5, 1})
	}
	switch a.Target {
	case Link:
		s.Target = d.link()
	case Node:
		return undone(each(d.some(), s)...)
	}
	return undone(s)
}

// offset draws a clock's jump, ahead or back. A lease may or may not survive it.
func (d *drawing) offset() history.Duration {
	o := history.Duration(pick(d, []time.Duration{d.TTL / 2, d.jump()}))
	return o * history.Duration(1-2*d.IntN(2))
}

// link draws a client's link, all links of a client, or the links of all clients to a master.
func (d *drawing) link() string {
	c := client(pick(d, d.clients))
	links := pick(d, []string{c + ">*", c + ">*", c + ">" + pick(d, d.masters), "*>" +
		pick(d, d.masters)})
	if (d.out.Topology == Sentinel || d.out.Topology == Cluster) && links[0] == '*' {
		return c + ">*" // elections use the servers' own links
	}
	return links
}

// some draws one master, or several if they are independent.
func (d *drawing) some() []string {
	hit := slices.Clone(d.masters)
	d.Shuffle(len(hit), func(i, j int) { hit[i], hit[j] = hit[j], hit[i] })
	return hit[:1+d.IntN(len(hit))]
}

// drawStop pauses a client. In a fourth of the scenarios its machine is suspended, where that is
// possible. The other draws do not depend on it.
func drawStop(d *drawing) Effect {
	if d.Seed%4 == 0 && d.Capabilities.Has(Suspend, Wake) {
		return d.action(Suspend)
	}
	return d.action(Pause)
}

func drawCrash(d *drawing) Effect {
	i := d.IntN(len(d.clients))
	c := client(d.clients[i])
	d.clients = slices.Delete(d.clients, i, i+1)
	return d.effect("crash", On{Client: c})
}

// drawReplication draws a fault of a link between a master and its replica.
func drawReplication(d *drawing) Effect {
	r := pick(d, d.copies)
	s := pick(d, []Step{{Do: Cut}, {Do: Delay, For: history.Duration(d.upTo(d.TTL))}, {Do: Refuse}})
	s.Target = r[1] + ">" + r[0]
	return undone(s)
}

// drawFailover kills a master and promotes its replica, with or without the latest writes.
func drawFailover(d *drawing) Effect {
	i := d.IntN(len(d.copies))
	r := d.copies[i]
	d.copies = slices.Delete(slices.Clone(d.copies), i, i+1)
	for i := range d.copies {
		if d.copies[i][1] == r[1] { // it follows the new master
			d.copies[i][1] = r[0]
		}
	}
	d.moved = true
	d.masters = append(slices.DeleteFunc(slices.Clone(d.masters), func(n string) bool {
		return n == r[1]
	}), r[0])
	return d.effect("failover", On{Nodes: []string{r[1]}, Copy: r[0]})
}

// drawElection makes the master unavailable in one of three ways, until the sentinels have elected
// another.
func drawElection(d *drawing) Effect {
	return d.awayFor([]Step{{Do: KillNode, Target: "n0"}, {Do: PauseNode, Target: "n0"},
		{Do: Cut, Target: "s>n0"}})
}

// drawVote isolates a cluster's master until the other masters have voted for another.
func drawVote(d *drawing) Effect {
	return d.awayFor([]Step{{Do: KillNode, Target: "n0"}, {Do: PauseNode, Target: "n0"}})
}

// awayFor draws one of the ways to make the master unavailable, until another is promoted.
func (d *drawing) awayFor(ways []Step) Effect {
	d.moved = true
	e := undone(pick(d, ways))
	if e.Begin[0].Do == KillNode {
		e.End = nil // the old master stays unavailable
	}
	e.Begin = append(e.Begin, Step{Do: Elected, For: history.Duration(election)})
	return e
}
