package locktest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/foreign/linked"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
)

// scripted is a lock of which only its scripts know what they do.
func scripted(c *Client) (Acquire, error) {
	r, keys := c.Redis(), []string{c.Key}
	take := redis.NewScript(`
		return redis.call("set", KEYS[1], ARGV[1], "nx", "px", ARGV[2]) and 7 or 8`)
	free := redis.NewScript(`redis.call("del", KEYS[1]) return 9`)
	return func(ctx context.Context) (h Hold, err error) {
		n, err := take.Run(ctx, r, keys, c.Number, c.TTL.Milliseconds()).Int()
		if err == nil && n != 7 {
			err = ErrTaken
		}
		h.Release = func(ctx context.Context) error { return free.Run(ctx, r, keys).Err() }
		return h, err
	}, nil
}

// TestTheTraceHasWhatScriptsDid reads it of every command that ran one.
func TestTheTraceHasWhatScriptsDid(t *testing.T) {
	repeatable(t)
	l := Lock{New: scripted, Name: "scripted", TTL: time.Second, Poll: 50 * time.Millisecond}
	workloads.Link(l.Name, linked.Repeatable(workloads.Linkage{Open: l.open, Lease: l.TTL}))
	m := l.manifest()
	p, err := harness.NewPlan(harness.RunOptions{Linked: &m, Environment: "sim", Nemesis: "none",
		TTL: l.TTL, Poll: l.Poll})
	if err != nil {
		t.Fatal(err)
	}
	did := map[string]int{}
	for _, c := range record(t, p).Trace {
		answered := slices.Contains([]string{"7", "8", "9"}, c.Reply)
		if answered != (len(c.Effects) == 1) {
			t.Fatalf("%v = %s did %q", c.Args, c.Reply, c.Effects)
		}
		if answered {
			did[c.Reply+" "+c.Effects[0][0]]++
		}
	}
	if did["7 set"] == 0 || did["8 set"] == 0 || did["9 del"] == 0 || len(did) != 3 {
		t.Error(did)
	}
}
