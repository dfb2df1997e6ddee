package impls

import (
	"context"
	"errors"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// setnxDelExpired is the lock that D000 §3 and D002 warn of: the value is the time at which the
// lease ends, by the client's clock, and a client that sees it in the past deletes the key and
// tries SETNX again. It declares a lease. Known defects: two clients that both saw the old lease
// delete one after the other, the second one a valid lock (D000 lines 35–41, D002 lines 33–41); no
// owner; every client's clock is trusted. The documents do not say what a GET that finds nothing
// means. Variant "nil-expired" reads it as an expired lease, which lets two in without any fault;
// "nil-retry" tries again.
type setnxDelExpired struct {
	Setup
}

func newSetnxDelExpired(s Setup) (Lock, error) { return &setnxDelExpired{s}, nil }

// Acquire polls with SETNX, GET and, on an expired lease, DEL and SETNX.
func (l *setnxDelExpired) Acquire(ctx context.Context) (Grant, error) {
	return l.acquire(ctx, l.try, l.Release)
}

func (l *setnxDelExpired) try(ctx context.Context) (Grant, bool, error) {
	g, ok, err := l.setnx(ctx)
	if ok || err != nil {
		return g, ok, err
	}
	expired, err := l.expired(ctx)
	if err != nil || !expired {
		return g, false, err
	}
	n, err := l.Client().Do(ctx, "DEL", l.Key()).Int()
	if err != nil {
		return g, false, err
	}
	g, ok, err = l.setnx(ctx)
	if n > 0 && !ok {
		err = attemptError(err)
	}
	return g, ok, err
}

func (l *setnxDelExpired) setnx(ctx context.Context) (Grant, bool, error) {
	end := l.Env.Now().Add(l.Options.TTL).UnixMilli() + 1
	g := Grant{Lease: l.Options.TTL, Value: strconv.FormatInt(end, 10), Sent: l.Env.Elapsed()}
	n, err := l.send(ctx, "SETNX", l.Key(), g.Value).Int()
	return g, n == 1, err
}

func (l *setnxDelExpired) expired(ctx context.Context) (bool, error) {
	end, err := l.Client().Do(ctx, "GET", l.Key()).Int64()
	if errors.Is(err, redis.Nil) {
		return l.Options.Variant == "nil-expired", nil
	}
	return err == nil && l.Env.Now().UnixMilli() > end, err
}

// Release deletes the key, whichever client has it.
func (l *setnxDelExpired) Release(ctx context.Context, _ Grant) error {
	return l.Client().Do(ctx, "DEL", l.Key()).Err()
}
