package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// downAfter is how long a master must be silent before a sentinel gives it up; Redis checks ten
// times a second.
const downAfter = 500 * time.Millisecond

// election is how far the sentinels are. A fault and a sentinel's message may come at once.
type election struct {
	mu     sync.Mutex
	near   bool   // they watch closely
	begun  string // the replica that they promoted last
	master string // whom they have told their clients of
}

// acquainted waits until a sentinel has a connection to every other server, and has heard from each
// replica.
func acquainted(n *node) error {
	limit := time.Now().Add(server.Patience)
	for {
		why, err := strangers(redisOf(n))
		if err == nil && why == "" {
			return nil
		}
		if time.Now().After(limit) {
			return fmt.Errorf("sentinel %s does not know all servers after %v: %s", n.Name,
				server.Patience, cmp.Or(why, fmt.Sprint(err)))
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// strangers says which servers a sentinel has not heard from; "" if it knows all.
func strangers(c server.Admin) (string, error) {
	for what, all := range map[string]int{"SENTINELS": nemesis.Sentinels - 1,
		"REPLICAS": nemesis.SentinelNodes - 1} {
		list, err := c.Do(context.Background(), "SENTINEL", what, workloads.MasterName).Slice()
		if err != nil {
			return "", err
		}
		known := 0
		for _, x := range list {
			words := fmt.Sprint(x)
			if !strings.Contains(words, "disconnected") && (what == "SENTINELS" ||
				strings.Contains(words, "master-link-status ok")) {
				known++
			}
		}
		if known < all {
			return fmt.Sprintf("%d of %d %s", known, all, strings.ToLower(what)), nil
		}
	}
	return "", nil
}

// alarm makes the sentinels watch closely from now on, or be patient again.
func (w *Environment) alarm(close bool) error {
	d := server.PatientAfter
	if close {
		d = downAfter
	}
	w.election.mu.Lock()
	defer w.election.mu.Unlock()
	if w.election.near == close {
		return nil
	}
	w.election.near = close
	var all sync.WaitGroup
	watchers := w.electors()
	errs := make([]error, len(watchers))
	for i, n := range watchers {
		all.Go(func() { errs[i] = n.Watch(d) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// elector is a server that promotes another when the master was silent for too long.
type elector interface {
	Watch(patience time.Duration) error
}

// electors are the sentinels, or the nodes of a cluster that run.
func (w *Environment) electors() (all []elector) {
	for _, n := range w.watchers {
		all = append(all, redisOf(n))
	}
	for _, n := range w.nodes {
		if e, votes := n.operator.(server.MemberAdmin); votes && !isClosed(n.Done()) && !n.Stopped() {
			all = append(all, e)
		}
	}
	return all
}
