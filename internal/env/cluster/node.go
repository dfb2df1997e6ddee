package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
)

// node is a server of the environment and our own connection to it.
type node struct {
	server.Node
	operator server.Operator
	follows  *node           // master of this replica, or nil
	script   <-chan struct{} // closed at the end of the script that it executes, or nil
	stall    <-chan error    // end of a command that ends by itself, or nil
	again    bool            // it was started again
	flushed  int64           // how often the run's faults deleted all keys
}

func ready(nodes []*node) error {
	for _, n := range nodes {
		if err := n.Ready(); err != nil {
			return err
		}
	}
	return nil
}

// runs reports whether a node is neither dead nor paused.
func (n *node) runs() bool { return !n.dead() && !n.Stopped() }

func (n *node) dead() bool { return isClosed(n.Done()) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (n *node) block() error {
	return asks(n, func(b blocker) (err error) {
		if n.script, err = b.Spin(); err == nil {
			n.awaitSilence(b)
		}
		return err
	})
}

func (n *node) sleep(d time.Duration) error {
	return asks(n, func(b blocker) error {
		n.stall = b.Sleep(d)
		n.awaitSilence(b)
		return nil
	})
}

// awaitSilence waits until a node does not answer at once, but at most a second: the command that
// keeps it busy has to arrive. Prove decides whether the node is busy.
func (n *node) awaitSilence(b blocker) {
	wait := silence / 4
	if n.Route != "" {
		wait = 2 * silence // the route is longer, and a busy machine makes it no shorter
	}
	proc.Await(time.Second, time.Millisecond, func() bool { return !b.Answers(wait) })
}

func (n *node) free() error {
	if stall := n.stall; stall != nil {
		n.stall = nil
		return <-stall
	}
	err := asks(n, blocker.EndSpin)
	if err == nil && n.script != nil {
		<-n.script // Redis kills it at its next step, after the answer
	}
	return err
}

// silence is how long a node without other work may take to answer. It is far below the leases
// that a stall must outlast.
const silence = 20 * time.Millisecond

func (n *node) proveSilence() error {
	return asks(n, func(b blocker) error {
		// on a busy machine the command that silences the node may still be on its way
		if !proc.Eventually(func() bool { return !b.Answers(silence) }) {
			return fmt.Errorf("%s: it answers", n.Name)
		}
		return nil
	})
}

func (n *node) provePromotion() error {
	p, err := can[promoter](n)
	if err != nil {
		return err
	}
	role, err := p.Role()
	if err == nil && role != "master" {
		err = fmt.Errorf("%s: its role is %q", n.Name, role)
	}
	return err
}

func (n *node) proveSlot(key string) error {
	m, err := can[server.MemberAdmin](n)
	if err == nil && !m.Serves(key) {
		err = fmt.Errorf("%s: it has not the slot", n.Name)
	}
	return err
}

// clockSlack is how wrong the clock may look, since reading it takes time. It is far below the
// jumps that break a lease.
const clockSlack = 50 * time.Millisecond

func (n *node) proveClock(offset time.Duration) error {
	c, err := can[clocked](n)
	if err != nil {
		return err
	}
	low, high, err := aheadBy(c, func(low, high time.Duration) bool {
		return high >= offset-clockSlack && low <= offset+clockSlack
	})
	if err == nil && (high < offset-clockSlack || low > offset+clockSlack) {
		err = fmt.Errorf("%s: its clock is ahead by %v, not by %v", n.Name, high, offset)
	}
	return err
}

// proveStop reads a clock twice. A stopped clock falls behind by the time between the two.
func (n *node) proveStop() error {
	const between = 20 * time.Millisecond
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

// probeClock moves a node's clock and back. It returns an ImpossibleError if the server does not
// read its clock through the shim, as one that was linked statically.
func (n *node) probeClock() error {
	const jump = 30 * time.Minute // less than repl-timeout
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
	return nil
}
