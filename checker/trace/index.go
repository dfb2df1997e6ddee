package trace

import (
	"slices"
	"sort"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// This file indexes commands, so that no rule needs to look at all of them for each of its
// questions. Each index is built once, at its first use.

// Place is a Redis key on one server.
type Place struct{ Node, Key string }

// PlaceOf returns the place that a command is about.
func PlaceOf(m *history.Command) Place { return Place{m.Node, Key(m)} }

// OfKey returns the commands about a Redis key, in the order of sending. The caller must not change
// the slice.
func (t *Trace) OfKey(key string) []*history.Command {
	if t.byKey == nil {
		t.byKey = map[string][]*history.Command{}
		for _, m := range t.inOrder {
			t.byKey[Key(m)] = append(t.byKey[Key(m)], m)
		}
	}
	return t.byKey[key]
}

// OfLock returns the commands that may be about a lock, according to the header, in the order of
// sending. The caller must not change the slice.
func (t *Trace) OfLock(lock int) []*history.Command {
	at := lock
	if !t.Named() {
		at = 0 // each command may be about each lock
	}
	if t.byLock == nil {
		t.byLock = map[int][]*history.Command{}
		for _, m := range t.inOrder {
			if n, known := t.names.Lock(Key(m)); known || !t.Named() {
				t.byLock[n] = append(t.byLock[n], m)
			}
		}
	}
	return t.byLock[at]
}

// Unanswered returns the commands whose reply was never read, in the order of sending. The caller
// must not change the slice.
func (t *Trace) Unanswered() []*history.Command {
	if t.lost == nil {
		t.lost = []*history.Command{}
		for _, m := range t.inOrder {
			if m.Recv == 0 || m.Err != "" {
				t.lost = append(t.lost, m)
			}
		}
	}
	return t.lost
}

// AllAnswered reports whether a client sent commands between two stamps, and all were answered
// before the second.
func (t *Trace) AllAnswered(process int, from, until int64) bool {
	any := false
	for _, m := range t.Sent[process] {
		if m.Sent < from || m.Sent >= until {
			continue
		}
		if any = true; !Served(m) || m.Recv >= until {
			return false
		}
	}
	return any
}

// AnsweredWithin reports whether a command was sent after one stamp and answered before another, by
// a server that serves.
func (t *Trace) AnsweredWithin(after, before int64) bool {
	return slices.ContainsFunc(t.Commands, func(m *history.Command) bool {
		return m.Sent > after && m.Recv < before && Served(m)
	})
}

// SentWithin returns the commands that a process sent within a time, in the order of sending.
func (t *Trace) SentWithin(process int, from, to int64) []*history.Command {
	sent := SentSince(t.Sent[process], from)
	last := sort.Search(len(sent), func(i int) bool { return sent[i].Sent > to })
	return sent[:last]
}

// SentSince returns the commands that were sent from a stamp on, of some in the order of sending.
func SentSince(ms []*history.Command, from int64) []*history.Command {
	return ms[sort.Search(len(ms), func(i int) bool { return ms[i].Sent >= from }):]
}

// CallOf returns the acquire call that sent a command, or nil. A process has one call at a time; if
// two calls touch, it returns the later one.
func (t *Trace) CallOf(m *history.Command) *record.Call {
	if k := t.lastCall(m); k != nil && k.To >= m.Sent {
		return k
	}
	return nil
}

// GivenUpBefore reports whether a command was sent in the background after an acquire call that its
// client had given up, and before the next one.
func (t *Trace) GivenUpBefore(m *history.Command) bool {
	k := t.lastCall(m)
	return k != nil && k.To < m.Sent && k.Why == history.CalledOff
}

// lastCall returns the latest acquire call that the client of a command made before it, or nil.
func (t *Trace) lastCall(m *history.Command) *record.Call {
	if t.calls == nil {
		t.calls = map[int][]*record.Call{}
		for i := range t.record.Calls {
			k := &t.record.Calls[i]
			t.calls[k.Process] = append(t.calls[k.Process], k)
		}
	}
	ks := t.calls[m.Process]
	i := sort.Search(len(ks), func(i int) bool { return ks[i].From > m.Sent }) - 1
	if i < 0 {
		return nil
	}
	return ks[i]
}
