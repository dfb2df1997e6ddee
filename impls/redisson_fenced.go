package impls

import (
	"context"
	_ "embed"

	"github.com/redis/go-redis/v9"
)

//go:embed redisson_fenced_acquire.lua
var redissonFencedSource string

var redissonFencedScript = lua(redissonFencedSource)

// redissonFenced is RedissonFencedLock: redisson whose script draws a growing token in the same
// step (script from Redisson itself; the documents do not have it). It declares a lease, re-entry
// and fencing. Known defects: those of redisson, and the token counter is lost where the lock is:
// after a restart or failover it begins again.
type redissonFenced struct {
	*redisson
}

func newRedissonFenced(s Setup) (Lock, error) {
	l := &redissonFenced{makeRedisson(s)}
	keys := []string{s.Key(), prefixed("redisson_lock_token", s.Key())}
	l.take = func(ctx context.Context) *redis.Cmd {
		return l.eval(ctx, redissonFencedScript, keys, l.lease(), l.owner)
	}
	return l, nil
}
