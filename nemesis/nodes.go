package nemesis

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/history"
)

// failover cuts (or delays) the replication link while the lock is free, lets one client be granted
// it, and kills the master in that hold. "healthy" is the control: the replica has the grant before
// the master dies. The replica may only be trusted to be behind by what the link loses, hence the
// barrier. "release" loses a release instead: the grant reaches the replica, the release does not
// (docs/locks.md, T14).
//
// Of independent masters the first one fails over, and the holder has the lock on a bare majority:
// it cannot reach the last ones.
func failover(variant string, p Params) []Step {
	replica := "n1"
	if p.Nodes > 1 {
		replica = Replica(0)
	}
	cut := Step{Do: Cut, Target: "n0>" + replica}
	if variant == "delayed" {
		cut.Do, cut.For = Delay, history.Duration(50*time.Millisecond)
	}
	fail := p.effect("failover", "", On{Nodes: []string{"n0"}, Copy: replica}).aimed(
		variant != "release" && variant != "between").Begin
	begin := slices.Concat([]Step{{Do: Quiesce}, {Do: Barrier}}, p.refuse())
	switch {
	case variant == "healthy":
		return slices.Concat(begin, first(variant), []Step{{Do: Barrier}}, fail, p.replaced(), p.heal())
	case variant == "release":
		return slices.Concat([]Step{{Do: Quiesce}, {Do: Barrier}, {Do: Resume}, {Do: Warm}},
			alone(Await{Phase: Granted}, p.refuse()...),
			[]Step{{Do: Barrier}, cut, pass(owner), p.outside()}, fail, p.heal(),
			[]Step{{Do: Resume}, wait(p.look()), pass(owner)})
	case p.Nodes == 1 && (variant == "cut" || variant == "delayed"):
		// no client is held up for longer than it takes: this is the run that people wait for
		return slices.Concat(begin, []Step{cut, {Do: Resume}, inside()}, fail, []Step{pass(owner)})
	}
	return slices.Concat(begin, []Step{cut}, first(variant), fail, p.replaced(), p.heal())
}

// The longest that sentinels may take to promote a replica (two seconds are usual), and clients to
// hear of it.
const (
	election = 15 * time.Second
	hearsay  = 5 * time.Second
)

// failoverSentinel takes the master away from its replicas and from the sentinels, and leaves the
// rest to them. The first holder stands inside until another has been granted the lock, since an
// election takes longer than any hold.
func failoverSentinel(variant string, p Params) []Step {
	cut := []Step{{Do: Cut, Target: "s>n0"}}
	kill := p.effect("node-crash", "", p.Servers(p.Nodes)).aimed(true).Begin
	elected := []Step{{Do: Elected, For: history.Duration(election)}}
	begin := []Step{{Do: Quiesce}, {Do: Barrier}}
	aim := []Step{{Do: Resume}, inside()}
	switch variant {
	case "healthy":
		return slices.Concat(begin, aim, []Step{{Do: Barrier}}, kill, elected, []Step{pass(owner)})
	case "alive":
		kill = nil
	}
	return slices.Concat(begin, cut, aim, kill, elected, p.after(granted(Other, hearsay)))
}

// replaced lets client 1 and then all others go on, and the first holder when another has been
// granted the lock. Of independent masters it may have asked some already, has to give up those
// votes, and try again.
func (p Params) replaced() []Step {
	d := p.quick()
	if p.Nodes > 1 {
		d = p.TTL / 2
	}
	return slices.Concat([]Step{pass(thief), {Do: Resume}}, p.after(granted(But+owner, d)))
}

// restart kills Redis in a hold, and starts it again empty. Of independent masters one is enough,
// if the holder has the lock on a bare majority (docs/locks.md, T10): it cannot reach the last ones
// when it acquires. disk: it comes back with what it had written to its disk.
func restart(variant string, p Params) []Step {
	e := p.effect("restart", variant, p.Servers(1)).aimed(variant != "between")
	return slices.Concat([]Step{{Do: Quiesce}}, p.refuse(), first(variant), e.Begin, p.replaced(),
		p.heal())
}

