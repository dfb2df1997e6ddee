//go:build linux

// The smallest lock that is right on one Redis: SET NX PX, then compare and delete. Readers are
// fields of a hash, whose lease each new one prolongs: a writer may wait for ever.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/lockbench/lockbench/adapters/sdk/go"
	"github.com/lockbench/lockbench/adapters/sdk/go/goredis"
	"github.com/redis/go-redis/v9"
)

var (
	share = redis.NewScript(
		`if redis.call('type', KEYS[1]).ok == 'string' then return 0 end
		redis.call('hset', KEYS[1], ARGV[1], 1)
		return redis.call('pexpire', KEYS[1], ARGV[2])`)
	release = redis.NewScript(
		`if redis.call('type', KEYS[1]).ok == 'hash' then
			return redis.call('hdel', KEYS[1], ARGV[1]) end
		if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
		return 0`)
)

type example struct {
	redis     *redis.Client
	ttl, poll time.Duration
	key       string
	token     string
}

func main() { sdk.Run(open, sdk.Versions("github.com/redis/go-redis/v9")) }

func open(c sdk.Config) (sdk.Lock, error) {
	clients, err := goredis.Connect(c)
	if err != nil {
		return nil, err
	}
	ms := func(n, otherwise int64) time.Duration {
		if n == 0 {
			n = otherwise
		}
		return time.Duration(n) * time.Millisecond
	}
	return &example{redis: clients[0], ttl: ms(c.TTL, 10_000), poll: ms(c.Poll, 100)}, nil
}

func (l *example) Acquire(ctx context.Context, _ int, keys []string, wait time.Duration) (
	sdk.Grant, error) {
	return l.take(keys[0], wait, func(token string) (bool, error) {
		return l.redis.SetNX(ctx, keys[0], token, l.ttl).Result()
	})
}

func (l *example) AcquireShared(ctx context.Context, _ int, keys []string, wait time.Duration) (
	sdk.Grant, error) {
	return l.take(keys[0], wait, func(token string) (bool, error) {
		return share.Run(ctx, l.redis, keys[:1], token, l.ttl.Milliseconds()).Bool()
	})
}

func (l *example) take(key string, wait time.Duration, attempt func(token string) (bool, error)) (
	sdk.Grant, error) {
	for end, token := time.Now().Add(wait), rand.Text(); ; time.Sleep(l.poll) {
		ok, err := attempt(token)
		switch {
		case err != nil:
			return sdk.Grant{}, err
		case ok:
			l.key, l.token = key, token
			return sdk.Grant{}, nil
		case wait <= 0:
			return sdk.Grant{}, sdk.Taken
		case time.Now().Add(l.poll).After(end):
			return sdk.Grant{}, sdk.GaveUp
		}
	}
}

func (l *example) Release(ctx context.Context, _ int) error {
	n, err := release.Run(ctx, l.redis, []string{l.key}, l.token).Int()
	if err == nil && n == 0 {
		return sdk.NotOwner{Err: errors.New("the key has another owner, or none")}
	}
	return err
}
