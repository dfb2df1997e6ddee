package impls

import (
	"context"
	_ "embed"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed redisson_spin_unlock.lua
var redissonSpinUnlockSource string

var redissonSpinUnlockScript = lua(redissonSpinUnlockSource)

// redissonSpin is RedissonSpinLock (D001 line 604 names it; back-off and unlock script from
// Redisson itself): redisson without messages, asking again after 1 ms, then about twice as long
// each time, up to 128 ms. It declares what redisson declares and has its defects.
type redissonSpin struct {
	*redisson
}

const (
	spinFirst = time.Millisecond
	spinMost  = 128 * time.Millisecond
)

func newRedissonSpin(s Setup) (Lock, error) {
	l := &redissonSpin{makeRedisson(s)}
	l.unlock = func(ctx context.Context) *redis.Cmd {
		return l.Client().Eval(ctx, redissonSpinUnlockScript, l.Keys, l.lease(), l.owner)
	}
	return l, nil
}

// Acquire tries, and sleeps longer each time.
func (l *redissonSpin) Acquire(ctx context.Context) (Grant, error) {
	p := patience{l.Env, l.Env.Now(), l.Options.AcquireTimeout}
	pause := spinFirst
	for fails := int64(1); ; fails++ {
		g, _, ok, err := l.try(ctx)
		if ok || err != nil {
			return g, err
		}
		if p.remaining() <= 0 {
			return g, ErrHeld
		}
		if err := l.Env.Sleep(ctx, pause); err != nil {
			return g, held(err)
		}
		pause = min(2*pause+time.Duration(l.Env.Rand(fails))*time.Millisecond, spinMost)
	}
}
