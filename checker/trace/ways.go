package trace

import "github.com/lockbench/lockbench/internal/history"

// way is one possible execution of a command.
type way struct {
	after value
	ended *history.Command // the writer of the lost value; nil if none or an older one
	how   Loss
	with  *history.Command

	deletes bool
	victim  *history.Command // the writer of the deleted value; nil if an older one
}

// outcomes returns the possible executions of a command on a value. Before it, the key may have
// expired, or a fault may have removed it.
func (s *ordering) outcomes(v value, m *history.Command, by int64) (all []way) {
	if s.alive(v, m) {
		all = s.effects(v, m)
	}
	become := func(now value, how Loss) {
		for _, w := range s.effects(now, m) {
			w.ended, w.how, w.with = v.by, how, nil
			all = append(all, w)
		}
	}
	if v.there() && s.mayExpire(v, by) {
		become(value{from: v.from}, ByExpiry)
	}
	lost, back, after := s.Lost(v.from, by)
	if lost && v.there() {
		become(value{from: after}, ByFault)
	}
	if back {
		become(value{older: true, from: after}, ByFault)
	}
	return all
}

// alive reports whether the lease of a key can run when a command comes.
func (s *ordering) alive(v value, m *history.Command) bool {
	if v.lease == nil || !Answered(v.lease) {
		return true
	}
	d := s.Lease(v.lease)
	lost, _, _ := s.Lost(v.lease.Sent, m.Sent)
	return lost || d <= 0 || m.Sent <= v.lease.Recv+d+late+s.drift(d)
}

// mayExpire reports whether the lease of a key can be over at a stamp.
func (s *ordering) mayExpire(v value, by int64) bool {
	if v.older || v.lease == nil {
		return v.older
	}
	d := s.Lease(v.lease)
	return d < 0 || d > 0 && by >= v.lease.Sent+d-s.drift(d)
}

// late is by how much a server may notice the end of a lease too late.
const late = 1e6

// drift returns how far a server's clock may be off at the end of a lease.
func (s *ordering) drift(d int64) int64 { return int64(float64(d) * s.Drift) }

// effects returns what a command does to what a key holds, as its reply allows; none if it cannot
// have been answered like that.
func (s *ordering) effects(v value, m *history.Command) []way {
	same, write, free := way{after: v}, s.written(v, m), s.freed(v, m)
	only := func(ok bool, w way) []way {
		if !ok {
			return nil
		}
		return []way{w}
	}
	switch what := s.does(m); {
	case notExecuted(m):
		return []way{same}
	case what == unclear:
		return s.unclear(v, m)
	case what == frees:
		return only(v.there() && !s.sparesValue(m, v), free)
	case what == freesNone:
		return only(!v.there() || s.mayCompare(m), same)
	case what == takes && s.Declared(m) && (v.older || v.by != nil && v.by.Process == m.Process):
		return []way{{after: v.prolonged(m)}} // the same client again
	case what == takes:
		return only(!v.there(), write)
	case what == refused:
		return only(v.there(), same)
	case what == swaps:
		return s.swap(v, m)
	case what == writes:
		return []way{write}
	case what == counts && v.there() && s.Lease(m) == 0:
		return []way{{after: v.reading(nil)}}
	case what == counts && v.there():
		return []way{{after: v.prolonged(m).reading(nil)}}
	case what == renews:
		return only(v.there(), way{after: v.prolonged(m)})
	case what == mayRenew && v.there():
		return []way{same, {after: v.prolonged(m)}}
	case what == counts:
		return []way{write}
	case what == sees:
		return only(v.there() && s.shows(m, v), same)
	case what == seesNone:
		return only(!v.there(), same)
	}
	return []way{same}
}

// written returns the execution of a command that sets the key.
func (s *ordering) written(v value, m *history.Command) way {
	return way{after: value{by: m, lease: m, text: m, from: max(v.from, m.Sent)}, ended: v.by,
		how: ByWrite, with: m}
}

// freed returns the execution of a command that deletes the key.
func (s *ordering) freed(v value, m *history.Command) way {
	return way{after: value{from: max(v.from, m.Sent)}, ended: v.by, how: ByDeletion, with: m,
		deletes: true, victim: v.by}
}

// swap returns the execution of a command that returned the old value. If no client came in by it,
// the command left the key to its owner, with another value.
func (s *ordering) swap(v value, m *history.Command) []way {
	switch {
	case v.there() == (m.Reply == "(nil)"), v.there() && !s.shows(m, v):
		return nil
	case v.there() && !s.Grants(m):
		return []way{{after: v.reading(m)}}
	}
	return []way{s.written(v, m)}
}

// unclear returns all possible executions of a command whose effect is unknown.
func (s *ordering) unclear(v value, m *history.Command) []way {
	all := []way{{after: v}}
	kind := EffectOf(m.Args).Kind
	if v.there() && (s.Frees(m) || kind == Script && s.declared(m) == nil) && !s.sparesValue(m, v) {
		all = append(all, s.freed(v, m))
	}
	if s.Frees(m) || !kind.Writes() && (kind != None || silent[Verb(m)]) {
		return all
	}
	if kind == Swap && v.there() {
		all = append(all, way{after: v.reading(m)})
	}
	if !v.there() || kind == Write || kind == Swap || kind == Script && s.declared(m) == nil ||
		kind == None {
		all = append(all, s.written(v, m))
	}
	return all
}

// sparesValue reports whether a deletion is for another value than the one that is there.
func (s *ordering) sparesValue(m *history.Command, v value) bool {
	return v.by != nil && s.Spares(m, v.by)
}

// mayCompare reports whether a deletion may have found the key and left it alone.
func (s *ordering) mayCompare(m *history.Command) bool {
	return scripted(m) || EffectOf(m.Args).Compares || len(m.Args) > 2
}

// shows reports whether what a command read can be the value that is there.
func (s *ordering) shows(m *history.Command, v value) bool {
	swaps := EffectOf(m.Args).Kind == Swap
	if v.text == nil || scripted(v.text) || s.rewritten || Verb(m) != "GET" && !swaps {
		return true
	}
	e := EffectOf(v.text.Args)
	return e.Kind != Take && e.Kind != Write && e.Kind != Swap || e.Value == m.Reply
}
