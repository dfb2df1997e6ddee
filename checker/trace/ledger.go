package trace

import (
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// A Ledger knows when clients may have had a lock. It tells for a refusal whether one of them
// explains the key that the refused client found. It sorts its intervals once, so that n refusals
// cost n log n. It is not safe for concurrent use.
type Ledger struct {
	trace  *Trace
	holds  map[int]record.Reach // by lock: from the call until its client had certainly left
	unsure map[int]record.Reach // by lock: acquire calls of unknown outcome
	// holds until the client left, from the call, and from the sending of the granting command
	called, granting map[owned]record.Reach
	passing          map[Place]record.Reach // see passing
}

// owned is a lock and a client that held it.
type owned struct{ key, process int }

// Ledger collects the holds of all locks, and the acquires whose outcome is unknown.
func (t *Trace) Ledger() *Ledger {
	holds, unsure := map[int][]record.Interval{}, map[int][]record.Interval{}
	called, granting := map[owned][]record.Interval{}, map[owned][]record.Interval{}
	for i := range t.record.Holds {
		h := &t.record.Holds[i]
		o, x := owned{h.Key, h.Process}, record.Interval{From: h.Call, To: t.record.LeftAt(h),
			Process: h.Process}
		holds[h.Key], called[o] = append(holds[h.Key], x), append(called[o], x)
		x.From = h.Granting
		granting[o] = append(granting[o], x)
	}
	for i := range t.record.Calls {
		k := &t.record.Calls[i]
		for _, key := range k.Keys {
			if k.Unsure() {
				unsure[key] = append(unsure[key], record.Interval{From: k.From, To: t.endOf(k),
					Process: k.Process})
			}
		}
	}
	return &Ledger{t, record.ReachBy(holds), record.ReachBy(unsure), record.ReachBy(called),
		record.ReachBy(granting), t.passing()}
}

// Accounts reports whether a client was inside, coming or leaving, at some time from a stamp until
// a refusal for this lock was answered. A hold of the refused client itself that began later in the
// same call says nothing: the client had nothing when it was refused.
func (l *Ledger) Accounts(m *history.Command, lock int, since int64) bool {
	if l.holds[lock].MeetsOther(since, m.Recv, m.Process) ||
		l.unsure[lock].MeetsOther(since, m.Recv, m.Process) {
		return true
	}
	own := owned{lock, m.Process}
	return l.granting[own].Meets(since, m.Recv) ||
		l.called[own].Meets(since, m.Recv) && l.trace.takesOver(m) ||
		l.passing[PlaceOf(m)].Meets(since, m.Recv)
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
	return record.ReachBy(times)
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
