package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/explore"
	"github.com/lockbench/lockbench/internal/explore/counterexample"
	"github.com/lockbench/lockbench/internal/gate"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/progress"
	"github.com/lockbench/lockbench/internal/replay"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/spf13/pflag"
)

// gateEnvironment makes the entries of a gate ready to run, each as `lockbench run` would with the
// same options.
type gateEnvironment struct {
	ctx          context.Context
	environments map[string]*runner.Runs // by the name of the environment
	seen         map[string]bool         // environments that can be had
}

func newGateEnvironment(ctx context.Context) *gateEnvironment {
	return &gateEnvironment{ctx: ctx, environments: map[string]*runner.Runs{},
		seen: map[string]bool{}}
}

// in says where the runs go.
func (w *gateEnvironment) in(root string) {
	for _, environment := range w.environments {
		environment.Root = root
	}
}

// notPlan are the flags of run that are no options of a plan: the gate has them itself, or they
// change only what is said.
var notPlan = []string{"env", "seed", "expect", "plan", "store", "quiet", "json"}

// planOptions are the names that the settings of a plan have in a gate file: those of the flags of
// run, with underscores.
func planOptions() (names []string) {
	set := pflag.NewFlagSet("run", pflag.ContinueOnError)
	new(runFlags).register(set)
	set.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(notPlan, f.Name) {
			names = append(names, strings.ReplaceAll(f.Name, "-", "_"))
		}
	})
	return names
}

// prepare makes the chosen entries ready, and refuses what cannot work before anything is run.
func (w *gateEnvironment) prepare(g *gate.File, only []string) (map[string]gate.Prepared,
	error) {
	out := map[string]gate.Prepared{}
	for _, e := range g.Entries {
		if len(only) > 0 && !slices.Contains(only, e.Name) {
			continue
		}
		p, err := w.entry(e)
		if err != nil {
			return nil, err
		}
		out[e.Name] = p
	}
	return out, nil
}

func (w *gateEnvironment) entry(e gate.Entry) (gate.Prepared, error) {
	var none gate.Prepared
	if e.Replay != "" {
		return w.replay(e)
	}
	p, err := gatePlan(e, e.Seed)
	if err != nil {
		return none, err
	}
	if err := w.possible(e, p.Place); err != nil {
		return none, err
	}
	environment := w.of(e.Environment)
	return gate.Prepared{
		Plan: func(seed uint64) (harness.Plan, error) { return gatePlan(e, seed) },
		Run: func(ctx context.Context, p harness.Plan, dir string) (*checker.Verdict, error) {
			v, err := environment.Run(ctx, p, dir)
			return v, markRefused(err)
		},
		Cost: func(dir string) batch.Cost {
			r, err := store.Load(filepath.Join(environment.Root, filepath.FromSlash(dir)))
			if err != nil {
				return batch.Cost{}
			}
			return batch.Join(batch.Measure(r.History, r.Trace))
		},
	}, nil
}

// of is the environment of a name, the same for all entries.
func (w *gateEnvironment) of(name string) *runner.Runs {
	if w.environments[name] == nil {
		w.environments[name] = &runner.Runs{}
	}
	return w.environments[name]
}

// markRefused tells the gate what the user must change.
func markRefused(err error) error {
	var refused runner.UsageError
	if errors.As(err, &refused) {
		return gate.RefusedError{Err: err}
	}
	return err
}

// possible asks once for each environment and place whether it can be had.
func (w *gateEnvironment) possible(e gate.Entry, place harness.Place) error {
	key := fmt.Sprint(e.Environment, place)
	if w.seen[key] {
		return nil
	}
	w.seen[key] = true
	c, err := runner.Choose(w.ctx, e.Environment, place)
	if err == nil {
		err = runner.Available(w.ctx, c)
	}
	if err != nil {
		return e.At.Errorf("environment %s: %v", e.Environment, err)
	}
	return nil
}

// versions are those of what answered, for each environment.
func (w *gateEnvironment) versions() map[string]map[string]string {
	out := map[string]map[string]string{}
	for name, environment := range w.environments {
		if v := environment.Versions(); v != nil {
			out[name] = v
		}
	}
	return out
}

