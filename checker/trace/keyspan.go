package trace

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// KeySpan is a time during which a node kept a lock's key for one owner.
type KeySpan struct {
	From, To int64
	Key      int
	Owner    int    // client, or history.Harness: not known
	Value    string // as the node saw it
	Ended    string // how, in words: expired, deleted, overwritten, node down, still there
	Expired  bool   // by its lease
	Leases   []Due  // its leases, in order
}

// Due is the end of the lease that a key was given at a stamp.
type Due struct{ At, End int64 }

// keyspace plays a stream on the lock keys of its node. MONITOR shows no replies, but what a
// command does to these keys follows from their state. It tells the story; it never decides a
// verdict.
type keyspace struct {
	writers map[string]int // of values
	out     []KeySpan
	now     map[int]*KeySpan
	expiry  map[int]float64 // the deadline, on the node's own clock
}

// act is what a command did to the key of a lock.
type act struct {
	line
	key    int
	effect Effect
}

// Keys returns the keys that the node held for locks until end, by beginning. Writers are from the
// trace, grants know which key is a lock's, and the node died at the stamps of downs.
func (s *Stream) Keys(writers map[string]int, grants *Grants, downs []int64, end int64) []KeySpan {
	var acts []act
	for _, l := range s.lines {
		if key, ok := grants.LockOf(&history.Command{Args: l.args}); ok {
			acts = append(acts, act{l, key, EffectOf(l.args)})
		}
	}
	return play(acts, s.segments, writers, downs, end)
}

// play does acts in their order, on a node whose clock was moved between the segments.
func play(acts []act, segments []segment, writers map[string]int, downs []int64,
	end int64) []KeySpan {
	k := &keyspace{writers: writers, now: map[int]*KeySpan{}, expiry: map[int]float64{}}
	at := 0
	reach := func(segment int, wall float64) {
		for ; at < segment; at++ {
			k.expire(segments[at].wall(segments[at+1].from), segments[at])
		}
		k.expire(wall, segments[at])
	}
	for _, a := range acts {
		reach(a.segment, a.wall)
		k.apply(a.line, a.key, a.effect)
	}
	last := len(segments) - 1
	reach(last, segments[last].wall(end))
	for _, t := range downs {
		k.cut(t)
	}
	for key := range k.now {
		k.drop(key, end, "still there")
	}
	slices.SortFunc(k.out, func(a, b KeySpan) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Key, b.Key))
	})
	return k.out
}

func (k *keyspace) apply(l line, key int, e Effect) {
	held := k.now[key] != nil
	if e.Compares && (!held || k.now[key].Value != e.Is) {
		return
	}
	switch e.Kind {
	case Write, Swap:
		k.set(l, key, e)
	case Take, Count, Field:
		if !held {
			k.set(l, key, e)
		}
	case Rewrite:
		if held {
			k.set(l, key, e)
		}
	case Free:
		k.drop(key, l.t, "deleted")
	case Persist:
		delete(k.expiry, key)
	case Expire:
		if held {
			k.lease(l, key, e.Expiry)
		}
	}
}

// lease gives the key that is there a deadline.
func (k *keyspace) lease(l line, key int, e Expiry) {
	deadline := e.EndAt(l.wall)
	k.expiry[key] = deadline
	s := k.now[key]
	s.Leases = append(s.Leases, Due{l.t, l.t + int64((deadline-l.wall)*1e9)})
}

func (k *keyspace) set(l line, key int, e Effect) {
	k.drop(key, l.t, "overwritten")
	owner, ok := k.writers[e.Value]
	if !ok {
		owner = history.Harness
	}
	k.now[key] = &KeySpan{From: l.t, Key: key, Owner: owner, Value: e.Value}
	if e.Expiry != (Expiry{}) {
		k.lease(l, key, e.Expiry)
	}
}

func (k *keyspace) drop(key int, t int64, how string) {
	if s := k.now[key]; s != nil {
		s.To, s.Ended = t, how
		k.out = append(k.out, *s)
		delete(k.now, key)
	}
	delete(k.expiry, key)
}

// expire ends keys by the node's own clock. If that clock was moved past a deadline, the key ended
// at the move.
func (k *keyspace) expire(wall float64, seg segment) {
	for key, deadline := range k.expiry {
		if deadline <= wall {
			k.now[key].Expired = true
			k.drop(key, max(seg.stampOf(deadline), seg.from, k.now[key].From), "expired")
		}
	}
}

// cut ends at t what a dead node can no longer hold.
func (k *keyspace) cut(t int64) {
	for key, s := range k.now {
		if s.From <= t {
			k.drop(key, t, "node down")
		}
	}
	for i := range k.out {
		if s := &k.out[i]; s.From <= t && s.To > t {
			s.To, s.Ended = t, "node down"
		}
	}
}
