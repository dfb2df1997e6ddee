package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"syscall"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/foreign/linked"
	"github.com/lockbench/lockbench/internal/foreign/stepped"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
)

// simulate makes the simulator able to run the adapter's lock of a run.
func simulate(ctx context.Context, o harness.RunOptions) error {
	a, err := adapters.Find(o.Adapter)
	if err != nil {
		return err
	}
	if err := provide(ctx, a, o.Variant); err != nil {
		return err
	}
	o.Environment, o.Nemesis = runner.Process, "none" // a plan for the simulator needs the lock
	p, err := harness.NewPlan(o)
	if err == nil {
		linked.Program.Use(p)
	}
	return err
}

// simulateProgram is simulate for several runs at a time, which a library in Go cannot serve.
func simulateProgram(ctx context.Context, o harness.RunOptions) error {
	a, err := adapters.Find(o.Adapter)
	if err != nil {
		return err
	}
	if way, err := a.Simulated(o.Variant); err == nil && way == adapters.Linked {
		return fmt.Errorf("the adapter %s is in Go, and a gate cannot build it in; use an environment "+
			"with real servers, or %s", a.Name, advice.ExploreAdapter.Fill(a.Name))
	}
	return simulate(ctx, o) // it explains other errors
}

// simulateReplay is simulatePlan for a gate.
func simulateReplay(ctx context.Context, p harness.Plan) error {
	a, err := adapters.Find(cmp.Or(p.Adapter.Dir, p.Adapter.Name))
	if err != nil {
		return simulatePlan(ctx, p) // simulatePlan explains the error
	}
	if way, err := a.Simulated(p.Variant); err == nil && way == adapters.Linked {
		return fmt.Errorf("the adapter %s is in Go, and a gate cannot build it in; %s does so for a "+
			"counterexample", a.Name, advice.Verb("replay"))
	}
	return simulatePlan(ctx, p)
}

// simulatePlan makes the simulator able to run the lock of a plan's adapter.
func simulatePlan(ctx context.Context, p harness.Plan) error {
	if p.Adapter.Linked() {
		return fmt.Errorf("the lock %s is in a Go test, which alone can replay it; set LOCKTEST_REPLAY "+
			"to the file, and run that test with go test", p.Adapter.Name)
	}
	a, err := adapters.Find(cmp.Or(p.Adapter.Dir, p.Adapter.Name))
	if err != nil {
		return err
	}
	if p.Adapter.Dir != "" && a.Hash != p.Adapter.Hash { // its setup would be carried out
		return fmt.Errorf("the files of the adapter %s have changed since the counterexample was "+
			"made; find it again: %s", a.Name, advice.ExploreAdapter.Fill(p.Adapter.Dir))
	}
	if a.Version != p.Adapter.Version {
		return fmt.Errorf("the counterexample is of %s %s, and the adapter drives %s; find it again: %s",
			a.Name, p.Adapter.Version, a.Version, advice.ExploreAdapter.Fill(a.Name))
	}
	if err := provide(ctx, a, p.Variant); err != nil {
		return err
	}
	linked.Program.Use(p)
	return nil
}

// provide sets an adapter up for the simulator. For a library in Go it continues in a lockbench
// that is built with it, unless this one is.
func provide(ctx context.Context, a adapters.Adapter, variant string) error {
	way, err := a.Simulated(variant)
	if err != nil {
		return err
	}
	if way == adapters.Linked && linked.Program != nil {
		if linked.Program.Hash != a.Hash {
			return fmt.Errorf("the adapter %s is another one in the sources of lockbench than in the "+
				"lockbench that was started; build lockbench anew", a.Name)
		}
		return nil
	}
	in, err := adapters.Setup(ctx, a)
	if err != nil {
		return err
	}
	if way == adapters.Stepped {
		linked.Program, err = stepped.Program(in)
		return err
	}
	program, err := in.Link(ctx)
	if err != nil {
		return err
	}
	return syscall.Exec(program, os.Args, append(proc.Environ(), "GODEBUG="+linked.Godebug()))
}
