package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// Options specify where and how often a counterexample is replayed.
type Options struct {
	Environment string        // runner.Sim, Process or Docker
	Place       harness.Place // of the servers
	Times       int           // number of replays; the first one that diverges is the last
	Command     string        // the command line that repeats the replay
	// makes a run directory: one for each attempt on servers, and one for all in the simulator
	Dir func() (string, error)
}

// Run replays a counterexample in the simulator or on servers that it starts. It returns an error
// without an outcome if the user must change something or ctx ended.
func Run(ctx context.Context, c *counterexample.Counterexample, o Options) (Outcome, error) {
	switch o.Environment {
	case runner.Sim:
		return simulatedTimes(ctx, c, o)
	case runner.Process, runner.Docker:
	default:
		return Outcome{}, fmt.Errorf("--env %s: a counterexample can be replayed in %s, %s and %s",
			o.Environment, runner.Sim, runner.Process, runner.Docker)
	}
	choice, err := choose(ctx, c, o)
	if err != nil {
		return Outcome{}, err
	}
	servers, err := runner.Connect(ctx, choice)
	if err != nil {
		return Outcome{}, err
	}
	defer servers.Close()
	if servers.Spawner == nil {
		workers := new(server.WorkerPool) // shared by all attempts
		defer workers.Close()
		servers.Spawner = workers
	}
	return onServers(ctx, c, o.Times, func() (Place, error) {
		dir, err := o.Dir()
		if err != nil {
			return Place{}, err
		}
		plan := c.Plan
		plan.Scenario = slices.Concat(plan.Scenario, Faults(c)) // the clients' clocks may be moved
		clients, err := runner.Spawner(ctx, plan, dir, nil, servers.Spawner)
		return Place{Environment: choice.Environment, Dir: dir, Launcher: servers.Launcher,
			Spawner: clients, Command: o.Command, Version: runner.Version()}, err
	})
}

// simulatedTimes repeats a counterexample in the simulator, always in the same run directory.
func simulatedTimes(ctx context.Context, c *counterexample.Counterexample, o Options) (Outcome,
	error) {
	dir, err := o.Dir()
	if err != nil {
		return Outcome{}, err
	}
	p := Place{Environment: runner.Sim, Dir: dir, Command: o.Command, Version: runner.Version()}
	return repeat(o.Times, func() (Outcome, error) { return p.simulated(ctx, c) })
}

// repeat replays a number of times, and stops after a replay that is not as recorded.
func repeat(times int, once func() (Outcome, error)) (all Outcome, err error) {
	for range times {
		one, err := once()
		if err != nil {
			return one, err
		}
		one.Runs, one.Same = all.Runs+one.Runs, all.Same+one.Same
		one.Late = max(all.Late, one.Late)
		if all = one; !one.Confirmed {
			break
		}
	}
	return all, nil
}

// If the machine was too slow for a replay, it is repeated up to retries times. Each pause is twice
// as long as the one before, so that a burst of load passes.
const (
	retries    = 6
	firstPause = 250 * time.Millisecond
)

// onServers repeats a possible counterexample on real servers. Where returns the place of each
// attempt, with a directory of its own. If the machine was too slow, the attempt does not count and
// is repeated a few times.
func onServers(ctx context.Context, c *counterexample.Counterexample, times int,
	where func() (Place, error)) (Outcome, error) {
	return repeat(times, func() (o Outcome, err error) {
		for i := range retries + 1 {
			p, err := where()
			if err != nil {
				return o, err
			}
			if o, err = p.attempt(ctx, c); err != nil || !o.TooSlow || i == retries {
				return o, err
			}
			select {
			case <-time.After(firstPause << i):
			case <-ctx.Done():
				return o, ctx.Err()
			}
		}
		return o, nil
	})
}

// choose returns an error if the environment is unavailable or does not support the counterexample.
func choose(ctx context.Context, c *counterexample.Counterexample, o Options) (runner.Choice,
	error) {
	if err := Possible(c); err != nil {
		return runner.Choice{}, err
	}
	choice, err := runner.Choose(ctx, o.Environment, o.Place)
	if err == nil {
		err = runner.Available(ctx, choice, Faults(c)...)
	}
	if err == nil && choice.Place.Workers == docker.InContainer {
		err = errors.New("not replayable on real Redis yet: lockbench cannot see when clients in " +
			"containers rest; leave --workers out")
	}
	return choice, err
}
