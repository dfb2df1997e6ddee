package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
)

// Machine runs the entries of a gate as `lockbench run` would with the same options.
type Machine struct {
	gate  *File
	ready map[string]Prepared
	root  string                  // directory of the runs
	runs  map[string]*runner.Runs // by the name of the environment
	seen  map[string]bool         // environments and adapters that were checked
	locks map[string]string       // what each adapter drives
	sims  map[string]simulated    // by adapter: the first entry that runs it in the simulator
}

// Prepare prepares the named entries, or all if only is empty. It returns an error before anything
// is run if an entry cannot work.
func (g *File) Prepare(ctx context.Context, only []string) (*Machine, error) {
	m := &Machine{gate: g, ready: map[string]Prepared{}, runs: map[string]*runner.Runs{},
		seen: map[string]bool{}, locks: map[string]string{}, sims: map[string]simulated{}}
	for _, e := range g.Entries {
		if !chosen(only, e.Name) {
			continue
		}
		prepare := m.run
		if e.Replay != "" {
			prepare = m.replay
		}
		p, err := prepare(ctx, e)
		if err != nil {
			return nil, err
		}
		m.ready[e.Name] = p
	}
	return m, nil
}

// Run is like File.Run and stores the runs in a directory.
func (m *Machine) Run(ctx context.Context, dir string, o Options) (*Result, error) {
	m.root = dir
	for _, runs := range m.runs {
		runs.Root = dir
	}
	o.Jobs = cmp.Or(o.Jobs, m.gate.bears())
	o.Drop = func(run string) { os.RemoveAll(m.path(run)) }
	r, err := m.gate.Run(ctx, o, m.ready)
	for _, runs := range m.runs {
		runs.Close()
	}
	r.Version, r.Machine = runner.Version(), runner.Machine(m.gate.Environment)
	r.Versions, r.Locks = map[string]map[string]string{}, m.locks
	for name, runs := range m.runs {
		if v := runs.Versions(); v != nil {
			r.Versions[name] = v
		}
	}
	return r, err
}

// bears returns how many runs may execute in parallel. In the simulator each uses a core, and with
// real servers at most half of one.
func (g *File) bears() int {
	if g.Environment == runner.Sim {
		return runtime.NumCPU()
	}
	return 2 * runtime.NumCPU()
}

func (m *Machine) path(dir string) string { return filepath.Join(m.root, filepath.FromSlash(dir)) }

// run prepares an entry with a lock and a fault.
func (m *Machine) run(ctx context.Context, e Entry) (none Prepared, err error) {
	if err := m.simulate(ctx, e); err != nil {
		return none, err
	}
	p, err := e.Plan(e.Seed)
	if err == nil {
		err = m.possible(ctx, e, p)
	}
	if err == nil && p.Adapter != nil {
		err = m.setUp(ctx, e, cmp.Or(p.Adapter.Dir, p.Adapter.Name))
	}
	if err != nil {
		return none, err
	}
	if m.runs[e.Environment] == nil {
		m.runs[e.Environment] = &runner.Runs{}
	}
	return Prepared{
		Plan: e.Plan,
		Run: func(ctx context.Context, p harness.Plan, dir string) (*checker.Verdict, error) {
			return m.runs[e.Environment].Run(ctx, p, dir)
		},
		Look: func(dir string) Look {
			r, err := store.Load(m.path(dir))
			if err != nil {
				return Look{}
			}
			return look(r, e.Found != nil)
		},
	}, nil
}

// simulate makes the simulator able to run the adapter of an entry. Only one variant of an adapter
// can be there at a time.
func (m *Machine) simulate(ctx context.Context, e Entry) error {
	o := e.asked.RunOptions
	if e.Environment != runner.Sim || o.Adapter == "" || m.gate.Simulate == nil {
		return nil
	}
	return m.link(e, o.Adapter, fmt.Sprint(o.Variant, e.asked.Lease, o.Poll), func() error {
		if err := o.SetLease(e.asked.Lease); err != nil {
			return err
		}
		return m.gate.Simulate(ctx, o)
	})
}

// simulated is an entry that runs an adapter in the simulator.
type simulated struct{ entry, settings string }

