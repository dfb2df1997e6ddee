package impls

import (
	"context"
	_ "embed"
	"errors"

	"github.com/redis/go-redis/v9"
)

//go:embed release.lua
var releaseSource string

var releaseScript = lua(releaseSource)

// The owner values that a lock may write: how long one of them is used. Only "attempt" is sound: a
// release that is late in the network deletes every later lock with the same value.
const (
	perAttempt     = "attempt"     // new for each SET
	perConstant    = "constant"    // one for all clients: "requesId" (D004 line 26)
	perProcess     = "process"     // one for each client
	perAcquisition = "acquisition" // one for each call of Acquire
)

var ownerVariants = []string{perAttempt, perConstant, perProcess, perAcquisition}

// tokenLua is SET NX PX with an owner value, released by compare-and-delete in a script (D003 §5,
// D004 §1.1 and §2.3). It declares a lease. Its variants say for how long one owner value is used.
// Known defects: the grant is forgotten if the master that gave it is lost before the replica heard
// of it (D003 line 19); nothing ends the holder's work when the lease ends; a reply that comes
// later than the lease is believed; a lost reply leaves an orphan.
type tokenLua struct {
	Setup
	value string // of the process or the acquisition
}

func newTokenLua(s Setup) (Lock, error) { return newToken(s), nil }

func newToken(s Setup) *tokenLua {
	l := &tokenLua{Setup: s}
	switch s.Options.Variant {
	case perConstant:
		l.value = "requesId"
	case perProcess:
		l.value = s.Env.Token()
	}
	return l
}

// Acquire polls with SET key value NX PX ttl.
func (l *tokenLua) Acquire(ctx context.Context) (Grant, error) { return l.take(ctx, l.Release) }

// take is Acquire for all locks that differ only in their release.
func (l *tokenLua) take(ctx context.Context, release func(context.Context, Grant) error) (Grant,
	error) {
	if l.Options.Variant == perAcquisition {
		l.value = l.Env.Token()
	}
	return l.acquire(ctx, l.try, release)
}

func (l *tokenLua) try(ctx context.Context) (Grant, bool, error) {
	g := Grant{Sent: l.Env.Elapsed(), Lease: l.Options.TTL, Value: l.value}
	if g.Value == "" {
		g.Value = l.Env.Token()
	}
	err := l.send(ctx, "SET", l.Key(), g.Value, "NX", "PX", l.Options.TTL.Milliseconds()).Err()
	if errors.Is(err, redis.Nil) {
		return g, false, nil
	}
	return g, err == nil, err
}

// Release deletes the key if it holds the grant's value.
func (l *tokenLua) Release(ctx context.Context, g Grant) error {
	return l.compareDelete(ctx, g.Value)
}

// compareDelete deletes the key if it holds value, in one step.
func (s Setup) compareDelete(ctx context.Context, value string) error {
	n, err := s.Client().Eval(ctx, releaseScript, s.Keys, value).Int()
	if err == nil && n == 0 {
		return ErrNotOwner
	}
	return err
}
