// Package third plays locks of other authors, unmodified, in the simulator. It is a module of its
// own, so that lockbench needs none of them.
package third

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	rs "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/lockbench/lockbench/internal/sim"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	ttl     = time.Second
	hold    = 150 * time.Millisecond
	poll    = 50 * time.Millisecond
	clients = 3
	rounds  = 3
)

// lock is what a client does with a library: take returns how to give back; nil: another client has
// it.
type lock func(p sim.Client, redis []*redis.Client) (take func(context.Context) (func(), error))

var libraries = map[string]lock{
	"redsync": func(p sim.Client, redis []*redis.Client) func(context.Context) (func(), error) {
		var pools []rs.Pool
		for _, c := range redis {
			pools = append(pools, goredis.NewPool(c))
		}
		m := redsync.New(pools...).NewMutex("lock", redsync.WithExpiry(ttl), redsync.WithTries(1),
			// its own uses crypto/rand
			redsync.WithGenValueFunc(func() (string, error) { return p.Env.Token(), nil }))
		return func(ctx context.Context) (func(), error) {
			if err := m.LockContext(ctx); err != nil {
				return nil, err
			}
			return func() { _, _ = m.UnlockContext(ctx) }, nil // it may be over
		}
	},
	"redislock": func(p sim.Client, redis []*redis.Client) func(context.Context) (func(), error) {
		c := redislock.New(redis[0])
		return func(ctx context.Context) (func(), error) {
			l, err := c.Obtain(ctx, "lock", ttl, &redislock.Options{Token: p.Env.Token()})
			if err != nil {
				return nil, err
			}
			return func() { _ = l.Release(ctx) }, nil // it may be over
		}
	},
}

// run plays a library and returns what happened, and how often two clients were inside at once. The
// first holder is stopped for the pause.
func run(t *testing.T, library string, masters int, seed uint64, pause time.Duration) (story string,
	overlaps int) {
	t.Helper()
	var (
		mu     sync.Mutex
		lines  []string
		inside = map[int]bool{}
		over   int
	)
	mark := func(p sim.Client, i int, what string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, fmt.Sprintf("%v c%d %s", p.Env.Elapsed(), i, what))
		if inside[i] = what == "in"; inside[i] {
			for other, in := range inside {
				if in && other != i {
					overlaps++
				}
			}
		}
	}
	play := func(i int) func(sim.Client) {
		return func(p sim.Client) {
			defer func() { mu.Lock(); over++; mu.Unlock() }()
			take := libraries[library](p, dial(p, masters))
			for n := 0; n < rounds && p.Context.Err() == nil; {
				give, err := take(p.Context)
				if err != nil {
					_ = p.Env.Sleep(p.Context, poll)
					continue
				}
				mark(p, i, "in")
				_ = p.Env.Sleep(p.Context, hold)
				mark(p, i, "out")
				give()
				n++
			}
		}
	}
	cfg := sim.Config{Clients: clients, Bare: true, Seed: seed, Topology: nemesis.Independent,
		Masters: masters}
	err := sim.Run(cfg, func(w *sim.Environment) error {
		for i := range clients {
			if err := w.RunClient(i, play(i)); err != nil {
				return err
			}
		}
		holder := -1
		w.Until(time.Second, func() bool {
			mu.Lock()
			defer mu.Unlock()
			for i, in := range inside {
				if in {
					holder = i
				}
			}
			return holder >= 0
		})
		if pause > 0 && holder >= 0 {
			if err := w.PauseClient(holder); err != nil {
				return err
			}
			w.Until(pause, func() bool { return false })
			if err := w.ResumeClient(holder); err != nil {
				return err
			}
		}
		if !w.Until(time.Minute, func() bool { mu.Lock(); defer mu.Unlock(); return over == clients }) {
			return errors.New("the clients did not come to an end")
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s, %d masters, seed %d: %v", library, masters, seed, err)
	}
	return strings.Join(lines, "\n"), overlaps
}

func dial(p sim.Client, masters int) (all []*redis.Client) {
	for i := range masters {
		all = append(all, redis.NewClient(&redis.Options{
			Addr: fmt.Sprintf("n%d:6379", i), Dialer: p.Dial, Protocol: 2, DisableIdentity: true,
			MaxRetries: -1, ContextTimeoutEnabled: true,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		}))
	}
	context.AfterFunc(p.Context, func() {
		for _, c := range all {
			c.Close()
		}
	})
	return all
}

// TestUnmodifiedLibraries runs each library twice with each seed: the same story, no client inside
// with another, except after a pause that is longer than the lease.
func TestUnmodifiedLibraries(t *testing.T) {
	for _, c := range []struct {
		library string
		masters int
	}{{"redsync", 1}, {"redsync", 5}, {"redislock", 1}} {
		for _, pause := range []time.Duration{0, ttl / 10, 2 * ttl} {
			t.Run(fmt.Sprintf("%s on %d, pause %v", c.library, c.masters, pause), func(t *testing.T) {
				broken := 0
				for seed := range uint64(20) {
					story, overlaps := run(t, c.library, c.masters, seed, pause)
					again, _ := run(t, c.library, c.masters, seed, pause)
					if story != again {
						t.Fatalf("seed %d: two runs differ:\n%s\n\n%s", seed, story, again)
					}
					if strings.Count(story, "in") != clients*rounds {
						t.Fatalf("seed %d: %s", seed, story)
					}
					broken += min(overlaps, 1)
				}
				if want := pause > ttl; want != (broken > 0) {
					t.Errorf("%d of 20 seeds break it, want some: %v", broken, want)
				}
			})
		}
	}
}
