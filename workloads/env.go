package workloads

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Env implements impls.Env for one client: its clocks, its random stream and its goroutines. It is
// safe for concurrent use.
type Env struct {
	elapsed func() time.Duration

	mu     sync.Mutex
	rand   *rand.Rand
	offset time.Duration // how far the wall clock is ahead
	rate   float64       // how much it gains per second
	since  time.Duration // when the rate began to count
	timers []*time.Timer // unused timers

	pool pool // runs what Go starts

	late  atomic.Int64 // see Hurry
	stood atomic.Int64 // how far the monotonic clock is behind
	naps  []nap        // when it stood

	spawn func() (begin func()) // see Hook
	woken func()
	doze  atomic.Pointer[func(time.Duration) (awake func())] // see HookSleep
}

// NewEnv returns an Env whose goroutines end with life. Elapsed reads the monotonic clock that all
// stamps come from.
func NewEnv(life context.Context, seed uint64, elapsed func() time.Duration) *Env {
	return &Env{elapsed: elapsed, rand: rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15)),
		pool: pool{life: life}}
}

// Hook lets the simulator control the client's goroutines. It must be called before any of them is
// started. The environment calls woken after each sleep. A goroutine calls spawn before it starts
// another, and the new one calls the returned function first. The simulator stops a client in these
// calls, and orders goroutines that start together.
func (e *Env) Hook(spawn func() (begin func()), woken func()) { e.spawn, e.woken = spawn, woken }

// HookSleep sets a function that is called before each sleep. The function it returns is called
// after the sleep. A sleep that began before HookSleep is called is not seen.
func (e *Env) HookSleep(doze func(d time.Duration) (awake func())) { e.doze.Store(&doze) }

// Now returns the wall clock with this client's skew. Round strips the monotonic reading, because
// that reading has no skew.
func (e *Env) Now() time.Time { return time.Now().Round(0).Add(e.skew()) }

func (e *Env) skew() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.offset + time.Duration(e.rate*float64(e.elapsed()-e.since))
}

// Skew sets the wall clock ahead by offset. From now on it gains rate seconds a second.
func (e *Env) Skew(offset time.Duration, rate float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.offset, e.rate, e.since = offset, rate, e.elapsed()
}

// nap is a time when the monotonic clock stood at a moment.
type nap struct{ at, lasted time.Duration }

// Stand takes a stop of length d out of the monotonic clock. It leaves one nanosecond, so that the
// moments before and after the stop differ.
func (e *Env) Stand(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.naps = append(e.naps, nap{e.Elapsed() - d, d - 1})
	e.stood.Add(int64(d - 1))
}

// Stood returns how long the monotonic clock has stood in all.
func (e *Env) Stood() time.Duration { return time.Duration(e.stood.Load()) }

// stampOf returns the stamp of a moment on the monotonic clock.
func (e *Env) stampOf(at time.Duration) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	stamp := at
	for _, n := range e.naps {
		if n.at < at {
			stamp += n.lasted
		}
	}
	return stamp
}

// Elapsed returns the monotonic clock of the client.
func (e *Env) Elapsed() time.Duration { return e.elapsed() - e.Stood() }

// Stamp returns the clock that all stamps come from. It never stands.
func (e *Env) Stamp() time.Duration { return e.elapsed() }

// Hurry shortens every later Sleep by late. A replay that lags behind its record catches up while
// clients only wait.
func (e *Env) Hurry(late time.Duration) { e.late.Store(int64(late)) }

// Sleep waits for d on the monotonic clock or for the end of ctx. If both have come, the end of ctx
// counts.
func (e *Env) Sleep(ctx context.Context, d time.Duration) error {
	if doze := e.doze.Load(); doze != nil {
		defer (*doze)(d)()
	}
	return e.sleep(ctx, d-time.Duration(e.late.Load()))
}

// SleepThrough waits as Sleep does, also while the monotonic clock stands.
func (e *Env) SleepThrough(ctx context.Context, d time.Duration) error {
	if doze := e.doze.Load(); doze != nil {
		defer (*doze)(d)()
	}
	return e.sleepThrough(ctx, d)
}

// sleep waits for exactly d on the monotonic clock.
func (e *Env) sleep(ctx context.Context, d time.Duration) error {
	end, stood := e.Elapsed()+d, e.Stood()
	err := e.sleepThrough(ctx, d)
	for err == nil && stood != e.Stood() && e.Elapsed() < end {
		stood = e.Stood()
		err = e.sleepThrough(ctx, end-e.Elapsed())
	}
	return err
}

func (e *Env) sleepThrough(ctx context.Context, d time.Duration) error {
	t := e.timer(d)
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	e.spare(t)
	e.Breathe()
	return ctx.Err()
}

// Breathe waits while the simulator has stopped the client.
func (e *Env) Breathe() {
	if e.woken != nil {
		e.woken()
	}
}

// timer returns a timer from an earlier sleep, or a new one.
func (e *Env) timer(d time.Duration) *time.Timer {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(e.timers)
	if n == 0 {
		return time.NewTimer(d)
	}
	t := e.timers[n-1]
	e.timers = e.timers[:n-1]
	t.Reset(d)
	return t
}

// spare keeps a timer for a later sleep.
func (e *Env) spare(t *time.Timer) {
	t.Stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timers = append(e.timers, t)
}

// Go runs f in a goroutine that Wait waits for.
func (e *Env) Go(ctx context.Context, f func(context.Context)) (wait func()) {
	j := &job{f: f, done: make(chan struct{})}
	j.ctx, j.cancel = context.WithCancel(ctx)
	if e.spawn != nil {
		j.begin = e.spawn()
	}
	e.pool.start(j)
	return func() { <-j.done }
}

// Wait returns when every goroutine that Go started has ended.
func (e *Env) Wait() { e.pool.wait() }

// Token returns 20 random bytes in hexadecimal, as Redis' own description of the lock recommends.
func (e *Env) Token() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b [20]byte
	for i := range b {
		b[i] = byte(e.rand.Uint32())
	}
	return hex.EncodeToString(b[:])
}

// Rand returns a number in [0, n), or 0 if n is not above zero.
func (e *Env) Rand(n int64) int64 {
	if n <= 0 {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.rand.Int64N(n)
}
