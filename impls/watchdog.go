package impls

import (
	"context"
	"sync/atomic"
)

// watchdog renews a lease every third of it while there are holds (D001 lines 634–675). It belongs
// to a client's one goroutine; only ended is shared with its own.
type watchdog struct {
	holds int
	end   func() // stops it and returns when it has
	ended *atomic.Bool
}

// hold starts the watchdog with a client's first hold, and counts the others. It outlives the
// context of the acquire.
func (d *watchdog) hold(ctx context.Context, l *redisson, g Grant) {
	if d.end != nil && !d.ended.Load() {
		d.holds++
		return
	}
	d.stop()
	ended := new(atomic.Bool)
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	wait := l.Env.Go(run, func(ctx context.Context) {
		defer ended.Store(true)
		watch(ctx, l, g)
	})
	d.holds, d.ended = 1, ended
	d.end = func() { cancel(); wait() }
}

// release ends the watchdog with the last hold.
func (d *watchdog) release() {
	if d.holds--; d.holds <= 0 {
		d.stop()
	}
}

func (d *watchdog) stop() {
	if d.end != nil {
		d.end()
	}
	d.holds, d.end = 0, nil
}

// watch renews until the owner has lost the lock, or the number of renewals is used up. It tells no
// listener when that happens, as in D001. After an error it tries again after the next third of the
// lease; Redisson's commands retry by themselves instead.
func watch(ctx context.Context, l *redisson, g Grant) {
	for n := 0; l.Options.MaxRenewals == 0 || n < l.Options.MaxRenewals; n++ {
		if l.Env.Sleep(ctx, l.Options.TTL/3) != nil {
			return
		}
		g.Sent = l.Env.Elapsed()
		held, err := l.renew(ctx)
		if err == nil && held == 0 {
			return
		}
		if err == nil {
			renewed := g
			l.notify(Notice{Extended: &renewed})
		}
	}
}
