package nemesis

import (
	"fmt"
	"time"
)

// The powers that an environment may have, one small interface each. An environment that lacks one
// cannot run the steps that need it, and Possible says so before the run.
type (
	// NodeKiller ends a node at once and returns when it is gone.
	NodeKiller interface{ KillNode(node string) error }
	// NodeStarter starts a node that was killed, with nothing in it, and returns when it answers.
	NodeStarter interface{ StartNode(node string) error }
	// NodeReviver starts a node that was killed with the files that it left behind, and returns when
	// it answers.
	NodeReviver interface{ ReviveNode(node string) error }
	// NodePauser stops a node and lets it run again.
	NodePauser interface {
		PauseNode(node string) error
		ResumeNode(node string) error
	}
	// NodeClocker moves a node's wall clock: it is ahead by offset from now on.
	NodeClocker interface {
		SetNodeClock(node string, offset time.Duration) error
	}
	// NodeBlocker keeps a node busy with a script that does not end, until it is freed.
	NodeBlocker interface {
		Block(node string) error
		Free(node string) error
	}
	// NodeStaller makes a node execute one command for d, during which it answers nobody. It returns
	// when the node has begun; NodeBlocker's Free waits for the end.
	NodeStaller interface {
		Stall(node string, d time.Duration) error
	}
	// Promoter makes a replica a master.
	Promoter interface{ Promote(node string) error }
	// Replicator waits until every replica has all that its master was told.
	Replicator interface{ Barrier() error }
	// Linker does things to a link, until Heal.
	Linker interface {
		Cut(link, mode string) error
		HoldBack(link, mode string) error
		Delay(link string, d time.Duration) error
		Refuse(link string) error
		Reset(link string) error
		Heal(link string) error
	}
	// ClientKiller ends a client's process at once and returns when it is gone.
	ClientKiller interface{ KillClient(client int) error }
	// ClientPauser stops a client's process and lets it run again.
	ClientPauser interface {
		PauseClient(client int) error
		ResumeClient(client int) error
	}
	// Prover is an environment that can look whether a fault has its effect.
	Prover interface {
		// Prove says what is missing of the effect of a fault that was just done; nil if nothing is, or
		// nobody can tell.
		Prove(s Step) error
	}
	// Observer is an environment that is told of each step before the step is carried out.
	Observer interface{ Observe(s Step) }
	// Limited is an environment that has a power in general but not here and now.
	Limited interface {
		// Cannot says why the environment cannot do what is called do in plans; nil if it can.
		Cannot(do string) error
	}
)

// deeds says how each step is carried out: by which power, and by which of its methods. Steps that
// concern only the clients' cycles and clocks are the harness's own.
var deeds = map[string]func(environment any, s Step) error{
	KillNode:   by(func(w NodeKiller, s Step) error { return w.KillNode(s.Target) }),
	Start:      by(func(w NodeStarter, s Step) error { return w.StartNode(s.Target) }),
	Revive:     by(func(w NodeReviver, s Step) error { return w.ReviveNode(s.Target) }),
	PauseNode:  by(func(w NodePauser, s Step) error { return w.PauseNode(s.Target) }),
	ResumeNode: by(func(w NodePauser, s Step) error { return w.ResumeNode(s.Target) }),
	NodeClock: by(func(w NodeClocker, s Step) error {
		return w.SetNodeClock(s.Target, s.Offset.D())
	}),
	Busy:     by(func(w NodeBlocker, s Step) error { return w.Block(s.Target) }),
	Free:     by(func(w NodeBlocker, s Step) error { return w.Free(s.Target) }),
	Stall:    by(func(w NodeStaller, s Step) error { return w.Stall(s.Target, s.For.D()) }),
	Promote:  by(func(w Promoter, s Step) error { return w.Promote(s.Target) }),
	Barrier:  by(func(w Replicator, s Step) error { return w.Barrier() }),
	Cut:      by(func(w Linker, s Step) error { return w.Cut(s.Target, s.Mode) }),
	HoldBack: by(func(w Linker, s Step) error { return w.HoldBack(s.Target, s.Mode) }),
	Delay:    by(func(w Linker, s Step) error { return w.Delay(s.Target, s.For.D()) }),
	Refuse:   by(func(w Linker, s Step) error { return w.Refuse(s.Target) }),
	Reset:    by(func(w Linker, s Step) error { return w.Reset(s.Target) }),
	Heal:     by(func(w Linker, s Step) error { return w.Heal(s.Target) }),
	Crash:    toClient(func(w ClientKiller, c int) error { return w.KillClient(c) }),
	Pause:    toClient(func(w ClientPauser, c int) error { return w.PauseClient(c) }),
	Unpause:  toClient(func(w ClientPauser, c int) error { return w.ResumeClient(c) }),
}

// by makes a deed out of a power.
func by[P any](f func(P, Step) error) func(any, Step) error {
	return func(environment any, s Step) error {
		w, ok := environment.(P)
		if !ok {
			return fmt.Errorf("this environment has no power to %s", s.Do)
		}
		return f(w, s)
	}
}

// toClient is by for a power over one client.
func toClient[P any](f func(P, int) error) func(any, Step) error {
	return by(func(w P, s Step) error {
		c, err := Client(s.Target)
		if err != nil {
			return err
		}
		return f(w, c)
	})
}

// Apply carries out a step on an environment that has the power for it.
func Apply(environment any, s Step) error {
	deed, ok := deeds[s.Do]
	if !ok {
		return fmt.Errorf("nobody knows how to %q", s.Do)
	}
	if o, ok := environment.(Observer); ok {
		o.Observe(s)
	}
	return deed(environment, s)
}

// Prove looks whether a fault that was just done has its effect, if the environment can tell.
func Prove(environment any, s Step) error {
	if p, ok := environment.(Prover); ok {
		if err := p.Prove(s); err != nil {
			return fmt.Errorf("it had no effect: %w", err)
		}
	}
	return nil
}

// powers says, for each step, whether an environment has the power for it.
var powers = map[string]func(any) bool{
	KillNode: has[NodeKiller], Start: has[NodeStarter], Revive: has[NodeReviver],
	PauseNode: has[NodePauser], ResumeNode: has[NodePauser],
	NodeClock: has[NodeClocker], Busy: has[NodeBlocker], Free: has[NodeBlocker],
	Stall: has[NodeStaller], Promote: has[Promoter], Barrier: has[Replicator],
	Cut: has[Linker], HoldBack: has[Linker], Delay: has[Linker], Refuse: has[Linker],
	Reset: has[Linker],
	Heal:  has[Linker],
	Crash: has[ClientKiller], Pause: has[ClientPauser], Unpause: has[ClientPauser],
}

func has[P any](environment any) bool { _, ok := environment.(P); return ok }

// Possible says why a scenario cannot run in an environment; nil if it can. It is asked before the
// run.
func Possible(environment any, steps []Step) error {
	for _, s := range steps {
		if power, ok := powers[s.Do]; ok && !power(environment) {
			return impossible("it cannot " + s.Do)
		}
		if l, ok := environment.(Limited); ok {
			if err := l.Cannot(s.Do); err != nil {
				return impossible(err.Error())
			}
		}
	}
	return nil
}
