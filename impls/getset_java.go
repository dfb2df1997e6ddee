package impls

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// getsetJava behaves like the code of D000 §4. It declares a lease of 4 ms, because the document
// adds Lock_Timeout = 3 to milliseconds (D000 lines 83 and 136). It always uses its own times.
//
// It has the defects of getset and three more. A key that vanishes before GET or GETSET raises a
// NumberFormatException (D000 lines 144 and 160); tryLock turns it into false (D000 line 112), and
// after a GETSET the key stays behind. main() releases in finally even when tryLock failed (D000
// line 75), so a client deletes the lock of its holder while the lease lasts. The time-out of 5 s
// is reached after 6, since 5999 ms / 1000 is 5 (D000 line 98), and follows the wall clock.
type getsetJava struct {
	Setup
}

// javaLease is the document's lease: Lock_Timeout of 3, and 1, in milliseconds (D000 line 136).
const javaLease = 4 * time.Millisecond

func newGetsetJava(s Setup) (Lock, error) { return &getsetJava{s}, nil }

// Acquire is tryLock (D000 lines 92–116).
func (l *getsetJava) Acquire(ctx context.Context) (Grant, error) {
	start, left := l.Env.Now(), false
	for {
		waited := l.Env.Now().Sub(start).Truncate(time.Second)
		if t := l.Options.AcquireTimeout; t > 0 && waited > t {
			return Grant{}, changed(ErrHeld, left)
		}
		g, ok, err := l.try(ctx)
		switch {
		case ok && err == nil:
			return g, l.confirm(ctx, g, l.Release)
		case errors.Is(err, errLeft):
			left = true
		case err != nil:
			return g, changed(err, left)
		}
		if err := l.Env.Sleep(ctx, l.Options.Poll); err != nil {
			return g, changed(held(err), left)
		}
	}
}

// try is innerTryLock (D000 lines 133–151).
func (l *getsetJava) try(ctx context.Context) (Grant, bool, error) {
	now := l.Env.Now().UnixMilli()
	g := Grant{Lease: javaLease, Value: strconv.FormatInt(now+javaLease.Milliseconds(), 10),
		Sent: l.Env.Elapsed()}
	n, err := l.send(ctx, "SETNX", l.Key(), g.Value).Int()
	if err != nil || n == 1 {
		return g, n == 1, err
	}
	expired, err := l.timedOut(now, l.Client().Do(ctx, "GET", l.Key()))
	if err != nil || !expired {
		return g, false, exception(err, ErrHeld)
	}
	g.Sent = l.Env.Elapsed()
	won, err := l.timedOut(now, l.send(ctx, "GETSET", l.Key(), g.Value))
	if err != nil {
		return g, false, changed(exception(err, ErrHeld), true)
	}
	if !won {
		return g, false, errLeft
	}
	return g, true, nil
}

// timedOut is checkIfLockTimeout (D000 lines 159–165).
func (l *getsetJava) timedOut(now int64, reply *redis.Cmd) (bool, error) {
	end, err := reply.Int64()
	return err == nil && now > end, err
}

// exception is what Long.valueOf(null) throws, as the refusal that the document's code makes of it.
// Other errors stay.
func exception(err, refusal error) error {
	if errors.Is(err, redis.Nil) {
		return fmt.Errorf("%w (java.lang.NumberFormatException: null)", refusal)
	}
	return err
}

// Release is realseLock (D000 lines 122–126): it deletes the key if the lease in it is not over,
// its holder, whichever client that is.
func (l *getsetJava) Release(ctx context.Context, _ Grant) error { return l.Finally(ctx) }

// Finally is the finally block of main() (D000 line 75).
func (l *getsetJava) Finally(ctx context.Context) error {
	expired, err := l.timedOut(l.Env.Now().UnixMilli(), l.Client().Do(ctx, "GET", l.Key()))
	if err != nil {
		return exception(err, ErrNotOwner)
	}
	if expired {
		return ErrNotOwner
	}
	return l.Client().Do(ctx, "DEL", l.Key()).Err()
}
