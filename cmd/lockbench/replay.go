package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/lockbench/lockbench/internal/explore/counterexample"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/replay"
	"github.com/spf13/cobra"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	env    string
	times  int
	asJSON bool
	steps  bool
	store  string
	place  harness.Place
}

func replayCommand() *cobra.Command {
	f := replayFlags{}
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Do a counterexample again, step by step",
		Long: `replay does again what a counterexample's file says, which lockbench explore has written: in the simulator, where every step must be the
same, or with real servers and clients, each command, reply and fault in the recorded order. Such a replay is recorded and judged as a run is.
Exit codes: 0 confirmed, 1 diverged, 2 the machine was too slow to tell, 254 the file cannot be used or not be replayed there.`,
		Example: `  lockbench replay store/counterexamples/getset-pause-S.yaml
  lockbench replay --env process --times 20 store/counterexamples/getset-pause-S.yaml`,
		Args: one("a counterexample's file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	s := c.Flags()
	s.StringVar(&f.env, "env", envSim,
		"environment to replay in: sim, or real Redis in process or docker")
	s.IntVar(&f.times, "times", 1, "how often")
	s.BoolVar(&f.steps, "steps", false, "print the steps, too")
	s.BoolVar(&f.asJSON, "json", false, "print the outcome as JSON")
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs of a replay on real Redis")
	registerPlace(s, &f.place)
	// of a Redis that is not ours, whose faults cannot be arranged
	for _, name := range []string{"addr", "any-database", "tls"} {
		_ = s.MarkHidden(name) // it is there
	}
	return c
}

func (f *replayFlags) run(c *cobra.Command, file string) error {
	x, err := counterexample.ReadFile(file)
	if err != nil {
		return usage(err)
	}
	if f.times < 1 {
		return usage(fmt.Errorf("--times is %d; it is 1 or more", f.times))
	}
	if f.steps && !f.asJSON {
		for _, s := range x.Steps {
			fmt.Fprintln(c.OutOrStdout(), s)
		}
	}
	o, err := f.replay(c, x, file)
	switch {
	case c.Context().Err() != nil:
		return exit{exitInterrupted, errors.New("interrupted")}
	case err != nil:
		return err
	}
	return f.say(c.OutOrStdout(), o)
}

// replay does it as often as wanted; the first time that it diverges is the last.
func (f *replayFlags) replay(c *cobra.Command, x *counterexample.Counterexample,
	file string) (replay.Outcome, error) {
	switch f.env {
	case envSim:
		return replaySim(c, x, f.times)
	case envProcess, envDocker:
		return f.onServers(c, x, file)
	}
	return replay.Outcome{},
		usage(fmt.Errorf("--env %s: a counterexample can be replayed in %s, %s and %s", f.env, envSim,
			envProcess, envDocker))
}

func replaySim(c *cobra.Command, x *counterexample.Counterexample, times int) (replay.Outcome, error) {
	all := replay.Outcome{}
	for range times {
		o, err := replay.Simulated(c.Context(), x)
		if err != nil {
			return o, usage(err)
		}
		o.Runs, o.Same = all.Runs+o.Runs, all.Same+o.Same
		if all = o; !o.Confirmed {
			break
		}
	}
	return all, nil
}

// say prints the outcome, for people or programs, and turns it into the exit code.
func (f *replayFlags) say(w io.Writer, o replay.Outcome) error {
	if f.asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(o); err != nil {
			return broken(err)
		}
	} else {
		fmt.Fprintln(w, o)
	}
	switch {
	case o.TooSlow:
		return exit{code: 2}
	case !o.Confirmed:
		return exit{code: 1}
	}
	return nil
}
