package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/internal/search/replay"
)

const (
	// confirmTimes is how often the faults of a finding are carried out on a real server.
	confirmTimes = 5
	// confirmLimit limits the time for one finding, and confirmLeases are added. In the first half of
	// it, its messages are put in the recorded order.
	confirmLimit  = 40 * time.Second
	confirmLeases = 6
)

// outOfTime is why a finding was not confirmed if no run on a real server has ended in time.
const outOfTime = "no run ended in the time for that"

// confirm tries each finding on a real Redis, with the adapter's program as it is: with its
// messages in the recorded order, and then with its faults only, until the same property is
// violated there, or the time for a finding is over. It notes the outcome in the findings.
func confirm(ctx context.Context, all []explore.Finding, root string, screen io.Writer) {
	for i := range all {
		line := progress.Start(screen, func(took time.Duration) string {
			return fmt.Sprintf("trying it on a real Redis, %.0f s", took.Seconds())
		})
		limit := confirmLimit + confirmLeases*all[i].Counterexample().Plan.TTL.D()
		limited, cancel := context.WithTimeout(ctx, limit)
		all[i].Real = inOrder(limited, limit/2, &all[i], root)
		if !all[i].Real.Confirmed {
			withFaults(limited, &all[i], root, all[i].Real)
		}
		cancel()
		illustrate(all[i].Real)
		line.Stop()
	}
}

// illustrate writes the report of the run that confirmed a finding. If it cannot, the finding names
// no run: the counterexample is saved all the same.
func illustrate(real *explore.Real) {
	if real.Dir == "" {
		return
	}
	r, err := loadRun(real.Dir)
	if err == nil {
		_, err = writeReport(r)
	}
	if err != nil {
		real.Dir = ""
	}
}

// inOrder replays a finding on a real server. It keeps the run that confirms it.
func inOrder(ctx context.Context, limit time.Duration, f *explore.Finding,
	root string) *explore.Real {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c, real, dirs := f.Counterexample(), &explore.Real{}, []string{}
	o, err := replay.Run(ctx, c, replay.Options{Environment: runner.Process, Times: 1,
		Command: advice.ReplayIn.Fill(runner.Process, f.File).Line,
		Dir: func() (string, error) {
			dir, err := store.Create(root, c.Plan.Impl, "confirm-"+c.Plan.Nemesis, time.Now())
			dirs = append(dirs, dir)
			return dir, err
		}})
	real.Runs = len(dirs)
	switch {
	case err == nil && o.Confirmed:
		real.Confirmed, real.Ordered, real.Dir = true, true, o.Dir
	case ctx.Err() != nil:
		real.Runs, real.Why = max(len(dirs)-1, 0), outOfTime
	case err != nil:
		real.Why, _, _ = strings.Cut(err.Error(), "\n")
	default:
		real.Why = o.String()
	}
	for _, dir := range dirs {
		if dir != real.Dir {
			_ = os.RemoveAll(dir)
		}
	}
	return real
}

// withFaults carries out the faults of a finding on a real server. It keeps the run that confirms
// it.
func withFaults(ctx context.Context, f *explore.Finding, root string, real *explore.Real) {
	p := f.Counterexample().Plan
	p.Environment = runner.Process
	for range confirmTimes {
		if ctx.Err() != nil {
			return
		}
		p.Seed++
		dir, err := store.Create(root, p.Impl, "confirm-"+p.Nemesis, time.Now())
		if err != nil {
			real.Why = err.Error()
			return
		}
		r, err := runner.Run(ctx, p, runner.Options{Dir: dir})
		if ctx.Err() != nil { // the runs before say why
			real.Why = cmp.Or(real.Why, outOfTime)
			_ = os.RemoveAll(dir)
			return
		}
		if r == nil {
			real.Why, _, _ = strings.Cut(err.Error(), "\n")
			_ = os.RemoveAll(dir)
			return
		}
		real.Runs++
		if r.Verdict.Property(f.Property).Verdict == checker.Violated {
			real.Confirmed, real.Dir, real.Why = true, dir, ""
			return
		}
		real.Why = r.Verdict.Summary
		_ = os.RemoveAll(dir)
	}
}
