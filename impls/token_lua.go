package impls

import (
	"context"
	_ "embed"

	"github.com/redis/go-redis/v9"
)

//go:embed release.lua
var releaseSource string

// releaseScript compares and deletes in one step.
var releaseScript = redis.NewScript(releaseSource)

// tokenLua is SET NX PX with an owner value that is new for every attempt, released by compare-and-delete in a script
// (003 section 5, 004 sections 1.1 and 2.3). Its grant is forgotten if the master that gave it is lost before the replica heard of it,
// and nothing ends the holder's work when the lease ends.
type tokenLua struct {
	Setup
}

func newTokenLua(s Setup) (Lock, error) { return &tokenLua{s}, nil }

// Acquire polls with SET key value NX PX ttl.
func (l *tokenLua) Acquire(ctx context.Context) (g Grant, err error) {
	err = retry(ctx, l.Setup, func() (ok bool, err error) {
		g, ok, err = l.try(ctx)
		return ok, err
	})
	return g, err
}

func (l *tokenLua) try(ctx context.Context) (Grant, bool, error) {
	g := Grant{Sent: l.Env.Elapsed(), Lease: l.Options.TTL, Value: l.Env.Token()}
	err := l.Client().Do(ctx, "SET", l.Key(), g.Value, "NX", "PX", l.Options.TTL.Milliseconds()).Err()
	if err == redis.Nil {
		return g, false, nil
	}
	return g, err == nil, err
}

// Release deletes the key if it holds this attempt's value.
func (l *tokenLua) Release(ctx context.Context, g Grant) error {
	n, err := releaseScript.Eval(ctx, l.Client(), l.Keys, g.Value).Int()
	if err == nil && n == 0 {
		return ErrNotOwner
	}
	return err
}
