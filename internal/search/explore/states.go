package explore

import (
	"slices"
	"sync"

	"github.com/lockbench/lockbench/internal/env/sim"
)

// states are distinct hashes, shared by all cores.
type states struct {
	most   int // that are kept, to be counted; 0: all, to be told apart
	shards [64]shard
}

// mostStates is how many states a search counts: it prunes nothing by them. They take 9 MB, and a
// process that simulates uses five times of that before it collects its garbage.
const mostStates = 1 << 18

type shard struct {
	sync.Mutex
	seen   map[uint64]struct{}
	asleep map[uint64][]string // of those that were gone through but for these options
}

// add reports whether the state is new, as far as that is known.
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

// visit notes that a run goes on from a state with everything but the options that are asleep. Of a
// state that is known it returns the options that were asleep at every visit before and are awake
// now: they are all that is left to do there, and whatever was asleep both times stays asleep.
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

// count is how many there are; as many as are kept at most means that or more.
func (s *states) count() (n int) {
	for i := range s.shards {
		s.shards[i].Lock()
		n += len(s.shards[i].seen)
		s.shards[i].Unlock()
	}
	return n
}

// visited are the states that one run came to, in the order of their first visits.
type visited struct {
	seen  map[uint64]bool
	order []uint64
}

func (v *visited) add(h uint64) {
	if v.seen[h] {
		return
	}
	if v.seen == nil {
		v.seen = map[uint64]bool{}
	}
	v.seen[h] = true
	v.order = append(v.order, h)
}

// walked goes on with a hash of what a node executed and replied, in order.
func walked(h uint64, x sim.Execution) uint64 {
	h ^= uint64(x.Client)*0x9e3779b97f4a7c15 ^ 14695981039346656037
	for _, a := range x.Args {
		for i := range len(a) {
			h = (h ^ uint64(a[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	for _, b := range x.Reply {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}
