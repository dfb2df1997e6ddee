package locktest

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	mathrand "math/rand"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/foreign/linked"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
)

// errVotes says that fewer than a majority of servers granted the lock.
var errVotes = errors.New("too few votes")

// several is a lock as other authors write them: a goroutine for each server, a random value of
// crypto/rand, and a random pause of math/rand before it asks.
func several(c *Client) (Acquire, error) {
	var servers []*redis.Client
	for i := range c.Servers() {
		servers = append(servers, c.Connect(i))
	}
	each := func(do func(*redis.Client) error) (done int) {
		var all sync.WaitGroup
		var mu sync.Mutex
		for _, s := range servers {
			all.Go(func() {
				if do(s) == nil {
					mu.Lock()
					done++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		return done
	}
	return func(ctx context.Context) (Hold, error) {
		time.Sleep(time.Duration(mathrand.Int63n(int64(20 * time.Millisecond))))
		value := rand.Text()
		free := func(ctx context.Context) error {
			each(func(s *redis.Client) error { return s.Del(ctx, c.Key).Err() })
			return nil
		}
		if each(func(s *redis.Client) error {
			return s.SetArgs(ctx, c.Key, value, redis.SetArgs{Mode: "NX", TTL: c.TTL}).Err()
		}) > len(servers)/2 {
			return Hold{Release: free}, nil
		}
		return Hold{}, errors.Join(errVotes, free(ctx))
	}, nil
}

// TestTheSameSeedIsTheSameRun plays a lock twice with each seed and compares all that was recorded.
func TestTheSameSeedIsTheSameRun(t *testing.T) {
	repeatable(t)
	l := Lock{New: several, Name: "several", Servers: 3, TTL: time.Second, Poll: 50 * time.Millisecond,
		Taken: errVotes}
	workloads.Link(l.Name, linked.Repeatable(workloads.Linkage{Open: l.open, Lease: l.TTL}))
	for seed := range uint64(40) {
		m := l.manifest()
		p, err := harness.NewPlan(harness.RunOptions{Linked: &m, Environment: "sim", Masters: 3,
			Nemesis: []string{"pause", "late"}[seed%2], Seed: seed, TTL: l.TTL, Poll: l.Poll})
		if err != nil {
			t.Fatal(err)
		}
		first, second := record(t, p), record(t, p)
		if len(first.Events) < 10 || len(first.Trace) < 10 {
			t.Fatalf("seed %d: %d events, %d commands", seed, len(first.Events), len(first.Trace))
		}
		if a, b := text(first), text(second); a != b {
			t.Errorf("seed %d: two runs differ from byte %d on", seed, differ(a, b))
		}
	}
}

// recorded is what a run left.
type recorded struct {
	Events []history.Event
	Trace  []history.Command
}

func record(t *testing.T, p harness.Plan) recorded {
	t.Helper()
	r, err := simrun.Job{Plan: p, Chooser: sim.Seeded{Seed: p.Seed}}.Run(t.Context())
	if err = cmp.Or(err, r.HarnessError); err != nil {
		t.Fatal(err)
	}
	return recorded{r.History.Events, r.Trace}
}

func text(r recorded) string {
	b, _ := json.Marshal(r)
	return string(b)
}

func differ(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
