package impls

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// getsetRedispy is the lock of redis-py up to 2.9, as D002 shows it: float seconds of the client's
// clock, GETSET to take over. It declares a lease; without one (TTL 0, the document's default) it
// locks until 2038 (LOCK_FOREVER, line 84). Known defects: release deletes if the stored time is at
// or after its own (D002 line 156), which holds for every later owner, so a holder that overran
// always deletes its successor's lock; a loser without a lease overwrites the winner's with
// LOCK_FOREVER; nil is read as 1970 (D002 lines 138, 141, 154); all clocks must agree (D002 lines
// 98–100).
type getsetRedispy struct {
	Setup
	until *float64 // acquired_until; nil is None
}

// lockForever is LOCK_FOREVER: 1 past the largest 32-bit time (D002 line 84).
const lockForever = float64(1<<31 + 1)

func newGetsetRedispy(s Setup) (Lock, error) {
	if s.Options.TTL > 0 && s.Options.Poll > s.Options.TTL {
		return nil, fmt.Errorf("getset-redispy: poll %v must be less than TTL %v (D002 line 108)",
			s.Options.Poll, s.Options.TTL)
	}
	return &getsetRedispy{Setup: s}, nil
}

// Acquire is acquire (D002 lines 116–148); the document's waits for ever.
func (l *getsetRedispy) Acquire(ctx context.Context) (Grant, error) {
	return l.acquire(ctx, l.try, l.Release)
}

func (l *getsetRedispy) try(ctx context.Context) (Grant, bool, error) {
	now := float64(l.Env.Now().UnixMicro()) / 1e6
	until := lockForever
	if l.Options.TTL > 0 {
		until = now + l.Options.TTL.Seconds()
	}
	g := Grant{Lease: l.Options.TTL, Value: repr(until), Sent: l.Env.Elapsed()}
	n, err := l.send(ctx, "SETNX", l.Key(), g.Value).Int()
	if err != nil || n == 1 {
		return l.granted(g, until, n == 1, err)
	}
	existing, err := floatOr1(l.Client().Do(ctx, "GET", l.Key()))
	if err != nil || existing >= now {
		return g, false, err
	}
	g.Sent = l.Env.Elapsed()
	existing, err = floatOr1(l.send(ctx, "GETSET", l.Key(), g.Value))
	if err == nil && existing >= now {
		err = errLeft
	}
	return l.granted(g, until, err == nil, err)
}

func (l *getsetRedispy) granted(g Grant, until float64, ok bool, err error) (Grant, bool, error) {
	if ok && err == nil {
		l.until = &until
	}
	return g, ok, err
}

// Release is release (D002 lines 150–159). What it does not delete it does not complain of;
// ErrNotOwner tells that it noticed.
func (l *getsetRedispy) Release(ctx context.Context, _ Grant) error {
	if l.until == nil {
		return fmt.Errorf("%w: cannot release an unlocked lock", ErrNotOwner)
	}
	existing, err := floatOr1(l.Client().Do(ctx, "GET", l.Key()))
	if err != nil {
		return err
	}
	mine := existing >= *l.until
	l.until = nil
	if !mine {
		return ErrNotOwner
	}
	return l.Client().Do(ctx, "DEL", l.Key()).Err()
}

// floatOr1 is Python's float(reply or 1).
func floatOr1(reply *redis.Cmd) (float64, error) {
	s, err := reply.Text()
	if errors.Is(err, redis.Nil) || err == nil && s == "" {
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(s, 64)
}

// repr writes a float as Python does: the shortest text that reads back, never without a point.
func repr(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
