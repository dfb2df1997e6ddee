package nemesis

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lockbench/lockbench/history"
)

// wait is a step that lets time pass.
func wait(d time.Duration) Step { return Step{Do: Wait, For: history.Duration(d)} }

// inside is the aim that most faults share: a client has been granted the lock and stands at the gate, and another waits for it.
func inside() Step { return Step{Await: &Await{Phase: "granted", Contended: true}} }

// failover cuts (or delays) the replication link while nobody holds the lock, lets one client be granted it, and kills the master
// in that hold. "healthy" is the control: the replica has the grant before the master dies.
// The replica may only be trusted to be behind by what the link loses, hence the barrier (REALFAULT.md §0.3).
func failover(variant string, _ Params) []Step {
	steps := []Step{{Do: Quiesce}, {Do: Barrier}}
	switch variant {
	case "cut":
		steps = append(steps, Step{Do: Cut, Target: "n0>n1"})
	case "delayed":
		steps = append(steps, Step{Do: Delay, Target: "n0>n1", For: history.Duration(50 * time.Millisecond)})
	}
	steps = append(steps, Step{Do: Resume}, inside())
	if variant == "healthy" {
		steps = append(steps, Step{Do: Barrier})
	}
	return append(steps,
		Step{Do: KillNode, Target: "n0", Strike: true},
		Step{Do: Promote, Target: "n1"},
		Step{Do: Direct, Target: "*", Node: "n1"},
		Step{Do: Go},
	)
}

// pause stops the holder. It stands at the gate meanwhile, so that its hold begins to count only when it runs again.
func pause(variant string, p Params) []Step {
	d := p.long()
	if variant == "short" {
		d = p.TTL / 10
	}
	return []Step{inside(), {Do: Pause, Target: Struck, Strike: true}, wait(d), {Do: Unpause, Target: Struck}, {Do: Go}}
}

// crash kills the client that first holds the lock with another waiting, or client 0 after its n-th command, whatever that did.
func crash(variant string, _ Params) []Step {
	n, err := strconv.Atoi(variant)
	if err != nil {
		return []Step{inside(), {Do: Crash, Target: Struck, Strike: true}}
	}
	return []Step{
		{Await: &Await{Client: "c0", Command: ".", At: "after", Nth: n}},
		{Do: Crash, Target: Struck},
	}
}

// partition cuts all links of the holder and lets it work on meanwhile.
func partition(variant string, p Params) []Step {
	cut := Step{Do: Cut, Target: "struck>*", Strike: true}
	switch variant {
	case "requests", "replies":
		cut.Mode = variant
	case "refuse", "reset":
		cut.Do = variant
	}
	return []Step{inside(), cut, {Do: Go}, wait(p.long()), {Do: Heal, Target: "struck>*"}}
}

// loss loses what the holder sends to release the lock, or client 0 to acquire it, in one direction.
func loss(mode string) func(string, Params) []Step {
	return func(variant string, p Params) []Step {
		cut := Step{Do: Cut, Target: "struck>*", Mode: mode, Strike: true}
		aim := Step{Await: &Await{Phase: "release", Contended: true}}
		if variant == "acquire" {
			aim.Await, cut.Strike = &Await{Client: "c0", Phase: "acquire"}, false
		}
		return []Step{aim, cut, {Do: Go}, wait(p.Timeout + p.Timeout/2), {Do: Heal, Target: "struck>*"}}
	}
}

// late holds a message while newer connections pass.
//
// release: the holder's release is under way when its client gives up; the lease ends, another is granted, and then the release arrives.
// again: the same, but it arrives when the same client has been granted the lock once more (LOCKS.md T12).
// reply: client 0's grant is executed, its reply arrives when the lease is over and another is inside (T8).
func late(variant string, p Params) []Step {
	if variant == "reply" {
		return []Step{
			{Do: Quiesce}, {Do: Resume},
			{Await: &Await{Client: "c0", Phase: "acquire"}},
			{Do: Hold, Target: "struck>*", Mode: Replies}, {Do: Go},
			{Await: &Await{Client: Other, Phase: "granted"}}, {Do: Go},
			wait(p.long()),
			{Await: &Await{Client: Other, Phase: "granted"}},
			{Do: Heal, Target: "c0>*"},
			wait(p.Timeout / 10), {Do: Go},
		}
	}
	next := Step{Await: &Await{Client: Other, Phase: "granted", Contended: true}}
	if variant == "again" {
		next.Await.Client = Struck
	}
	return []Step{
		{Await: &Await{Phase: "release", Contended: true}},
		{Do: Hold, Target: "struck>*", Mode: Requests, Strike: true},
		{Do: Direct, Target: Struck, Node: "spare"}, // newer connections of this client take another way to the same nodes
		{Do: Go}, next,
		{Do: Heal, Target: "*"},
		wait(p.Timeout / 10), {Do: Go},
	}
}

