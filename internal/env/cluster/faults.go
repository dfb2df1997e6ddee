package cluster

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
)

// needs reports whether the scenario has an action; if node is not "", on this node.
func (c *Config) needs(do, node string) bool {
	return slices.ContainsFunc(c.Scenario, func(s nemesis.Step) bool {
		return s.Do == do && (node == "" || s.Node == node)
	})
}

// KillNode ends a node with SIGKILL and returns when it is gone.
func (s *nodes) KillNode(name string) error {
	return s.hit(name, func(n *node) error {
		s.observer.kill(n.Server)
		return nil
	})
}

// StartNode starts a killed node at its old address, with the files that it left behind, and
// returns when it answers. Redis writes no files by default; its settings can change that.
func (s *nodes) StartNode(name string) error {
	return s.on(name, func(n *node) error {
		if err := s.hosts.relaunch(n); err != nil {
			return err
		}
		if err := n.Ready(); err != nil {
			return err
		}
		return s.observer.observe(n)
	})
}

// LoseDisk removes the files that a killed node left behind.
func (s *nodes) LoseDisk(name string) error { return s.on(name, s.hosts.wipe) }

// PauseNode stops a node. The kernel goes on to accept connections for it.
func (s *nodes) PauseNode(name string) error {
	return s.hit(name, (*node).Pause)
}

// ResumeNode lets a node run again. It executes the commands that arrived meanwhile.
func (s *nodes) ResumeNode(name string) error {
	return s.on(name, (*node).Resume)
}

// SetNodeClock makes a node's wall clock wrong by offset. Redis notices within a millisecond.
func (s *nodes) SetNodeClock(name string, offset time.Duration) error {
	return s.on(name, func(n *node) error {
		if n.Clock == nil {
			return fmt.Errorf("the clock of %s cannot be moved", name)
		}
		return n.Clock.Set(offset)
	})
}

// StopNodeClock stops a node's wall clock.
func (s *nodes) StopNodeClock(name string) error {
	return s.on(name, func(n *node) error {
		if n.Clock == nil {
			return fmt.Errorf("the clock of %s cannot be stopped", name)
		}
		return n.Clock.Stop()
	})
}

// Block makes a node execute a script that does not end, and returns when it does. Soon the node
// answers others with -BUSY.
func (s *nodes) Block(name string) error { return s.hit(name, (*node).block) }

// Stall makes a node execute DEBUG SLEEP for d. Meanwhile the node answers no client, and commands
// to it wait, as they do behind a slow script. A script could not end in time, since it has no
// clock. Free returns when the command has ended, with an error if it ended too soon.
func (s *nodes) Stall(name string, d time.Duration) error {
	return s.hit(name, func(n *node) error { return n.sleep(d) })
}

// Free kills the script, or waits for the end of a command that ends by itself.
func (s *nodes) Free(name string) error { return s.on(name, (*node).free) }

// Flush deletes all keys of a node, as an operator does.
func (s *nodes) Flush(name string) error {
	return s.on(name, func(n *node) error {
		n.flushed++
		return asks(n, flusher.Flush)
	})
}

// ForgetScripts makes a node forget the scripts that it was sent.
func (s *nodes) ForgetScripts(name string) error {
	return s.on(name, func(n *node) error { return asks(n, flusher.ForgetScripts) })
}

// FillMemory makes a node refuse writes that need memory.
func (s *nodes) FillMemory(name string) error {
	return s.bound(name, "1", "noeviction")
}

// FreeMemory gives a node the memory with which it started.
func (s *nodes) FreeMemory(name string) error {
	return s.bound(name, s.setting("maxmemory", "0"), s.setting("maxmemory-policy", "noeviction"))
}

// setting returns a setting with which the nodes were started.
func (s *nodes) setting(name, usual string) string {
	for pair := range slices.Chunk(s.hosts.cfg.RedisConfig, 2) {
		if pair[0] == name {
			usual = pair[1]
		}
	}
	return usual
}

func (s *nodes) bound(name, size, eviction string) error {
	return s.on(name, func(n *node) error {
		return asks(n, func(f filler) error { return f.BoundMemory(size, eviction) })
	})
}

// Promote tells a replica to be a master (REPLICAOF NO ONE), and other replicas of its master to
// follow it. It leaves out replicas that do not run.
func (s *nodes) Promote(name string) error {
	return s.on(name, func(n *node) error {
		if err := asks(n, promoter.Promote); err != nil {
			return err
		}
		old := n.follows
		n.follows = nil
		for _, r := range s.all {
			if old == nil || r.follows != old || !r.runs() {
				continue
			}
			to := s.successions[n.Name+">"+r.Name]
			if err := asks(r, func(f follower) error { return f.Follow(to) }); err != nil {
				return fmt.Errorf("%s cannot follow %s: %w", r.Name, n.Name, err)
			}
			r.follows = n
		}
		return nil
	})
}

// SwitchOver makes a replica a master with the consent of the present one, and returns when that
// has begun.
func (s *nodes) SwitchOver(name string) error {
	if len(s.sentinels) > 0 {
		return redisOf(s.sentinels[0]).SwitchOver()
	}
	return s.on(name, func(n *node) error { return asks(n, switcher.SwitchOver) })
}

// MoveSlot moves the slot of the run's first key to another master.
func (s *nodes) MoveSlot(name string) error {
	key := s.hosts.cfg.Worker.Keys[0]
	return s.on(name, func(to *node) error {
		there, err := can[server.MemberAdmin](to)
		if err != nil {
			return err
		}
		for _, n := range s.all[:nemesis.ClusterMasters] {
			if has, ok := n.operator.(server.MemberAdmin); ok && n != to && has.Serves(key) {
				return has.Give(key, there, to.Host, to.Port)
			}
		}
		return fmt.Errorf("no master has the slot of %q", key)
	})
}
