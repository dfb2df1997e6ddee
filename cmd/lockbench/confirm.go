package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// confirmTimes is how often a finding is tried on a real server.
const confirmTimes = 5

// confirm carries out the faults of each finding on a real Redis, with the adapter's program as it
// is, until it violates the same property there. It notes the outcome in the findings.
func confirm(ctx context.Context, all []explore.Finding, root string, screen io.Writer) {
	for i := range all {
		line := progress.Start(screen, func(took time.Duration) string {
			return fmt.Sprintf("trying it on a real Redis, %.0f s", took.Seconds())
		})
		all[i].Real = onServer(ctx, &all[i], root)
		line.Stop()
	}
}

// onServer returns how a finding fared on a real server. It keeps the run that confirms it.
func onServer(ctx context.Context, f *explore.Finding, root string) *explore.Real {
	p, real := f.Plan(), &explore.Real{}
	p.Environment = runner.Process
	for real.Runs < confirmTimes && ctx.Err() == nil {
		p.Seed++
		dir, err := store.Create(root, p.Impl, "confirm-"+p.Nemesis, time.Now())
		if err != nil {
			real.Why = err.Error()
			break
		}
		r, err := runner.Run(ctx, p, runner.Options{Dir: dir})
		if r == nil {
			real.Why, _, _ = strings.Cut(err.Error(), "\n")
			_ = os.RemoveAll(dir)
			break
		}
		real.Runs++
		if r.Verdict.Property(f.Property).Verdict == checker.Violated {
			real.Confirmed, real.Dir = true, dir
			break
		}
		real.Why = r.Verdict.Summary
		_ = os.RemoveAll(dir)
	}
	return real
}
