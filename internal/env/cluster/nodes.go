package cluster

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
)

// nodes are the servers of an environment. The methods that carry out a fault are in faults.go.
type nodes struct {
	all       []*node
	sentinels []*node
	fronts    []*node // a server before each node, or none
	hosts     *hosts
	observer  *observer
	election  *election
	// addresses at which a replica reaches another that was promoted, by the name of the link
	successions map[string]string
}

func (s *nodes) on(name string, f func(*node) error) error {
	i := slices.IndexFunc(s.all, func(n *node) bool { return n.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no node %q", name)
	}
	return f(s.all[i])
}

// hit is on for a fault: sentinels watch closely from now on.
func (s *nodes) hit(name string, f func(*node) error) error {
	return s.on(name, func(n *node) error {
		if err := s.election.alarm(true); err != nil {
			return err
		}
		return f(n)
	})
}

// add adds a node, which follows a master unless master is nil.
func (s *nodes) add(n, master *node) {
	n.follows = master
	s.all = append(s.all, n)
}

func (s *nodes) close() {
	closeAll(slices.Concat(s.all, s.sentinels, s.fronts), func(n *node) {
		n.operator.Close()
		n.Kill()
	})
}

func (s *nodes) replicas(n *node) (all int) {
	for _, r := range s.all {
		if r.follows == n {
			all++
		}
	}
	return all
}

// Barrier waits until every replica has all that its master was told.
func (s *nodes) Barrier() error {
	for _, n := range s.all {
		if replicas := s.replicas(n); replicas > 0 && !isClosed(n.Done()) {
			err := asks(n, func(r replicator) error { return r.Barrier(replicas) })
			if err != nil {
				return fmt.Errorf("%s: %w", n.Name, err)
			}
		}
	}
	return nil
}

// electors are the sentinels, or the nodes of a Redis Cluster that run.
func (s *nodes) electors() (all []elector) {
	for _, n := range s.sentinels {
		all = append(all, redisOf(n))
	}
	for _, n := range s.all {
		if e, votes := n.operator.(server.MemberAdmin); votes && n.runs() {
			all = append(all, e)
		}
	}
	return all
}

// counter is a server that counts the keys that go.
type counter interface {
	Counters() (history.Counters, error)
}

// Counters returns the counters of the masters that have run since the start. A replica also counts
// the deletions of its master, and a server that was killed has forgotten its counts.
func (s *nodes) Counters() (all []history.Counters) {
	for _, n := range s.all {
		_, external := n.Server.(server.ExternalServer)
		c, counts := n.operator.(counter)
		if external || !counts || n.ReplicaOf != "" || n.again || !n.runs() {
			continue
		}
		if known, err := c.Counters(); err == nil {
			known.Node = n.Name
			known.Emptied -= n.flushed // the faults of the run are in its history
			all = append(all, known)
		}
	}
	return all
}

// Woken returns how often the nodes have told a waiting client so far that the lock it waits for is
// free. It returns an error if servers of this system do not count it.
func (s *nodes) Woken() (sum int64, err error) {
	for _, n := range s.all {
		if err = asks(n, func(c waker) error {
			one, err := c.Woken()
			sum += one
			return err
		}); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// The questions and orders that a node may understand, one small interface each. Redis understands
// all. nemesis.Systems refuses before the run the steps that another system cannot carry out.
type (
	// replicator makes sure that replicas have all that their master was told.
	replicator interface{ Barrier(replicas int) error }
	// promoter makes a replica a master.
	promoter interface {
		Promote() error
		Role() (string, error)
	}
	// follower replicates from another master from now on.
	follower interface{ Follow(master string) error }
	// switcher takes the place of the present master, with its consent.
	switcher interface{ SwitchOver() error }
	// clocked tells its wall clock.
	clocked interface {
		Ahead() (low, high time.Duration, err error)
	}
	// blocker can be kept from answering.
	blocker interface {
		Spin() (<-chan struct{}, error)
		EndSpin() error
		Sleep(d time.Duration) <-chan error
		Answers(d time.Duration) bool
	}
	// flusher deletes all its keys, or all scripts that it was sent.
	flusher interface {
		Flush() error
		ForgetScripts() error
		Called(commands ...string) (int64, error)
	}
	// filler refuses what needs memory.
	filler interface {
		BoundMemory(size, eviction string) error
		Full() bool
	}
	// waker counts the clients that it has woken so far.
	waker interface{ Woken() (int64, error) }
)

// can returns a node as a C, or an error if its system cannot do that.
func can[C any](n *node) (C, error) {
	c, ok := n.operator.(C)
	if !ok {
		return c, fmt.Errorf("%s cannot be asked that", n.Name)
	}
	return c, nil
}

// redisOf is our connection to a node that is a Redis, or a sentinel.
func redisOf(n *node) server.Admin { return n.operator.(server.Admin) }

// operate makes our connection to a server. It connects with the first question.
func operate(c server.NodeConfig) server.Operator {
	if c.Kind == nil {
		return server.Redis{}.Operator(c)
	}
	return c.Kind.Operator(c)
}

func asks[C any](n *node, f func(C) error) error {
	c, err := can[C](n)
	if err != nil {
		return err
	}
	return f(c)
}
