package impls

import (
	"context"
	"errors"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// getset is the lock of documents 000 (section 3) and 002 as their authors meant it: the value is the time at which the lease
// ends, by the client's clock; whoever finds it in the past takes over with GETSET, and has won if the old value was past too.
// Two gaps in the documents are closed in the only way that fits their text: the key may vanish between SETNX and GET (try
// again), and between GET and GETSET (the lock is ours). It has no owner: a release that checks only the time
// may delete a successor's lock, and every client's clock is trusted.
type getset struct {
	Setup
}

func newGetset(s Setup) (Lock, error) { return &getset{s}, nil }

// Acquire polls with SETNX, GET and GETSET. One clock reading serves a whole attempt, as in the documents' code.
func (l *getset) Acquire(ctx context.Context) (g Grant, err error) {
	err = retry(ctx, l.Setup, func() (ok bool, err error) {
		g, ok, err = l.try(ctx)
		return ok, err
	})
	return g, err
}

func (l *getset) try(ctx context.Context) (Grant, bool, error) {
	now := l.Env.Now().UnixMilli()
	value := strconv.FormatInt(now+l.Options.TTL.Milliseconds()+1, 10)
	g := Grant{Sent: l.Env.Elapsed(), Lease: l.Options.TTL, Value: value}
	n, err := l.Client().Do(ctx, "SETNX", l.Key(), value).Int()
	if err != nil || n == 1 {
		return g, n == 1, err
	}
	past, err := l.past(now, l.Client().Get(ctx, l.Key()))
	if errors.Is(err, redis.Nil) {
		return g, false, nil // released meanwhile: try again
	}
	if err != nil || !past {
		return g, false, err
	}
	g.Sent = l.Env.Elapsed()
	won, err := l.past(now, l.Client().GetSet(ctx, l.Key(), value))
	if errors.Is(err, redis.Nil) {
		return g, true, nil // there was no lock to take over
	}
	return g, won, err
}

// past reports whether the lease end that Redis answered lies before now (ms).
func (l *getset) past(now int64, reply *redis.StringCmd) (bool, error) {
	end, err := reply.Int64()
	return err == nil && now > end, err
}

// Release deletes the key unless the lease in it is over: then it may be somebody else's (000: checkIfLockTimeout, then del).
func (l *getset) Release(ctx context.Context, _ Grant) error {
	past, err := l.past(l.Env.Now().UnixMilli(), l.Client().Get(ctx, l.Key()))
	if errors.Is(err, redis.Nil) {
		return ErrNotOwner
	}
	if err != nil {
		return err
	}
	if past {
		return ErrNotOwner
	}
	return l.Client().Del(ctx, l.Key()).Err()
}
