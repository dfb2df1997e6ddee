package impls

import (
	"context"
	"errors"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// getset is the lock of D000 §3 and D002 as their authors meant it: the value is the time at which
// the lease ends, by the client's clock; a client that finds it in the past takes over with GETSET,
// and has won if the old value was past too. It declares a lease. Two gaps in the documents are
// closed in the only way that fits their text: the key may vanish between SETNX and GET (try
// again), and between GET and GETSET (the lock is ours). Known defects: it has no owner, so a
// release that checks only the time may delete a successor's lock; a loser's GETSET prolongs the
// winner's lease (D000 line 50 calls that harmless); every client's clock is trusted.
type getset struct {
	Setup
}

func newGetset(s Setup) (Lock, error) { return &getset{s}, nil }

// Acquire polls with SETNX, GET and GETSET. One clock reading serves a whole attempt, as in the
// documents' code.
func (l *getset) Acquire(ctx context.Context) (Grant, error) {
	return l.acquire(ctx, l.try, l.Release)
}

func (l *getset) try(ctx context.Context) (Grant, bool, error) {
	now := l.Env.Now().UnixMilli()
	g := Grant{Lease: l.Options.TTL, Value: strconv.FormatInt(now+l.Options.TTL.Milliseconds()+1, 10),
		Sent: l.Env.Elapsed()}
	n, err := l.send(ctx, "SETNX", l.Key(), g.Value).Int()
	if err != nil || n == 1 {
		return g, n == 1, err
	}
	past, err := l.past(now, l.Client().Do(ctx, "GET", l.Key()))
	if errors.Is(err, redis.Nil) {
		return g, false, nil // released meanwhile: try again
	}
	if err != nil || !past {
		return g, false, err
	}
	g.Sent = l.Env.Elapsed()
	won, err := l.past(now, l.send(ctx, "GETSET", l.Key(), g.Value))
	switch {
	case errors.Is(err, redis.Nil):
		return g, true, nil // the key did not exist
	case err == nil && !won:
		return g, false, errLeft
	}
	return g, won, err
}

// past reports whether the lease end that Redis answered lies before now (ms).
func (l *getset) past(now int64, reply *redis.Cmd) (bool, error) {
	end, err := reply.Int64()
	return err == nil && now > end, err
}

// Release deletes the key unless the lease in it is over: then it may be another's (D000 line
// 51).
func (l *getset) Release(ctx context.Context, _ Grant) error {
	past, err := l.past(l.Env.Now().UnixMilli(), l.Client().Do(ctx, "GET", l.Key()))
	if errors.Is(err, redis.Nil) || past {
		return ErrNotOwner
	}
	if err != nil {
		return err
	}
	return l.Client().Do(ctx, "DEL", l.Key()).Err()
}
