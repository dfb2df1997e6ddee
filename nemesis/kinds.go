package nemesis

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/history"
)

// kind is a sort of fault that can be drawn: what the environment must be able to do for it, and
// how its begin and its end are made.
type kind struct {
	steps  []string
	client bool // it hits a client's process, not a node or a link
	draw   func(*drawing) (begin, end []Step)
}

// kinds are those that are possible as things stand.
func (d *drawing) kinds() []kind {
	all := slices.Clone(always)
	if len(d.clients) > 2 {
		all = append(all, kind{[]string{Crash}, true, drawCrash})
	}
	switch {
	case d.out.Topology == Sentinel && !d.moved:
		all = append(all, kind{[]string{Elected, KillNode, PauseNode, Cut}, false, drawElection})
	case d.out.Topology == Sentinel:
	case len(d.masters) > 0:
		all = append(all, ofNodes...)
		if len(d.copies) > 0 {
			all = append(all, kind{[]string{KillNode, Promote}, false, drawFailover},
				kind{[]string{Cut, Heal}, false, drawReplication})
		}
		if !d.moved {
			all = append(all, kind{[]string{KillNode, Start}, false, drawRestart})
		}
	}
	return all
}

// always are the kinds that need clients and links only.
var always = []kind{
	{[]string{Pause, Unpause}, true, func(d *drawing) (begin, end []Step) {
		c := client(one(d, d.clients))
		return []Step{{Do: Pause, Target: c}}, []Step{{Do: Unpause, Target: c}}
	}},
	{nil, true, func(d *drawing) (begin, end []Step) {
		c := client(one(d, d.clients))
		clock := Step{Do: ClientClock, Target: c, Offset: d.offset()}
		if d.IntN(3) == 0 {
			clock.Offset, clock.Rate = 0, one(d, []float64{-0.5, 1})
		}
		return []Step{clock}, []Step{{Do: ClientClock, Target: c}}
	}},
	{[]string{Cut, Heal}, false, func(d *drawing) (begin, end []Step) {
		return d.link(Step{Do: Cut, Mode: one(d, []string{Both, Requests, Replies})})
	}},
	{[]string{HoldBack, Heal}, false, func(d *drawing) (begin, end []Step) {
		return d.link(Step{Do: HoldBack, Mode: one(d, []string{Both, Requests, Replies})})
	}},
	{[]string{Delay, Heal}, false, func(d *drawing) (begin, end []Step) {
		return d.link(Step{Do: Delay, For: history.Duration(d.upTo(d.TTL / 4))})
	}},
	{[]string{Refuse, Heal}, false, func(d *drawing) (begin, end []Step) {
		return d.link(Step{Do: Refuse})
	}},
	{[]string{Reset, Heal}, false, func(d *drawing) (begin, end []Step) {
		return d.link(Step{Do: Reset})
	}},
}

// ofNodes are the kinds that hit one Redis or several.
var ofNodes = []kind{
	{[]string{PauseNode, ResumeNode}, false, func(d *drawing) (begin, end []Step) {
		return d.some(Step{Do: PauseNode}, Step{Do: ResumeNode})
	}},
	{[]string{Busy, Free}, false, func(d *drawing) (begin, end []Step) {
		return d.some(Step{Do: Busy}, Step{Do: Free})
	}},
	{[]string{Stall, Free}, false, func(d *drawing) (begin, end []Step) {
		return d.some(Step{Do: Stall, For: history.Duration(d.upTo(d.TTL * 3 / 2))}, Step{Do: Free})
	}},
	{[]string{NodeClock}, false, func(d *drawing) (begin, end []Step) {
		return d.some(Step{Do: NodeClock, Offset: d.offset()}, Step{Do: NodeClock})
	}},
}

// offset is a clock's jump, there or back, that a lease survives or not.
func (d *drawing) offset() history.Duration {
	o := history.Duration(one(d, []time.Duration{d.TTL / 2, d.jump()}))
	return o * history.Duration(1-2*d.IntN(2))
}

// link does something to one link of a client, to all of them, or to those of all clients.
func (d *drawing) link(s Step) (begin, end []Step) {
	c := client(one(d, d.clients))
	s.Target = one(d, []string{c + ">*", c + ">*", c + ">" + one(d, d.masters), "*>" +
		one(d, d.masters)})
	if d.out.Topology == Sentinel && s.Target[0] == '*' {
		s.Target = c + ">*" // the servers' own links are an election's
	}
	return []Step{s}, []Step{{Do: Heal, Target: s.Target}}
}

// some does something to one master, or to several of independent ones.
func (d *drawing) some(s, undo Step) (begin, end []Step) {
	hit := slices.Clone(d.masters)
	d.Shuffle(len(hit), func(i, j int) { hit[i], hit[j] = hit[j], hit[i] })
	for _, n := range hit[:1+d.IntN(len(hit))] {
		s.Target, undo.Target = n, n
		begin, end = append(begin, s), append(end, undo)
	}
	return begin, end
}

func drawRestart(d *drawing) (begin, end []Step) {
	return d.some(Step{Do: KillNode}, Step{Do: Start})
}

func drawCrash(d *drawing) (begin, end []Step) {
	i := d.IntN(len(d.clients))
	c := client(d.clients[i])
	d.clients = slices.Delete(d.clients, i, i+1)
	return []Step{{Do: Crash, Target: c}}, nil
}

// drawReplication does something to the way between a master and its replica.
func drawReplication(d *drawing) (begin, end []Step) {
	r := one(d, d.copies)
	s := one(d, []Step{{Do: Cut}, {Do: Delay, For: history.Duration(d.upTo(d.TTL))}, {Do: Refuse}})
	s.Target = r[1] + ">" + r[0]
	return []Step{s}, []Step{{Do: Heal, Target: s.Target}}
}

// drawFailover kills a master and promotes its replica, whatever that has heard.
func drawFailover(d *drawing) (begin, end []Step) {
	i := d.IntN(len(d.copies))
	r := d.copies[i]
	d.copies = slices.Delete(slices.Clone(d.copies), i, i+1)
	d.moved = true
	d.masters = append(slices.DeleteFunc(slices.Clone(d.masters), func(n string) bool {
		return n == r[1]
	}), r[0])
	return []Step{{Do: KillNode, Target: r[1]}, {Do: Promote, Target: r[0]},
		{Do: Redirect, Target: "*",
			Node: r[0]}}, nil
}

// drawElection takes the master away from the sentinels, in one of three ways, until they have
// elected another.
func drawElection(d *drawing) (begin, end []Step) {
	d.moved = true
	elected := Step{Do: Elected, For: history.Duration(election)}
	switch d.IntN(3) {
	case 0:
		return []Step{{Do: KillNode, Target: "n0"}, elected}, nil
	case 1:
		return []Step{{Do: PauseNode, Target: "n0"}, elected}, []Step{{Do: ResumeNode, Target: "n0"}}
	}
	return []Step{{Do: Cut, Target: "s>n0"}, elected}, []Step{{Do: Heal, Target: "s>n0"}}
}
