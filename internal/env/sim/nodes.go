package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/nemesis"
)

// nodes are the servers of an environment, with the faults that strike them. Each fault does the
// same as in the environment of processes.
type nodes struct {
	scheduler *scheduler
	cfg       *Config
	links     *links
	all       []*node
	masters   int // number of masters, which come before their replicas
}

var (
	_ nemesis.NodeKiller  = (*Environment)(nil)
	_ nemesis.NodePauser  = (*Environment)(nil)
	_ nemesis.NodeClocker = (*Environment)(nil)
	_ nemesis.NodeBlocker = (*Environment)(nil)
	_ nemesis.Promoter    = (*Environment)(nil)
	_ nemesis.Replicator  = (*Environment)(nil)
)

// start makes the nodes of the topology and the links between them. After a promotion, the other
// replicas follow the new master by the links between replicas.
func (s *nodes) start() {
	g := s.cfg.layout()
	s.masters = len(g.MasterNames())
	for _, name := range g.Nodes() {
		n := &node{nodes: s, scheduler: s.scheduler, cfg: s.cfg, name: name, engine: engine.New()}
		if s.cfg.Effects {
			n.engine.Effects = &n.effects
		}
		n.record()
		s.all = append(s.all, n)
	}
	for i, to := range s.all[s.masters:] {
		s.replicate(s.all[i%s.masters], to)
	}
	for _, p := range g.Successions() {
		to, _ := s.find(p[1])
		s.links.add(p[0]+">"+p[1], to)
	}
}

func (s *nodes) replicate(master, to *node) {
	r := &replica{master: master, node: to}
	r.link = s.links.add(master.name+">"+to.name, to)
	r.link.healed = r.resync
	to.engine.Replica = true
	master.replicas = append(master.replicas, r)
}

func (s *nodes) find(name string) (*node, error) {
	i := slices.IndexFunc(s.all, func(n *node) bool { return n.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no node %q", name)
	}
	return s.all[i], nil
}

func (s *nodes) on(name string, f func(*node)) error {
	n, err := s.find(name)
	if err == nil {
		f(n)
	}
	return err
}

// KillNode ends a node at once.
func (s *nodes) KillNode(name string) error { return s.on(name, (*node).kill) }

// StartNode brings a killed node back. It keeps nothing on a disk, as Redis without persistence.
func (s *nodes) StartNode(name string) error {
	n, err := s.find(name)
	if err != nil {
		return err
	}
	if !n.down {
		return fmt.Errorf("%s was not killed", name)
	}
	n.restart()
	return nil
}

// PauseNode stops a node. Commands that are sent to it wait. Its clock goes on.
func (s *nodes) PauseNode(name string) error {
	return s.on(name, func(n *node) { n.paused = true })
}

// ResumeNode lets a node run again. It executes the commands that arrived meanwhile.
func (s *nodes) ResumeNode(name string) error {
	return s.on(name, func(n *node) {
		late := n.backlog
		n.paused, n.backlog = false, nil
		for _, f := range late {
			f()
		}
	})
}

// SetNodeClock makes a node's wall clock wrong by offset.
func (s *nodes) SetNodeClock(name string, offset time.Duration) error {
	return s.on(name, func(n *node) {
		n.engine.Expire(n.clock()) // an expired key does not come back when the clock goes back
		n.offset, n.stands = offset, 0
	})
}

// StopNodeClock stops a node's wall clock.
func (s *nodes) StopNodeClock(name string) error {
	return s.on(name, func(n *node) { n.stands = n.clock() })
}

// Block makes a node execute a script that does not end: soon it answers with -BUSY.
func (s *nodes) Block(name string) error {
	return s.on(name, func(n *node) { n.busy = s.scheduler.Now() })
}

// Stall makes a node execute one command for d. The node answers no client during that time, and
// executes later commands afterwards.
func (s *nodes) Stall(name string, d time.Duration) error {
	return s.on(name, func(n *node) { n.stalled = s.scheduler.Now() + int64(d) })
}

// Free kills the script of Block, or waits for the end of the command of Stall.
func (s *nodes) Free(name string) error {
	n, err := s.find(name)
	if err != nil {
		return err
	}
	n.busy = 0
	over := func() bool { return s.scheduler.Now() >= n.stalled }
	s.scheduler.RunUntil(max(time.Duration(n.stalled-s.scheduler.Now()), 0), over)
	return nil
}

// Flush deletes all keys of a node, as an operator does.
func (s *nodes) Flush(name string) error {
	_, err := s.Command(name, "FLUSHALL")
	return err
}

// ForgetScripts makes a node forget the scripts that it was sent.
func (s *nodes) ForgetScripts(name string) error {
	_, err := s.Command(name, "SCRIPT", "FLUSH")
	return err
}

// FillMemory makes a node refuse writes that need memory.
func (s *nodes) FillMemory(name string) error {
	return s.on(name, func(n *node) { n.engine.Full = true })
}

// FreeMemory ends FillMemory.
func (s *nodes) FreeMemory(name string) error {
	return s.on(name, func(n *node) { n.engine.Full = false })
}

// Promote makes a replica a master. Other replicas of its master follow it.
func (s *nodes) Promote(name string) error { return s.on(name, (*node).promote) }

// barrierLimit is the longest time that Barrier waits.
const barrierLimit = 2 * time.Second

// Barrier waits until the replicas have all writes of their masters.
func (s *nodes) Barrier() error {
	done := func() bool {
		return !slices.ContainsFunc(s.all, func(n *node) bool {
			return !n.down && n.have(n.position.written) < len(n.replicas)
		})
	}
	if done() {
		return nil
	}
	if !s.scheduler.RunUntil(barrierLimit, done) {
		return fmt.Errorf("a replica does not have what the master was told after %v", barrierLimit)
	}
	return nil
}

// Lags reports whether a replica lacks a write that its master has executed, although no fault
// strikes the link between them. The write is only under way then.
func (s *nodes) Lags(replica string) bool {
	for _, n := range s.all {
		for _, r := range n.replicas {
			if r.node.name == replica && r.loaded < n.position.written && r.link.intact() {
				return true
			}
		}
	}
	return false
}

// Command executes a command on a node at once, as an operator or another program might. It returns
// the reply as redis-cli shows it. It is for tests and scripts that change the contents of a node.
func (s *nodes) Command(name string, args ...string) (string, error) {
	n, err := s.find(name)
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
