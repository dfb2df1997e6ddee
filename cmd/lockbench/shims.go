package main

// Names that matrix and gate still use for what internal/runner and internal/progress do.

import (
	"io"

	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/progress"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/spf13/pflag"
)

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
