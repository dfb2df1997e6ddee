//go:build linux

// A lock on one Redis: SET NX PX with a token, and a release that compares it.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// What an acquire or a release may say.
var (
	ErrTaken    = errors.New("another has the lock")
	ErrNotOwner = errors.New("the lock was not held any more")
)

var release = redis.NewScript(
	`if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`)

// Lock is a hold.
type Lock struct {
	redis      *redis.Client
	key, token string
}

// Acquire tries for as long as wait says, each poll once.
func Acquire(ctx context.Context, r *redis.Client, key string, lease, wait,
	poll time.Duration) (*Lock, error) {
	end := time.Now().Add(wait)
	for {
		l := &Lock{redis: r, key: key, token: rand.Text()}
		ok, err := r.SetNX(ctx, key, l.token, lease).Result()
		if err != nil {
			return nil, err
		}
		if ok {
			return l, nil
		}
		if time.Now().Add(poll).After(end) {
			return nil, ErrTaken
		}
		time.Sleep(poll)
	}
}

// Release gives the lock back.
func (l *Lock) Release(ctx context.Context) error {
	n, err := release.Run(ctx, l.redis, []string{l.key}, l.token).Int()
	if err == nil && n == 0 {
		return ErrNotOwner
	}
	return err
}
