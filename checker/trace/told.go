package trace

import (
	"cmp"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// KnownSpans returns the keys that a node surely held for locks until end, if lockbench did not
// listen to it. A key counts from the reply that confirms that it was taken, until it expired by
// the node's clock or a client sent the command that freed it. Moves are the moves of that clock,
// in order. The node died at the stamps of downs.
func (t *Trace) KnownSpans(node string, writers map[string]int, grants *Grants, moves []Offset,
	downs []int64, end int64) []KeySpan {
	base := 0.0
	if at, err := time.Parse(time.RFC3339Nano, t.header.Started); err == nil {
		base = float64(at.UnixNano()) / 1e9
	}
	segments := []segment{{offset: base}}
	for _, m := range moves {
		segments = append(segments, segment{from: m.T, offset: base + m.By})
	}
	var acts []act
	for _, m := range t.Commands {
		key, known := grants.LockOf(m)
		at, e := t.done(m, writers)
		if m.Node != node || !known || e.Kind == None {
			continue
		}
		seg := 0
		for seg+1 < len(segments) && segments[seg+1].from <= at {
			seg++
		}
		acts = append(acts, act{line{t: at, wall: segments[seg].wall(at), segment: seg}, key, e})
	}
	slices.SortStableFunc(acts, func(a, b act) int { return cmp.Compare(a.t, b.t) })
	values := map[int]string{}
	for i := range acts { // a client that takes its own key again extends it
		a := &acts[i]
		switch a.effect.Kind {
		case Free:
			delete(values, a.key)
		case Write:
			if v, ok := values[a.key]; ok && v == a.effect.Value {
				a.effect.Kind = Expire
			}
			values[a.key] = a.effect.Value
		}
	}
	return play(acts, segments, writers, downs, end)
}

// done returns the effect of a command on its key, according to its client, and a stamp. A freed
// key existed before the stamp, and a written key exists from it on.
func (t *Trace) done(m *history.Command, writers map[string]int) (at int64, e Effect) {
	e = t.effectOf(m)
	switch {
	case t.Undeclared(m) || !Answered(m):
	case t.Deleted(m):
		return m.Sent, Effect{Kind: Free}
	case t.Takes(m) && (e.Kind != Count || m.Reply == "1"):
		if e.Kind == Script { // only its arguments show the written value
			for _, arg := range m.Args[min(2, len(m.Args)):] {
				if p, ok := writers[arg]; ok && p == m.Process && arg != Key(m) {
					e.Value = arg
				}
			}
			e.Expiry.Seconds = t.header.LeaseOf(m.Process).D().Seconds()
		}
		e.Kind, e.Compares = Write, false
		return m.Recv, e
	case t.prolongs(m):
		lease := t.header.LeaseOf(m.Process).D()
		return m.Recv, Effect{Kind: Expire, Expiry: Expiry{Seconds: lease.Seconds()}}
	case (e.Kind == Expire || e.Kind == Persist) && found(m):
		return m.Recv, e
	}
	return 0, Effect{}
}

// prolongs reports whether a declared script gave a key another lease.
func (r *Reader) prolongs(m *history.Command) bool {
	s := r.declared(m)
	return s != nil && s.is(history.ScriptProlongs, s.done, m)
}
