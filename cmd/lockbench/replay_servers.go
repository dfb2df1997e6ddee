package main

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/explore"
	"github.com/lockbench/lockbench/internal/progress"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/spf13/cobra"
)

// onServers replays with real servers and clients. Each attempt leaves a run directory, as a run
// does.
func (f *replayFlags) onServers(c *cobra.Command, x *explore.Counterexample,
	file string) (explore.Outcome, error) {
	if err := x.Replayable(); err != nil {
		return explore.Outcome{}, err
	}
	choice, err := runner.Choose(c.Context(), f.env, f.place)
	if err == nil {
		err = runner.Available(c.Context(), choice, faults(x)...)
	}
	if err == nil && choice.Place.Workers == docker.InContainer {
		err = errors.New("not replayable on real Redis yet: lockbench cannot see when clients in " +
			"containers rest; leave --workers out")
	}
	if err != nil {
		return explore.Outcome{}, err
	}
	servers, err := runner.Connect(c.Context(), f.env, choice.Place)
	if err != nil {
		return explore.Outcome{}, err
	}
	defer servers.Close()
	o, err := f.attempts(c, x, explore.Real{
		Environment: f.env, Launcher: servers.Launcher, Spawner: servers.Spawner,
		Command: fmt.Sprintf("lockbench replay --env %s %s", f.env, quoted(file)),
		Version: runner.Version(),
	})
	if err == nil {
		err = store.Point(f.store, o.Dir)
	}
	return o, err
}

// attempts replays as often as wanted, and shows how often it has on a terminal.
func (f *replayFlags) attempts(c *cobra.Command, x *explore.Counterexample,
	r explore.Real) (explore.Outcome, error) {
	var begun atomic.Int64
	line := progress.Start(c.ErrOrStderr(), func(took time.Duration) string {
		return fmt.Sprintf("replaying, %.0f s, attempt %d, %d wanted", took.Seconds(), begun.Load(),
			f.times)
	})
	defer line.Stop()
	return x.ReplayReal(c.Context(), f.times, func() (_ explore.Real, err error) {
		begun.Add(1)
		r.Dir, err = store.Create(f.store, x.Plan.Impl, "replay-"+x.Plan.Nemesis, time.Now())
		return r, err
	})
}

// faults are the faults of a counterexample.
func faults(x *explore.Counterexample) (all []nemesis.Step) {
	for _, s := range x.Steps {
		if s.Fault != nil {
			all = append(all, *s.Fault)
		}
	}
	return all
}
