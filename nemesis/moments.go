package nemesis

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/history"
)

// The names that scenarios give to clients at a breakpoint.
const (
	owner = "owner" // has been granted the lock, or is about to be
	thief = "thief" // is about to take it
)

// owned is what an effect on the owner is done to.
var owned = On{Client: owner, Links: owner + ">*"}

// numbered is what an effect on client 0 is done to.
var numbered = On{Client: "c0", Links: "c0>*"}

// Servers is what an effect on the first n Redis that the lock uses is done to.
func (p Params) Servers(n int) (on On) {
	for i := range n {
		on.Nodes = append(on.Nodes, node(i))
	}
	return on
}

// node names the i-th Redis.
func node(i int) string { return "n" + string(rune('0'+i)) }

// The moments at which effects begin. Each ends with a client at a breakpoint.

// at is a moment of a client's cycle.
func at(a Await) Step { return Step{Await: &a} }

// atMost is a moment that the scenario waits for no longer than d.
func atMost(d time.Duration, a Await) Step { return Step{Await: &a, For: history.Duration(d)} }

// inside is the aim that most faults share: a client has been granted the lock, and another waits
// for it.
func inside() Step { return at(Await{As: owner, Phase: Granted, Contended: true}) }

// between is the aim at a release of two commands: its client has looked who has the lock, and is
// about to delete it.
func between() Step { return at(Await{As: owner, Command: "^del ", At: Before, Contended: true}) }

// leaving is the aim at a holder that has done its work and is about to release.
func leaving() Step { return at(Await{As: owner, Phase: Releasing, Contended: true}) }

// expiring is the aim at the second command of an acquire that needs two.
func expiring() Step { return at(Await{As: owner, Command: "^p?expire ", At: Before}) }

// aim is where a fault hits: a holder, or the time between the two commands of its release.
func aim(variant string) Step {
	if variant == "between" {
		return between()
	}
	return inside()
}

// alone lets no other client begin until client 0 has come to a place of its cycle.
// What is done before, is done while no client tries for the lock.
func alone(a Await, before ...Step) []Step {
	a.As, a.Client = owner, "c0"
	return slices.Concat([]Step{{Do: Quiesce}}, before, []Step{{Do: Resume, Target: "c0"}, at(a)})
}

// first lets client 0 be granted the lock alone, and then client 1 try for it and stand before its
// first command. So a node that dies now leaves no command behind of which it is unknown whether it
// was executed.
func first(variant string) []Step {
	a := Await{Phase: Granted}
	switch variant {
	case "between":
		a = Await{Command: "^del ", At: Before}
	case "leaving":
		a = Await{Phase: Releasing}
	}
	return append(alone(a), Step{Do: Resume, Target: "c1"},
		at(Await{As: thief, Client: "c1", Command: ".", At: Before}))
}

// What a scenario waits for, and how it goes on.

// wait is a step that lets time pass.
func wait(d time.Duration) Step { return Step{Do: Wait, For: history.Duration(d)} }

// pass lets the client with this name go on.
func pass(name string) Step { return Step{Do: Go, Target: name} }

// granted waits until the client has been granted the lock, for at most d.
func granted(client string, d time.Duration) Step {
	return atMost(d, Await{Client: client, Phase: Granted})
}

// outside waits until the owner has given up its release, so that no client is inside or on the
// way.
func (p Params) outside() Step {
	return atMost(p.Hold+2*p.Timeout+p.soon(), Await{As: owner, Client: owner, Phase: Released})
}

// after is how most scenarios end: the successor stands inside while the first holder goes on,
// leaves, and the lock can be granted once more. So what the first holder's release does, it does
// to the successor's lease.
func (p Params) after(successor Step) []Step {
	return slices.Concat([]Step{successor, pass(owner)}, p.left())
}

// left lets the first holder do its work and leave, and then its successor go on.
func (p Params) left() []Step { return []Step{wait(p.leave()), {Do: Go}} }

// leave is how long a holder needs to do its work and leave, and another client to notice.
func (p Params) leave() time.Duration { return p.Hold + p.polls() }

// polls is how long a client that polls needs to find the lock free, with room for a busy machine.
func (p Params) polls() time.Duration { return 3*p.Poll + 15*time.Millisecond }

// soon is when another client must have been granted the lock if a lease ends: after the lease, and
// some polls.
func (p Params) soon() time.Duration { return p.TTL*3/2 + 3*p.Poll + 300*time.Millisecond }

// quick is how long a client may take to be granted a lock that is free already. It leaves most of
// the first holder's lease.
func (p Params) quick() time.Duration { return max(p.TTL/4, 2*time.Millisecond) }

// look is how long the others try for a lock that is free.
func (p Params) look() time.Duration { return p.TTL / 4 }
