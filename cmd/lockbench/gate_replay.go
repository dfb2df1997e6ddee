package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/explore"
	"github.com/lockbench/lockbench/internal/explore/counterexample"
	"github.com/lockbench/lockbench/internal/gate"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/replay"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/lockbench/lockbench/internal/store"
)

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
func replayed(x *counterexample.Counterexample, o replay.Outcome, err error) (*checker.Verdict, string,
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
