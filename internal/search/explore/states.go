package explore

import (
	"slices"
	"sync"

	"github.com/lockbench/lockbench/internal/env/sim"
)

// states is a set of hashes that all cores share.
type states struct {
	most   int // the capacity of a set that only counts; 0 keeps all hashes
	shards [64]shard
}

// mostStates is how many states a search counts. It does not prune by them. They take 9 MB, and a
// simulating process uses five times that before its garbage is collected.
const mostStates = 1 << 18

type shard struct {
	sync.Mutex
	seen   map[uint64]struct{}
	asleep map[uint64][]string // by state, the options that have not been explored from it
}

// add reports whether the state is new. A full set reports unknown states as new.
func (s *states) add(h uint64) bool {
	shard := &s.shards[h%64]
	shard.Lock()
	defer shard.Unlock()
	return s.addTo(shard, h)
}

func (s *states) addTo(shard *shard, h uint64) bool {
	if _, old := shard.seen[h]; old {
		return false
	}
	if s.most > 0 && len(shard.seen) >= s.most/len(s.shards) {
		return true
	}
	if shard.seen == nil {
		shard.seen = map[uint64]struct{}{}
	}
	shard.seen[h] = struct{}{}
	return true
}

// visit records that a run explores all options of a state except the sleeping ones. If the state
// is known, woken returns the options that slept at every earlier visit and are awake now, which
// are all that remain to be explored. Both returns the options that slept at all visits and keep
// sleeping.
func (s *states) visit(h uint64, asleep []string) (fresh bool, woken, both []string) {
	shard := &s.shards[h%64]
	shard.Lock()
	defer shard.Unlock()
	if shard.asleep == nil {
		shard.asleep = map[uint64][]string{}
	}
	if fresh, both = s.addTo(shard, h), asleep; !fresh {
		both = nil
		for _, name := range shard.asleep[h] {
			if slices.Contains(asleep, name) {
				both = append(both, name)
			} else {
				woken = append(woken, name)
			}
		}
	}
	if delete(shard.asleep, h); len(both) > 0 {
		shard.asleep[h] = both
	}
	return fresh, woken, both
}

// count returns the number of states. If it reaches the capacity, there may be more.
func (s *states) count() (n int) {
	for i := range s.shards {
		s.shards[i].Lock()
		n += len(s.shards[i].seen)
		s.shards[i].Unlock()
	}
	return n
}

// walked extends a hash with the execution of a command and its reply.
func walked(h uint64, x sim.Execution) uint64 {
	h = mix(h, uint64(x.Client)+1)
	for _, a := range x.Args {
		h = mix(text(h, a), 0xff) // no byte of a text in UTF-8
	}
	return text(h, x.Reply)
}
