package explore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/nemesis"
)

// Replayable says by name what of a counterexample cannot be replayed on real servers yet; nil: all
// of it can.
func (c *Counterexample) Replayable() error {
	p := c.Plan
	switch {
	case p.Topology == nemesis.Sentinel:
		return notYet("an election by sentinels: nobody can gate it")
	case p.WaitReplicas > 0:
		return notYet("--wait-replicas: when replicas confirm is not in the record")
	case p.ClientRetries > 0:
		return notYet("--client-retries: what the Redis client resends by itself is not in the record")
	case p.TTL.D() < shortest:
		return notYet(fmt.Sprintf("a lease of %v: a few steps on real servers take as long", p.TTL))
	}
	return c.promotes()
}

// promotes says whether a failover can be done again. The file does not have what was under way to
// a replica: the run is done again in the simulator.
func (c *Counterexample) promotes() error {
	if !slices.ContainsFunc(c.Steps, func(s Step) bool {
		return s.Fault != nil &&
			s.Fault.Do == nemesis.Promote
	}) {
		return nil
	}
	r, err := c.Case().run(context.Background())
	if err != nil {
		return fmt.Errorf("the simulator cannot run it: %w", err)
	}
	if r.overtaken {
		return notYet(
			"a failover whose replica misses a write that was still under way; only one that the link has dropped can be arranged")
	}
	return nil
}

// shortest is a lease in which there is time for some steps, each of which takes about a
// millisecond on a busy machine.
const shortest = 20 * time.Millisecond

func notYet(what string) error {
	return fmt.Errorf("not replayable on real Redis yet: %s", what)
}
