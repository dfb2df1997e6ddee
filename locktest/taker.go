package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/workloads"
	"github.com/redis/go-redis/v9"
)

// taker is a client's lock in the form for a worker.
type taker struct {
	Lock
	client  *Client
	acquire Acquire

	mu      sync.Mutex
	n       int // number of the hold
	held    Hold
	end     context.CancelFunc // ends the context of its acquire
	clients []*redis.Client
}

// open makes the lock of one client.
func (l Lock) open(c workloads.LinkedClient) (workloads.LinkedLock, error) {
	t := &taker{Lock: l}
	t.client = &Client{Context: c.Life, Number: c.Process, Key: c.Keys[0], TTL: max(l.TTL, 0),
		Poll: c.Poll.D(), link: c, lock: t}
	var err error
	if t.acquire, err = l.New(t.client); err == nil && t.acquire == nil {
		err = errors.New("Lock.New returned neither a lock nor an error")
	}
	return t, err
}

// Acquire implements workloads.LinkedLock. It tries again while the lock is taken.
func (t *taker) Acquire(ctx context.Context, n int, _ []string, wait time.Duration) (
	said workloads.Said, err error) {
	ctx, end := context.WithCancel(ctx)
	limit := time.AfterFunc(wait, end)
	defer limit.Stop()
	p := t.client.Poll
	for until := time.Now().Add(wait); ; {
		var h Hold
		if h, err = t.acquire(ctx); err == nil && h.Release == nil {
			err = errors.New("Acquire returned a Hold without a Release")
		}
		switch {
		case err == nil:
			t.keep(n, h, end)
			return workloads.Said{ValidUntil: h.ValidUntil, Token: h.Token}, nil
		case !is(err, ErrTaken, t.Taken):
			end()
			return said, err
		case !time.Now().Add(p).Before(until) || t.client.link.Env.Sleep(ctx, p) != nil:
			end()
			return said, workloads.RefusedError{Why: history.Taken}
		}
	}
}

// is reports whether an error is one of these.
func is(err error, these ...error) bool {
	return slices.ContainsFunc(these, func(e error) bool { return e != nil && errors.Is(err, e) })
}

func (t *taker) keep(n int, h Hold, end context.CancelFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n, t.held, t.end = n, h, end
}

func (t *taker) current() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

// Release implements workloads.LinkedLock.
func (t *taker) Release(ctx context.Context, _ int) error {
	t.mu.Lock()
	h, end := t.held, t.end
	t.mu.Unlock()
	defer end()
	err := h.Release(ctx)
	if is(err, ErrNotOwner, t.NotOwner) {
		return fmt.Errorf("%w (%s)", impls.ErrNotOwner, err)
	}
	return err
}

func (t *taker) add(r *redis.Client) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clients = append(t.clients, r)
}

// Close implements workloads.LinkedLock.
func (t *taker) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.clients {
		_ = r.Close()
	}
}