// link makes the simulator able to run an adapter with some settings, unless it is. It returns an
// error if an earlier entry has other settings.
func (m *Machine) link(e Entry, adapter, settings string, use func() error) error {
	first, known := m.sims[adapter]
	switch {
	case !known:
		m.sims[adapter] = simulated{e.Name, settings}
		if err := use(); err != nil {
			return e.At.Errorf("entry %q: %w", e.Name, err)
		}
	case first.settings != settings:
		return e.At.Errorf("entry %q: the simulator runs the adapter %s with the settings of one entry "+
			"in a gate, and %q is there; write a file for each", e.Name, adapter, first.entry)
	}
	return nil
}

// setUp builds an adapter before anything is run, so that a failed build is reported once and not
// for each run.
func (m *Machine) setUp(ctx context.Context, e Entry, name string) error {
	if m.seen[name] {
		return nil
	}
	m.seen[name] = true
	a, err := adapters.Find(name)
	if err == nil {
		err = m.gate.pinned(a)
	}
	if err == nil {
		m.locks[name] = a.Drives()
		_, err = adapters.Setup(ctx, a)
	}
	if err != nil {
		return e.At.Errorf("entry %q: %w", e.Name, err)
	}
	return nil
}

// pinned returns an error if the gate file was written with another version of the user's library,
// or with other files of its adapter. The lock may then differ for that reason alone.
func (g *File) pinned(a adapters.Adapter) error {
	if !a.Other || g.Written == nil || g.Written.Lock == "" || g.Written.Lock == a.Drives() {
		return nil
	}
	return fmt.Errorf("the file was written with %s (by lockbench %s), but %s is in use now; write "+
		"another file with gate --init under a new name, and %s shows both results side by side",
		g.Written.Lock, g.Written.By, a.Drives(), advice.Verb("compare"))
}

// possible checks once for each environment, place and system whether it is available.
func (m *Machine) possible(ctx context.Context, e Entry, p harness.Plan) error {
	key := fmt.Sprint(e.Environment, p.Place, p.System())
	if m.seen[key] {
		return nil
	}
	m.seen[key] = true
	c, err := runner.ChooseFor(ctx, p.System(), e.Environment, p.Place)
	if err == nil {
		err = runner.Available(ctx, c)
	}
	if err != nil {
		return e.At.Errorf("environment %s: %w", e.Environment, err)
	}
	return nil
}

// Plan returns the plan of an entry for one seed.
func (e Entry) Plan(seed uint64) (harness.Plan, error) {
	p, err := e.plan(seed)
	if err != nil {
		return p, e.At.Errorf("entry %q: %s", e.Name, asOptions.Replace(err.Error()))
	}
	return p, nil
}

func (e Entry) plan(seed uint64) (p harness.Plan, err error) {
	o := e.asked.RunOptions
	o.Environment, o.Seed, o.NoWatchdog = e.Environment, seed, !e.asked.Watchdog
	if err := errors.Join(o.SetLease(e.asked.Lease), o.Configure(e.asked.Config)); err != nil {
		return p, err
	}
	o.Place, err = runner.Complete(context.Background(), e.Environment, harness.Place(e.asked.place))
	if err != nil {
		return p, err
	}
	if p, err = harness.NewPlan(o); err != nil {
		return p, err
	}
	p.Expect = e.Expect.Plan()
	for _, l := range e.Expect.Properties {
		if !slices.Contains(p.Properties, l) {
			p.Properties = append(slices.Clone(p.Properties), l)
		}
	}
	if e.Expect.Exactly || len(e.Expect.Properties) > 1 || e.Found != nil {
		p.Thorough = true // otherwise the first violation ends the run
	}
	return p, p.Validate()
}

// asOptions replaces the flags in errors about a plan by the names used in a gate file.
var asOptions = func() *strings.Replacer {
	pairs := []string{"--env", "environment"}
	for _, name := range strictyaml.Names[settings]() {
		pairs = append(pairs, "--"+strings.ReplaceAll(name, "_", "-"), name)
	}
	return strings.NewReplacer(pairs...)
}()
