package cluster

import (
	"fmt"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

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

// asks calls f with a node as a C.
func asks[C any](n *node, f func(C) error) error {
	c, err := can[C](n)
	if err != nil {
		return err
	}
	return f(c)
}
