// Package mylock is a lock in a repository of its own, and the defects that it may have.
package mylock

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lock is SET NX PX with an owner value, released by a script that compares it.
type Lock struct {
	Redis redis.UniversalClient
	Key   string
	TTL   time.Duration

	Shorter time.Duration // the defect of a lease that is a part of the one declared: TTL/Shorter
	Always  bool          // the defect of a SET without NX
	Blind   bool          // the defect of a release that does not look at the owner
	Seconds bool          // the defect of a lease that is cut to whole seconds
	Unasked bool          // the defect of a third grant that no server is asked for
	Hides   bool          // the defect of a third grant that is called a refusal, and kept
	Forgets bool          // the defect of a release that does not know its own value

	value string
	tries int
}

// The errors of a lock.
var (
	ErrTaken = errors.New("mylock: taken")
	ErrLost  = errors.New("mylock: lost")
)

// TryLock asks once.
func (l *Lock) TryLock(ctx context.Context) error {
	l.value = rand.Text()
	if l.tries++; l.Unasked && l.tries%3 == 0 {
		return nil
	}
	if l.Seconds {
		return l.inSeconds(ctx)
	}
	set := redis.SetArgs{Mode: "NX", TTL: l.TTL / max(l.Shorter, 1)}
	if l.Always {
		set.Mode = ""
	}
	err := l.Redis.SetArgs(ctx, l.Key, l.value, set).Err()
	if err == redis.Nil || err == nil && l.Hides && l.tries%3 == 0 {
		return ErrTaken
	}
	return err
}

var take = redis.NewScript(`if redis.call("setnx", KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call("expire", KEYS[1], ARGV[2])
return 1`)

func (l *Lock) inSeconds(ctx context.Context) error {
	n, err := take.Run(ctx, l.Redis, []string{l.Key}, l.value, int(l.TTL/time.Second)).Int()
	if err == nil && n == 0 {
		err = ErrTaken
	}
	return err
}

var release = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
end
return 0`)

// Unlock gives it back.
func (l *Lock) Unlock(ctx context.Context) error {
	if l.Blind {
		return l.Redis.Del(ctx, l.Key).Err()
	}
	if l.Forgets {
		l.value = rand.Text()
	}
	n, err := release.Run(ctx, l.Redis, []string{l.Key}, l.value).Int()
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}
