package explore

import (
	"fmt"
	"time"

	"github.com/lockbench/lockbench/nemesis"
)

// Replayable says by name what of a counterexample cannot be replayed on real servers yet; nil: all of it can.
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
	return nil
}

// shortest is a lease in which there is time for some steps, each of which takes about a millisecond on a busy machine.
const shortest = 20 * time.Millisecond

func notYet(what string) error {
	return fmt.Errorf("not replayable on real Redis yet: %s", what)
}
