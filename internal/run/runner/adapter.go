package runner

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/foreign/adapter"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// Spawner returns the spawner of a plan's clients. If the plan has an adapter, Spawner sets it up
// first; if not, it returns otherwise. Dir is the run directory, env the further environment of an
// adapter.
func Spawner(ctx context.Context, p harness.Plan, dir string, env []string,
	otherwise server.Spawner) (server.Spawner, error) {
	if p.Adapter == nil {
		return otherwise, nil
	}
	a, err := adapters.Find(cmp.Or(p.Adapter.Dir, p.Adapter.Name))
	if err != nil {
		return nil, err
	}
	if a.Hash != p.Adapter.Hash {
		return nil, fmt.Errorf("the files of the adapter %s have changed since the plan was made; "+
			"run it with --adapter instead of --plan, or after a fix: %s --only NAME", a.Name,
			advice.Verb("gate"))
	}
	in, err := adapters.Setup(ctx, a)
	if err != nil {
		return nil, err
	}
	s := adapter.NewSpawner(in)
	s.Options, s.Dir, s.Env = p.Adapter.Options, filepath.Join(dir, "logs"), env
	s.Direct, s.Guards = p.System() != "", p.Declares().Optimistic
	// If the lock renews a lease unseen, the rest of the lease is unknown at a grant.
	if p.Declares().Lease && !(s.Direct && p.Renews()) {
		s.Lease = p.TTL.D()
	}
	if pattern := p.Adapter.Key; pattern != "" {
		s.Key = func(name string) string { return strings.ReplaceAll(pattern, "{key}", name) }
	}
	for _, step := range p.Scenario {
		s.Clocks = s.Clocks || step.Do == nemesis.ClientClock
	}
	return s, nil
}
