// Package runner carries out a plan. It opens the environment, records the run, judges it, saves
// the files of each step, and closes the environment. Every verb that drives a lock uses this
// package: run, matrix, gate and, for its servers, replay and doctor.
//
// Prepare makes a plan out of what a user asked for; Run carries it out:
//
//	plan.json → environment → history.jsonl, trace.jsonl → verdict.json
//
// Each file is written before the next step begins, so that every later step can be done again from
// the run directory alone.
package runner

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/nemesis"
)

// Options control how a plan is carried out.
type Options struct {
	Dir     string  // the run directory; Run creates it if necessary
	Command string  // the command line that repeats the run
	Status  *Status // follows the run, unless it is nil
	// Workers starts the clients that are processes of this machine. If nil, the run starts its own.
	Workers server.Spawner
	// Ended, unless it is nil, is called when a run on real servers is over, before they are stopped.
	Ended func(*Environment)
}

// UsageError reports that a plan cannot be carried out here and that the user has to change
// something. The environment may be missing, a fault may not be possible in it, or a directory may
// not be writable. Nothing of the run has taken place.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// BrokenError reports that lockbench failed after the start of the run.
type BrokenError struct{ Err error }

func (e BrokenError) Error() string { return e.Err.Error() }
func (e BrokenError) Unwrap() error { return e.Err }

// Run carries out a plan in its environment and judges the recorded history.
//
// If it returns no run, the error is a UsageError or a BrokenError. If it returns a run, the run
// has a verdict, and an error says why the verdict is worth less than planned: it is
// context.Canceled if ctx ended the run, a BrokenError if the verdict could not be saved, otherwise
// the harness or a clean-up failed. The verdict does not depend on the clean-up.
func Run(ctx context.Context, p harness.Plan, o Options) (*store.Run, error) {
	proc.CollectSeldom()
	if err := o.begin(p); err != nil {
		return nil, UsageError{err}
	}
	recorded, end, err := o.perform(ctx, p)
	if err != nil {
		return nil, err
	}
	o.Status.enter("judging")
	r, err := store.Judge(o.Dir)
	if r == nil {
		return nil, BrokenError{errors.Join(err, end())}
	}
	if err != nil { // the verdict holds, but a full disk, for example, does not take it
		err = BrokenError{err}
	}
	o.Status.enter("stopping servers and clients")
	return r, errors.Join(recorded, err, end())
}

// begin makes the run directory and writes the plan.
func (o Options) begin(p harness.Plan) error {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return err
	}
	return store.Write(o.Dir, store.Plan, func(w *os.File) error { return p.Write(w) })
}

// perform opens the environment of the plan and records the run in it. Recorded says why the record
// is worth less than planned, err why there is none. End closes the environment.
func (o Options) perform(ctx context.Context, p harness.Plan) (recorded error, end func() error,
	err error) {
	phase := "starting servers and clients"
	if p.Adapter != nil {
		phase = "setting up the library, and " + phase
	}
	o.Status.enter(phase)
	if p.Environment == Sim {
		recorded, err = o.simulate(ctx, p)
		return recorded, func() error { return nil }, err
	}
	environment, err := Open(ctx, p, o.Dir, o.Workers)
	if err != nil {
		return nil, nil, notOpened(err)
	}
	if recorded, err = o.record(ctx, p, environment); err != nil {
		return nil, nil, errors.Join(err, environment.Close())
	}
	if o.Ended != nil {
		o.Ended(environment)
	}
	return recorded, environment.Close, nil
}

// notOpened returns the error of an environment that could not be opened. The user has to change
// something, unless the servers only took too long to start.
func notOpened(err error) error {
	if errors.As(err, new(server.SlowError)) {
		return BrokenError{err}
	}
	return UsageError{err}
}

// simulate is perform in the simulator, whose environment exists only inside a function call.
func (o Options) simulate(ctx context.Context, p harness.Plan) (recorded, err error) {
	if err := p.Simulable(); err != nil {
		return nil, UsageError{err}
	}
	begun := false
	worker := p.Worker()
	worker.Fresh = true // a seed repeats the run of a program only if the program is a new one
	broken := sim.Run(sim.Config{
		Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas, Clients: p.Clients,
		Seed: p.Seed, Worker: worker, RedisConfig: p.RedisConfig,
		Effects: p.Adapter != nil,
	}, func(e *sim.Environment) error {
		begun = true
		recorded, err = o.record(ctx, p, e)
		return nil
	})
	switch {
	case broken == nil:
		return recorded, err
	case begun:
		return nil, BrokenError{broken}
	}
	return nil, UsageError{broken}
}

// record opens the files of the run and lets the harness run the plan. Err is a UsageError if the
// run could not start.
func (o Options) record(ctx context.Context, p harness.Plan, e harness.Environment) (recorded,
	err error) {
	if err := nemesis.Possible(e, p.Scenario); err != nil {
		return nil, UsageError{fmt.Errorf("--nemesis %s: %w", p.Nemesis, err)}
	}
	files, err := store.Record(o.Dir)
	if err != nil {
		return nil, UsageError{err}
	}
	defer files.Close()
	o.Status.enter("running")
	return harness.Run(ctx, p, e, harness.Output{
		History: files.History, Trace: files.Trace, Command: o.Command, Version: Version(),
		Machine: Machine(p.Environment), Watch: o.Status.watch,
	}), nil
}
