package locktest

import (
	"cmp"
	"context"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/foreign/linked"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/workloads"
)

// telling is a lock whose holder is told that the hold is over after a part of its lease.
func telling(part float64) Lock {
	return Lock{Name: "telling", TTL: time.Second, Poll: 50 * time.Millisecond,
		New: func(c *Client) (Acquire, error) {
			r := c.Redis()
			return func(ctx context.Context) (h Hold, err error) {
				sent := time.Now()
				ok, err := r.SetNX(ctx, c.Key, c.Number, c.TTL).Result()
				if err == nil && !ok {
					err = ErrTaken
				}
				if err != nil {
					return h, err
				}
				after := time.Duration(part*float64(c.TTL)) - time.Since(sent)
				t := time.AfterFunc(after, func() { c.ReportLost("a timer") })
				h.Release = func(ctx context.Context) error { t.Stop(); return r.Del(ctx, c.Key).Err() }
				return h, nil
			}, nil
		}}
}

// TestWhoHeedsTheLockLeavesInTime compares clients that stay inside for two leases with clients
// that leave when they are told. That helps only where the lock tells before the lease is over.
func TestWhoHeedsTheLockLeavesInTime(t *testing.T) {
	for _, c := range []struct {
		workload string
		part     float64
		class    string // of the violation of S; "": there is none
	}{
		{workloads.LongWork, 0.8, "inside after being told"},
		{workloads.Heed, 0.8, ""},
		{workloads.Heed, 1.2, "lease overrun"},
	} {
		l := telling(c.part)
		workloads.Link(l.Name, linked.Repeatable(workloads.Linkage{Open: l.open, Lease: l.TTL}))
		m := l.manifest()
		m.Declares.Loss = true
		p, err := harness.NewPlan(harness.RunOptions{Linked: &m, Environment: "sim", Nemesis: "none",
			TTL: l.TTL, Poll: l.Poll, Workload: c.workload, For: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		r, err := simrun.Job{Plan: p, Chooser: sim.Seeded{Seed: p.Seed}}.Run(t.Context())
		if err = cmp.Or(err, r.HarnessError); err != nil {
			t.Fatal(err)
		}
		s, violated := r.Confirm(checker.MutualExclusion)
		told := 0
		for _, e := range r.History.Events {
			if e.Type == history.Lost {
				told++
			}
		}
		if violated != (c.class != "") || s.Class != c.class || told == 0 {
			t.Errorf("%s, told after %v leases (%d times): S is %s, class %q, not %q", c.workload, c.part,
				told, s.Verdict, s.Class, c.class)
		}
	}
}
