package main

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/replay"
	"github.com/lockbench/lockbench/reports/terminal"
	"github.com/lockbench/lockbench/reports/view"
	"github.com/spf13/cobra"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	options replay.Options
	steps   bool
	store   string
	printed
}

func replayCommand() *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Do a counterexample again, step by step",
		Long: `replay does a counterexample again that ` + advice.Verb("explore") + ` has written: in the simulator,
where every step must be the same, or with real servers and clients, each command, reply and fault
in the recorded order. A replay is recorded and judged like a run, and leaves the same report.
Exit codes: 0 confirmed, 1 diverged, 2 the machine was too slow to tell, 254 the file cannot be
used, or not be replayed there.`,
		Example: `  lockbench replay store/counterexamples/getset-pause-S.yaml
  lockbench replay --env process --times 20 store/counterexamples/getset-pause-S.yaml`,
		Args: exactly(1, "a counterexample's file"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	s := c.Flags()
	s.StringVar(&f.options.Environment, "env", runner.Sim,
		"environment to replay in: sim, or real Redis in process or docker")
	s.IntVar(&f.options.Times, "times", 1, "how often")
	s.BoolVar(&f.steps, "steps", false, "print the steps, too")
	f.printed.register(s)
	s.Lookup("json").Usage = "print the outcome as JSON"
	s.Lookup("quiet").Usage = "print only the outcome"
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs")
	registerPlace(s, &f.options.Place)
	for _, name := range []string{"addr", "any-database", "tls"} {
		_ = s.MarkHidden(name) // lockbench cannot inject faults into a foreign Redis
	}
	return c
}

// run replays a file and prints the outcome, which decides the exit code.
func (f *replayFlags) run(c *cobra.Command, file string) error {
	x, err := counterexample.ReadFile(file)
	if err != nil {
		return err
	}
	if f.options.Times < 1 {
		return fmt.Errorf("--times is %d; it is 1 or more", f.options.Times)
	}
	if x.Plan.Adapter != nil {
		if err := simulatePlan(c.Context(), x.Plan); err != nil {
			return err
		}
	}
	if f.steps && !f.asJSON {
		for _, s := range x.Steps {
			fmt.Fprintln(c.OutOrStdout(), s)
		}
	}
	var begun atomic.Int64
	f.options.Command = advice.ReplayIn.Fill(f.options.Environment, file).Line
	f.options.Dir = func() (string, error) {
		begun.Add(1)
		return store.Create(f.store, x.Plan.Impl, "replay-"+x.Plan.Nemesis, time.Now())
	}
	line := progress.Start(c.ErrOrStderr(), func(took time.Duration) string {
		return fmt.Sprintf("replaying, %.0f s, attempt %d, %d wanted", took.Seconds(), begun.Load(),
			f.options.Times)
	})
	o, err := replay.Run(c.Context(), x, f.options)
	line.Stop()
	switch {
	case c.Context().Err() != nil:
		return exit{exitInterrupted, errors.New("interrupted")}
	case err != nil:
		return err
	}
	if err := f.print(c, o); err != nil {
		return broken(err)
	}
	switch {
	case o.TooSlow:
		return result(2)
	case !o.Confirmed:
		return result(1)
	}
	return nil
}

// replayed is what replay --json prints.
type replayed struct {
	replay.Outcome
	Report string `json:"report"`
}

// print writes the report of the last run, and prints the outcome. If the run was as recorded, it
// prints the verdict, too.
func (f *replayFlags) print(c *cobra.Command, o replay.Outcome) error {
	r, err := store.Load(o.Dir)
	if err != nil {
		return err
	}
	view.Redraw(r)
	v, path, err := saveReport(c, r)
	if err != nil {
		return err
	}
	w := c.OutOrStdout()
	if f.asJSON {
		return history.WriteDocument(w, replayed{o, path})
	}
	fmt.Fprintln(w, o)
	switch {
	case f.quiet:
		return nil
	case o.Confirmed:
		return printVerdict(c, v, path, f.printed)
	}
	return terminal.Note(w, "Report", path, look(w))
}
