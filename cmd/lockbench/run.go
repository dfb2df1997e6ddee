package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runFlags are the flags of run.
type runFlags struct {
	wish     harness.RunOptions
	plan     string
	store    string
	ttl      string
	quiet    bool
	config   []string
	asJSON   bool
	watchdog bool
	place    placeFlags
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run",
		Short: "Run a lock under a fault and judge what happened",
		Example: `  # does the GETSET lock survive a failover?
  lockbench run --impl getset --nemesis failover

  # in a script: fail unless mutual exclusion is violated, as it must be
  lockbench run --impl getset --nemesis failover --expect S

  # the control: a failover in which nothing is lost
  lockbench run --impl getset --nemesis failover:healthy

  # two faults, one after the other; several that are drawn from all that the environment offers; and one that you wrote
  lockbench run --impl token-lua --nemesis pause,failover
  lockbench run --impl token-lua --nemesis random --seed 7
  lockbench run --impl token-lua --nemesis ./docs/examples/faults/late-release.yaml

  # the same run again
  lockbench run --plan store/latest/plan.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.register(c.Flags())
	complete(c)
	return c
}

func (f *runFlags) register(s *pflag.FlagSet) {
	w := &f.wish
	s.StringVar(&w.Impl, "impl", "", "lock to run; `lockbench list impls` shows all")
	s.StringVar(&w.Nemesis, "nemesis", "none",
		"fault to inject, several with commas between them, or a file (./my.yaml); `lockbench list nemeses` shows all")
	s.StringVar(&w.Workload, "workload", "", "what clients do inside (default mutex)")
	s.StringVar(&w.Environment, "env", "auto",
		"environment to run in: auto (real Redis where it is), process, docker, external (a Redis that is there), sim")
	f.place.register(s)
	s.StringVar(&w.Expect, "expect", "",
		`verdict for exit code 0: valid, violated, or letters such as "S" (default valid)`)
	s.StringSliceVar(&w.Properties, "properties", nil,
		"what to judge (default S,L,O,D,F,U; R must be asked for)")
	s.Uint64Var(&w.Seed, "seed", 0, "seed of all randomness (default random, and printed)")
	s.StringVar(&w.Variant, "variant", "", "variant of the lock, such as constant for token-lua")
	s.StringVar(&w.Topology, "topology", "",
		"single, failover or independent (default what lock and fault need)")
	lockFlags(s, w)
	s.IntVar(&w.Clients, "clients", 0, "clients, one process each (default 4)")
	s.StringVar(&f.ttl, "ttl", "", `lease, or "documented" for the document's own times (default 2s)`)
	s.DurationVar(&w.Think, "think", 0, "mean pause between cycles")
	s.IntVar(&w.MaxRenewals, "max-renewals", 0,
		"how often one hold may be renewed (default for ever, as documented)")
	s.BoolVar(&f.watchdog, "watchdog", true,
		"let a lock that has a watchdog renew its lease; =false names a lease instead")
	s.DurationVar(&w.NodeTimeout, "node-timeout", 0,
		"how long redlock waits for one master (default a twentieth of the lease, 5ms to 50ms)")
	s.DurationVar(&w.WaitTimeout, "wait-timeout", 0, "how long they may take (default 100ms)")
	s.DurationVar(&w.For, "for", 0,
		"longest duration of the run; it ends sooner when its evidence is complete (default 10s)")
	s.BoolVar(&w.Stop, "stop-on-violation", false,
		"end at the first violation instead of after one recovery")
	s.StringArrayVar(&f.config, "redis-config", nil,
		"setting of every redis-server, key=value; may be repeated")
	s.BoolVar(&w.Thorough, "thorough", false,
		"go on after a violation until every property has had its chance")
	s.StringVar(&f.plan, "plan", "", "run this plan.json instead of what the other flags say")
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "print only the verdict")
	s.BoolVar(&f.asJSON, "json", false, "print the verdict as JSON")
}

func (f *runFlags) run(c *cobra.Command) error {
	p, err := f.makePlan(c.Flags())
	if err != nil {
		return usage(err)
	}
	var note string
	if p.Environment, note, err = chooseEnvironment(p.Environment); err != nil {
		return usage(err)
	}
	if p, err = f.ground(c.Context(), p); err != nil {
		return usage(err)
	}
	if err := reachable(c.Context(), p.Environment, p.Place, p.Scenario...); err != nil {
		return usage(err)
	}
	if note != "" {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench:", note)
	}
	started := time.Now()
	dir, err := store.Create(f.store, p.Impl, p.Nemesis, started)
	if err != nil {
		return usage(err)
	}
	if err := store.Write(dir, store.Plan, func(w *os.File) error { return p.Write(w) }); err != nil {
		return usage(err)
	}
	r, err := f.carryOut(c, p, dir, started)
	if err != nil {
		return err
	}
	return conclude(c, r, f.quiet, f.asJSON)
}

