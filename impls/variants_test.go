package impls_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
)

// TestOwnerValues follows the values that two clients write in two calls of two or more attempts
// each.
func TestOwnerValues(t *testing.T) {
	// do they differ between …
	for variant, want := range map[string]struct{ clients, calls, attempts bool }{
		"attempt":     {true, true, true},
		"acquisition": {true, true, false},
		"process":     {true, false, false},
		"constant":    {false, false, false},
	} {
		t.Run(variant, func(t *testing.T) {
			s := sceneOf(t, "token-lua")
			s.base.Variant = variant
			s.do("SET", s.key(), "another's")
			a1, a2 := s.values(), s.values()
			first, second, other := a1(), a1(), a2()
			if differ(first[0], first[1]) != want.attempts {
				t.Errorf("attempts of one call write %q", first)
			}
			if differ(first[0], second[0]) != want.calls {
				t.Errorf("two calls write %q and %q", first[0], second[0])
			}
			if differ(first[0], other[0]) != want.clients {
				t.Errorf("two clients write %q and %q", first[0], other[0])
			}
		})
	}
}

func differ(a, b string) bool { return a != b }

// values makes a client and returns a function that acquires in vain and reports the values of the
// first two attempts.
func (s *scene) values() func() []string {
	u := s.user(func(o *impls.Options) { o.AcquireTimeout = 0 })
	var mu sync.Mutex
	var values []string
	stop := func() {}
	u.redis[0].AddHook(seen(func(args []any) {
		mu.Lock()
		defer mu.Unlock()
		if args[0] == "SET" {
			if values = append(values, args[2].(string)); len(values) == 2 {
				stop()
			}
		}
	}))
	return func() []string {
		mu.Lock()
		values = nil
		ctx, cancel := context.WithCancel(s.ctx)
		stop = cancel
		mu.Unlock()
		_, err := u.Acquire(ctx)
		cancel()
		mu.Lock()
		defer mu.Unlock()
		if err == nil || len(values) < 2 {
			s.t.Fatalf("%d attempts: %v", len(values), err)
		}
		return values
	}
}

// TestSpinBacksOff asks for pauses of 1 ms, then about twice as much, up to 128 ms.
func TestSpinBacksOff(t *testing.T) {
	s := sceneOf(t, "redisson-spin")
	if _, err := s.user(nil).Acquire(s.ctx); err != nil {
		t.Fatal(err)
	}
	env := &pauses{Env: s.environment.env(s.ctx)}
	l, err := s.entry.New(impls.Setup{Env: env, Redis: s.connect(s.environment), Keys: s.keys,
		Options: s.base})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Acquire(s.ctx); !errors.Is(err, impls.ErrHeld) {
		t.Fatal(err)
	}
	for i, d := range env.slept {
		if i == 0 && d != time.Millisecond || i > 0 && d < env.slept[i-1] || i > 0 &&
			d > 2*env.slept[i-1]+time.Duration(i)*time.Millisecond {
			t.Errorf("pause %d of %v", i, env.slept)
		}
	}
	if last := env.slept[len(env.slept)-1]; last != 128*time.Millisecond {
		t.Errorf("the longest pause is %v", last)
	}
}

// pauses is an Env that writes down its first pauses instead of sleeping.
type pauses struct {
	impls.Env
	slept []time.Duration
}

func (p *pauses) Sleep(ctx context.Context, d time.Duration) error {
	if p.slept = append(p.slept, d); len(p.slept) == 10 {
		return context.Canceled
	}
	return ctx.Err()
}
