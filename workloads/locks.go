package workloads

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
)

// locks are the locks of one client: one object for each set of keys, as in a program.
type locks struct {
	cfg         Config
	env         *Env
	entry       impls.Entry
	connections *connections
	remote      Remote // has the locks in a process of its own, or nil
	notify      func(impls.Notice)
	all         map[string]RemoteLock // by the numbers of their keys
}

// find returns the lock on the keys of an order, and makes it first if needed.
func (s *locks) find(o Order) (RemoteLock, error) {
	name := nameOf(o) + o.Mode
	if l := s.all[name]; l != nil {
		return l, nil
	}
	var names []string
	for _, k := range keys(o) {
		if k < 0 || k >= len(s.cfg.Keys) {
			return nil, fmt.Errorf("key %d does not exist; this worker has %d", k, len(s.cfg.Keys))
		}
		names = append(names, s.cfg.Keys[k])
	}
	if s.remote != nil {
		s.all[name] = s.remote.Lock(names, o.Mode)
		return s.all[name], nil
	}
	l, err := s.entry.New(impls.Setup{Env: s.env, Redis: s.connections.redis, Keys: names,
		Notify: s.notify, Options: s.cfg.Options()})
	if err != nil {
		return nil, err
	}
	s.all[name] = own{l, s.connections}
	return s.all[name], nil
}

// names returns the keys of an order as Redis has them.
func (s *locks) names(o Order) (names []string) {
	for _, k := range keys(o) {
		names = append(names, s.cfg.Keys[k])
	}
	if s.remote != nil {
		return s.remote.KeyNames(names)
	}
	return names
}

// nameOf returns a distinct name for each set of keys.
func nameOf(o Order) string {
	switch len(o.Keys) {
	case 0:
		return strconv.Itoa(o.Key)
	case 1:
		return strconv.Itoa(o.Keys[0])
	}
	return fmt.Sprint(o.Keys)
}

func keys(o Order) []int {
	if len(o.Keys) > 0 {
		return slices.Clone(o.Keys)
	}
	return []int{o.Key}
}

// ForClient returns the configuration of one client.
func (c Config) ForClient(client int) Config {
	c.Process = client
	if c.TTL > 0 { // a library that is told no lease has its own
		c.TTL = c.Leases.ForClient(client, c.TTL)
	}
	c.ClientSettings = history.ClientSettings{}
	return c
}

// Options returns the options of the lock.
func (c Config) Options() impls.Options {
	return impls.Options{
		TTL: c.TTL.D(), Poll: c.Poll.D(), AcquireTimeout: c.AcquireTimeout.D(), Variant: c.Variant,
		NoWatchdog: c.NoWatchdog, Settings: c.Settings,
	}
}

// own is a lock of this process.
type own struct {
	lock        impls.Lock
	connections *connections
}

// Acquire implements RemoteLock.
func (l own) Acquire(ctx context.Context, _ int) (Granted, error) {
	g, err := l.lock.Acquire(ctx)
	return l.connections.granted(g), err
}

// Extend implements Extender.
func (l own) Extend(ctx context.Context, _ int, g Granted, begun func(int64)) (Granted, error) {
	begun(0)
	e, can := l.lock.(impls.Extender)
	if !can {
		return g, errCannotExtend
	}
	next, err := e.Extend(ctx, g.Grant)
	return l.connections.granted(next), err
}

// errCannotExtend is the error of a lock whose holder cannot prolong its lease.
var errCannotExtend = errors.New("this lock has no extend")

// Release implements RemoteLock.
func (l own) Release(ctx context.Context, _ int, g Granted, begun func(int64)) (int64, error) {
	begun(0)
	return 0, l.lock.Release(ctx, g.Grant)
}
