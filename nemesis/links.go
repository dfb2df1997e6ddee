package nemesis

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/history"
)

// partition cuts all links of the holder. It works on, and gives up its release before the links
// are whole again.
//
// stay: it stays inside until another has been granted the lock. expire: it is cut off between the
// two commands of its acquire.
func partition(variant string, p Params) []Step {
	e := p.effect("partition", variant, owned).aimed(variant != "expire")
	end := append(e.End, pass(owner))
	switch variant {
	case "stay":
		return slices.Concat([]Step{leaving()}, e.Begin, p.after(granted(Other, p.soon())), end)
	case "expire":
		return slices.Concat([]Step{{Do: Warm}, expiring()}, e.Begin, []Step{pass(owner),
			atMost(p.soon()+2*p.Timeout, Await{As: owner, Client: owner, Phase: Acquiring})}, end)
	}
	return slices.Concat([]Step{{Do: Warm}, inside()}, e.Begin, p.givesUp(), end)
}

// givesUp lets the owner release in vain, and then the others look.
func (p Params) givesUp() []Step { return []Step{pass(owner), p.outside(), wait(p.look())} }

// disconnect closes the connections of the holder, or of a client that waits for the same lock. It
// goes on over new ones.
func disconnect(variant string, p Params) []Step {
	on := owned
	if variant == "waiting" {
		on = On{Links: Waiter + ">*"}
	}
	e := p.effect("disconnect", "", on).aimed(variant != "between")
	return slices.Concat([]Step{{Do: Warm}, aim(variant)}, e.Begin,
		[]Step{pass(owner), wait(p.leave())})
}

// loss loses what the holder sends to release the lock, or client 0 to acquire it while it is free,
// in one direction.
func loss(fault string) func(string, Params) []Step {
	return func(variant string, p Params) []Step {
		if variant == "acquire" {
			return p.unheard(p.effect(fault, "", numbered))
		}
		e := p.effect(fault, "", owned).aimed(true)
		return slices.Concat([]Step{{Do: Warm}, leaving()}, e.Begin, p.givesUp(), e.End,
			[]Step{pass(owner)})
	}
}

// unheard does something to client 0's links while no other client tries, lets it try for the lock
// and give up, and makes the links whole again while it stands outside.
func (p Params) unheard(e Effect) []Step {
	return slices.Concat([]Step{{Do: Warm}, {Do: Quiesce}}, e.Begin, []Step{
		{Do: Resume, Target: "c0"},
		atMost(2*p.Timeout+p.soon(), Await{As: owner, Client: "c0", Phase: Acquiring, Nth: 2}),
		// what was held back arrives before any other client asks
	}, e.End, []Step{wait(p.polls()), {Do: Resume}, wait(p.look()), pass(owner)})
}

// late holds a message back while newer connections pass.
//
// reply: client 0's grant is executed, its reply arrives when the lease is over and another is
// inside (docs/locks.md, T8). expire: the same for the second command of its acquire. check: the
// reply to a release's first command is late (T7). request: an acquire is executed when its client
// has given up. release: the holder's release is under way when its client gives up; the lease
// ends, another is granted, and then the release arrives. again: the same, but it arrives when the
// same client has been granted the lock once more (T12). vote: of independent masters, the first
// takes part in a failed attempt of client 0, and what shall undo that is late until a further
// attempt has been granted with its vote (T11).
func late(variant string, p Params) []Step {
	another := []Step{granted(Other, p.soon())}
	reply, request := held(Replies, owned.Links), p.effect("late", Requests, owned).aimed(true)
	switch variant {
	case "reply":
		e := held(Replies, numbered.Links)
		return slices.Concat([]Step{{Do: Quiesce}}, e.Begin,
			[]Step{{Do: Resume, Target: "c0"}, wait(p.look()), {Do: Resume}}, another, e.End, p.left())
	case "expire":
		return slices.Concat([]Step{expiring()}, reply.Begin, []Step{pass(owner)}, another, reply.End,
			p.left())
	case "check":
		return slices.Concat([]Step{leaving()}, reply.aimed(true).Begin, []Step{pass(owner)}, another,
			reply.End, []Step{wait(p.polls()), {Do: Go}})
	case "vote":
		return p.lateVote()
	case "request":
		return p.unheard(held(Requests, numbered.Links))
	case "again":
		return p.lateAgain(request)
	}
	return slices.Concat([]Step{{Do: Warm}, leaving()}, request.Begin, []Step{pass(owner)}, another,
		request.End, []Step{wait(p.polls()), {Do: Go}})
}

// lateAgain is about client 0, by its number: between its two holds no other client may begin anew,
// or it may wait for its turn for ever.
func (p Params) lateAgain(e Effect) []Step {
	leaves := leaving()
	leaves.Await.Client = "c0"
	return slices.Concat([]Step{{Do: Warm}}, alone(Await{Phase: Granted}),
		[]Step{{Do: Resume}, pass(owner), leaves}, e.Begin,
		[]Step{
			pass(owner), p.outside(), granted(Other, p.soon()), {Do: Resume, Target: "c0"}, {Do: Go},
			pass(owner), atMost(p.soon(), Await{As: owner, Client: owner, Phase: Granted}), {Do: Resume},
		}, e.End, []Step{granted(Other, p.quick()), wait(p.polls()), {Do: Go}, pass(owner)})
}

// lateVote lets client 0 reach the first master only, then those of a bare majority by other ways.
func (p Params) lateVote() []Step {
	var refused []Step
	for i := 1; i < p.Nodes; i++ {
		refused = append(refused, Step{Do: Refuse, Target: "c0>" + node(i)})
		if i >= p.Nodes-p.spare() {
			refused = append(refused, Step{Do: Refuse, Target: "c0+>" + node(i)})
		}
	}
	// all masters have answered, and nothing is undone yet
	answered := Await{Command: "^set ", At: After, Nth: p.Nodes}
	e := p.effect("late", Requests, On{Client: "c0", Links: "c0>n0"})
	return slices.Concat([]Step{{Do: Warm}}, alone(answered, refused...), e.Begin,
		[]Step{pass(owner), atMost(2*p.soon(), Await{As: owner, Client: "c0", Phase: Granted})},
		e.End, []Step{wait(p.polls()), {Do: Resume}},
		p.after(granted(Other, p.quick())), []Step{{Do: Heal, Target: "*"}})
}

// lateTimeout lets a client wait for a reply that comes after the lease, and makes it give up soon
// on a request.
func lateTimeout(variant string, p Params) time.Duration {
	switch variant {
	case "reply", "expire", "check":
		return 2 * p.soon()
	}
	return p.short()
}

// short is a time-out after which most of the lease is left.
func (p Params) short() time.Duration { return min(max(p.TTL/8, 25*time.Millisecond), p.Timeout) }

func shortTimeout(_ string, p Params) time.Duration { return p.short() }

// latency makes every client's way to Redis longer for the whole run.
func latency(variant string, p Params) []Step {
	d, err := time.ParseDuration(variant)
	if err != nil {
		panic(fmt.Sprintf("nemesis: Find let %q through", variant))
	}
	e := p.effect("latency", "", On{Links: "*>*", For: history.Duration(d)})
	return append(e.Begin, inside(), pass(owner))
}
