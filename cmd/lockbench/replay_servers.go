package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/explore"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// onServers replays with real servers and clients. Each attempt leaves a run directory, as a run
// does.
func (f *replayFlags) onServers(c *cobra.Command, x *explore.Counterexample,
	file string) (explore.Outcome, error) {
	if err := x.Replayable(); err != nil {
		return explore.Outcome{}, usage(err)
	}
	place, err := f.place.in(f.env)
	if err != nil {
		return explore.Outcome{}, usage(err)
	}
	if _, _, err := chooseEnvironment(f.env); err != nil {
		return explore.Outcome{}, usage(err)
	}
	if err := reachable(c.Context(), f.env, place, faults(x)...); err != nil {
		return explore.Outcome{}, usage(err)
	}
	r := explore.Real{Environment: f.env, Command: fmt.Sprintf("lockbench replay --env %s %s", f.env,
		quoted(file)), Version: version()}
	if f.env == envDocker {
		end, err := inContainers(c.Context(), place, x, &r)
		if err != nil {
			return explore.Outcome{}, usage(err)
		}
		defer end.Close()
	}
	o, err := f.attempts(c, x, r)
	if err == nil {
		err = store.Point(f.store, o.Dir)
	}
	return o, usage(err)
}

// attempts replays as often as wanted, and shows how often it has on a terminal.
func (f *replayFlags) attempts(c *cobra.Command, x *explore.Counterexample,
	r explore.Real) (explore.Outcome, error) {
	begun, began := 0, time.Now()
	show, terminal := c.ErrOrStderr().(*os.File)
	terminal = terminal && term.IsTerminal(int(show.Fd()))
	defer func() {
		if terminal {
			fmt.Fprint(show, "\r\033[K")
		}
	}()
	return x.ReplayReal(c.Context(), f.times, func() (_ explore.Real, err error) {
		begun++
		if terminal && time.Since(began) > statusAfter {
			fmt.Fprintf(show, "\r\033[Kreplaying, attempt %d, %d wanted", begun, f.times)
		}
		r.Dir, err = store.Create(f.store, x.Plan.Impl, "replay-"+x.Plan.Nemesis, time.Now())
		return r, err
	})
}

// inContainers makes the place of replays in containers.
func inContainers(ctx context.Context, p harness.Place, x *explore.Counterexample,
	r *explore.Real) (io.Closer, error) {
	o := containers(p)
	for _, s := range faults(x) {
		o.Clocks = o.Clocks || s.Do == nemesis.NodeClock
	}
	if o.Workers == docker.InContainer {
		return nil,
			errors.New(
				"not replayable on real Redis yet: clients in containers, nobody can see when they rest; leave --workers out")
	}
	l, err := docker.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	r.Launcher, r.Spawner = l, l.Spawner()
	return l, nil
}

// faults are what is done to the environment in a counterexample.
func faults(x *explore.Counterexample) (all []nemesis.Step) {
	for _, s := range x.Steps {
		if s.Fault != nil {
			all = append(all, *s.Fault)
		}
	}
	return all
}
