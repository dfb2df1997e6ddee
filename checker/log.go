package checker

import (
	"fmt"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
)

// mutexOps turns a history into operations on the mutex of each key, with unknown outcomes, for
// histories that say nothing of leases. A token is one acquire call. Tokens are numbered in the
// order of the completions of their acquires, unknown ones last; names gives the acquisition of
// each.
func mutexOps(h *history.History) map[int]*mutexLog {
	m := &mutexReader{logs: map[int]*mutexLog{}, open: map[int]*history.Event{}}
	for i := range h.Events {
		m.add(&h.Events[i])
	}
	m.close()
	return m.logs
}

// mutexLog is the operations on one mutex.
type mutexLog struct {
	ops    []op
	names  []name // by token
	tokens map[name]int32
}

// name is an acquisition: n of process.
type name struct{ process, n int }

func (n name) String() string { return fmt.Sprintf("client %d, acquisition %d", n.process, n.n) }

type mutexReader struct {
	logs map[int]*mutexLog
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
	for _, p := range sortedKeys(m.open) {
		m.op(m.open[p], nil)
	}
}

// op adds an operation; completed is nil if it never was.
func (m *mutexReader) op(invoked, completed *history.Event) {
	o := op{call: invoked.T, ret: record.Forever, process: int32(invoked.Process), outcome: unsure}
	if invoked.F == history.Release {
		o.kind = release
	}
	if completed != nil && completed.Type != history.Info {
		o.ret, o.outcome = completed.T, done
		if completed.Type == history.Fail {
			o.outcome = refused
		}
	}
	for _, key := range record.KeysOf(invoked) {
		l := m.logs[key]
		if l == nil {
			l = &mutexLog{names: make([]name, 1), tokens: map[name]int32{}}
			m.logs[key] = l
		}
		o.token = l.token(name{invoked.Process, invoked.N})
		l.ops = append(l.ops, o)
	}
}

func (l *mutexLog) token(n name) int32 {
	t, ok := l.tokens[n]
	if !ok {
		t = int32(len(l.names))
		l.tokens[n] = t
		l.names = append(l.names, n)
	}
	return t
}
