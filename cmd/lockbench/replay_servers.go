package main

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/explore/counterexample"
	"github.com/lockbench/lockbench/internal/progress"
	"github.com/lockbench/lockbench/internal/replay"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/spf13/cobra"
)

// onServers replays with real servers and clients. Each attempt leaves a run directory, as a run
// does.
func (f *replayFlags) onServers(c *cobra.Command, x *counterexample.Counterexample,
	file string) (replay.Outcome, error) {
	if err := replay.Possible(x); err != nil {
		return replay.Outcome{}, err
	}
	choice, err := runner.Choose(c.Context(), f.env, f.place)
	if err == nil {
		err = runner.Available(c.Context(), choice, replay.Faults(x)...)
	}
	if err == nil && choice.Place.Workers == docker.InContainer {
		err = errors.New("not replayable on real Redis yet: lockbench cannot see when clients in " +
			"containers rest; leave --workers out")
	}
	if err != nil {
		return replay.Outcome{}, err
	}
	servers, err := runner.Connect(c.Context(), f.env, choice.Place)
	if err != nil {
		return replay.Outcome{}, err
	}
	defer servers.Close()
	o, err := f.attempts(c, x, replay.Place{
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
func (f *replayFlags) attempts(c *cobra.Command, x *counterexample.Counterexample,
	r replay.Place) (replay.Outcome, error) {
	var begun atomic.Int64
	line := progress.Start(c.ErrOrStderr(), func(took time.Duration) string {
		return fmt.Sprintf("replaying, %.0f s, attempt %d, %d wanted", took.Seconds(), begun.Load(),
			f.times)
	})
	defer line.Stop()
	return replay.OnServers(c.Context(), x, f.times, func() (_ replay.Place, err error) {
		begun.Add(1)
		r.Dir, err = store.Create(f.store, x.Plan.Impl, "replay-"+x.Plan.Nemesis, time.Now())
		return r, err
	})
}
