package impls_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/redis/go-redis/v9"
)

func redlock(t *testing.T, variant string) *scene {
	e, err := impls.Find("redlock")
	if err != nil {
		t.Fatal(err)
	}
	return newScene(t, needRedis(t), e, variant)
}

// refuse makes a server unreachable for a client: nothing can be sent to it.
func (u *user) refuse(servers ...int) {
	for _, i := range servers {
		u.redis[i].AddHook(unreachable{})
	}
}

type unreachable struct{}

func (unreachable) DialHook(next redis.DialHook) redis.DialHook { return next }
func (unreachable) ProcessHook(redis.ProcessHook) redis.ProcessHook {
	return func(_ context.Context, cmd redis.Cmder) error {
		err := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
		cmd.SetErr(err)
		return err
	}
}
func (unreachable) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func TestRedlockLivesWithoutAMinority(t *testing.T) {
	s := redlock(t, "")
	u := s.user(nil)
	u.refuse(1)
	g, err := u.Acquire(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Release(s.ctx, g); err != nil {
		t.Errorf("released by two of three: %v", err)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestRedlockWithoutAMajority also asks that the one grant it got is given back, and that the
// refusal is definite because every server that was reached has answered.
func TestRedlockWithoutAMajority(t *testing.T) {
	s := redlock(t, "")
	u := s.user(hurried)
	u.refuse(1, 2)
	_, err := u.Acquire(s.ctx)
	if !errors.Is(err, impls.ErrHeld) || !impls.Definite(err) {
		t.Errorf("acquired from one of three: %v", err)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestRedlockOutcomeIsUnknownIfAReplyIsLost loses the reply of a release after an attempt that
// failed.
func TestRedlockOutcomeIsUnknownIfAReplyIsLost(t *testing.T) {
	s := redlock(t, "")
	u := s.user(hurried)
	u.refuse(1, 2)
	u.tap.lose = 2 // n0: SET, then the script
	if _, err := u.Acquire(s.ctx); !errors.Is(err, impls.ErrHeld) || impls.Definite(err) {
		t.Errorf("the reply of a clean-up was lost: %v", err)
	}
}

// TestRedlockOwnerValues follows the values over two attempts: new for each, or one for the call.
func TestRedlockOwnerValues(t *testing.T) {
	for variant, want := range map[string]int{"attempt": 2, "call": 1} {
		s := redlock(t, variant)
		s.do("SET", s.key(), "another's")
		u := s.user(func(o *impls.Options) { o.AcquireTimeout = 0 })
		values := map[string]bool{}
		ctx, cancel := context.WithCancel(s.ctx)
		var mu sync.Mutex
		u.redis[0].AddHook(seen(func(args []any) {
			mu.Lock()
			defer mu.Unlock()
			if args[0] == "SET" {
				values[args[2].(string)] = true
				if u.tap.commands() > 2*2*servers {
					cancel()
				}
			}
		}))
		_, _ = u.Acquire(ctx)
		cancel()
		mu.Lock()
		if len(values) < want || want == 1 && len(values) > 1 {
			t.Errorf("%s: %d values in several attempts", variant, len(values))
		}
		mu.Unlock()
	}
}

// seen is a hook that looks at each command.
type seen func(args []any)

func (seen) DialHook(next redis.DialHook) redis.DialHook { return next }
func (f seen) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		f(cmd.Args())
		return next(ctx, cmd)
	}
}
func (f seen) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, c := range cmds {
			f(c.Args())
		}
		return next(ctx, cmds)
	}
}

func TestRedlockLimitsExtensions(t *testing.T) {
	s := redlock(t, "")
	u := s.user(func(o *impls.Options) { o.MaxRenewals = 1 })
	g, err := u.Acquire(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if g, err = u.Lock.(impls.Extender).Extend(s.ctx, g); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Lock.(impls.Extender).Extend(s.ctx, g); !errors.Is(err, impls.ErrNotOwner) ||
		!impls.Definite(err) {
		t.Errorf("extended twice: %v", err)
	}
}

// TestRedlockBelievesNoLateMajority lets the clock go on beyond the lease while the servers answer.
func TestRedlockBelievesNoLateMajority(t *testing.T) {
	s := redlock(t, "")
	late := &lateEnv{Env: s.environment.env(s.ctx)}
	l, err := s.entry.New(impls.Setup{Env: late, Redis: s.connect(s.environment), Keys: s.keys,
		Options: impls.Options{
			TTL: long, Poll: time.Millisecond, AcquireTimeout: time.Nanosecond,
		}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Acquire(s.ctx); !errors.Is(err, impls.ErrHeld) {
		t.Errorf("a majority that took longer than the lease: %v", err)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// lateEnv is an Env on which a minute passes between any two looks at the clock.
type lateEnv struct {
	impls.Env
	mu  sync.Mutex
	now time.Duration
}

func (l *lateEnv) Elapsed() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now += time.Minute
	return l.now
}
