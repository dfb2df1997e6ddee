//go:build linux

package main

// The adapter: lockbench asks it to acquire and release the lock of this repository.

import (
	"context"
	"errors"
	"time"

	"github.com/lockbench/lockbench/adapters/sdk/go"
	"github.com/lockbench/lockbench/adapters/sdk/go/goredis"
	"github.com/redis/go-redis/v9"
)

type adapter struct {
	redis       *redis.Client
	lease, poll time.Duration
	held        *Lock
}

func main() { sdk.Run(open, sdk.Versions("github.com/redis/go-redis/v9")) }

func open(c sdk.Config) (sdk.Lock, error) {
	clients, err := goredis.Connect(c)
	if err != nil {
		return nil, err
	}
	return &adapter{redis: clients[0], lease: time.Duration(c.TTL) * time.Millisecond,
		poll: 50 * time.Millisecond}, nil
}

func (a *adapter) Acquire(ctx context.Context, _ int, keys []string, wait time.Duration) (
	sdk.Grant, error) {
	held, err := Acquire(ctx, a.redis, keys[0], a.lease, wait, a.poll)
	if errors.Is(err, ErrTaken) {
		return sdk.Grant{}, sdk.GaveUp
	}
	if err != nil {
		return sdk.Grant{}, err
	}
	a.held = held
	return sdk.Grant{ValidUntil: held.Until}, nil
}

func (a *adapter) Release(ctx context.Context, _ int) error {
	err := a.held.Release(ctx)
	if errors.Is(err, ErrNotOwner) {
		return sdk.NotOwner{Err: err}
	}
	return err
}
