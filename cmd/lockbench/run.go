package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/tour"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/lockbench/lockbench/reports/terminal"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runFlags are the flags of run.
type runFlags struct {
	lockFlags
	config []string
	plan   string
	story  string
	store  string
	printed
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run",
		Short: "Run a lock under a fault and judge what happened",
		Example: `  lockbench run --impl getset --nemesis failover            # does it survive a failover?
  lockbench run --impl getset --nemesis failover --expect S # in a script: it must not
  lockbench run --adapter redisson --nemesis pause          # a released library
  lockbench run --impl setnx-del-expired --nemesis crash:all # every aim of the fault
  lockbench run --impl token-lua --nemesis pause,failover   # one after the other
  lockbench run --story p1p2p3                              # as the document tells it
  lockbench run --plan store/latest/plan.json               # the same run again`,
		Args: lockByFlag,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.tell(c.Flags()); err != nil {
				return err
			}
			return f.run(c)
		},
	}
	f.register(c.Flags())
	return c
}

func (f *runFlags) register(s *pflag.FlagSet) {
	o := &f.RunOptions
	f.lockFlags.register(s)
	s.StringVar(&o.Adapter, "adapter", "",
		"a library, or your folder ./mydir; see '"+advice.ListAdapters.String()+"'")
	s.StringVar(&o.Environment, "env", runner.Auto,
		"auto, process, docker, external (your Redis), sim")
	registerPlace(s, &o.Place)
	s.StringVar(&o.Expect, "expect", "",
		"exit 0 if valid, violated, S,L, exactly:S,L or starved (default valid)")
	s.StringSliceVar(&o.Properties, "properties", nil,
		"letters to judge (default all; "+units.List(history.ReportedProperties())+
			" decide only if named)")
	s.Uint64Var(&o.Seed, "seed", 0, "seed of all randomness (default random, and printed)")
	s.IntVar(&o.Clients, "clients", 0, "clients, one process each (default 4)")
	s.StringVar(&f.ttl, "ttl", "", `lease, or "documented" for the document's own times (default 2s)`)
	s.DurationVar(&o.For, "for", 0,
		"longest duration; it ends when its evidence is complete (default 10s)")
	s.BoolVar(&o.Stop, "stop-on-violation", false,
		"end at the first violation instead of after one recovery")
	s.BoolVar(&o.Thorough, "thorough", false,
		"go on after a violation until every property has had its chance")
	s.StringArrayVar(&f.config, "redis-config", nil,
		"setting of every redis-server, key=value; may be repeated")
	s.StringVar(&f.story, "story", "",
		"a document's story, such as p1p2p3 ('?' names all)")
	s.StringVar(&f.plan, "plan", "", "a plan.json instead of all other flags")
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs")
	f.printed.register(s)
}

// run carries out a plan and prints the verdict: it makes the plan and the run directory, runs and
// judges, and writes the report.
func (f *runFlags) run(c *cobra.Command) error {
	if fault, all := strings.CutSuffix(f.Nemesis, hint.AllAims); all && f.plan == "" {
		return f.runAll(c, fault)
	}
	line := progress.Start(c.ErrOrStderr(), new(runner.Status).Line)
	p, note, err := f.prepare(c.Context(), c.Flags())
	line.Stop()
	if err != nil {
		return err
	}
	if note != "" {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench:", note)
	}
	if f.plan == "" {
		p.Story = f.story
	}
	warnOfLoad(c, p.Environment)
	r, dir, err := f.perform(c, p, commandLine(c.Flags(), p))
	switch {
	case errors.Is(err, context.Canceled):
		return interrupted("the recorded files are in " + dir)
	case r == nil:
		return err
	case errors.As(err, new(runner.BrokenError)): // the verdict is not saved, but it is shown
		_ = reportVerdict(c, r, f.printed)
		return err
	case err != nil:
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: the run broke:", brief(err.Error()))
	}
	result := reportVerdict(c, r, f.printed)
	if !f.quiet && !f.asJSON && r.Verdict != nil && r.Verdict.AsExpected {
		if s, ok := tour.Story(p.Story); ok {
			tellOf(c.OutOrStdout(), s, tour.CastOf(p.Story, r.History, r.Trace, r.Verdict).Said)
		}
	}
	return result
}

