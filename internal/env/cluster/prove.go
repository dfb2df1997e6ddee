package cluster

import (
	"errors"
	"fmt"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/nemesis"
)

// Prove returns an error if a fault that was just injected has no effect: a fault that does nothing
// makes every lock look safe. Busy and Stall, which end by themselves, are also proved at their
// end: Free fails if there was nothing to free, or too little.
func (w *Environment) Prove(s nemesis.Step) error {
	if proof := nodeProofs[s.Do]; proof != nil {
		return w.on(s.Target, func(n *node) error { return proof(n, s) })
	}
	switch s.Do {
	case nemesis.MoveSlot:
		return w.on(s.Target, func(n *node) error { return n.proveSlot(w.cfg.Worker.Keys[0]) })
	case nemesis.SwitchOver:
		return w.election.prove(s.Target)
	case nemesis.Cut, nemesis.HoldBack, nemesis.Delay, nemesis.Reset:
		return w.each(s.Target, w.proxies.ProveToxic)
	case nemesis.Refuse:
		return w.each(s.Target, w.proxies.ProveRefusal)
	case nemesis.Crash, nemesis.Pause:
		return w.clients.prove(s)
	case nemesis.ClientClock:
		return nil // the worker moves its own clock, and says so
	}
	if s.Lasts() {
		return fmt.Errorf("%s %s: this environment has no proof of it (internal/env/cluster/prove.go)",
			s.Do, s.Target)
	}
	return nil
}

// nodeProofs holds the proofs that need only the node, by the action.
var nodeProofs = map[string]func(*node, nemesis.Step) error{
	nemesis.KillNode: func(n *node, _ nemesis.Step) error { return n.proveEnd(n.dead()) },
	nemesis.PauseNode: func(n *node, _ nemesis.Step) error {
		return n.proveEnd(proc.Eventually(n.Stopped))
	},
	nemesis.NodeClock:     func(n *node, s nemesis.Step) error { return n.proveClock(s.Offset.D()) },
	nemesis.StopClock:     func(n *node, _ nemesis.Step) error { return n.proveStop() },
	nemesis.Busy:          func(n *node, _ nemesis.Step) error { return n.proveSilence() },
	nemesis.Stall:         proveStall,
	nemesis.Flush:         proveCall("flushall"),
	nemesis.ForgetScripts: proveCall("script|flush"),
	nemesis.FillMemory: func(n *node, _ nemesis.Step) error {
		return asks(n, func(f filler) error {
			if !f.Full() {
				return fmt.Errorf("%s: it still takes writes", n.Name)
			}
			return nil
		})
	},
	nemesis.Promote: func(n *node, _ nemesis.Step) error { return n.provePromotion() },
}

func (n *node) proveEnd(stopped bool) error {
	if !stopped {
		return fmt.Errorf("%s: it still runs", n.Name)
	}
	return nil
}

// proveCall returns the proof that a node counts calls of a command.
func proveCall(command string) func(*node, nemesis.Step) error {
	return func(n *node, _ nemesis.Step) error {
		return asks(n, func(f flusher) error {
			calls, err := f.Called(command)
			if err == nil && calls == 0 {
				err = fmt.Errorf("%s: it counts no %s", n.Name, command)
			}
			return err
		})
	}
}

// proveStall fails if a node answers. A stall so short that it may be over before a question
// arrives is proved at its end only.
func proveStall(n *node, s nemesis.Step) error {
	if s.For.D() < 5*silence {
		return nil
	}
	return n.proveSilence()
}

// probeClocks makes sure that the clocks of the nodes can be moved, where the scenario wants that.
func (w *Environment) probeClocks() error {
	for _, n := range w.nodes.all {
		if n.Clock == nil {
			continue
		}
		if err := n.probeClock(); err != nil {
			return err
		}
	}
	return nil
}

// probeCommands refuses servers that lack a command which the lock sends: it would fail in every
// run, and the run would show nothing.
func (w *Environment) probeCommands() error {
	if len(w.cfg.Commands) == 0 {
		return nil
	}
	for _, n := range w.nodes.all {
		lacks, err := redisOf(n).Lacks(w.cfg.Commands)
		if err != nil {
			return err
		}
		if lacks != "" {
			return nemesis.ImpossibleError{Reason: errors.New(lacks)}
		}
	}
	return nil
}
