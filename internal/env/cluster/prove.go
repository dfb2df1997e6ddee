package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/nemesis"
)

// Prove looks whether a fault that was just done has its effect. A fault that does nothing makes
// every lock look safe. What ends by itself, Busy and Stall, also proves itself at its end: Free
// fails if nothing was there to be freed, or too little.
func (w *Environment) Prove(s nemesis.Step) error {
	switch s.Do {
	case nemesis.KillNode:
		return w.proveNode(s.Target, func(n *node) bool { return isClosed(n.Done()) },
			"it still runs")
	case nemesis.PauseNode:
		return w.proveNode(s.Target, func(n *node) bool { return proc.Eventually(n.Stopped) },
			"it still runs")
	case nemesis.NodeClock:
		return w.proveClock(s)
	case nemesis.StopClock:
		return w.proveStop(s.Target)
	case nemesis.Busy, nemesis.Stall:
		return w.proveSilence(s)
	case nemesis.Promote:
		return w.provePromotion(s.Target)
	case nemesis.MoveSlot:
		return w.proveSlot(s.Target)
	case nemesis.SwitchOver:
		return w.proveSwitch(s.Target)
	case nemesis.Cut, nemesis.HoldBack, nemesis.Delay, nemesis.Reset:
		return w.each(s.Target, w.links.ProveToxic)
	case nemesis.Refuse:
		return w.each(s.Target, w.links.ProveRefusal)
	case nemesis.Crash, nemesis.Pause:
		return w.proveClient(s)
	case nemesis.ClientClock:
		return nil // the worker moves its own clock, and says so
	}
	if s.Lasts() {
		return fmt.Errorf("%s %s: this environment has no proof of it (internal/env/cluster/prove.go)",
			s.Do, s.Target)
	}
	return nil
}

// switching is how long a replica that was told to take over may take to begin: a sentinel asks the
// others first.
const switching = 5 * time.Second

// proveSwitch waits until a replica that was told to take over says that it begins.
func (w *Environment) proveSwitch(name string) error {
	begun := func() bool {
		w.election.mu.Lock()
		defer w.election.mu.Unlock()
		return w.election.begun == name
	}
	for limit := time.Now().Add(switching); !begun(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			return fmt.Errorf("%s: it does not take over", name)
		}
	}
	return nil
}

func (w *Environment) proveNode(name string, done func(*node) bool, otherwise string) error {
	return w.on(name, func(n *node) error {
		if !done(n) {
			return fmt.Errorf("%s: %s", name, otherwise)
		}
		return nil
	})
}

// silence is how long a node that does nothing else may take to answer. It is far below the leases
// that a stall must outlast.
const silence = 20 * time.Millisecond

// proveSilence fails if a node answers. A stall so short that it may be over before a question
// arrives proves itself at its end only.
func (w *Environment) proveSilence(s nemesis.Step) error {
	if s.Do == nemesis.Stall && s.For.D() < 5*silence {
		return nil
	}
	return w.on(s.Target, func(n *node) error {
		return asks(n, func(b blocker) error {
			// on a busy machine what silences the node may still be on its way
			if !proc.Eventually(func() bool { return !b.Answers(silence) }) {
				return fmt.Errorf("%s: it answers", s.Target)
			}
			return nil
		})
	})
}

// clockSlack is how wrong the clock may still look: reading it takes time. It is far below the
// jumps that break a lease.
const clockSlack = 50 * time.Millisecond

func (w *Environment) proveClock(s nemesis.Step) error {
	return w.on(s.Target, func(n *node) error {
		c, err := can[clocked](n)
		if err != nil {
			return err
		}
		low, high, err := aheadBy(c, func(low, high time.Duration) bool {
			return high >= s.Offset.D()-clockSlack && low <= s.Offset.D()+clockSlack
		})
		if err == nil && (high < s.Offset.D()-clockSlack || low > s.Offset.D()+clockSlack) {
			err = fmt.Errorf("%s: its clock is ahead by %v, not by %v", n.Name, high, s.Offset.D())
		}
		return err
	})
}

// proveStop looks twice at a clock: one that stands falls behind by the time between.
func (w *Environment) proveStop(name string) error {
	const between = 20 * time.Millisecond
	return w.on(name, func(n *node) error {
		c, err := can[clocked](n)
		if err != nil {
			return err
		}
		first, _, err := c.Ahead()
		if err != nil {
			return err
		}
		time.Sleep(between)
		low, high, err := aheadBy(c, func(_, high time.Duration) bool { return high < first-between/2 })
		if err == nil && high >= first-between/2 {
			err = fmt.Errorf("%s: its clock goes on: it is ahead by %v, and was by %v", n.Name, low, first)
		}
		return err
	})
}

// aheadBy reads a clock until it is as wanted, or for a moment: a server may answer with a time
// that it read a little before, as Valkey does.
func aheadBy(c clocked, wanted func(low, high time.Duration) bool) (low, high time.Duration,
	err error) {
	proc.Eventually(func() bool {
		low, high, err = c.Ahead()
		return err != nil || wanted(low, high)
	})
	return low, high, err
}

// probeClocks makes sure that the nodes read their clocks through the shim: a server that was
// linked statically does not.
func (w *Environment) probeClocks() error {
	const jump = 30 * time.Minute // less than repl-timeout
	for _, n := range w.nodes {
		if n.Clock == nil {
			continue
		}
		if err := n.Clock.Set(jump); err != nil {
			return err
		}
		c, err := can[clocked](n)
		if err != nil {
			return err
		}
		low, _, err := aheadBy(c, func(low, _ time.Duration) bool { return low >= jump/2 })
		if err := errors.Join(err, n.Clock.Set(0)); err != nil {
			return err
		}
		back := func(_, high time.Duration) bool { return high < jump/2 }
		if _, _, err := aheadBy(c, back); err != nil {
			return err
		}
		if low < jump/2 {
			return nemesis.ImpossibleError{Reason: fmt.Errorf("the clock of %s cannot be moved: this "+
				"redis-server does not read it through the shim", n.Name)}
		}
	}
	return nil
}

func (w *Environment) provePromotion(name string) error {
	return w.on(name, func(n *node) error {
		p, err := can[promoter](n)
		if err != nil {
			return err
		}
		role, err := p.Role()
		if err == nil && role != "master" {
			err = fmt.Errorf("%s: its role is %q", name, role)
		}
		return err
	})
}

func (w *Environment) proveClient(s nemesis.Step) error {
	i, err := nemesis.Client(s.Target)
	if err != nil {
		return err
	}
	c, err := w.client(i)
	if err != nil {
		return err
	}
	gone := s.Do == nemesis.Crash && isClosed(c.done)
	if !gone && (s.Do == nemesis.Crash || !proc.Eventually(c.Stopped)) {
		return fmt.Errorf("%s: it still runs", s.Target)
	}
	return nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