// lateTimeout lets a client wait for a reply that comes after the lease.
func lateTimeout(variant string, p Params) time.Duration {
	if variant == "reply" {
		return 4 * p.TTL
	}
	return 0
}

// latency makes every client's way to Redis longer for the whole run.
func latency(variant string, _ Params) []Step {
	d, err := time.ParseDuration(variant)
	if err != nil {
		panic(fmt.Sprintf("nemesis: Find let %q through", variant))
	}
	return []Step{{Do: Delay, Target: "*>*", For: history.Duration(d)}, inside(), {Do: Go}}
}

// restart kills Redis in a hold. Of independent masters one is enough, if the holder has the lock on a bare majority (LOCKS.md T10):
// it cannot reach the last ones when it acquires.
func restart(p Params, away time.Duration) []Step {
	steps := []Step{{Do: Quiesce}}
	spare := (p.Nodes - 1) / 2
	for i := p.Nodes - spare; i < p.Nodes; i++ {
		steps = append(steps, Step{Do: Refuse, Target: fmt.Sprintf("c0>n%d", i)})
	}
	steps = append(steps, Step{Do: Resume})
	if p.Nodes > 1 {
		steps = append(steps, Step{Await: &Await{Client: "c0", Phase: "granted", Contended: true}})
	} else {
		steps = append(steps, inside())
	}
	steps = append(steps, Step{Do: KillNode, Target: "n0", Strike: true})
	if away > 0 { // the holder works on meanwhile: standing at the gate it would outlive its lease
		steps = append(steps, Step{Do: Go}, wait(away))
	}
	steps = append(steps, Step{Do: Start, Target: "n0"}, Step{Do: Go})
	if spare > 0 {
		steps = append(steps, Step{Do: Heal, Target: "c0>*"})
	}
	return steps
}

// clockClient moves the clock of a client that waits, forward ("0": by nothing) or to run faster, or of client 0 back before it acquires.
func clockClient(variant string, p Params) []Step {
	if variant == "-" {
		return []Step{
			{Do: Quiesce},
			{Do: ClientClock, Target: "c0", Offset: history.Duration(-p.jump())},
			{Do: Resume},
			{Await: &Await{Client: "c0", Phase: "granted", Contended: true}}, {Do: Go},
		}
	}
	jump := Step{Do: ClientClock, Target: Waiter, Strike: true}
	switch variant {
	case "+":
		jump.Offset = history.Duration(p.jump())
	case "rate":
		jump.Rate = 1
	}
	return []Step{inside(), jump, {Do: Go}}
}

// clockServer moves the clock of every Redis in a hold.
func clockServer(variant string, p Params) []Step {
	offset := p.jump()
	switch variant {
	case "-":
		offset = -offset
	case "0":
		offset = 0
	}
	steps := []Step{inside()}
	for i := range p.Nodes {
		steps = append(steps, Step{Do: NodeClock, Target: fmt.Sprintf("n%d", i), Offset: history.Duration(offset), Strike: i == 0})
	}
	return append(steps, Step{Do: Go})
}

// busy, nodePause and nodeCrash take every Redis that the lock uses away in a hold.
func busy(_ string, p Params) []Step {
	return away(p, Step{Do: Busy}, Step{Do: Free})
}

func nodePause(_ string, p Params) []Step {
	return away(p, Step{Do: PauseNode}, Step{Do: ResumeNode})
}

func away(p Params, begin, end Step) []Step {
	steps := []Step{inside()}
	for i := range p.Nodes {
		begin.Target, begin.Strike = fmt.Sprintf("n%d", i), i == 0
		steps = append(steps, begin)
	}
	steps = append(steps, Step{Do: Go}, wait(p.long()))
	for i := range p.Nodes {
		end.Target = fmt.Sprintf("n%d", i)
		steps = append(steps, end)
	}
	return steps
}

func nodeCrash(_ string, p Params) []Step { return nodeLoss(p.Nodes) }

// nodeLoss kills the first n nodes in a hold, after enough has happened for the run to be worth something:
// nothing may be granted afterwards.
func nodeLoss(n int) []Step {
	steps := []Step{{Do: Warm}, inside()}
	for i := range n {
		steps = append(steps, Step{Do: KillNode, Target: fmt.Sprintf("n%d", i), Strike: i == 0})
	}
	return append(steps, Step{Do: Go})
}
