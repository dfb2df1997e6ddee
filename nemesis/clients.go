package nemesis

import (
	"slices"
	"strconv"
	"time"
)

// takes are the commands by which a client that saw an old lease takes the lock.
const takes = "^(del|getset) "

// race is no fault: two clients meet at the worst moment. No client waits for longer than another's
// hold.
//
// nil: a client was refused and looks who has the lock; by then it is free, and is granted to
// another before the first one acts on what it saw. finally: the same, and the first one releases
// in a finally block what it was never granted (docs/locks.md, T2).
func race(variant string, p Params) []Step {
	looks := Await{As: thief, Command: "^get ", At: Before}
	has := Await{As: owner, Client: owner, Phase: Granted}
	if variant == "finally" {
		return raceFinally(p, looks, has)
	}
	return []Step{
		at(looks), atMost(p.soon(), Await{As: owner, Client: Other, Phase: Released}),
		pass(thief), atMost(p.TTL/5, Await{As: thief, Client: thief, Command: takes, At: Before}),
		pass(owner), atMost(p.soon(), has),
		pass(thief), wait(p.polls()), pass(owner),
	}
}

// raceFinally knows the clients by number, because only a client that was never granted the lock
// has its first GET in an acquire.
func raceFinally(p Params, looks, has Await) []Step {
	looks.Client, has.Client = "c1", "c0"
	return slices.Concat(alone(Await{Phase: Granted}), []Step{
		{Do: Resume}, at(looks), pass(owner),
		// a release that finds its lease over deletes nothing
		atMost(2*p.soon(), Await{As: owner, Client: "c0", Command: "^del ", At: After}),
		pass(thief), atMost(p.soon(), looks), pass(owner), atMost(p.soon(), has),
		pass(thief), wait(p.polls()), pass(owner),
	})
}

// overrun is no fault either: the holder's work takes longer than its lease, and it releases while
// its successor is inside.
func overrun(_ string, p Params) []Step {
	return slices.Concat([]Step{leaving()}, p.after(granted(Other, p.soon())))
}

// pause stops the holder. It stands at the breakpoint meanwhile, so that its work begins to count
// only when it runs again.
func pause(variant string, p Params) []Step {
	e := p.effect("pause", "", owned).aimed(variant != "between")
	if variant == "short" {
		return slices.Concat([]Step{inside()}, e.Begin, []Step{wait(p.TTL / 10)}, e.End,
			[]Step{pass(owner)})
	}
	return slices.Concat([]Step{aim(variant)}, e.Begin, []Step{granted(Other, p.soon())}, e.End,
		[]Step{pass(owner)}, p.left())
}

// crash kills the client that first holds the lock with another waiting, or client 0 after its n-th
// command, whatever that did.
//
// expire: it is killed between the two commands of its acquire. takeover: two others then find its
// lease over; one of them is slow, and acts on what it saw when the other has been granted the lock
// (D000 lines 35–41).
func crash(variant string, p Params) []Step {
	e := p.effect("crash", "", owned)
	switch variant {
	case "holding":
		return slices.Concat([]Step{{Do: Warm}, inside()}, e.aimed(true).Begin)
	case "expire":
		return slices.Concat([]Step{{Do: Warm}, expiring()}, e.Begin)
	case "takeover":
		return slices.Concat([]Step{inside()}, e.aimed(true).Begin, []Step{
			atMost(p.soon(), Await{As: thief, Client: Other, Command: takes, At: Before}),
			granted(Other, p.soon()), pass(thief), wait(p.polls()), {Do: Go},
		})
	}
	n, _ := strconv.Atoi(variant)
	command := at(Await{As: owner, Client: "c0", Command: ".", At: After, Nth: n})
	return slices.Concat([]Step{command}, e.Begin)
}

// clockClient moves the clock of a client that waits, forward ("0": by nothing) or to run faster,
// or of client 0 back before it acquires ("slow": it runs at a tenth of the speed until it is as
// far behind).
func clockClient(variant string, p Params) []Step {
	next := p.quick()
	switch variant {
	case "-":
		return p.behind(variant, 0)
	case "slow":
		return p.behind(variant, time.Duration(float64(p.jump())/lost))
	case "rate":
		next = p.TTL * 3 / 5
	}
	e := p.effect("clock-client", variant, On{Client: Waiter}).aimed(true)
	return slices.Concat([]Step{inside()}, e.Begin, p.after(granted(Other, next)))
}

// behind lets client 0 be granted the lock when its clock is behind, and then the others look at
// its lease.
func (p Params) behind(variant string, until time.Duration) []Step {
	clock := p.effect("clock-client", variant, numbered).Begin
	if until > 0 {
		clock = append(clock, wait(until))
	}
	return slices.Concat(alone(Await{Phase: Granted}, clock...), []Step{{Do: Resume}},
		p.after(granted(Other, p.quick())))
}
