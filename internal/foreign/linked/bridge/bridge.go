//go:build linux

// Package bridge links the lock of an adapter, written with the SDK for Go, into this program. It
// replaces the adapters' protocol between two processes.
package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/adapters/sdk/go"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/foreign/linked"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
)

// maxClients bounds the clients of a run, because the number of a hold encodes its client.
const maxClients = 1 << 10

// clients maps the number of each living client to its handler for losses.
var clients sync.Map

// Link runs the main function of an adapter whose files have this hash, and makes its lock the lock
// of linked.Program.
func Link(hash string, main func()) {
	sdk.Link(sdk.Linked{
		Open: func(open func(sdk.Config) (sdk.Lock, error)) {
			linked.Program = &linked.Adapter{Hash: hash, Open: func(options map[string]adapters.Option,
				poll time.Duration) workloads.OpenLinked {
				return func(c workloads.LinkedClient) (workloads.LinkedLock, error) {
					l, err := openLock(c, options, open)
					return lock{l, c, poll}, err
				}
			}}
		},
		Lost: func(n int, by string) {
			if lost, ok := clients.Load(n % maxClients); ok {
				lost.(func(int, string))(n/maxClients, by)
			}
		},
	})
	main()
}

// lock is the lock of one client. Each client numbers its holds separately.
type lock struct {
	sdk    sdk.Lock
	client workloads.LinkedClient
	poll   time.Duration
}

func openLock(c workloads.LinkedClient, options map[string]adapters.Option,
	open func(sdk.Config) (sdk.Lock, error)) (sdk.Lock, error) {
	if c.Process >= maxClients {
		return nil, fmt.Errorf("at most %d clients can be simulated", maxClients)
	}
	clients.Store(c.Process, c.Lost)
	dialed := false
	cfg := sdk.Config{Protocol: sdk.Protocol, Client: c.Process, Seed: int64(c.Seed), Keys: c.Keys,
		TTL: c.TTL.D().Milliseconds(), Poll: c.Poll.D().Milliseconds(),
		Timeout: c.ClientTimeout.D().Milliseconds(), Retries: c.ClientRetries}
	for i := range c.Servers {
		cfg.Redis = append(cfg.Redis, address(i))
	}
	cfg.Dial = func(ctx context.Context, network, to string) (net.Conn, error) {
		dialed = true
		for i, server := range cfg.Redis {
			if server == to {
				return c.Dial(ctx, network, c.Address(i))
			}
		}
		return nil, fmt.Errorf("%s is not a Redis of Config", to)
	}
	if err := convert(options, &cfg.Options); err != nil {
		return nil, err
	}
	l, err := open(cfg)
	if err == nil && !dialed {
		err = errors.New("the adapter did not call Config.Dial while it was opened, so it may have a " +
			"Redis outside of the simulator; connect with Config.Dial if it is not nil, or use " +
			"run --adapter")
	}
	return l, err
}

// address returns a placeholder for a server. No server can have port 0, so a lock that does not
// use Dial reaches no Redis at all.
func address(server int) string { return fmt.Sprintf("127.0.0.%d:0", server+1) }

// convert gives options the types that they have after they passed the protocol.
func convert(options map[string]adapters.Option, to *map[string]any) error {
	text, err := json.Marshal(options)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

func (l lock) number(n int) int { return n*maxClients + l.client.Process }

// Acquire implements workloads.LinkedLock. It tries again while the lock is taken.
func (l lock) Acquire(ctx context.Context, n int, keys []string, wait time.Duration) (
	workloads.Said, error) {
	until := time.Now().Add(wait)
	g, err := l.sdk.Acquire(ctx, l.number(n), keys, wait)
	for errors.Is(err, sdk.Taken) && time.Now().Add(l.poll).Before(until) &&
		l.client.Env.Sleep(ctx, l.poll) == nil {
		g, err = l.sdk.Acquire(ctx, l.number(n), keys, time.Until(until))
	}
	if err != nil {
		return workloads.Said{}, meaning(err)
	}
	token, err := fence(g.Token)
	return workloads.Said{ValidUntil: g.ValidUntil, Token: token}, err
}

// Release implements workloads.LinkedLock.
func (l lock) Release(ctx context.Context, n int) error {
	return meaning(l.sdk.Release(ctx, l.number(n)))
}

// Extend implements workloads.LinkedExtender.
func (l lock) Extend(ctx context.Context, n int) (workloads.Said, error) {
	e, can := l.sdk.(sdk.Extender)
	if !can {
		return workloads.Said{}, errors.New("this lock has no extend")
	}
	g, err := e.Extend(ctx, l.number(n))
	return workloads.Said{ValidUntil: g.ValidUntil}, meaning(err)
}

// Close implements workloads.LinkedLock. The connections of the client have ended with it.
func (l lock) Close() { clients.Delete(l.client.Process) }

// refusals translates the SDK's reasons for a refused acquire.
var refusals = map[sdk.Refused]history.Refusal{sdk.Taken: history.Taken,
	sdk.GaveUp: history.GaveUp, sdk.Unreachable: history.Unreachable,
	sdk.ServerRefused: history.ServerRefused, sdk.Cancelled: history.CalledOff}

// meaning translates an error of the SDK into one that the harness knows.
func meaning(err error) error {
	var refused sdk.Refused
	var over sdk.NotOwner
	switch {
	case errors.As(err, &refused):
		return workloads.RefusedError{Why: refusals[refused]}
	case errors.As(err, &over):
		return fmt.Errorf("%w (%s)", impls.ErrNotOwner, over)
	}
	return err
}

// fence converts a fencing token. In the protocol it may be any number.
func fence(token any) (n int64, err error) {
	if token == nil {
		return 0, nil
	}
	if _, err = fmt.Sscan(fmt.Sprint(token), &n); err != nil {
		err = fmt.Errorf("the token %v is not a whole number", token)
	}
	return n, err
}
