package sim

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// The capabilities of this environment over its nodes, links and clients; each does the same as in
// the environment of processes.
var (
	_ nemesis.NodeKiller   = (*Environment)(nil)
	_ nemesis.NodeStarter  = (*Environment)(nil)
	_ nemesis.NodePauser   = (*Environment)(nil)
	_ nemesis.NodeClocker  = (*Environment)(nil)
	_ nemesis.NodeBlocker  = (*Environment)(nil)
	_ nemesis.NodeStaller  = (*Environment)(nil)
	_ nemesis.Promoter     = (*Environment)(nil)
	_ nemesis.Replicator   = (*Environment)(nil)
	_ nemesis.Linker       = (*Environment)(nil)
	_ nemesis.ClientKiller = (*Environment)(nil)
	_ nemesis.ClientPauser = (*Environment)(nil)
)

func (w *Environment) toNode(name string, f func(*node)) error {
	n, err := w.findNode(name)
	if err == nil {
		f(n)
	}
	return err
}

// KillNode ends a node at once.
func (w *Environment) KillNode(name string) error { return w.toNode(name, (*node).kill) }

// StartNode brings a killed node back. It keeps nothing on a disk, as Redis without persistence.
func (w *Environment) StartNode(name string) error {
	n, err := w.findNode(name)
	if err != nil {
		return err
	}
	if !n.down {
		return fmt.Errorf("%s was not killed", name)
	}
	n.restart()
	return nil
}

// PauseNode stops a node. Commands that are sent to it wait; its clock goes on.
func (w *Environment) PauseNode(name string) error {
	return w.toNode(name, func(n *node) { n.paused = true })
}

// ResumeNode lets a node run again and execute what was sent to it.
func (w *Environment) ResumeNode(name string) error {
	return w.toNode(name, func(n *node) {
		late := n.backlog
		n.paused, n.backlog = false, nil
		for _, f := range late {
			f()
		}
	})
}

// SetNodeClock makes a node's wall clock wrong by offset.
func (w *Environment) SetNodeClock(name string, offset time.Duration) error {
	return w.toNode(name, func(n *node) {
		n.engine.Expire(n.clock()) // a key that is over does not come back when the clock goes back
		n.offset, n.stands = offset, 0
	})
}

// StopNodeClock makes a node's wall clock stand where it is.
func (w *Environment) StopNodeClock(name string) error {
	return w.toNode(name, func(n *node) { n.stands = n.clock() })
}

// Block makes a node execute a script that does not end: soon it answers with -BUSY.
func (w *Environment) Block(name string) error {
	return w.toNode(name, func(n *node) { n.busy = w.Now() })
}

// Stall makes a node execute one command for d, during which it answers no client. Commands that
// are sent to it are executed afterwards.
func (w *Environment) Stall(name string, d time.Duration) error {
	return w.toNode(name, func(n *node) { n.stalled = w.Now() + int64(d) })
}

// Free kills the script of Block, or waits for the end of the command of Stall.
func (w *Environment) Free(name string) error {
	n, err := w.findNode(name)
	if err != nil {
		return err
	}
	n.busy = 0
	w.pump(max(time.Duration(n.stalled-w.Now()), 0), func() bool { return w.Now() >= n.stalled })
	return nil
}

// Promote makes a replica a master. Other replicas of its master follow it.
func (w *Environment) Promote(name string) error { return w.toNode(name, (*node).promote) }

// barrierLimit is how long Barrier waits.
const barrierLimit = 2 * time.Second

// Barrier waits until the replicas have all that their masters were told.
func (w *Environment) Barrier() error {
	done := func() bool {
		return !slices.ContainsFunc(w.nodes, func(n *node) bool {
			return !n.down &&
				n.have(n.position.written) < len(n.replicas)
		})
	}
	if done() {
		return nil
	}
	if !w.pump(barrierLimit, done) {
		return fmt.Errorf("a replica does not have what the master was told after %v", barrierLimit)
	}
	return nil
}

// each calls f for every link that a pattern names: "c2>n0", "c2>*", "*".
func (w *Environment) each(pattern string, f func(*link)) error {
	found := false
	for _, l := range w.links {
		if ok, _ := path.Match(pattern, l.name); ok {
			found = true
			f(l)
		}
	}
	if !found {
		return fmt.Errorf("there is no link %q", pattern)
	}
	return nil
}

// streams calls f for the streams of links that a mode names.
func (w *Environment) streams(links, mode string, f func(*stream)) error {
	var wrong error
	err := w.each(links, func(l *link) {
		ss, err := l.streams(mode)
		wrong = err
		for _, s := range ss {
			f(s)
		}
	})
	return errors.Join(wrong, err)
}

// Cut makes links drop data. Connections stay, new ones can be made, and the end of one is noticed.
func (w *Environment) Cut(links, mode string) error {
	return w.streams(links, mode, func(s *stream) { s.cut = true })
}

// HoldBack keeps the messages of links until Heal delivers them, even if the sender has given up.
func (w *Environment) HoldBack(links, mode string) error {
	return w.streams(links, mode, func(s *stream) { s.hold = true })
}

// Delay delivers the messages of links d later.
func (w *Environment) Delay(links string, d time.Duration) error {
	return w.streams(links, nemesis.Both, func(s *stream) { s.delay = d })
}

// Refuse closes the connections of links and refuses new ones.
func (w *Environment) Refuse(links string) error {
	return w.each(links, func(l *link) {
		l.refused = true
		l.closeAll()
	})
}

// Reset resets connections as soon as something is sent over them.
func (w *Environment) Reset(links string) error {
	return w.each(links, func(l *link) { l.reset = true })
}

// Heal makes links whole.
func (w *Environment) Heal(links string) error { return w.each(links, (*link).heal) }

// KillClient ends a client at once.
func (w *Environment) KillClient(i int) error {
	c, err := w.findClient(i)
	if err != nil {
		return err
	}
	w.settle()
	c.end()
	w.settle()
	w.reports = append(w.reports, workloads.Report{Process: i, Exit: &workloads.Exit{
		T: w.Now(), Err: "signal: killed"}})
	return nil
}

// PauseClient stops a client: nothing of it goes on, but its timers do.
func (w *Environment) PauseClient(i int) error {
	c, err := w.findClient(i)
	if err == nil {
		c.freeze()
	}
	return err
}

// ResumeClient lets a client run again.
func (w *Environment) ResumeClient(i int) error {
	c, err := w.findClient(i)
	if err == nil {
		c.melt()
		w.settle()
	}
	return err
}

// Command executes a command on a node at once, as an operator's or another program's, and returns
// the reply as redis-cli would show it: a script of a person who plays with the environment, or a
// test.
func (w *Environment) Command(name string, args ...string) (string, error) {
	n, err := w.findNode(name)
	if err != nil {
		return "", err
	}
	if n.down || n.paused {
		return "", fmt.Errorf("%s does not answer", name)
	}
	n.engine.Busy = false
	reply := n.engine.Do(n.clock(), n.engine.Open(func([]byte) {}), args)
	n.resume()
	n.clean()
	n.ship()
	return resp.Text(reply), nil
}
