package explore

import (
	"fmt"

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
	}
	return nil
}

func notYet(what string) error {
	return fmt.Errorf("not replayable on real Redis yet: %s", what)
}
