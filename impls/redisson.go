package impls

import (
	"context"
	_ "embed"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed redisson_acquire.lua
	redissonAcquireSource string
	//go:embed redisson_renew.lua
	redissonRenewSource string
	//go:embed redisson_unlock.lua
	redissonUnlockSource string

	redissonAcquireScript = lua(redissonAcquireSource)
	redissonRenewScript   = lua(redissonRenewSource)
	redissonUnlockScript  = lua(redissonUnlockSource)
)

// redisson is RedissonLock (D001): a hash with one field, the owner "uuid:thread", that counts its
// holds. Waiting clients are woken by a message and otherwise when the holder's lease ends; without
// a lease of the caller's own, a watchdog renews every TTL/3. It declares a lease and re-entry.
// Known defects: failover (D001 line 770); unlimited renewals (D001 line 767 asks for a limit:
// Options.MaxRenewals); a renewal that fails is not told to the holder; the owner is a thread and
// not an acquisition, so that an unlock that is late in the network ends the same thread's next
// hold. The text is wrong on two points: no event is published when a lease ends (D001 line 788),
// and a cluster does not ask a majority (D001 line 772).
type redisson struct {
	Setup
	owner string // uuid:thread
	depth int    // holds of this client, as it believes
	dog   watchdog

	// The scripts that distinguish the lock's relatives.
	take   func(ctx context.Context) *redis.Cmd
	unlock func(ctx context.Context) *redis.Cmd
}

func newRedisson(s Setup) (Lock, error) { return makeRedisson(s), nil }

func makeRedisson(s Setup) *redisson {
	l := &redisson{Setup: s, owner: s.Env.Token() + ":1"}
	l.take = func(ctx context.Context) *redis.Cmd {
		return l.eval(ctx, redissonAcquireScript, l.Keys, l.lease(), l.owner)
	}
	l.unlock = func(ctx context.Context) *redis.Cmd {
		return l.Client().Eval(ctx, redissonUnlockScript, []string{l.Key(), l.channel()}, unlockMessage,
			l.lease(), l.owner)
	}
	return l
}

// unlockMessage is LockPubSub.UNLOCK_MESSAGE.
const unlockMessage = 0

// channel is where an unlock is told.
func (l *redisson) channel() string { return prefixed("redisson_lock__channel", l.Key()) }

// prefixed puts the key in braces, so that a cluster keeps both names together.
func prefixed(prefix, key string) string {
	if strings.Contains(key, "{") {
		return prefix + ":" + key
	}
	return prefix + ":{" + key + "}"
}

func (l *redisson) lease() int64 { return l.Options.TTL.Milliseconds() }

// Acquire is tryLock (D001 lines 360–445).
func (l *redisson) Acquire(ctx context.Context) (Grant, error) {
	return l.tryLock(ctx, patience{l.Env, l.Env.Now(), l.Options.AcquireTimeout})
}

// try is tryAcquire (D001 lines 459–487): a grant, or the rest of the holder's lease.
func (l *redisson) try(ctx context.Context) (g Grant, rest time.Duration, ok bool, err error) {
	g = Grant{Sent: l.Env.Elapsed(), Lease: l.Options.TTL, Value: l.owner, Depth: l.depth}
	reply, err := l.take(ctx).Result()
	switch v := reply.(type) {
	case nil:
		if !errors.Is(err, redis.Nil) {
			return g, 0, false, err
		}
		return l.granted(ctx, g)
	case int64:
		return g, time.Duration(v) * time.Millisecond, false, err
	case []any: // the fenced lock's: -1 and the token, or the rest
		first, _ := v[0].(int64)
		g.Fence, _ = v[1].(int64)
		if first == -1 {
			return l.granted(ctx, g)
		}
		return g, time.Duration(first) * time.Millisecond, false, err
	}
	return g, 0, false, attemptError(errors.New("the script replied neither nil nor a number"))
}

func (l *redisson) granted(ctx context.Context, g Grant) (Grant, time.Duration, bool, error) {
	l.depth++
	if !l.Options.NoWatchdog {
		l.dog.hold(ctx, l, g)
	}
	return g, 0, true, l.confirm(ctx, g, l.Release)
}

// Release is unlock (D001 lines 720–750). Whatever comes of it, the watchdog has one hold less.
func (l *redisson) Release(ctx context.Context, _ Grant) error {
	err := l.unlock(ctx).Err()
	l.dog.release()
	l.depth = max(l.depth-1, 0)
	if errors.Is(err, redis.Nil) {
		l.depth = 0
		return ErrNotOwner // IllegalMonitorStateException
	}
	return err
}

// renew is renewExpirationAsync (D001 lines 683–692).
func (l *redisson) renew(ctx context.Context) (int64, error) {
	return l.Client().Eval(ctx, redissonRenewScript, l.Keys, l.lease(), l.owner).Int64()
}
