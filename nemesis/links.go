package nemesis

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/history"
)

// outside waits until the owner has given up its release and stands outside, so that nobody is
// inside or on the way.
func (p Params) outside() Step {
	return Step{Await: &Await{As: owner, Client: owner, Phase: "released"},
		For: history.Duration(p.Hold + 2*p.Timeout + p.soon())}
}

// look is how long the others try for a lock that nobody has.
func (p Params) look() time.Duration { return p.TTL / 4 }

// partition cuts all links of the holder. It works on, and gives up its release before the links
// are whole again.
//
// stay: it stays inside until another has been granted the lock. expire: it is cut off between the
// two commands of its acquire.
func partition(variant string, p Params) []Step {
	cut := Step{Do: Cut, Target: "owner>*", Aimed: true}
	heal := []Step{{Do: Heal, Target: "owner>*"}, pass(owner)}
	switch variant {
	case "requests", "replies":
		cut.Mode = variant
	case "refuse", "reset":
		cut.Do = variant
	case "stay":
		return slices.Concat([]Step{leaving(), cut, granted(Other, p.soon()), pass(owner),
			wait(p.leave()), {Do: Go}}, heal)
	case "expire":
		cut.Aimed = false
		return slices.Concat([]Step{
			{Do: Warm}, {Await: &Await{As: owner, Command: expire, At: "before"}}, cut, pass(owner),
			{Await: &Await{As: owner, Client: owner, Phase: "acquire"}, For: history.Duration(p.soon() +
				2*p.Timeout)},
		}, heal)
	}
	return slices.Concat([]Step{{Do: Warm}, inside(), cut, pass(owner), p.outside(), wait(p.look())},
		heal)
}

// loss loses what the holder sends to release the lock, or client 0 to acquire it while it is free,
// in one direction.
func loss(mode string) func(string, Params) []Step {
	return func(variant string, p Params) []Step {
		if variant == "acquire" {
			return p.alone(Step{Do: Cut, Target: "c0>*", Mode: mode})
		}
		return []Step{
			{Do: Warm}, leaving(), {Do: Cut, Target: "owner>*", Mode: mode, Aimed: true}, pass(owner),
			p.outside(), wait(p.look()), {Do: Heal, Target: "owner>*"}, pass(owner),
		}
	}
}

// alone does something to client 0's links while nobody else tries, lets it try for the lock and
// give up, and makes the links whole again while it stands outside.
func (p Params) alone(fault Step) []Step {
	return []Step{
		{Do: Warm}, {Do: Quiesce}, fault, {Do: Resume, Target: "c0"},
		{Await: &Await{As: owner, Client: "c0", Phase: "acquire", Nth: 2},
			For: history.Duration(2*p.Timeout + p.soon())},
		// what was held arrives before anybody else asks
		{Do: Heal, Target: "c0>*"}, wait(p.polls()), {Do: Resume}, wait(p.look()), pass(owner),
	}
}

// late holds a message while newer connections pass.
//
// reply: client 0's grant is executed, its reply arrives when the lease is over and another is
// inside (T8). expire: the same for the second command of its acquire. check: the reply to a
// release's first command is late (T7). request: an acquire is executed when its client has given
// up. release: the holder's release is under way when its client gives up; the lease ends, another
// is granted, and then the release arrives. again: the same, but it arrives when the same client
// has been granted the lock once more (T12). vote: of independent masters, the first takes part in
// a failed attempt of client 0, and what shall undo that is late until a further attempt has been
// granted with its vote (T11).
func late(variant string, p Params) []Step {
	replies := Step{Do: HoldBack, Target: "owner>*", Mode: Replies}
	heal := Step{Do: Heal, Target: "owner>*"}
	switch variant {
	case "reply":
		return []Step{
			{Do: Quiesce}, {Do: HoldBack, Target: "c0>*", Mode: Replies}, {Do: Resume, Target: "c0"},
			wait(p.look()),
			{Do: Resume}, granted(Other, p.soon()), {Do: Heal, Target: "c0>*"}, wait(p.leave()), {Do: Go},
		}
	case "expire":
		return []Step{
			{Await: &Await{As: owner, Command: expire, At: "before"}}, replies, pass(owner),
			granted(Other, p.soon()), heal, wait(p.leave()), {Do: Go},
		}
	case "check":
		replies.Aimed = true
		return []Step{leaving(), replies, pass(owner), granted(Other, p.soon()), heal, wait(p.polls()),
			{Do: Go}}
	case "vote":
		return p.lateVote()
	case "request":
		return p.alone(Step{Do: HoldBack, Target: "c0>*", Mode: Requests})
	}
	if variant == "again" {
		return p.lateAgain(heal)
	}
	return []Step{
		{Do: Warm}, leaving(),
		{Do: HoldBack, Target: "owner>*", Mode: Requests, Aimed: true},
		// newer connections of this client take another way to the same nodes
		{Do: Redirect, Target: owner, Node: Spare},
		pass(owner), granted(Other, p.soon()),
		heal, wait(p.polls()), {Do: Go},
	}
}

// lateAgain is about client 0, by its number: between its two holds nobody else may begin anew, or
// it may wait for its turn for ever.
func (p Params) lateAgain(heal Step) []Step {
	leaves := leaving()
	leaves.Await.Client = "c0"
	return []Step{
		{Do: Warm}, {Do: Quiesce}, {Do: Resume, Target: "c0"},
		{Await: &Await{As: owner, Client: "c0", Phase: Granted}}, {Do: Resume}, pass(owner), leaves,
		{Do: HoldBack, Target: "owner>*", Mode: Requests, Aimed: true}, {Do: Redirect, Target: owner,
			Node: Spare},
		pass(owner), p.outside(), granted(Other, p.soon()), {Do: Resume, Target: "c0"}, {Do: Go},
		pass(owner),
		{Await: &Await{As: owner, Client: owner, Phase: Granted}, For: history.Duration(p.soon())},
		{Do: Resume},
		heal, granted(Other, p.quick()), wait(p.polls()), {Do: Go}, pass(owner),
	}
}

// lateVote lets client 0 reach the first master only, then those of a bare majority by other ways.
func (p Params) lateVote() []Step {
	steps := []Step{{Do: Warm}, {Do: Quiesce}}
	for i := 1; i < p.Nodes; i++ {
		steps = append(steps, Step{Do: Refuse, Target: "c0>" + node(i)})
		if i >= p.Nodes-p.spare() {
			steps = append(steps, Step{Do: Refuse, Target: "c0+>" + node(i)})
		}
	}
	return slices.Concat(append(steps,
		Step{Do: Resume, Target: "c0"},
		// all masters have answered, and nothing is undone yet
		Step{Await: &Await{As: owner, Client: "c0", Command: "^set ", At: "after", Nth: p.Nodes}},
		Step{Do: HoldBack, Target: "c0>n0", Mode: Requests},
		Step{Do: Redirect, Target: "c0", Node: Spare},
		pass(owner),
		Step{Await: &Await{As: owner, Client: "c0", Phase: "granted"},
			For: history.Duration(2 * p.soon())},
		Step{Do: Heal, Target: "c0>n0"}, wait(p.polls()), Step{Do: Resume},
	), p.after(granted(Other, p.quick())), []Step{{Do: Heal, Target: "*"}})
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
func latency(variant string, _ Params) []Step {
	d, err := time.ParseDuration(variant)
	if err != nil {
		panic(fmt.Sprintf("nemesis: Find let %q through", variant))
	}
	return []Step{{Do: Delay, Target: "*>*", For: history.Duration(d)}, inside(), pass(owner)}
}
