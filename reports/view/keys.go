package view

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/history"
)

// KeySpan is a time during which a node kept a lock's key for one owner.
type KeySpan struct {
	From, To int64
	Key      int
	Owner    int    // client, or history.Harness: not known
	Value    string // as the node saw it
	Ended    string // how, in words: expired, deleted, overwritten, node down, still there
}

// keyspace plays a command stream on the lock keys of one node. MONITOR shows no replies, but what
// a command does to these keys follows from their state. It tells the story; it never decides a
// verdict.
type keyspace struct {
	heard   heard
	writers map[string]int // of values
	lock    func(*history.Command) (int, bool)

	out    []KeySpan
	now    map[int]*KeySpan
	expiry map[int]float64 // the deadline, on the node's own clock
}

// play returns what the node held, by beginning.
func (s *keyspace) play(roles []Role, end int64) []KeySpan {
	s.now, s.expiry = map[int]*KeySpan{}, map[int]float64{}
	for _, c := range s.heard.commands {
		s.expire(c.wall, s.heard.segments[c.segment])
		if key, ok := s.lock(&history.Command{Args: c.args}); ok {
			s.apply(c, key, trace.EffectOf(c.args))
		}
	}
	last := s.heard.segments[len(s.heard.segments)-1]
	s.expire(last.wall(end), last)
	for _, role := range roles {
		if role.Name == "down" {
			s.cut(role.From)
		}
	}
	for key := range s.now {
		s.drop(key, end, "still there")
	}
	slices.SortFunc(s.out, func(a, b KeySpan) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Key, b.Key))
	})
	return s.out
}

func (s *keyspace) apply(c command, key int, e trace.Effect) {
	held := s.now[key] != nil
	switch e.Kind {
	case trace.Write, trace.Swap:
		s.set(c, key, e)
	case trace.Take, trace.Count, trace.Field:
		if !held {
			s.set(c, key, e)
		}
	case trace.Rewrite:
		if held {
			s.set(c, key, e)
		}
	case trace.Free:
		s.drop(key, c.t, "deleted")
	case trace.Persist:
		delete(s.expiry, key)
	case trace.Expire:
		if held {
			s.expiry[key] = e.Expiry.At(c.wall)
		}
	}
}

func (s *keyspace) set(c command, key int, e trace.Effect) {
	s.drop(key, c.t, "overwritten")
	owner, ok := s.writers[e.Value]
	if !ok {
		owner = history.Harness
	}
	s.now[key] = &KeySpan{From: c.t, Key: key, Owner: owner, Value: e.Value}
	if e.Expiry != (trace.Expiry{}) {
		s.expiry[key] = e.Expiry.At(c.wall)
	}
}

func (s *keyspace) drop(key int, t int64, how string) {
	if k := s.now[key]; k != nil {
		k.To, k.Ended = t, how
		s.out = append(s.out, *k)
		delete(s.now, key)
	}
	delete(s.expiry, key)
}

// expire ends what the node's own clock says is over. Where that clock was moved past a deadline,
// it was over at the move.
func (s *keyspace) expire(wall float64, seg segment) {
	for key, deadline := range s.expiry {
		if deadline <= wall {
			s.drop(key, max(seg.at(deadline), seg.from, s.now[key].From), "expired")
		}
	}
}

// cut ends at t what a dead node can no longer hold.
func (s *keyspace) cut(t int64) {
	for key, k := range s.now {
		if k.From <= t {
			s.drop(key, t, "node down")
		}
	}
	for i := range s.out {
		if k := &s.out[i]; k.From <= t && k.To > t {
			k.To, k.Ended = t, "node down"
		}
	}
}
