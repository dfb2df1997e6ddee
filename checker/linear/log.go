package linear

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// Logs turns a history into operations on the mutex of each key, with unknown outcomes, for
// histories that say nothing of leases. A token is one acquire call. Tokens are numbered in the
// order of the completions of their acquires, unknown ones last; names gives the acquisition of
// each.
func Logs(h *history.History) map[int]*Log {
	m := &mutexReader{logs: map[int]*Log{}, open: map[int]*history.Event{}}
	for i := range h.Events {
		m.add(&h.Events[i])
	}
	m.close()
	return m.logs
}

// Log is the operations on one mutex.
type Log struct {
	Ops    []Op
	Names  []Name // by token
	tokens map[Name]int32
}

// Name is an acquisition: n of process.
type Name struct{ Process, N int }

// String returns "client 3, acquisition 2".
func (n Name) String() string { return fmt.Sprintf("client %d, acquisition %d", n.Process, n.N) }

type mutexReader struct {
	logs map[int]*Log
	open map[int]*history.Event
}

func (m *mutexReader) add(e *history.Event) {
	if e.Process < 0 || e.F != history.Acquire && e.F != history.Release {
		return
	}
	switch invoked := m.open[e.Process]; {
	case e.Type == history.Invoke:
		m.open[e.Process] = e
	case e.Type.Completes() && invoked != nil:
		delete(m.open, e.Process)
		m.op(invoked, e)
	}
}

func (m *mutexReader) close() {
	for _, p := range slices.Sorted(maps.Keys(m.open)) {
		m.op(m.open[p], nil)
	}
}

// op adds an operation; completed is nil if it never was.
func (m *mutexReader) op(invoked, completed *history.Event) {
	o := Op{Call: invoked.T, Ret: record.Forever, Process: int32(invoked.Process), Outcome: Unsure}
	if invoked.F == history.Release {
		o.Kind = Release
	}
	if completed != nil && completed.Type != history.Info {
		o.Ret, o.Outcome = completed.T, Done
		if completed.Type == history.Fail {
			o.Outcome = Refused
		}
	}
	for _, key := range record.KeysOf(invoked) {
		l := m.logs[key]
		if l == nil {
			l = &Log{Names: make([]Name, 1), tokens: map[Name]int32{}}
			m.logs[key] = l
		}
		o.Token = l.token(Name{invoked.Process, invoked.N})
		l.Ops = append(l.Ops, o)
	}
}

func (l *Log) token(n Name) int32 {
	t, ok := l.tokens[n]
	if !ok {
		t = int32(len(l.Names))
		l.tokens[n] = t
		l.Names = append(l.Names, n)
	}
	return t
}
