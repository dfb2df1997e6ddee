package trace

import (
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// A Ledger knows when clients may have had a lock. It tells for a refusal whether one of them
// explains the key that the refused client found. It sorts its intervals once, so that n refusals
// cost n log n. It is not safe for concurrent use.
type Ledger struct {
	trace   *Trace
	holds   map[int]record.Reach // by lock: from the call until its client had certainly left
	unsure  map[int]record.Reach // by lock: acquire calls of unknown outcome
	own     map[owned]ownHolds   // own and passing are nil until they are needed
	passing map[Place]record.Reach
}

// owned is a lock and a client that held it.
type owned struct{ key, process int }

// ownHolds are the times of one client's holds until it left. They start with the call in called,
// and with the sending of the granting command in granting.
type ownHolds struct{ called, granting record.Reach }

// Ledger collects the holds of all locks, and the acquires whose outcome is unknown.
func (t *Trace) Ledger() *Ledger {
	l := &Ledger{trace: t, holds: map[int]record.Reach{}, unsure: map[int]record.Reach{}}
	for _, lock := range t.record.Locks() {
		ts := make([]record.Interval, len(lock.Holds))
		for i, h := range lock.Holds {
			ts[i] = record.Interval{From: h.Call, To: t.record.LeftAt(h), Process: h.Process}
		}
		l.holds[lock.Key], l.unsure[lock.Key] = record.NewReach(ts), t.unsureFor(&lock)
	}
	return l
}

// unsureFor returns the acquire calls for a lock whose outcome is unknown.
func (t *Trace) unsureFor(lock *record.Lock) record.Reach {
	var ts []record.Interval
	for _, k := range lock.Calls {
		if k.Unsure() {
			ts = append(ts, record.Interval{From: k.From, To: t.endOf(k), Process: k.Process})
		}
	}
	return record.NewReach(ts)
}

// Accounts reports whether a client was inside, coming or leaving, at some time from a stamp until
// a refusal for this lock was answered. A hold of the refused client itself that began later in the
// same call says nothing: the client had nothing when it was refused.
func (l *Ledger) Accounts(m *history.Command, lock int, since int64) bool {
	if l.holds[lock].MeetsOther(since, m.Recv, m.Process) ||
		l.unsure[lock].MeetsOther(since, m.Recv, m.Process) {
		return true
	}
	own := l.ownHolds(owned{lock, m.Process})
	return own.granting.Meets(since, m.Recv) ||
		own.called.Meets(since, m.Recv) && l.trace.takesOver(m) || l.passed(m, since)
}

// ownHolds returns the holds of a lock by one client.
func (l *Ledger) ownHolds(o owned) ownHolds {
	if l.own == nil {
		called, granting := map[owned][]record.Interval{}, map[owned][]record.Interval{}
		for i := range l.trace.record.Holds {
			h := &l.trace.record.Holds[i]
			o, left := owned{h.Key, h.Process}, l.trace.record.LeftAt(h)
			called[o] = append(called[o], record.Interval{From: h.Call, To: left})
			granting[o] = append(granting[o], record.Interval{From: h.Granting, To: left})
		}
		l.own = make(map[owned]ownHolds, len(called))
		for o := range called {
			l.own[o] = ownHolds{record.NewReach(called[o]), record.NewReach(granting[o])}
		}
	}
	return l.own[o]
}

// passed reports whether a client had the key for a moment in an attempt that was given back.
func (l *Ledger) passed(m *history.Command, since int64) bool {
	if l.passing == nil {
		l.passing = l.trace.passing()
	}
	return l.passing[PlaceOf(m)].Meets(since, m.Recv)
}

// passing returns the times when clients had a key in attempts that may have been given back. With
// several keys or servers, a call takes some, another refuses it, and the call frees the former.
func (t *Trace) passing() map[Place]record.Reach {
	times := map[Place][]record.Interval{}
	for _, m := range t.Commands {
		if t.MayTake(m) {
			times[PlaceOf(m)] = append(times[PlaceOf(m)], record.Interval{From: m.Sent,
				To: t.givenBack(m), Process: m.Process})
		}
	}
	out := make(map[Place]record.Reach, len(times))
	for place, ts := range times {
		out[place] = record.NewReach(ts)
	}
	return out
}

// givenBack returns when the key that a command took was freed again, as far as its client knows:
// not later than the end of the call.
func (t *Trace) givenBack(m *history.Command) int64 {
	over := m.Recv
	if k := t.CallOf(m); k != nil {
		over = t.endOf(k)
	}
	for _, w := range t.SentWithin(m.Process, m.Recv, over) {
		if w.Recv != 0 && w.Err == "" && t.Frees(w) && PlaceOf(w) == PlaceOf(m) {
			return min(over, w.Recv)
		}
	}
	return over
}

// endOf returns when an acquire call was over. One that is open when the record breaks off still is
// in the commands after the last event.
func (t *Trace) endOf(k *record.Call) int64 {
	if k.Outcome == history.Invoke && k.To == t.record.End {
		return record.Forever
	}
	return k.To
}

// takesOver reports whether a refused SETNX was but the beginning of an attempt: its client looked
// whose lease it is, found that it had ended, and took it away.
func (t *Trace) takesOver(m *history.Command) bool {
	if Verb(m) != "SETNX" {
		return false
	}
	for _, w := range SentSince(t.OfKey(Key(m)), m.Recv) {
		if w.Process == m.Process && Verb(w) != "GET" {
			return Verb(w) != "SETNX"
		}
	}
	return true
}
