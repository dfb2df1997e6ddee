package impls

import (
	"context"
	"time"
)

// redlock is the lock on N independent masters (D003 §6 and Redis' own description): SET NX
// PX on all at once, each with a short time-out; granted by a majority within the lease less the
// time it took and the clocks' drift; given back everywhere otherwise, and tried again after a
// random pause. It declares a lease and a validity. Variant "call" keeps one owner value for all
// attempts of a call, which lets a late release of one attempt undo the next. Known defects: it
// trusts the clocks of clients and masters (D003 line 22); a master that restarts empty, or fails
// over, forgets its vote. The document leaves out validity, drift and the release after a failure;
// this code has them.
type redlock struct {
	Setup
	value   string // of the call
	renewed int    // extensions of the present hold
}

func newRedlock(s Setup) (Lock, error) { return &redlock{Setup: s}, nil }

// drift is how far the clocks may differ over one lease: 1 % and 2 ms, as Redis' own description
// has it.
func (l *redlock) drift() time.Duration { return l.Options.TTL/100 + 2*time.Millisecond }

// nodeTimeout is how long one master may take. It must be far below the lease.
func (l *redlock) nodeTimeout() time.Duration {
	if t := l.Options.NodeTimeout.D(); t > 0 {
		return t
	}
	return min(max(l.Options.TTL/20, 5*time.Millisecond), 50*time.Millisecond)
}

// votes says what the masters did with one command.
type votes struct {
	yes     int // did it
	unknown int // may have done it
	errs    error
}

// each sends a command to all masters at the same time and counts.
func (l *redlock) each(ctx context.Context, f func(ctx context.Context, i int) (bool, error)) (
	v votes) {
	did, errs := make([]bool, len(l.Redis)), make([]error, len(l.Redis))
	l.fanOut(ctx, len(l.Redis), func(ctx context.Context, i int) {
		ctx, cancel := context.WithTimeout(ctx, l.nodeTimeout())
		defer cancel()
		did[i], errs[i] = f(ctx, i)
	})
	for i, err := range errs {
		switch {
		case err != nil && !Definite(err):
			v.unknown++
		case err == nil && did[i]:
			v.yes++
		}
	}
	v.errs = join(errs...)
	return v
}

func (l *redlock) quorum() int { return len(l.Redis)/2 + 1 }

// Acquire tries until a majority grants.
func (l *redlock) Acquire(ctx context.Context) (Grant, error) {
	start, left := l.Env.Elapsed(), false
	l.value, l.renewed = l.Env.Token(), 0
	for {
		g, ok, clean := l.try(ctx)
		if ok {
			return g, nil
		}
		left = left || !clean
		pause := l.Options.Poll/2 + time.Duration(l.Env.Rand(int64(l.Options.Poll)))
		if t := l.Options.AcquireTimeout; t > 0 && l.Env.Elapsed()-start+pause > t {
			return g, changed(ErrHeld, left)
		}
		if err := l.Env.Sleep(ctx, pause); err != nil {
			return g, changed(held(err), left)
		}
		if l.Options.Variant != perCall {
			l.value = l.Env.Token()
		}
	}
}

// perCall is the variant with one owner value for a call of Acquire.
const perCall = "call"

// try is one attempt. Clean means that nothing of an attempt that was not granted can be left
// anywhere.
func (l *redlock) try(ctx context.Context) (g Grant, ok, clean bool) {
	g = Grant{Sent: l.Env.Elapsed(), Lease: l.Options.TTL, Value: l.value}
	g.ValidUntil = g.Sent + l.Options.TTL - l.drift()
	set := l.each(ctx, func(ctx context.Context, i int) (bool, error) {
		return l.set(ctx, i, g.Value)
	})
	if set.yes >= l.quorum() && l.Env.Elapsed() < g.ValidUntil {
		return g, true, false
	}
	gone := l.giveBack(context.WithoutCancel(ctx), g.Value)
	return g, false, gone.yes == set.yes && set.unknown+gone.unknown == 0
}

// set asks one master. A grant that too few of its replicas confirmed does not count as a vote.
func (l *redlock) set(ctx context.Context, i int, value string) (bool, error) {
	cmd, acks := l.sendTo(ctx, l.Redis[i], "SET", l.Key(), value, "NX", "PX",
		l.Options.TTL.Milliseconds())
	if err := cmd.Err(); err != nil {
		return false, notNil(err)
	}
	if acks < l.Options.WaitReplicas {
		return false, join(ErrReplicas, ErrChanged)
	}
	return true, nil
}

// giveBack deletes the value on all masters, even on masters that did not answer.
func (l *redlock) giveBack(ctx context.Context, value string) votes {
	return l.each(ctx, func(ctx context.Context, i int) (bool, error) {
		n, err := l.Redis[i].Eval(ctx, releaseScript, l.Keys, value).Int()
		return n == 1, err
	})
}

// Release gives the lock back on all masters. It is released if a majority says so.
func (l *redlock) Release(ctx context.Context, g Grant) error {
	return l.majority(l.giveBack(ctx, g.Value))
}

// majority is nil if a majority did it, ErrNotOwner if it certainly cannot have, and otherwise what
// went wrong.
func (l *redlock) majority(v votes) error {
	switch {
	case v.yes >= l.quorum():
		return nil
	case v.unknown > 0:
		return changed(v.errs, true)
	}
	return changed(join(ErrNotOwner, v.errs), v.yes > 0)
}
