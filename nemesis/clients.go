package nemesis

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockbench/lockbench/history"
)

// race is no fault: two clients meet at the worst moment. It makes nobody wait for longer than
// another's hold.
//
// nil: a client was refused and looks who has the lock; by then it is free, and is granted to
// another before the first one acts on what it saw. finally: the same, and the first one releases
// in a finally block what it was never granted (docs/locks.md, T2).
func race(variant string, p Params) []Step {
	if variant == "finally" {
		return raceFinally(p)
	}
	return []Step{
		{Await: &Await{As: thief, Command: "^get ", At: "before"}},
		{Await: &Await{As: owner, Client: Other, Phase: "released"}, For: history.Duration(p.soon())},
		pass(thief),
		{Await: &Await{As: thief, Client: thief, Command: "^(del|getset) ", At: "before"},
			For: history.Duration(p.TTL / 5)},
		pass(owner),
		{Await: &Await{As: owner, Client: owner, Phase: "granted"}, For: history.Duration(p.soon())},
		pass(thief),
		wait(p.polls()), pass(owner),
	}
}

// raceFinally knows the clients by number, because only a client that was never granted the lock
// has its first GET in an acquire.
func raceFinally(p Params) []Step {
	soon := history.Duration(p.soon())
	return []Step{
		{Do: Quiesce},
		{Do: Resume, Target: "c0"},
		{Await: &Await{As: owner, Client: "c0", Phase: "granted"}},
		{Do: Resume},
		{Await: &Await{As: thief, Client: "c1", Command: "^get ", At: "before"}},
		pass(owner),
		// a release that finds its lease over deletes nothing
		{Await: &Await{As: owner, Client: "c0", Command: "^del ", At: "after"}, For: 2 * soon},
		pass(thief),
		{Await: &Await{As: thief, Client: "c1", Command: "^get ", At: "before"}, For: soon},
		pass(owner),
		{Await: &Await{As: owner, Client: "c0", Phase: "granted"}, For: soon},
		pass(thief),
		wait(p.polls()), pass(owner),
	}
}

// overrun is no fault either: the holder's work takes longer than its lease, and it releases while
// its successor is inside.
func overrun(_ string, p Params) []Step {
	return slices.Concat([]Step{leaving()}, p.after(granted(Other, p.soon())))
}

// pause stops the holder. It stands at the gate meanwhile, so that its work begins to count only
// when it runs again.
func pause(variant string, p Params) []Step {
	if variant == "short" {
		return []Step{inside(), {Do: Pause, Target: owner, Aimed: true}, wait(p.TTL / 10),
			{Do: Unpause, Target: owner}, pass(owner)}
	}
	return slices.Concat(
		[]Step{aim(variant), {Do: Pause, Target: owner, Aimed: variant != "between"},
			granted(Other, p.soon()), {Do: Unpause, Target: owner}},
		[]Step{pass(owner), wait(p.leave()), {Do: Go}},
	)
}

// crash kills the client that first holds the lock with another waiting, or client 0 after its n-th
// command, whatever that did.
//
// expire: it is killed between the two commands of its acquire. takeover: two others then find its
// lease over; one of them is slow, and acts on what it saw when the other has been granted the lock
// (D000 lines 35–41: P2 and P3).
func crash(variant string, p Params) []Step {
	switch variant {
	case "holding":
		return []Step{{Do: Warm}, inside(), {Do: Crash, Target: owner, Aimed: true}}
	case "expire":
		return []Step{{Do: Warm}, {Await: &Await{As: owner, Command: expire, At: "before"}},
			{Do: Crash, Target: owner}}
	case "takeover":
		return []Step{
			inside(), {Do: Crash, Target: owner, Aimed: true},
			{Await: &Await{As: thief, Client: Other, Command: "^(del|getset) ", At: "before"},
				For: history.Duration(p.soon())},
			granted(Other, p.soon()), pass(thief), wait(p.polls()), {Do: Go},
		}
	}
	n, _ := strconv.Atoi(variant)
	return []Step{
		{Await: &Await{As: owner, Client: "c0", Command: ".", At: "after", Nth: n}},
		{Do: Crash, Target: owner},
	}
}

// expire is the second command of a lock that needs two.
const expire = "^p?expire "

// clockClient moves the clock of a client that waits, forward ("0": by nothing) or to run faster,
// or of client 0 back before it acquires ("slow": it runs at a tenth of the speed until it is as
// far behind).
func clockClient(variant string, p Params) []Step {
	switch variant {
	case "-":
		return p.behind(Step{Do: ClientClock, Target: "c0", Offset: history.Duration(-p.jump())})
	case "slow":
		const lost = 0.9
		return p.behind(Step{Do: ClientClock, Target: "c0", Rate: -lost},
			wait(time.Duration(float64(p.jump())/lost)))
	}
	jump := Step{Do: ClientClock, Target: Waiter, Aimed: true}
	switch variant {
	case "+":
		jump.Offset = history.Duration(p.jump())
	case "rate":
		jump.Rate = 1
		return slices.Concat([]Step{inside(), jump}, p.after(granted(Other, p.TTL*3/5)))
	}
	return slices.Concat([]Step{inside(), jump}, p.after(granted(Other, p.quick())))
}

// behind lets client 0 be granted the lock when its clock is behind, and then the others look at
// its lease.
func (p Params) behind(clock ...Step) []Step {
	return slices.Concat([]Step{{Do: Quiesce}}, clock, []Step{
		{Do: Resume, Target: "c0"}, {Await: &Await{As: owner, Client: "c0", Phase: Granted}},
		{Do: Resume},
	}, p.after(granted(Other, p.quick())))
}
