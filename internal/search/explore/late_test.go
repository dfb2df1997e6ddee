package explore

import (
	"context"
	"testing"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/workloads"
)

// openWatching opens the lock of a program in which a thread looks at a clock every 50 ms and does
// nothing that others see.
func openWatching(c workloads.LinkedClient) (workloads.LinkedLock, error) {
	c.Env.Go(c.Life, func(ctx context.Context) {
		for c.Env.Sleep(ctx, 50*time.Millisecond) == nil {
		}
	})
	return openMoody(c)
}

// TestADrawnScheduleKeepsNoMessageLong: a message that is under way for more than a tenth of the
// lease is a fault, and no fault of these runs is one. A client that wakes and does nothing must
// not let a message wait until another client acts.
func TestADrawnScheduleKeepsNoMessageLong(t *testing.T) {
	m := adapters.Manifest{Name: "watching", Topology: "single"}
	m.Declares.Lease = true
	workloads.Link(m.Name, workloads.Linkage{Open: openWatching, Lease: time.Second, Program: true})
	p, err := harness.NewPlan(harness.RunOptions{Linked: &m, Environment: "sim", Nemesis: "none",
		TTL: time.Second, Poll: usualPoll, Hold: 900 * time.Millisecond, For: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	limit := int64(2*p.TTL/lateShare) + int64(20*time.Millisecond) // a request and its reply
	for _, schedule := range []string{POS, Walk} {
		for seed := range uint64(10) {
			c, _ := randomChooser(schedule, p, seed)
			rec, err := simrun.Job{Plan: p, Chooser: c}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range rec.Trace {
				if m.Recv-m.Sent > limit {
					t.Fatalf("%s, seed %d: %v was under way for %v", schedule, seed, m.Args,
						time.Duration(m.Recv-m.Sent))
				}
			}
		}
	}
}
