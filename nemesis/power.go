package nemesis

import (
	"fmt"
	"time"
)

// The powers that a world may have, one small interface each. A world that lacks one cannot run the steps that need it,
// and says so before the run.
type (
	// NodeKiller ends a node at once and returns when it is gone.
	NodeKiller interface{ KillNode(node string) error }
	// Promoter makes a replica a master.
	Promoter interface{ Promote(node string) error }
	// Replicator waits until every replica has all that its master was told.
	Replicator interface{ Barrier() error }
	// Cutter makes a link drop data, until Heal.
	Cutter interface {
		Cut(link, mode string) error
		Heal(link string) error
	}
	// Delayer makes a link late, until Heal.
	Delayer interface {
		Delay(link string, d time.Duration) error
	}
	// ClientKiller ends a client's process at once and returns when it is gone.
	ClientKiller interface{ KillClient(client int) error }
)

// Apply carries out a step on a world that has the power for it. Steps that concern only the clients' cycles
// (quiesce, resume, direct, go, wait, await) are the harness's own.
func Apply(world any, s Step) error {
	switch s.Do {
	case KillNode:
		return with(world, s, func(w NodeKiller) error { return w.KillNode(s.Target) })
	case Promote:
		return with(world, s, func(w Promoter) error { return w.Promote(s.Target) })
	case Barrier:
		return with(world, s, func(w Replicator) error { return w.Barrier() })
	case Cut:
		return with(world, s, func(w Cutter) error { return w.Cut(s.Target, s.Mode) })
	case Heal:
		return with(world, s, func(w Cutter) error { return w.Heal(s.Target) })
	case Delay:
		return with(world, s, func(w Delayer) error {
			d, err := time.ParseDuration(s.For)
			if err != nil {
				return err
			}
			return w.Delay(s.Target, d)
		})
	case Crash:
		return with(world, s, func(w ClientKiller) error {
			c, err := Client(s.Target)
			if err != nil {
				return err
			}
			return w.KillClient(c)
		})
	}
	return fmt.Errorf("nobody knows how to %q", s.Do)
}

// with calls f if the world has the power P.
func with[P any](world any, s Step, f func(P) error) error {
	w, ok := world.(P)
	if !ok {
		return fmt.Errorf("this world has no power to %s", s.Do)
	}
	return f(w)
}

// Client reads the number out of a client's name: 2 for "c2".
func Client(name string) (int, error) {
	var n int
	if _, err := fmt.Sscanf(name, "c%d", &n); err != nil || fmt.Sprintf("c%d", n) != name {
		return 0, fmt.Errorf("%q is no client; they are called c0, c1, …", name)
	}
	return n, nil
}
