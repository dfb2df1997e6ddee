package gate

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/replay"
)

// replay prepares an entry that replays a counterexample.
func (m *Machine) replay(ctx context.Context, e Entry) (none Prepared, err error) {
	x, err := counterexample.ReadFile(e.Replay)
	if err != nil {
		return none, e.At.Errorf("%w", err)
	}
	for _, l := range e.Expect.Properties {
		if l != x.Verdict.Property {
			return none, e.At.Errorf("%s violates %s, not %s; write `expect: violates %s`, or remove it",
				e.Replay, x.Verdict.Property, l, x.Verdict.Property)
		}
	}
	if err := m.possible(ctx, e, harness.Plan{}); err != nil {
		return none, err
	}
	if a := x.Plan.Adapter; a != nil && m.gate.SimulatePlan != nil {
		settings := fmt.Sprint("replay ", x.Plan.Variant, x.Plan.TTL, x.Plan.Poll)
		err := m.link(e, cmp.Or(a.Dir, a.Name), settings, func() error {
			return m.gate.SimulatePlan(ctx, x.Plan)
		})
		if err != nil {
			return none, err
		}
	}
	switch e.Environment {
	case runner.Sim:
	case runner.Process:
		if err := replay.Possible(x); err != nil {
			return none, e.At.Errorf("%s: %w", e.Replay, err)
		}
	default:
		return none, e.At.Errorf("a counterexample is replayed in %s or %s, not in %s",
			runner.Sim, runner.Process, e.Environment)
	}
	return Prepared{Replay: func(ctx context.Context, dir string) (*checker.Verdict, string, error) {
		attempts := 0
		o, err := replay.Run(ctx, x, replay.Options{Environment: e.Environment, Times: 1,
			Command: advice.ReplayIn.Fill(e.Environment, e.Replay).Line, Dir: func() (string, error) {
				at := m.path(dir)
				if attempts++; attempts > 1 {
					at = fmt.Sprintf("%s-attempt-%d", at, attempts)
				}
				return at, os.MkdirAll(at, 0o755)
			}})
		return replayed(x, o, err)
	}}, nil
}

// replayed converts the outcome of a replay to a verdict: a violation if it was confirmed, and
// unknown if the machine was too slow.
func replayed(x *counterexample.Counterexample, o replay.Outcome, err error) (*checker.Verdict,
	string, error) {
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
