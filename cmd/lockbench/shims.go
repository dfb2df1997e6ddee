package main

// Names that matrix and gate still use for what internal/runner and internal/progress do.

import (
	"context"
	"io"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/progress"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/spf13/pflag"
)

const (
	envProcess  = runner.Process
	envDocker   = runner.Docker
	envExternal = runner.External
	envSim      = runner.Sim
)

type placeFlags struct{ harness.Place }

func (p *placeFlags) register(s *pflag.FlagSet) { registerPlace(s, &p.Place) }

func (p placeFlags) in(environment string) (harness.Place, error) {
	c, err := runner.Choose(context.Background(), environment, p.Place)
	return c.Place, err
}

func chooseEnvironment(name string) (environment, note string, err error) {
	c, err := runner.Choose(context.Background(), name, harness.Place{})
	return c.Environment, c.Note, err
}

func reachable(ctx context.Context, environment string, p harness.Place,
	scenario ...nemesis.Step) error {
	return runner.Available(ctx, runner.Choice{Environment: environment, Place: p}, scenario...)
}

func groundHere(ctx context.Context, environment string, p harness.Place,
	clocks bool) nemesis.Capabilities {
	return runner.Capabilities(ctx, runner.Choice{Environment: environment, Place: p}, clocks)
}

func machine(environment string) string { return runner.Machine(environment) }
func version() string                   { return runner.Version() }
func usage(err error) error             { return err }

type bar struct{ *progress.Bar }

func newBar(w io.Writer) *bar                  { return &bar{progress.StartBar(w)} }
func (b *bar) step(done, all int, what string) { b.Step(done, all, what) }
func (b *bar) stop()                           { b.Stop() }
func (f *runFlags) makePlan(set *pflag.FlagSet) (harness.Plan, error) {
	if err := f.read(set); err != nil {
		return harness.Plan{}, err
	}
	return harness.NewPlan(f.RunOptions)
}

func (b *bar) tell(done, all int, r matrix.Result) { b.Step(done, all, r.Row+" under "+r.Nemesis) }