// ground makes the plan again for the environment that was chosen: what is drawn depends on what it
// offers. A plan that was read is only looked at.
func (f *runFlags) ground(ctx context.Context, p harness.Plan) (harness.Plan, error) {
	place := p.Place
	if f.plan == "" {
		var err error
		if place, err = f.place.in(p.Environment); err != nil {
			return p, err
		}
	}
	// in containers the image is asked, before the start
	asked := p.Environment == envProcess && slices.ContainsFunc(p.Scenario, movesClock)
	g := groundHere(ctx, p.Environment, place, asked || strings.Contains(f.wish.Nemesis, "random"))
	if f.plan != "" {
		if err := g.Possible(nemesis.Scenario{Topology: p.Topology, Replicas: p.Replicas,
			Steps: p.Scenario}); err != nil {
			return p, fmt.Errorf("--nemesis %s: %w", p.Nemesis, err)
		}
		return p, nil
	}
	f.wish.Environment, f.wish.Capabilities = p.Environment, g
	p, err := harness.NewPlan(f.wish)
	if err != nil {
		return p, err
	}
	p.Place = place
	return p, nil
}

func movesClock(s nemesis.Step) bool { return s.Do == nemesis.NodeClock }

// makePlan reads the plan or makes it from the flags.
func (f *runFlags) makePlan(set *pflag.FlagSet) (harness.Plan, error) {
	if f.plan != "" {
		if err := alone(set); err != nil {
			return harness.Plan{}, err
		}
		file, err := os.Open(f.plan)
		if err != nil {
			return harness.Plan{}, err
		}
		defer file.Close()
		return harness.ReadPlan(file)
	}
	if f.wish.Impl == "" {
		return harness.Plan{},
			errors.New("which lock? name it with --impl; `lockbench list impls` shows all")
	}
	if !set.Changed("seed") {
		f.wish.Seed = rand.Uint64() >> 32 // short enough to be typed
	}
	switch f.ttl {
	case "":
	case "documented":
		f.wish.Documented = true
	default:
		ttl, err := time.ParseDuration(f.ttl)
		if err != nil || ttl <= 0 {
			return harness.Plan{},
				fmt.Errorf(`--ttl is %q; a lease is a duration above zero ("2s") or "documented"`, f.ttl)
		}
		f.wish.TTL = ttl
	}
	for _, name := range []string{"clients", "keys", "masters", "poll", "acquire-timeout", "hold",
		"client-timeout", "for"} {
		// zero means the default inside
		if l := set.Lookup(name); l.Changed && (l.Value.String() == "0" || l.Value.String() == "0s") {
			return harness.Plan{}, fmt.Errorf("--%s is 0; it must be above zero", name)
		}
	}
	config, err := pairs(f.config)
	if err != nil {
		return harness.Plan{}, err
	}
	if f.wish.Environment == envExternal && !set.Changed("masters") && len(f.place.Addrs) > 1 {
		f.wish.Masters = len(f.place.Addrs)
	}
	f.wish.RedisConfig, f.wish.NoWatchdog = config, !f.watchdog
	return harness.NewPlan(f.wish)
}

// alone refuses what would be said beside a plan, and be ignored.
func alone(set *pflag.FlagSet) (err error) {
	set.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"plan", "store", "quiet", "json"}, f.Name) && err == nil {
			err = fmt.Errorf("--plan says all that a run needs: leave --%s out, or change the file", f.Name)
		}
	})
	return err
}

// pairs splits key=value settings.
func pairs(settings []string) (list []string, err error) {
	for _, s := range settings {
		k, v, ok := strings.Cut(s, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("--redis-config %q is not key=value", s)
		}
		list = append(list, k, v)
	}
	return list, nil
}

// carryOut runs the plan, judges it from what is on disk, and only then takes the environment down.
func (f *runFlags) carryOut(c *cobra.Command, p harness.Plan, dir string,
	started time.Time) (*store.Run, error) {
	show := newProgress(c.ErrOrStderr())
	r, runErr, err := execution{
		plan: p, dir: dir, line: commandLine(c.Flags(), p), started: started, show: show,
	}.carryOut(c.Context())
	switch {
	case err != nil:
		return nil, err
	case errors.Is(runErr, context.Canceled):
		return nil, exit{exitInterrupted, fmt.Errorf("interrupted; what was recorded is in %s", dir)}
	case runErr != nil:
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: the run broke:", runErr)
	}
	return r, nil
}

// commandLine reproduces a run: the flags that were given, and the seed that was drawn.
func commandLine(set *pflag.FlagSet, p harness.Plan) string {
	line := "lockbench run"
	set.Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"store", "quiet", "json", "seed", "help"}, f.Name) {
			return // they change what is said, not what is done
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		between := " "
		if f.Value.Type() == "bool" {
			between = "="
		}
		for _, v := range values {
			line += " --" + f.Name + between + quoted(v)
		}
	})
	if set.Changed("plan") {
		return line // which has the seed
	}
	return fmt.Sprintf("%s --seed %d", line, p.Seed)
}

// quoted makes a word safe for a shell.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\"'`$&|;<>()*?[]#~\\") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// progress counts what a run has done and shows it on a terminal, from the second second on.
type progress struct {
	monitor *checker.Monitor
	line    *statusLine
}

func newProgress(w io.Writer) *progress {
	return &progress{line: newStatusLine(w)}
}

// watch begins to judge a run.
func (p *progress) watch(h history.Header) harness.Watcher {
	p.monitor = checker.NewMonitor(h)
	return p
}

// Add is harness.Watcher.
func (p *progress) Add(e history.Event) bool {
	if e.Type == history.OK && e.F == history.Acquire {
		p.line.acquisitions.Add(1)
	}
	return p.monitor.Add(e)
}

func (p *progress) stop() { p.line.stop() }
