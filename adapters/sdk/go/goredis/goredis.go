//go:build linux

// Package goredis makes clients of go-redis as the harness says.
package goredis

import (
	"context"
	"time"

	"github.com/lockbench/lockbench/adapters/sdk/go"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Connect returns connected clients: one for each independent Redis, or one of the Sentinels'
// master. What c does not give stays go-redis' default.
func Connect(c sdk.Config) (clients []*redis.Client, err error) {
	o := &redis.UniversalOptions{MasterName: c.Master}
	if c.Timeout > 0 {
		d := time.Duration(c.Timeout) * time.Millisecond
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout = d, d, d
	}
	if c.Retries != nil {
		o.MaxRetries = *c.Retries
		if o.MaxRetries == 0 {
			o.MaxRetries = -1 // go-redis' word for none
		}
	}
	if len(c.Sentinels) > 0 {
		o.Addrs = c.Sentinels
		clients = append(clients, redis.NewFailoverClient(o.Failover()))
	}
	for _, address := range c.Redis {
		o.Addrs = []string{address}
		simple := o.Simple()
		if c.Dial != nil {
			simulate(simple, c)
		}
		clients = append(clients, redis.NewClient(simple))
	}
	for _, client := range clients {
		if err := client.Ping(context.Background()).Err(); err != nil {
			return nil, err
		}
	}
	return clients, nil
}

// poolSize is more connections than a lock needs: a pool that is exhausted waits with timers that
// outlive a simulated run.
const poolSize = 64

// simulate makes the options of a client those of one in the simulator, which speaks RESP2, and
// where retries must not wait for random times.
func simulate(o *redis.Options, c sdk.Config) {
	o.Dialer, o.Protocol, o.DisableIdentity, o.PoolSize = c.Dial, 2, true, poolSize
	o.MinRetryBackoff, o.MaxRetryBackoff = -1, -1
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}
