package runner

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/foreign/adapter"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// Prepare converts a user's options into a plan that can be carried out here. It checks the options
// before the environment. The note explains the choice of the environment, or is "". Every error is
// one that the user can correct.
func Prepare(ctx context.Context, o harness.RunOptions) (p harness.Plan, note string, err error) {
	if p, err = harness.NewPlan(o); err != nil {
		return p, "", err
	}
	if err = p.CheckMoments(o); err != nil {
		return p, "", err
	}
	faults, err := nemesis.Parse(o.Nemesis)
	if err != nil {
		return p, "", err
	}
	c, err := ChooseFor(ctx, p.System(), o.Environment, o.Place)
	if err != nil {
		return p, "", err
	}
	// Available refuses a plan whose clocks cannot be moved in containers. Drawn faults must know this
	// before.
	clocks := faults.Drawn() || c.Environment == Process && movesClocks(p.Scenario)
	o.Environment, o.Place = c.Environment, c.Place
	o.Capabilities = Capabilities(ctx, c, clocks)
	if p, err = harness.NewPlan(o); err != nil {
		return p, "", err
	}
	return p, c.Note, Available(ctx, c, p.Scenario...)
}

// fitting returns the environment of a plan from a file.
func fitting(ctx context.Context, p harness.Plan) (c Choice, err error) {
	if p.System() != "" {
		return ChooseFor(ctx, p.System(), p.Environment, p.Place)
	}
	if p.Place.Server != "" {
		if _, err := server.Program(p.Place.Server); err != nil {
			return c, err
		}
	}
	return c, c.name(ctx, p.Environment, p.Place)
}

// Fit is Prepare for a plan from a file. It changes nothing but the environment Auto.
func Fit(ctx context.Context, p harness.Plan) (_ harness.Plan, note string, err error) {
	c, err := fitting(ctx, p)
	if err != nil {
		return p, "", err
	}
	p.Environment, c.Place = c.Environment, p.Place
	if err := p.Place.Suits(c.Environment); err != nil {
		return p, "", err
	}
	has := Capabilities(ctx, c, c.Environment == Process && movesClocks(p.Scenario)).On(p.System())
	if err := has.Possible(nemesis.Scenario{Topology: p.Topology, Replicas: p.Replicas,
		Steps: p.Scenario}); err != nil {
		return p, "", fmt.Errorf("--nemesis %s: %w", p.Nemesis, err)
	}
	return p, c.Note, Available(ctx, c, p.Scenario...)
}

// ReadPlan reads a plan.json.
func ReadPlan(name string) (harness.Plan, error) {
	text, err := units.ReadFile(name)
	if err != nil {
		return harness.Plan{}, err
	}
	return harness.ReadPlan(bytes.NewReader(text))
}

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
	s.Direct, s.Guards = p.System() != "", p.Declares().ChecksWrites()
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
