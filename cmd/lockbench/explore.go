package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/foreign/linked"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// exploreFlags are the flags of explore.
type exploreFlags struct {
	lockFlags
	search explore.Search
	keeper explore.Keeper
	curve  bool
	asJSON bool
	whole  bool
	shard  batch.Shard
	all    exhaustiveFlags
}

func exploreCommand() *cobra.Command {
	var f exploreFlags
	c := &cobra.Command{
		Use:   "explore",
		Short: "Search the simulator for a run in which a lock fails, and make it small",
		Long: `explore looks for a violation in virtual time, hundreds of runs a second (an adapter's program: some
ten): by random seeds, several kinds of schedules by turns, or (--exhaustive) through all orders of
commands, replies, expiry and one fault within bounds. A fault is aimed by its scenarios and, by
turns, drawn at random times, phases and commands. A violation is done again to be sure, made as
small as possible, and saved: ` + advice.Verb("replay") + ` does it again.
Exit codes: 1 found and confirmed, 0 none in the budget or space, 2 stopped early, not confirmed, or
too little (fewer than 30 runs without --seeds, few grants or hand-overs), 254 usage, 255 broken.`,
		Example: `  lockbench explore --impl setpx-del                       # what is wrong with this lock?
  lockbench explore --impl setnx-del-expired --nemesis crash --for 60s
  lockbench explore --impl token-lua --nemesis failover --seeds 5000 --properties L
  lockbench explore --impl getset --exhaustive --clients 3 # every order of messages`,
		Args: lockByFlag,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.register(c.Flags())
	return c
}

func (f *exploreFlags) register(s *pflag.FlagSet) {
	o := &f.RunOptions
	f.lockFlags.register(s)
	nemesis := s.Lookup("nemesis")
	nemesis.DefValue = ""
	nemesis.Usage = "fault; '" + advice.ListNemeses.String() + "' shows all (default all, by turns)"
	o.Nemesis = ""
	s.StringSliceVar(&f.search.Properties, "properties", nil,
		"properties that must not be violated (default all that decide a run; R and A must be asked for)")
	s.Uint64Var(&o.Seed, "seed", 0, "first seed")
	s.IntVar(&f.search.Seeds, "seeds", 0, "number of seeds (default as many as fit into --for)")
	s.DurationVar(&f.search.Budget, "for", 0, "how long to search, shrinking and curves included "+
		"(default 60s, or as long as --seeds take); a real server is tried some 40 s for each")
	s.IntVar(&f.search.Jobs, "jobs", 0, "runs at the same time (default one for each core)")
	s.Var(&f.shard, "shard", "run the seeds of this part only: 2/4 is the second of four machines")
	s.StringVar(&f.search.Schedule, "schedule", explore.Portfolio,
		"portfolio: the others by turns; random: messages take random times; pos: they have random "+
			"priorities; walk: uniform over the possible steps")
	s.StringVar(&f.search.Moments, "moments", explore.Both,
		"moments of faults: aimed by their scenarios, drawn at random, guided by new states, or both "+
			"aimed and guided by turns")
	s.BoolVar(&f.search.KeepGoing, "keep-going", false,
		"go on after a violation; one of each property and class is saved")
	s.BoolVar(&f.keeper.AsIs, "no-shrink", false, "save counterexamples as they were found")
	s.BoolVar(&f.curve, "curve", true,
		"measure for each counterexample from which step on the violation was likely")
	s.IntVar(&o.Clients, "clients", 0, "clients (default 3)")
	s.StringVar(&o.Adapter, "adapter", "",
		"a library on Redis instead, unchanged, or your folder ./mydir")
	s.StringVar(&f.ttl, "ttl", "", `lease, or "documented" for the document's own times (default 1s)`)
	s.StringVar(&f.keeper.Store, "store", "store",
		"directory; counterexamples are saved below it")
	s.StringVar(&f.keeper.Out, "out", "", "file to save the first counterexample in, instead")
	s.BoolVar(&f.asJSON, "json", false, "print the outcome as JSON")
	s.BoolVar(&f.whole, "verbose", false,
		"print also the first counterexample's steps, and the faults left out")
	f.all.register(s)
}

// run searches, saves a counterexample of each kind, and prints them.
func (f *exploreFlags) run(c *cobra.Command) error {
	if err := f.check(c.Flags()); err != nil {
		return err
	}
	if err := f.lock(c); err != nil {
		return err
	}
	f.search.Settled = f.Adapter != "" && linked.Program.Program
	if f.all.exhaustive && f.Nemesis == "" {
		f.Nemesis, f.search.Options.Nemesis = "none", "none"
	}
	begin := time.Now()
	hits, out, err := f.find(c)
	if err != nil {
		return err
	}
	f.keeper.Screen, f.keeper.Jobs = c.ErrOrStderr(), f.search.Jobs
	f.keeper.Plain = !f.curve
	if f.search.Budget > 0 {
		f.keeper.Budget = max(f.search.Budget-time.Since(begin), 1)
	}
	out.Found, err = f.keeper.Keep(c.Context(), hits)
	out.Progress.Unrepeated += f.keeper.Unrepeated
	switch {
	case errors.As(err, new(explore.SaveError)):
		return err
	case err != nil:
		return broken(err)
	}
	if f.search.Settled {
		confirm(c.Context(), out.Found, f.keeper.Store, c.ErrOrStderr())
	}
	out.Verbose = f.whole
	return tellFindings(c.OutOrStdout(), out, f.asJSON)
}

// tellFindings prints the findings of a search, and returns its exit code.
func tellFindings(w io.Writer, out explore.Findings, asJSON bool) (err error) {
	if asJSON {
		err = history.WriteDocument(w, out)
	} else {
		out.Width = progress.Width(w)
		err = out.Text(w)
	}
	switch {
	case err != nil:
		return broken(err)
	case out.Sure() || out.Progress.Hung != "":
		return result(1)
	case len(out.Found) > 0:
		return result(2)
	}
	if why, many := out.Progress.TooManyBroke(); many {
		return broken(errors.New(why))
	}
	if out.Doubt != "" || out.Stopped || out.Covered != nil && !out.Covered.Whole {
		return result(2)
	}
	return nil
}

// lock chooses a lock that the simulator can run.
func (f *exploreFlags) lock(c *cobra.Command) error {
	switch err := f.named(); {
	case err != nil || f.Adapter == "":
		return err
	case f.all.exhaustive:
		return errors.New("--exhaustive is for --impl: that all orders were tried cannot be said of a " +
			"library with pauses and random numbers of its own; search it with --for")
	}
	a, err := adapters.Find(f.Adapter)
	if err != nil {
		return err
	}
	o := &f.search.Options
	way, err := a.Simulated(o.Variant)
	if err != nil {
		return err
	}
	if way == adapters.Linked {
		if c.Flags().Changed("jobs") && f.search.Jobs > 1 {
			return errors.New("--jobs is 1 with --adapter in Go: a library shares the random numbers of " +
				"its process")
		}
		f.search.Jobs = 1
	}
	u, err := a.Use(o.Variant)
	if err == nil && o.TTL == 0 && !u.OwnLease {
		o.TTL = explore.DefaultTTL
	}
	if err != nil {
		return err
	}
	return simulate(c.Context(), *o)
}

// find searches, and shows the progress on a terminal.
func (f *exploreFlags) find(c *cobra.Command) (hits []explore.Hit, out explore.Findings,
	err error) {
	f.search.Screen = c.ErrOrStderr()
	out = explore.Findings{Format: batch.Format, Impl: cmp.Or(f.Impl, f.Adapter), Nemesis: f.Nemesis,
		Asked: askedFor(c.Flags()), Version: runner.Version(), Shard: f.shard}
	if f.all.exhaustive {
		var covered explore.Covered
		hits, covered, out.Progress, err = f.all.search(f.search).Find(c.Context())
		out.Covered = &covered
	} else {
		hits, out.Progress, err = f.search.Find(c.Context())
	}
	out.Rate, out.Stopped = out.Progress.Rate(), c.Context().Err() != nil
	if !f.all.exhaustive {
		out.Rarer = out.Progress.RarerThan()
	}
	shown := out.Progress.Granted > 0 && len(out.Progress.Judged) > 0
	if len(hits) == 0 && (!f.all.exhaustive || !shown) {
		out.Doubt = out.WhyTooLittle()
	}
	return hits, out, err
}

// notAsked lists the flags that do not affect the search. Shards may differ in them.
var notAsked = []string{"shard", "jobs", "store", "out", "json", "curve",
	"verbose"}

// askedFor returns the given flags with their values.
func askedFor(set *pflag.FlagSet) map[string]string {
	out := map[string]string{}
	set.Visit(func(f *pflag.Flag) {
		if !slices.Contains(notAsked, f.Name) {
			out[f.Name] = f.Value.String()
		}
	})
	return out
}

// check returns an error for flags that make no sense, and fills in values that depend on the
// machine.
func (f *exploreFlags) check(set *pflag.FlagSet) error {
	s := &f.search
	if err := aboveZero(set, "seeds", "for", "jobs", "clients", "keys", "masters", "poll", "hold",
		"acquire-timeout", "client-timeout"); err != nil {
		return err
	}
	switch {
	case !slices.Contains(explore.Schedules(), s.Schedule):
		return fmt.Errorf("--schedule %q is not known; there are: %s", s.Schedule,
			strings.Join(explore.Schedules(), ", "))
	case !slices.Contains(explore.Moments(), s.Moments):
		return fmt.Errorf("--moments %q is not known; there are: %s", s.Moments,
			strings.Join(explore.Moments(), ", "))
	}
	if f.shard.Of > 0 {
		if f.all.exhaustive {
			return errors.New("--shard splits seeds, and an exhaustive search has none; omit it")
		}
		s.Mine = f.shard.Has
	}
	if s.Jobs == 0 {
		s.Jobs = runtime.NumCPU()
	}
	if s.Seeds == 0 && s.Budget == 0 && !f.all.exhaustive {
		s.Budget = time.Minute
	}
	if err := f.read(); err != nil {
		return err
	}
	s.Options = f.RunOptions
	return f.all.check(set)
}