// restartDelayed lets the holder do its work meanwhile: standing at the breakpoint it would outlive
// its lease. "stay": it does outlive it.
func restartDelayed(variant string, p Params) []Step {
	e := p.effect("restart-delayed", "", p.Servers(1)).aimed(true)
	if variant == "stay" {
		return slices.Concat([]Step{leaving()}, e.Begin, []Step{wait(p.Long())}, e.End,
			p.after(granted(Other, p.soon())))
	}
	return slices.Concat([]Step{{Do: Quiesce}}, p.refuse(), first(variant), e.Begin,
		[]Step{pass(thief), pass(owner), wait(p.Long())}, e.End, []Step{{Do: Resume}}, p.heal())
}

// refuse makes client 0 reach no more masters than it needs.
func (p Params) refuse() (steps []Step) {
	for i := p.Nodes - p.spare(); i < p.Nodes; i++ {
		steps = append(steps, Step{Do: Refuse, Target: "c0>" + node(i)})
	}
	return steps
}

// spare is how many independent masters a lock can do without.
func (p Params) spare() int { return Minority(p.Nodes) }

func (p Params) heal() []Step {
	if p.spare() == 0 {
		return nil
	}
	return []Step{{Do: Heal, Target: "c0>*"}}
}

// clockServer moves the clock of every Redis in a hold. The one who gets the lock for that has not
// asked before: a client that waits to be told of a release does not ask again soon enough.
func clockServer(variant string, p Params) []Step {
	e := p.effect("clock-server", variant, p.Servers(p.Nodes)).aimed(variant != "between")
	return slices.Concat([]Step{{Do: Quiesce}}, first(variant), e.Begin, p.replaced())
}

// busy keeps every Redis that the lock uses from answering in a hold. kill: the script is killed,
// and meanwhile Redis answers -BUSY. stay: the holder stays inside until another has been granted
// the lock.
func busy(variant string, p Params) []Step {
	on := p.Servers(p.Nodes)
	on.For = history.Duration(p.TTL)
	if variant == "stay" || variant == "between" {
		on.For = history.Duration(p.Long())
	}
	return p.away(variant, p.effect("busy", variant, on))
}

func nodePause(variant string, p Params) []Step {
	return p.away(variant, p.effect("node-pause", "", p.Servers(p.Nodes)))
}

// patient lets clients wait until Redis answers again.
func patient(variant string, p Params) time.Duration {
	if variant == "kill" {
		return 0
	}
	return 2*p.Long() + 500*time.Millisecond
}

// away takes every Redis that the lock uses away, until the holder's lease is over.
//
// In "holding" and "kill" the holder's work ends before its lease does, but its release waits in
// front of Redis; so does what client 2 sent a moment before to take the lock, late enough that the
// lease it is given is good when Redis answers.
func (p Params) away(variant string, e Effect) []Step {
	e = e.aimed(variant != "between")
	lasts := []Step{wait(p.Long())}
	switch variant {
	case "between":
		// the first to be granted asked long ago, and its lease may be over as far as it can know
		next := granted(Other, p.quick()+p.polls()+p.soon())
		next.Await.Nth = 2
		return slices.Concat([]Step{between()}, e.Begin, lasts, e.End, p.after(next))
	case "stay":
		return slices.Concat([]Step{leaving()}, e.Begin, lasts, e.End,
			p.after(granted(Other, p.quick()+p.polls())))
	}
	// what is sent earlier is executed earlier: more than a busy machine needs to wake a client
	order := p.TTL / 10
	return slices.Concat(first("leaving"), e.Begin,
		[]Step{wait(p.TTL / 2), {Do: Resume, Target: "c2"}, wait(order), pass(owner),
			wait(p.TTL/2 - order), {Do: Resume}}, e.End,
		[]Step{wait(p.leave()), pass(thief)},
	)
}

// gone kills Redis in a hold, after enough has happened for the run to be worth something: nothing
// may be granted afterwards.
func gone(fault string, how func(nodes int) int) func(string, Params) []Step {
	return func(_ string, p Params) []Step {
		e := p.effect(fault, "", p.Servers(how(p.Nodes))).aimed(true)
		return slices.Concat([]Step{{Do: Warm}, inside()}, e.Begin, []Step{pass(owner)})
	}
}

// Every is how many of n servers are all of them.
func Every(n int) int { return n }

// Minority is how many of n servers a majority can do without.
func Minority(n int) int { return (n - 1) / 2 }

// Majority is how many of n servers are more than half.
func Majority(n int) int { return n/2 + 1 }
