package impls

import (
	"context"
	_ "embed"

	"github.com/redis/go-redis/v9"
)

//go:embed redisson_fenced_acquire.lua
var redissonFencedSource string

var redissonFencedScript = lua(redissonFencedSource)

// redissonFenced is RedissonFencedLock: redisson with a script that also draws a growing token. The
// script is Redisson's own; the documents do not have it. It declares a lease, re-entry and
// fencing. Known defects: those of redisson, and the token counter starts again whenever a restart
// or a failover loses the lock.
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
