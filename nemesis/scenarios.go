package nemesis

import (
	"time"

	"github.com/lockbench/lockbench/history"
)

// The names that scenarios give to clients at a gate.
const (
	owner = "owner" // has been granted the lock, or is about to be
	thief = "thief" // is about to take it
)

// wait is a step that lets time pass.
func wait(d time.Duration) Step { return Step{Do: Wait, For: history.Duration(d)} }

// inside is the aim that most faults share: a client has been granted the lock and stands at the
// gate, and another waits for it.
func inside() Step { return Step{Await: &Await{As: owner, Phase: "granted", Contended: true}} }

// between is the aim at a release of two commands: its client has looked who has the lock, and is
// about to delete it.
func between() Step {
	return Step{Await: &Await{As: owner, Command: "^del ", At: "before", Contended: true}}
}

// leaving is the aim at a holder that has done its work and is about to release.
func leaving() Step { return Step{Await: &Await{As: owner, Phase: "release", Contended: true}} }

// granted waits until the client has been granted the lock, for at most d.
func granted(client string, d time.Duration) Step {
	return Step{Await: &Await{Client: client, Phase: "granted"}, For: history.Duration(d)}
}

// pass lets the client with this name go on.
func pass(name string) Step { return Step{Do: Go, Target: name} }

// aim is where a fault strikes: at a holder, or between the two commands of its release.
func aim(variant string) Step {
	if variant == "between" {
		return between()
	}
	return inside()
}

// after is how most scenarios end: the successor stands inside while the first holder goes on,
// leaves, and the lock can be granted once more. So what the first holder's release does, it does
// to the successor's lease.
func (p Params) after(successor Step) []Step {
	return []Step{successor, pass(owner), wait(p.leave()), {Do: Go}}
}

// leave is how long a holder needs to do its work and leave, and somebody else to notice.
func (p Params) leave() time.Duration { return p.Hold + p.polls() }

// polls is how long a client that polls needs to find the lock free, with room for a busy machine.
func (p Params) polls() time.Duration { return 3*p.Poll + 15*time.Millisecond }

// soon is when another client must have been granted the lock if a lease ends: after the lease, and
// some polls.
func (p Params) soon() time.Duration { return p.TTL*3/2 + 3*p.Poll + 300*time.Millisecond }

// quick is how long a client may take to be granted a lock that is free already. It leaves most of
// the first holder's lease.
func (p Params) quick() time.Duration { return max(p.TTL/4, 2*time.Millisecond) }

// node names the i-th Redis.
func node(i int) string { return "n" + string(rune('0'+i)) }

// each makes one step for every Redis that the lock uses. A strike is only one.
func (p Params) each(s Step) (steps []Step) {
	for i := range p.Nodes {
		s.Target = node(i)
		steps = append(steps, s)
		s.Aimed = false
	}
	return steps
}