// settings turns an entry's options into the flags of run.
func settings(e gate.Entry) (*runFlags, *pflag.FlagSet, error) {
	f, set := &runFlags{}, pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.register(set)
	for _, o := range e.Options {
		flag := set.Lookup(strings.ReplaceAll(o.Name, "_", "-"))
		for _, v := range o.Values {
			if err := set.Set(flag.Name, v); err != nil {
				return nil, nil, o.At.Errorf("%s is %q; %s", o.Name, v, wants(flag.Value.Type()))
			}
		}
		if _, list := flag.Value.(pflag.SliceValue); !list && len(o.Values) != 1 {
			return nil, nil, o.At.Errorf("%s takes one value, not %d", o.Name, len(o.Values))
		}
	}
	return f, set, set.Set("env", e.Environment)
}

// wants says what kind of value a flag takes.
func wants(kind string) string {
	switch kind {
	case "duration":
		return "it must be a time such as 500ms or 2s"
	case "bool":
		return "it must be true or false"
	case "int", "uint64":
		return "it must be a whole number"
	}
	return "it must be a " + kind
}

// flagName finds the names of flags in an error of run, which are keys in a gate file.
var flagName = regexp.MustCompile(`--([a-z][a-z-]*)`)

// gatePlan is the plan of an entry for one seed.
func gatePlan(e gate.Entry, seed uint64) (harness.Plan, error) {
	f, set, err := settings(e)
	if err != nil {
		return harness.Plan{}, err
	}
	if err := set.Set("seed", strconv.FormatUint(seed, 10)); err != nil {
		return harness.Plan{}, err
	}
	p, err := planOf(f, set)
	if err == nil {
		p.Place, err = runner.Complete(context.Background(), e.Environment, f.Place)
	}
	if err == nil {
		p.Expect = e.Expect.Plan()
		for _, l := range e.Expect.Properties {
			if !slices.Contains(p.Properties, l) {
				p.Properties = append(slices.Clone(p.Properties), l)
			}
		}
		p.Thorough = p.Thorough || len(e.Expect.Properties) > 1 // else the first violation ends the run
		err = p.Validate()
	}
	if err != nil {
		keys := flagName.ReplaceAllStringFunc(err.Error(), func(s string) string {
			return strings.ReplaceAll(s[2:], "-", "_")
		})
		return p, e.At.Errorf("entry %q: %s", e.Name, keys)
	}
	return p, nil
}

// planOf is the plan that the flags of run ask for.
func planOf(f *runFlags, set *pflag.FlagSet) (harness.Plan, error) {
	if err := f.read(set); err != nil {
		return harness.Plan{}, err
	}
	return harness.NewPlan(f.RunOptions)
}

// illustrate writes the report of each run that shows what is not as expected, and says how it is
// done again. In the simulator a violation is made small beside it.
func illustrate(ctx context.Context, root string, r *gate.Result, say io.Writer) {
	shrunk, bar := 0, progress.StartBar(say)
	defer bar.Stop()
	for i := range r.Entries {
		e := &r.Entries[i]
		bar.Step(i+1, len(r.Entries), "the report of "+e.Name)
		if e.Result == gate.Passed || e.Shown == nil || e.Shown.Dir == "" {
			continue
		}
		dir := filepath.Join(root, filepath.FromSlash(e.Shown.Dir))
		run, _ := store.Load(dir)
		if run == nil || run.Verdict == nil {
			continue // nothing was recorded; the claim says why
		}
		if _, err := writeReport(run); err != nil {
			fmt.Fprintf(say, "lockbench: no report of %s: %v\n", e.Name, err)
			continue
		}
		e.Shown.Report = e.Shown.Dir + "/" + store.Report
		e.Shown.Reproduce = "lockbench run --plan " + quoted(filepath.Join(dir, store.Plan))
		if shrunk == shrinkMax || e.Shown.Counterexample != "" {
			continue
		}
		name, err := shrink(ctx, dir, run)
		if err != nil {
			fmt.Fprintf(say, "lockbench: %s could not be made small: %v\n", e.Name, err)
		} else if name != "" {
			e.Shown.Counterexample = e.Shown.Dir + "/" + name
			shrunk++
		}
	}
}

