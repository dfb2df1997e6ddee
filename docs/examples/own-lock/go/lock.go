//go:build linux

// A lock on one Redis: SET NX PX with a token, and a release that compares it. Redis must not
// forget the key before its lease is over, as by a failover or an eviction. A holder that is
// stopped for longer than its lease is not alone any more: have what it writes to refuse it, too.
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
	Until time.Time // its lease ends then, and maybe a little later: be done before

	redis      *redis.Client
	key, token string
}

// Acquire tries for as long as wait says, each poll once. The client should have MaxRetries -1: if
// it sends a command again by itself, the lock may find its own key, and take it for another's.
func Acquire(ctx context.Context, r *redis.Client, key string, lease, wait,
	poll time.Duration) (*Lock, error) {
	end := time.Now().Add(wait)
	for {
		l, err := try(ctx, r, key, lease)
		if !errors.Is(err, ErrTaken) {
			return l, err
		}
		if time.Now().Add(poll).After(end) {
			return nil, ErrTaken
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// try asks once. The lease counts from before the command is sent, since the server may have begun
// to count then. What an error or a late reply leaves behind is given back.
func try(ctx context.Context, r *redis.Client, key string, lease time.Duration) (*Lock, error) {
	l := &Lock{redis: r, key: key, token: rand.Text(), Until: time.Now().Add(lease)}
	ok, err := r.SetNX(ctx, key, l.token, lease).Result()
	if err == nil && !ok {
		return nil, ErrTaken
	}
	if err == nil && time.Now().Before(l.Until) {
		return l, nil
	}
	_ = l.Release(context.WithoutCancel(ctx)) // if this is lost, too, the lease ends it
	if err == nil {
		err = ErrTaken // its time is over
	}
	return nil, err
}

// Release gives the lock back. After an error it may be called again; the lease ends the hold in
// any case.
func (l *Lock) Release(ctx context.Context) error {
	n, err := release.Run(ctx, l.redis, []string{l.key}, l.token).Int()
	if err == nil && n == 0 {
		return ErrNotOwner
	}
	return err
}
