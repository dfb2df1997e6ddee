package batch_test

import (
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

func TestDisturbed(t *testing.T) {
	for _, c := range []struct {
		client, node, ttl time.Duration
		gap, timedOut     int
		want              bool
	}{
		{client: 100 * time.Millisecond, ttl: 800 * time.Millisecond, gap: 50},
		{client: 100 * time.Millisecond, ttl: 800 * time.Millisecond, gap: 51, want: true},
		{client: 100 * time.Millisecond, ttl: 400 * time.Millisecond, gap: 26, want: true},
		{client: 100 * time.Millisecond, ttl: 800 * time.Millisecond, node: 40 * time.Millisecond,
			gap: 21, want: true},
		{client: 100 * time.Millisecond, ttl: 800 * time.Millisecond, node: 200 * time.Millisecond,
			gap: 50},
		{client: 100 * time.Millisecond, ttl: 800 * time.Millisecond, timedOut: 1, want: true},
	} {
		p := harness.Plan{ClientTimeout: history.Duration(c.client),
			Settings: impls.Settings{NodeTimeout: history.Duration(c.node)}, TTL: history.Duration(c.ttl)}
		v := &checker.Verdict{Evidence: checker.Evidence{LongestGapMS: c.gap, TimedOut: c.timedOut}}
		if got := batch.Disturbed(p, v); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if batch.Disturbed(harness.Plan{}, nil) {
		t.Error("without a verdict it cannot be told")
	}
}
