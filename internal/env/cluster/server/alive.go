package server

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
)

// A run on a Redis of another owner says there that it lives, by a key with a lease: what cleans
// up may do so from another machine, where neither processes nor locks of files tell.
const (
	aliveKey   = "alive" // behind the run's prefix
	aliveFor   = time.Minute
	aliveEvery = aliveFor / 6
)

// pulse says that a run lives, until it ends.
type pulse struct {
	end  chan struct{}
	once sync.Once
	done sync.WaitGroup
}

// begin says it to one Redis, before the run writes anything else there.
func (p *pulse) begin(c Admin, key string) error {
	say := func() error { return c.Set(context.Background(), key, 1, aliveFor).Err() }
	if err := say(); err != nil {
		c.Close()
		return fmt.Errorf("the run cannot write its key %s: %w", key, err)
	}
	p.done.Go(func() {
		defer c.Close()
		proc.Every(aliveEvery, p.end, func() bool {
			_ = say() // the next time may succeed before the lease is over
			return true
		})
	})
	return nil
}

// stop ends it; nothing is said any more when it returns. It may be called more than once.
func (p *pulse) stop() {
	p.once.Do(func() { close(p.end) })
	p.done.Wait()
}

// ofSomeRun is the prefix of a run in its keys.
var ofSomeRun = regexp.MustCompile(runPrefix + `[A-Z2-7]{10}:`)

// CleanExternal removes from a Redis the keys that killed runs left behind. Kept counts the keys of
// runs that live, or that were killed less than a minute ago. It never touches keys without
// the prefix of a run.
func CleanExternal(e ExternalConfig) (removed, kept int, err error) {
	e.AnyDatabase = true
	g, err := Connect(e)
	if err != nil {
		return 0, 0, err
	}
	defer g.Close()
	for _, at := range g.reach {
		r, k, err := g.sweep(at)
		if removed, kept = removed+r, kept+k; err != nil {
			return removed, kept, err
		}
	}
	return removed, kept, nil
}

func (g *External) sweep(addr string) (removed, kept int, err error) {
	c, ctx := g.dial(addr), context.Background()
	defer c.Close()
	over := map[string]bool{} // by the prefix of a run
	all := c.Scan(ctx, 0, "*"+runPrefix+"*", 1000).Iterator()
	for all.Next(ctx) {
		run := ofSomeRun.FindString(all.Val())
		if run == "" {
			continue
		}
		if _, known := over[run]; !known {
			// a run says that it lives before its first key, so that it did, when it has one
			n, err := c.Exists(ctx, run+aliveKey).Result()
			if err != nil {
				return removed, kept, err
			}
			over[run] = n == 0
		}
		if !over[run] {
			kept++
			continue
		}
		if err := c.Del(ctx, all.Val()).Err(); err != nil {
			return removed, kept, fmt.Errorf("cannot remove the key %s: %w", all.Val(), err)
		}
		removed++
	}
	return removed, kept, all.Err()
}