// tellOf explains a story, and which client plays which role of it in the run.
func tellOf(w io.Writer, s tour.Step, roles string) {
	fmt.Fprintln(w)
	told := fmt.Sprintf("%s (%s). %s %s", s.Source, s.Page(), s.EN.See, roles)
	_ = terminal.Note(w, "Story", strings.TrimSpace(told), look(w))
	fmt.Fprintln(w)
}

// tell sets the flags that run a story.
func (f *runFlags) tell(set *pflag.FlagSet) error {
	if f.story == "" {
		return nil
	}
	s, ok := tour.Story(f.story)
	if !ok {
		return fmt.Errorf("no document tells the story %q; the stories are %s", f.story,
			units.List(tour.Names()))
	}
	flags := s.Flags()
	for i := 0; i+1 < len(flags); i += 2 {
		if set.Changed(flags[i]) {
			return fmt.Errorf("--story %s says what --%s is; leave it out", f.story, flags[i])
		}
		if err := set.Set(flags[i], flags[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// perform carries out a plan in a new run directory, and shows the progress.
func (f *runFlags) perform(c *cobra.Command, p harness.Plan, command string) (r *store.Run,
	dir string, err error) {
	started, status := time.Now(), &runner.Status{}
	if dir, err = store.Create(f.store, p.Impl, p.Nemesis, started); err != nil {
		return nil, "", err
	}
	line := progress.Start(c.ErrOrStderr(), status.Line)
	defer line.Stop()
	r, err = runner.Run(c.Context(), p, runner.Options{
		Dir: dir, Command: command, Status: status,
		// the report and the hints need it; meanwhile the servers and clients end
		Ended: func(*runner.Environment) { go func() { _, _ = choose.Lookup(p) }() },
	})
	return r, dir, err
}

// prepare makes the plan from the flags, or reads it.
func (f *runFlags) prepare(ctx context.Context, set *pflag.FlagSet) (p harness.Plan, note string,
	err error) {
	if f.plan == "" {
		if err := f.read(set); err != nil {
			return p, "", err
		}
		if err := f.simulated(ctx); err != nil {
			return p, "", err
		}
		return runner.Prepare(ctx, f.RunOptions)
	}
	if err := alone(set); err != nil {
		return p, "", err
	}
	if p, err = runner.ReadPlan(f.plan); err != nil {
		return p, "", err
	}
	if p.Environment == runner.Sim && p.Adapter != nil {
		if err := simulatePlan(ctx, p); err != nil {
			return p, "", err
		}
	}
	return runner.Fit(ctx, p)
}

// simulated makes the simulator able to run an adapter, if the run is to be in the simulator.
func (f *runFlags) simulated(ctx context.Context) error {
	if f.Environment != runner.Sim || f.Adapter == "" {
		return nil
	}
	return simulate(ctx, f.RunOptions)
}

// read completes the options with the flags that are not fields.
func (f *runFlags) read(set *pflag.FlagSet) error {
	if err := f.named(); err != nil {
		return err
	}
	if !set.Changed("seed") {
		f.Seed = rand.Uint64() >> 32 // short enough to be typed
	}
	if err := aboveZero(set, "clients", "keys", "masters", "poll", "acquire-timeout", "hold",
		"client-timeout", "for"); err != nil {
		return err
	}
	if err := f.Configure(f.config); err != nil {
		return err
	}
	return f.lockFlags.read()
}

// alone returns an error for flags that have no effect with --plan.
func alone(set *pflag.FlagSet) (err error) {
	set.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"plan", "store", "quiet", "json", "verbose"}, f.Name) && err == nil {
			err = fmt.Errorf("--plan says all that a run needs: leave --%s out, or change the file", f.Name)
		}
	})
	return err
}

// commandLine returns the command that reproduces a run: the given flags, and the drawn seed.
func commandLine(set *pflag.FlagSet, p harness.Plan) string {
	line := advice.Verb("run")
	set.Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"store", "quiet", "json", "verbose", "seed", "help", "story"},
			f.Name) {
			return // it changes only the output
		}
		values := []string{f.Value.String()}
		if f.Name == "nemesis" {
			values[0] = p.Nemesis // only one of all aims
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		between := " "
		if f.Value.Type() == "bool" {
			between = "="
		}
		for _, v := range values {
			line += " --" + f.Name + between + units.Quoted(v)
		}
	})
	if set.Changed("plan") {
		return line // the plan has the seed
	}
	return fmt.Sprintf("%s --seed %d", line, p.Seed)
}
