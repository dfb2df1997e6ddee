// Package adapter drives a lock that is a library in any language. It starts the adapter's process,
// speaks with it by the protocol of docs/formats.md, and lets it replace a worker. lockbench keeps
// the cycle of the client, the breakpoints and the trace; the process only calls its lock.
package adapter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/workloads"
)

// Protocol is the version of the protocol.
const Protocol = 1

// The kinds of orders, in field Do.
const (
	doConfig  = "config"
	doAcquire = "acquire"
	doRelease = "release"
	doExtend  = "extend"
	doTouch   = "touch"
	doRead    = "read"
	doWrite   = "write"
	doStop    = "stop"
	doCancel  = "cancel"
)

// Order is a line to the adapter, other than its config.
type Order struct {
	Do   string   `json:"do"`
	N    int      `json:"n,omitempty"`
	Keys []string `json:"keys,omitempty"`
	Wait *int64   `json:"wait_ms,omitempty"`
	Mode string   `json:"mode,omitempty"`
	// of a write
	Value *int64 `json:"value,omitempty"`
}

// exclusive is the mode of a lock that admits one client only.
const exclusive = "exclusive"

// Config is the first line to the adapter. For an absent field, the library uses its own default.
type Config struct {
	Do        string                     `json:"do"`
	Protocol  int                        `json:"protocol"`
	Client    int                        `json:"client"`
	Seed      uint64                     `json:"seed"`
	Redis     []string                   `json:"redis,omitempty"`
	Servers   []string                   `json:"servers,omitempty"` // of another system
	Sentinels []string                   `json:"sentinels,omitempty"`
	Master    string                     `json:"master,omitempty"`
	Keys      []string                   `json:"keys"`
	TTL       int64                      `json:"ttl_ms,omitempty"`
	Poll      int64                      `json:"poll_ms,omitempty"`
	Timeout   int64                      `json:"client_timeout_ms,omitempty"`
	Retries   *int                       `json:"client_retries,omitempty"`
	Options   map[string]adapters.Option `json:"options,omitempty"`
}

// The kinds of answers, in field Is.
const (
	isReady    = "ready"
	isBegun    = "begun"
	isAcquired = "acquired"
	isRefused  = "refused"
	isFailed   = "failed"
	isReleased = "released"
	isNotOwner = "not_owner"
	isExtended = "extended"
	isTouched  = "touched"
	isRead     = "read"
	isWritten  = "written"
	isConflict = "conflict"
	isLost     = "lost"
	isGap      = "gap"
	isBroken   = "broken"
	// it does not know an order, which it says once
	isUnsupported = "unsupported"
)

// Answer is a line of the adapter.
type Answer struct {
	Is         string            `json:"is"`
	N          int               `json:"n"`
	T          int64             `json:"t"`
	Op         string            `json:"op"`
	PID        int               `json:"pid"`
	Versions   map[string]string `json:"versions"`
	ValidUntil int64             `json:"valid_until"`
	Token      int64             `json:"token"`
	Sent       int64             `json:"sent"`
	Why        string            `json:"why"`
	Err        string            `json:"err"`
	By         string            `json:"by"`
	NS         int64             `json:"ns"`
	Value      int64             `json:"value"`
}

// Unsupported returns the error of an answer that the adapter does not know an order.
func (a Answer) Unsupported() error {
	return fmt.Errorf("it does not know the order %.40q: omit what needs it under declares in %s, as "+
		"cancels", a.Op, adapters.ManifestName)
}

// ends lists the answers that may end each operation.
var ends = map[string][]string{
	doAcquire: {isAcquired, isRefused, isFailed},
	doRelease: {isReleased, isNotOwner, isFailed},
	doExtend:  {isExtended, isNotOwner, isFailed},
	doTouch:   {isTouched},
	doRead:    {isRead, isFailed},
	doWrite:   {isWritten, isConflict, isFailed},
}

// The reasons of a refusal.
const (
	whyTaken         = "taken"
	whyGaveUp        = "gave-up"
	whyUnreachable   = "unreachable"
	whyServerRefused = "server-refused"
	whyCancelled     = "cancelled"
)

// Acquire returns the order to acquire a lock on keys.
func Acquire(n int, keys []string, wait time.Duration) Order {
	ms := wait.Milliseconds()
	return Order{Do: doAcquire, N: n, Keys: keys, Wait: &ms, Mode: exclusive}
}

// Release returns the order to release hold n.
func Release(n int) Order { return Order{Do: doRelease, N: n} }

// Extend returns the order to extend hold n.
func Extend(n int) Order { return Order{Do: doExtend, N: n} }

// Stop is the order to end an acquire that waits.
var Stop = Order{Do: doStop}

// Interrupt returns the order that ends call n, because its context has ended: the client gave up
// this call, or waits no more.
func Interrupt(ctx context.Context, n int) Order {
	if errors.Is(context.Cause(ctx), workloads.ErrCancelled) {
		return Order{Do: doCancel, N: n}
	}
	return Stop
}

// FirstOrder returns the config for an adapter, without its servers.
func FirstOrder(c workloads.Config, options map[string]adapters.Option) Config {
	return Config{Do: doConfig, Protocol: Protocol, Client: c.Process, Seed: c.Seed, Keys: c.Keys,
		Options: options, TTL: c.TTL.D().Milliseconds(), Poll: c.Poll.D().Milliseconds(),
		Timeout: c.ClientTimeout.D().Milliseconds(), Retries: c.ClientRetries}
}

// ParseAnswer reads a line of the adapter.
func ParseAnswer(line []byte) (a Answer, err error) {
	if err = json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("it wrote %s, not a line of the protocol; only answers may go to "+
			"standard output", shown(line))
	}
	if a.Is == "" {
		return a, fmt.Errorf(`it wrote %s without "is"`, shown(line))
	}
	return a, nil
}

// shown quotes a line of the adapter, cut to its first bytes.
func shown(line []byte) string {
	const most = 80
	if line = bytes.TrimSpace(line); len(line) > most {
		return fmt.Sprintf("%q...", line[:most])
	}
	return fmt.Sprintf("%q", line)
}

// errTooLong reports a line that is too long.
var errTooLong = errors.New("it wrote a line of more than 64 KB")
