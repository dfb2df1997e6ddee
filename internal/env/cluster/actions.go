package cluster

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/nemesis"
)

// on does something with a node.
func (w *Environment) on(name string, f func(*node) error) error {
	i := slices.IndexFunc(w.nodes, func(n *node) bool { return n.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no node %q", name)
	}
	return f(w.nodes[i])
}

// hit is on for a fault: sentinels look closely from now on.
func (w *Environment) hit(name string, f func(*node) error) error {
	return w.on(name, func(n *node) error {
		if err := w.alarm(true); err != nil {
			return err
		}
		return f(n)
	})
}

// KillNode ends a node with SIGKILL and returns when it is gone.
func (w *Environment) KillNode(name string) error {
	return w.hit(name, func(n *node) error {
		w.killed.Store(n.Server, true)
		n.Kill()
		return nil
	})
}

// PauseNode stops a node. The kernel goes on to accept connections for it.
func (w *Environment) PauseNode(name string) error {
	return w.hit(name, func(n *node) error { return n.Pause() })
}

// ResumeNode lets a node run again. What was sent to it meanwhile is executed now.
func (w *Environment) ResumeNode(name string) error {
	return w.on(name, func(n *node) error { return n.Resume() })
}

// Cannot says why the environment cannot do what is called do in plans.
func (w *Environment) Cannot(do string) error { return w.cfg.Launcher.Cannot(do) }

// SetNodeClock makes a node's wall clock wrong by offset. Redis notices within a millisecond.
func (w *Environment) SetNodeClock(name string, offset time.Duration) error {
	return w.on(name, func(n *node) error {
		if n.Clock == nil {
			return fmt.Errorf("the clock of %s cannot be moved", name)
		}
		return n.Clock.Set(offset)
	})
}

// StopNodeClock makes a node's wall clock stand where it is.
func (w *Environment) StopNodeClock(name string) error {
	return w.on(name, func(n *node) error {
		if n.Clock == nil {
			return fmt.Errorf("the clock of %s cannot be stopped", name)
		}
		return n.Clock.Stop()
	})
}

// Promote tells a replica to be a master (REPLICAOF NO ONE), and other replicas of its master to
// follow it. One that does not run cannot be told.
func (w *Environment) Promote(name string) error {
	return w.on(name, func(n *node) error {
		if err := asks(n, promoter.Promote); err != nil {
			return err
		}
		old := n.follows
		n.follows = nil
		for _, r := range w.nodes {
			if old == nil || r.follows != old || isClosed(r.Done()) || r.Stopped() {
				continue
			}
			to := w.successions[n.Name+">"+r.Name]
			if err := asks(r, func(f follower) error { return f.Follow(to) }); err != nil {
				return fmt.Errorf("%s cannot follow %s: %w", r.Name, n.Name, err)
			}
			r.follows = n
		}
		return nil
	})
}

// Barrier waits until every replica has all that its master was told.
func (w *Environment) Barrier() error {
	for _, n := range w.nodes {
		if replicas := w.replicas(n); replicas > 0 && !isClosed(n.Done()) {
			err := asks(n, func(r replicator) error { return r.Barrier(replicas) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Block makes a node execute a script that does not end, and returns when it does. Soon the node
// answers others with -BUSY.
func (w *Environment) Block(name string) error {
	return w.hit(name, func(n *node) error {
		return asks(n, func(b blocker) (err error) {
			if n.spins, err = b.Spin(); err == nil {
				w.untilSilent(b)
			}
			return err
		})
	})
}

// Stall makes a node execute a command that takes d, DEBUG SLEEP, during which it answers no client
// and what was sent waits: as with a slow script, for which Redis has no clock that could end it in
// time. Free returns when it has ended, and says if it was over too soon.
func (w *Environment) Stall(name string, d time.Duration) error {
	return w.hit(name, func(n *node) error {
		return asks(n, func(b blocker) error {
			n.naps = b.Sleep(d)
			w.untilSilent(b)
			return nil
		})
	})
}

// untilSilent waits until a node does not answer at once, or for at most a second: what keeps it
// busy has to arrive. Whether it is busy is for Prove to say.
func (w *Environment) untilSilent(n blocker) {
	wait := silence / 4
	if w.remote != nil {
		wait = 2 * silence // the route is longer, and a busy machine makes it no shorter
	}
	limit := time.Now().Add(time.Second)
	for n.Answers(wait) && time.Now().Before(limit) {
		time.Sleep(time.Millisecond)
	}
}

// Free kills the script, or waits for the end of a command that ends by itself.
func (w *Environment) Free(name string) error {
	return w.on(name, func(n *node) error {
		if naps := n.naps; naps != nil {
			n.naps = nil
			return <-naps
		}
		err := asks(n, blocker.EndSpin)
		if err == nil && n.spins != nil {
			<-n.spins // it is killed at its next step, after the answer
		}
		return err
	})
}

// KillClient ends a worker with SIGKILL and returns when its last report has been passed on.
func (w *Environment) KillClient(i int) error {
	c, err := w.client(i)
	if err == nil {
		c.kill()
	}
	return err
}

// PauseClient stops a worker.
func (w *Environment) PauseClient(i int) error {
	c, err := w.client(i)
	if err != nil {
		return err
	}
	return c.Pause()
}

// ResumeClient lets a worker run again.
func (w *Environment) ResumeClient(i int) error {
	c, err := w.client(i)
	if err != nil {
		return err
	}
	return c.Resume()
}

func (w *Environment) client(i int) (*client, error) {
	if i < 0 || i >= len(w.clients) {
		return nil, fmt.Errorf("there is no client %d", i)
	}
	return w.clients[i], nil
}

// needs reports whether a scenario does something; if node is not "", to this node.
func needs(steps []nemesis.Step, do, node string) bool {
	return slices.ContainsFunc(steps, func(s nemesis.Step) bool {
		return s.Do == do && (node == "" || s.Node == node)
	})
}
