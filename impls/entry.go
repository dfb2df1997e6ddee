package impls

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/option"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
)

// The bounds of a scaled poll, and the defaults that are the same for all locks.
const (
	minPoll = 5 * time.Millisecond
	maxPoll = 100 * time.Millisecond
	// for replicas; below the usual read time-out of a client, 250 ms
	defaultWait = 100 * time.Millisecond
	acquireWait = 5 * time.Second // D000 line 65
)

// Defaults returns the lock's options for a lease of ttl, or for the document's own if ttl is 0.
// The poll is the document's, scaled as the lease is, within 5 and 100 ms. Fixed locks ignore ttl.
func (e Entry) Defaults(ttl time.Duration) Options {
	o := Options{TTL: ttl, Poll: e.Poll, AcquireTimeout: acquireWait,
		Settings: Settings{WaitTimeout: history.Duration(defaultWait)}}
	if ttl == 0 || e.Fixed {
		o.TTL = e.TTL
	} else if e.TTL > 0 {
		o.Poll = time.Duration(float64(e.Poll) * float64(ttl) / float64(e.TTL))
	}
	if !e.Fixed {
		o.Poll = min(max(o.Poll, minPoll), maxPoll)
	}
	if len(e.Variants) > 0 {
		o.Variant = e.Variants[0]
	}
	return o
}

// New makes the lock for one client. It returns an error of one line if s is not usable.
func (e Entry) New(s Setup) (Lock, error) {
	if e.Fixed {
		s.Options.TTL, s.Options.Poll = e.TTL, e.Poll
	}
	if s.Options.Variant == "" && len(e.Variants) > 0 {
		s.Options.Variant = e.Variants[0]
	}
	if err := e.Check(s.Options, len(s.Keys), len(s.Redis)); err != nil {
		return nil, err
	}
	s.acks = new(int)
	return e.make(s)
}

// Check says in one line why the lock cannot be made for so many keys at once on so many Redis
// servers, and what to do.
func (e Entry) Check(o Options, keys, servers int) error {
	switch {
	case keys < 1:
		return fmt.Errorf("%s: no key to lock; use --keys 1 or more", e.Name)
	case keys > 1 && !e.Multi:
		return fmt.Errorf(
			"%s locks one key at a time, not %d; use redisson-multi, or another --workload than multi",
			e.Name, keys)
	}
	if err := e.On(servers); err != nil {
		return err
	}
	return e.checkOptions(o)
}

// On returns an error of one line if the lock cannot run on so many masters.
func (e Entry) On(masters int) error {
	switch {
	case e.Topology == Independent && masters < 3:
		return fmt.Errorf("%s needs at least 3 independent masters, not %d; use --masters 3 or more",
			e.Name, masters)
	case e.Topology != Independent && masters != 1:
		return fmt.Errorf("%s uses one Redis, not %d; leave --masters out, or use the lock redlock",
			e.Name, masters)
	}
	return nil
}

func (e Entry) checkOptions(o Options) error {
	switch {
	case o.TTL < 0 || o.TTL == 0 && e.TTL > 0:
		return fmt.Errorf("%s: the lease must be above zero, not %v; use --ttl 2s, or --ttl documented",
			e.Name, o.TTL)
	case e.Lease && o.TTL > 0 && o.TTL < time.Millisecond:
		return fmt.Errorf("%s: the lease must be 1ms or more, not %v: Redis counts milliseconds", e.Name,
			o.TTL)
	case o.Poll < 0 || o.AcquireTimeout < 0 || option.Check(o.Table()) != nil:
		return fmt.Errorf("%s: an option is negative; use zero or more", e.Name)
	case o.Variant != "" && len(e.Variants) == 0:
		return fmt.Errorf("%s has no variants; omit --variant", e.Name)
	case o.Variant != "" && !slices.Contains(e.Variants, o.Variant):
		return fmt.Errorf("%s has no variant %q%s; use one of %s", e.Name, o.Variant,
			units.DidYouMean(o.Variant, e.Variants), strings.Join(e.Variants, ", "))
	case o.NoWatchdog && !e.Watchdog:
		return fmt.Errorf("%s has no watchdog to switch off; omit --watchdog", e.Name)
	case o.MaxRenewals > 0 && !e.Watchdog && !e.Extends:
		return fmt.Errorf("%s never renews a lease; omit --max-renewals", e.Name)
	case o.WaitReplicas > 0 && e.Control():
		return fmt.Errorf(
			"%s sends nothing to Redis that replicas could confirm; omit --wait-replicas", e.Name)
	case o.NodeTimeout > 0 && e.Topology != Independent:
		return fmt.Errorf("%s asks one Redis; --node-timeout is for redlock", e.Name)
	}
	return nil
}

// Runs returns an error of one line if the lock cannot use a topology.
func (e Entry) Runs(topology string) error {
	if (topology == string(Independent)) == (e.Topology == Independent) {
		return nil
	}
	if e.Topology == Independent {
		return fmt.Errorf("%s needs independent masters, not topology %q; use --topology independent",
			e.Name, topology)
	}
	return fmt.Errorf(
		"%s uses one Redis, not topology %q; use --topology single, failover or sentinel, or the lock "+
			"redlock", e.Name, topology)
}
