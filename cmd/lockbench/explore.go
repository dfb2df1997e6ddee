package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/explore"
	"github.com/lockbench/lockbench/internal/explore/counterexample"
	"github.com/lockbench/lockbench/internal/progress"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// exploreFlags are the flags of explore.
type exploreFlags struct {
	lockFlags
	search explore.Search
	store  string
	out    string
	asIs   bool
	asJSON bool
	shard  batch.Shard
	all    exhaustiveFlags
}

func exploreCommand() *cobra.Command {
	var f exploreFlags
	c := &cobra.Command{
		Use:   "explore",
		Short: "Search the simulator for a run in which a lock fails, and make it small",
		Long: `explore looks for a violation in virtual time, hundreds of runs a second: by random seeds, by priorities of clients, or (--exhaustive)
through all orders of commands, replies, expiry and one fault within bounds. A fault strikes as its scenarios aim it and, by turns, at random
times, phases and commands. What is found is done again to be sure, made as small as it can be, and saved: lockbench replay does it again.
Exit codes: 1 found, 0 none in the budget or space named, 2 stopped early, 254 wrong usage.`,
		Example: `  # a minute for a race
  lockbench explore --impl setnx-del-expired --nemesis crash --for 60s

  # 5,000 seeds, by priorities, only for the algorithm's own flaw
  lockbench explore --impl token-lua --nemesis failover --seeds 5000 --schedule priority --properties L

  # every order of messages of 3 clients, with up to 2 expiries and 3 preemptions
  lockbench explore --impl getset --exhaustive --clients 3 --expiries 2 --preemptions 3

  # the table of expected verdicts, decided cell by cell
  lockbench explore --matrix --docs docs`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.register(c.Flags())
	return c
}

func (f *exploreFlags) register(s *pflag.FlagSet) {
	o := &f.RunOptions
	f.lockFlags.register(s)
	s.Lookup("nemesis").Usage =
		"fault, with all its variants unless one is named; 'lockbench list nemeses' shows all"
	s.StringSliceVar(&f.search.Properties, "properties", nil,
		"what must not be violated (default S,L,O,D,F,U; R must be asked for)")
	s.Uint64Var(&o.Seed, "seed", 0, "first seed")
	s.IntVar(&f.search.Seeds, "seeds", 0, "number of seeds (default as many as fit into --for)")
	s.DurationVar(&f.search.Budget, "for", 0, "how long (default 60s, or as long as --seeds take)")
	s.IntVar(&f.search.Jobs, "jobs", 0, "runs at the same time (default one for each core)")
	s.Var(&f.shard, "shard", "run the seeds of this part only: 2/4 is the second of four machines")
	s.StringVar(&f.search.Schedule, "schedule", explore.Random,
		"random: messages take random times; priority: clients have priorities that change at a few points")
	s.StringVar(&f.search.Moments, "moments", explore.Both,
		"when faults strike: aimed as their scenarios are, drawn at random, or both by turns")
	s.BoolVar(&f.search.KeepGoing, "keep-going", false,
		"go on after a violation; one of each property and class is saved")
	s.BoolVar(&f.asIs, "no-shrink", false, "save what was found as it is")
	s.IntVar(&o.Clients, "clients", 0, "clients (default 3)")
	s.StringVar(&f.ttl, "ttl", "", `lease, or "documented" for the document's own times (default 1s)`)
	s.StringVar(&f.store, "store", "store",
		"directory; what is found is saved in counterexamples below it")
	s.StringVar(&f.out, "out", "", "file to save the first that is found in, instead")
	s.BoolVar(&f.asJSON, "json", false, "print the outcome as JSON")
	f.all.register(s)
}

// outcome is what explore has to say, for programs.
type outcome struct {
	Impl     string           `json:"impl"`
	Nemesis  string           `json:"nemesis"`
	Progress explore.Progress `json:"progress"`
	Rate     float64          `json:"runs_per_second"`
	Stopped  bool             `json:"stopped,omitempty"` // before the budget was used up
	Found    []found          `json:"found"`
	Covered  *explore.Covered `json:"covered,omitempty"` // of an exhaustive search
}

// found is a counterexample that was saved.
type found struct {
	File        string `json:"file"`
	Seed        uint64 `json:"seed"`
	Property    string `json:"property"`
	Class       string `json:"class,omitempty"`
	Explanation string `json:"explanation"`
	Steps       int    `json:"steps"`
	Shrunk      int    `json:"shrink_runs"`
}

func (f *exploreFlags) run(c *cobra.Command) error {
	if err := f.check(c.Flags()); err != nil {
		return usage(err)
	}
	if f.all.table.matrix {
		return f.all.table.decide(c, f)
	}
	if f.search.Options.Impl == "" {
		return errNoLock
	}
	var last atomic.Pointer[explore.Progress]
	f.search.Progress = func(p explore.Progress) { last.Store(&p) }
	line := progress.Start(c.ErrOrStderr(), func(took time.Duration) string {
		p := last.Load()
		if p == nil {
			return fmt.Sprintf("searching, %.0f s", took.Seconds())
		}
		return fmt.Sprintf("searching, %.0f s, %d runs (%.0f/s), %d distinct states, %d violations",
			p.Took.Seconds(), p.Runs, p.Rate(), p.States, p.Hits)
	})
	var hits []explore.Hit
	var out outcome
	var err error
	if f.all.exhaustive {
		hits, out, err = f.all.search(c.Context(), f.search)
	} else {
		hits, out.Progress, err = f.search.Find(c.Context())
	}
	line.Stop()
	if err != nil {
		return usage(err)
	}
	out.Impl, out.Nemesis, out.Rate, out.Stopped = f.search.Options.Impl, f.search.Options.Nemesis,
		out.Progress.Rate(), c.Context().Err() != nil
	return f.conclude(c, hits, out)
}

// check refuses what makes no sense, and fills in what depends on the machine.
func (f *exploreFlags) check(set *pflag.FlagSet) error {
	s := &f.search
	for _, name := range []string{"seeds", "for", "jobs", "clients", "keys", "masters", "poll", "hold",
		"acquire-timeout", "client-timeout"} {
		if v := set.Lookup(name); v.Changed && (v.Value.String() == "0" || v.Value.String() == "0s" ||
			strings.HasPrefix(v.Value.String(), "-")) {
			return fmt.Errorf("--%s is %s; it must be above zero", name, v.Value)
		}
	}
	switch {
	case s.Schedule != explore.Random && s.Schedule != explore.Priority:
		return fmt.Errorf("--schedule %q is not known; there are %s and %s", s.Schedule, explore.Random,
			explore.Priority)
	case s.Moments != explore.Aimed && s.Moments != explore.Drawn && s.Moments != explore.Both:
		return fmt.Errorf("--moments %q is not known; there are %s, %s and %s", s.Moments, explore.Aimed,
			explore.Drawn, explore.Both)
	}
	if f.shard.Of > 0 {
		if f.all.exhaustive || f.all.table.matrix {
			return errors.New("--shard splits seeds, and an exhaustive search has none; leave it away")
		}
		s.Mine = f.shard.Has
	}
	if s.Jobs == 0 {
		s.Jobs = runtime.NumCPU()
	}
	if s.Seeds == 0 && s.Budget == 0 && !f.all.exhaustive && !f.all.table.matrix {
		s.Budget = time.Minute
	}
	if err := f.read(); err != nil {
		return err
	}
	s.Options = f.RunOptions
	return f.all.check(set)
}

// conclude makes what was found small, saves it, and says all of it.
func (f *exploreFlags) conclude(c *cobra.Command, hits []explore.Hit, out outcome) error {
	seen := map[string]bool{}
	var first *counterexample.Counterexample
	for _, h := range hits {
		if kind := h.Property + h.Class; seen[kind] {
			continue
		} else {
			seen[kind] = true
		}
		x, runs, err := f.shrink(c.Context(), h)
		if err != nil {
			return broken(fmt.Errorf("seed %d: %w", h.Seed, err))
		}
		file, err := f.save(x, len(out.Found))
		if err != nil {
			return usage(err)
		}
		if first == nil {
			first = x
		}
		out.Found = append(out.Found, found{file, h.Seed, h.Property, h.Class, x.Verdict.Explanation,
			len(x.Steps), runs})
	}
	if f.asJSON {
		enc := json.NewEncoder(c.OutOrStdout())
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(out); err != nil {
			return broken(err)
		}
	} else {
		out.say(c.OutOrStdout(), first)
	}
	switch {
	case len(out.Found) > 0:
		return exit{code: 1}
	case out.Stopped || out.Covered != nil && !out.Covered.Whole:
		return exit{code: 2}
	}
	return nil
}

func (f *exploreFlags) shrink(ctx context.Context, h explore.Hit) (*counterexample.Counterexample, int,
	error) {
	if f.asIs {
		x, err := h.Settle(context.WithoutCancel(ctx))
		return x, 0, err
	}
	return h.Shrink(ctx)
}

// save writes a counterexample to --out, or below the store under a name that tells what it is.
func (f *exploreFlags) save(x *counterexample.Counterexample, n int) (string, error) {
	file := f.out
	if file == "" || n > 0 {
		dir := filepath.Join(f.store, "counterexamples")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", fmt.Errorf("cannot write to the store %q: %w; name another with --store", f.store,
				err)
		}
		name := fmt.Sprintf("%s-%s-%s-%s", x.Plan.Impl, x.Plan.Nemesis, x.Verdict.Property,
			x.Verdict.Class)
		file = filepath.Join(dir, strings.NewReplacer(":", "-", " ", "-", "/",
			"-").Replace(strings.TrimSuffix(name, "-"))+".yaml")
	}
	out, err := os.Create(file)
	if err != nil {
		return "", err
	}
	return file, errors.Join(x.Write(out), out.Close())
}
