package impls

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// setpxGetdel is SET NX PX with an owner value, released by GET, a comparison and DEL (D003 §4,
// D004 §2.2). It declares a lease. The owner value has the variants of token-lua. Known defects:
// the lease may end between GET and DEL, which then deletes a successor's lock (D003 line 16, D004
// line 69). That an owner value also solves the overrun (D003 line 15) is not so.
type setpxGetdel struct {
	*tokenLua
}

func newSetpxGetdel(s Setup) (Lock, error) { return &setpxGetdel{newToken(s)}, nil }

// Acquire polls with SET key value NX PX ttl.
func (l *setpxGetdel) Acquire(ctx context.Context) (Grant, error) { return l.take(ctx, l.Release) }

// Release deletes the key if it held the grant's value a moment ago.
func (l *setpxGetdel) Release(ctx context.Context, g Grant) error {
	return l.getDelete(ctx, g.Value)
}

func (l *tokenLua) getDelete(ctx context.Context, value string) error {
	found, err := l.Client().Do(ctx, "GET", l.Key()).Text()
	if errors.Is(err, redis.Nil) || err == nil && found != value {
		return ErrNotOwner
	}
	if err != nil {
		return err
	}
	return l.Client().Do(ctx, "DEL", l.Key()).Err()
}

// setpxGetdelPosted is the same lock with the constants of D004: it stores "requesId" (D004 line
// 26) and compares with "app-1-lockKey" (D004 line 68). It declares a lease of 20 s. Known defects:
// the two are never equal, so the lock is never released and each hold lasts its whole lease; and
// all clients share one owner value.
type setpxGetdelPosted struct {
	*tokenLua
}

func newSetpxGetdelPosted(s Setup) (Lock, error) {
	s.Options.Variant = perConstant
	return &setpxGetdelPosted{newToken(s)}, nil
}

// Acquire polls with SET key "requesId" NX PX 20000.
func (l *setpxGetdelPosted) Acquire(ctx context.Context) (Grant, error) {
	return l.take(ctx, l.Release)
}

// Release compares with a value that is never stored.
func (l *setpxGetdelPosted) Release(ctx context.Context, _ Grant) error {
	return l.getDelete(ctx, "app-1-lockKey")
}
