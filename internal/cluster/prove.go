package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/lockbench/lockbench/internal/cluster/proc"
	"github.com/lockbench/lockbench/internal/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
)

// Prove looks whether a fault that was just done has its effect. A fault that does nothing makes
// every lock look safe. What ends by itself, Busy and Stall, also proves itself at its end: Free
// fails if nothing was there to be freed, or too little.
func (w *Environment) Prove(s nemesis.Step) error {
	switch s.Do {
	case nemesis.KillNode:
		return w.proveNode(s.Target, func(n *server.Node) bool { return isClosed(n.Done()) },
			"it still runs")
	case nemesis.PauseNode:
		return w.proveNode(s.Target, func(n *server.Node) bool { return proc.Eventually(n.Stopped) },
			"it still runs")
	case nemesis.NodeClock:
		return w.proveClock(s)
	case nemesis.Busy, nemesis.Stall:
		return w.proveSilence(s)
	case nemesis.Promote:
		return w.provePromotion(s.Target)
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
		return fmt.Errorf("%s %s: this environment has no proof of it (internal/cluster/prove.go)",
			s.Do, s.Target)
	}
	return nil
}

func (w *Environment) proveNode(node string, done func(*server.Node) bool, otherwise string) error {
	i, err := w.find(node)
	if err == nil && !done(w.nodes[i]) {
		err = fmt.Errorf("%s: %s", node, otherwise)
	}
	return err
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
	i, err := w.find(s.Target)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), silence)
	defer cancel()
	if w.admins[i].Ping(ctx).Err() == nil {
		return fmt.Errorf("%s: it answers", s.Target)
	}
	return nil
}

// clockSlack is how wrong the clock may still look: reading it takes time. It is far below the
// jumps that break a lease.
const clockSlack = 50 * time.Millisecond

func (w *Environment) proveClock(s nemesis.Step) error {
	i, err := w.find(s.Target)
	if err != nil {
		return err
	}
	before := time.Now()
	t, err := w.admins[i].Time(context.Background()).Result()
	if err != nil {
		return err
	}
	if low, high := time.Until(t), t.Sub(before); high < s.Offset.D()-clockSlack ||
		low > s.Offset.D()+clockSlack {
		return fmt.Errorf("%s: its clock is ahead by %v, not by %v", s.Target, high, s.Offset.D())
	}
	return nil
}

func (w *Environment) provePromotion(node string) error {
	i, err := w.find(node)
	if err != nil {
		return err
	}
	role, err := w.admins[i].Do(context.Background(), "ROLE").Slice()
	if err == nil && (len(role) == 0 || role[0] != "master") {
		err = fmt.Errorf("%s: its role is %v", node, role)
	}
	return err
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
