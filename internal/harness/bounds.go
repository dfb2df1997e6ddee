package harness

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/lockbench/lockbench/nemesis"
)

// bound is between which values a number or a time may be.
type bound struct {
	least, most int64
	time        bool // they are ns
}

// longest is that of a time: no run takes longer, and a few times it still is a time.
const longest = 7 * 24 * time.Hour

// bounds are those of all numbers and times of the command line, by their flag; gate files and
// plans have the same. Nothing is made of the size of a number before it was looked at here.
var bounds = map[string]bound{
	"clients": number(1, maxClients), "keys": number(1, 100_000), "masters": number(1, maxMasters),
	"client-retries": number(0, 1000), "max-renewals": number(0, 1_000_000),
	"replicas": number(1, nemesis.MaxReplicas), "wait-replicas": number(0, maxMasters),
	"rounds": number(0, 1_000_000),

	"ttl": duration(1, longest), "poll": duration(1, longest), "hold": duration(1, longest),
	"think": duration(0, longest), "acquire-timeout": duration(1, 2*longest),
	"client-timeout": duration(1, longest), "node-timeout": duration(0, longest),
	"wait-timeout": duration(0, longest), "for": duration(1, longest),
	"timeout": duration(1, longest), "backoff": duration(0, longest),

	// of verbs that do many runs
	"jobs": number(1, math.MaxInt64), "repeat": number(1, 10_000), "times": number(1, 10_000),
	"seeds": number(1, 1_000_000_000), "each": number(1, 1_000_000),
	"preemptions": number(0, 1000), "expiries": number(-1, 1000), "tries": number(1, 1000),
	"port": number(0, 65535),
}

func number(least, most int64) bound           { return bound{least, most, false} }
func duration(least, most time.Duration) bound { return bound{int64(least), int64(most), true} }

// text is n as a user writes it.
func (b bound) text(n int64) any {
	if b.time {
		return time.Duration(n)
	}
	return n
}

// InBounds refuses a value of a flag that makes no sense, in one line. A time is in ns. A flag
// without bounds may be anything.
func InBounds(flag string, n int64) error {
	b, ok := bounds[flag]
	switch {
	case flag == "jobs" && n > 0:
		return bears(n)
	case !ok || b.least <= n && n <= b.most:
		return nil
	case n < b.least && b.least == 1:
		return fmt.Errorf("--%s is %v; it must be above zero", flag, b.text(n))
	case b.time:
		return fmt.Errorf("--%s is %v; 0s to %v are possible", flag, b.text(n), b.text(b.most))
	}
	return fmt.Errorf("--%s is %d; %d to %d are possible", flag, n, b.least, b.most)
}

// bounded is InBounds for what a user asked for; zero means the default.
func (o RunOptions) bounded() error {
	return inBounds(map[string]int64{
		"clients": int64(o.Clients), "keys": int64(o.Keys), "masters": int64(o.Masters),
		"client-retries": int64(o.ClientRetries), "max-renewals": int64(o.MaxRenewals),
		"wait-replicas": int64(o.WaitReplicas), "replicas": int64(o.Replicas),
		"ttl": int64(o.TTL), "poll": int64(o.Poll), "hold": int64(o.Hold),
		"think": int64(o.Think), "acquire-timeout": int64(o.AcquireTimeout),
		"client-timeout": int64(o.ClientTimeout), "node-timeout": int64(o.NodeTimeout),
		"wait-timeout": int64(o.WaitTimeout), "for": int64(o.For),
	})
}

// bounded is InBounds for a plan. What a plan cannot do without, Validate asks for.
func (p Plan) bounded() error {
	return inBounds(map[string]int64{
		"clients": int64(p.Clients), "keys": int64(p.Keys), "masters": int64(p.Masters),
		"client-retries": int64(p.ClientRetries), "max-renewals": int64(p.MaxRenewals),
		"replicas":      int64(p.Replicas),
		"wait-replicas": int64(p.WaitReplicas), "rounds": int64(p.Rounds),
		"ttl": int64(p.TTL), "poll": int64(p.Poll), "hold": int64(p.Hold),
		"think": int64(p.Think), "acquire-timeout": int64(p.AcquireTimeout),
		"client-timeout": int64(p.ClientTimeout), "node-timeout": int64(p.NodeTimeout),
		"wait-timeout": int64(p.WaitTimeout), "for": int64(p.For), "backoff": int64(p.Backoff),
	})
}

// inBounds names the first of several by their names.
func inBounds(values map[string]int64) error {
	for _, flag := range slices.Sorted(maps.Keys(values)) {
		if n := values[flag]; n != 0 {
			if err := InBounds(flag, n); err != nil {
				return err
			}
		}
	}
	return nil
}