// replay makes an entry ready that does a counterexample again.
func (w *gateEnvironment) replay(e gate.Entry) (gate.Prepared, error) {
	x, err := counterexample.ReadFile(e.Replay)
	if err != nil {
		return gate.Prepared{}, e.At.Errorf("%v", err)
	}
	for _, l := range e.Expect.Properties {
		if l != x.Verdict.Property {
			return gate.Prepared{},
				e.At.Errorf("%s violates %s, not %s; write `expect: violates %s`, or leave it away", e.Replay,
					x.Verdict.Property, l, x.Verdict.Property)
		}
	}
	if err := w.possible(e, harness.Place{}); err != nil {
		return gate.Prepared{}, err
	}
	switch e.Environment {
	case runner.Sim:
	case runner.Process:
		if err := replay.Possible(x); err != nil {
			return gate.Prepared{}, e.At.Errorf("%s: %v", e.Replay, err)
		}
	default:
		return gate.Prepared{}, e.At.Errorf("a counterexample is replayed in %s or %s, not in %s",
			runner.Sim, runner.Process, e.Environment)
	}
	environment := w.of(e.Environment)
	return gate.Prepared{Replay: func(ctx context.Context, dir string) (*checker.Verdict, string,
		error) {
		attempts := 0
		o, err := replay.Run(ctx, x, replay.Options{Environment: e.Environment, Times: 1,
			Command: "lockbench gate", Dir: func() (string, error) {
				attempts++
				at := filepath.Join(environment.Root, filepath.FromSlash(dir))
				if attempts > 1 {
					at = fmt.Sprintf("%s-attempt-%d", at, attempts)
				}
				return at, os.MkdirAll(at, 0o755)
			}})
		return replayed(x, o, err)
	}}, nil
}

// replayed is what a gate makes of an outcome: a violation if it was confirmed, unknown if the
// machine was too slow.
func replayed(x *counterexample.Counterexample, o replay.Outcome, err error) (*checker.Verdict,
	string,
	error) {
	switch {
	case err != nil:
		return nil, "", err
	case o.Confirmed:
		return &checker.Verdict{Format: checker.Format, Verdict: checker.Violated,
			Properties: []checker.Property{x.Verdict}}, "", nil
	case o.TooSlow:
		return &checker.Verdict{Format: checker.Format, Properties: []checker.Property{
			{Property: x.Verdict.Property, Reason: o.String()}}}, "", nil
	}
	return &checker.Verdict{Format: checker.Format}, o.String(), nil
}

// The shrinking of what a gate found is bounded: the run itself is there in any case.
const (
	shrinkFor = 15 * time.Second
	shrinkMax = 4 // entries
)

// shrink makes the violation of a run in the simulator small and keeps it beside the run. It
// returns the file's name, or "" if there is nothing to shrink.
func shrink(ctx context.Context, dir string, r *store.Run) (string, error) {
	if r.History.Header.Environment != runner.Sim || r.Verdict.Verdict != checker.Violated {
		return "", nil
	}
	i := slices.IndexFunc(r.Verdict.Properties, func(p checker.Property) bool {
		return p.Verdict == checker.Violated && !p.Reported
	})
	file, err := os.Open(filepath.Join(dir, store.Plan))
	if err != nil || i < 0 {
		return "", err
	}
	defer file.Close()
	p, err := harness.ReadPlan(file)
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(ctx, shrinkFor)
	defer stop()
	h, err := explore.HitOf(ctx, p, r.Verdict.Properties[i].Property)
	if err != nil {
		return "", err
	}
	x, _, err := h.Shrink(ctx)
	if err != nil {
		return "", err
	}
	const name = "counterexample.yaml"
	return name, store.Write(dir, name, func(f *os.File) error { return x.Write(f) })
}
