package checker

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/history"
)

// TestManyUpdates judges more reads and writes than porcupine can take at once: as those of a
// register, and as critical sections that must not lose an update.
func TestManyUpdates(t *testing.T) {
	const sections = 70_000
	for _, c := range []struct {
		name  string
		stale int64 // how far behind the last section's read is
		want  Result
		says  string
	}{
		{"none lost", 0, Valid, ""},
		{"the last one lost", 1, Violated, "the two updates of resource 0 is lost"},
	} {
		h := counting(sections, c.stale)
		p := Check(h, nil, Options{Properties: []string{"U"}}).Properties[0]
		if p.Verdict != c.want || !strings.Contains(p.Explanation, c.says) {
			t.Errorf("%s: U %s (%s), want %s\n%s", c.name, p.Verdict, p.Reason, c.want, p.Explanation)
		}
		last := len(h.Events) - 1
		h.Events = append(h.Events[:last-2], h.Events[last]) // values that return need a search
		v := Check(h, nil, Options{Model: "register"})
		p = v.Properties[0]
		if want := c.says != ""; p.Verdict != c.want || want != (p.Explanation != "") {
			t.Errorf("%s: register %s, want %s\n%s", c.name, p.Verdict, c.want, p.Explanation)
		}
		if v.Porcupine.Operations != 0 {
			t.Errorf("%s: porcupine was asked about %d operations", c.name, v.Porcupine.Operations)
		}
	}
}

// counting is a history of sections that count one after the other; the last one reads a value that
// is behind.
func counting(sections int, behind int64) *history.History {
	h := &history.History{Header: history.Header{Environment: "test"}}
	now := int64(0)
	add := func(typ history.Type, f string, n int, value int64) {
		now++
		h.Events = append(h.Events, history.Event{Type: typ, T: now, Process: n % 3, F: f, N: n,
			Value: history.Ptr(value)})
	}
	add(history.Invoke, history.Acquire, 0, 0)
	add(history.OK, history.Acquire, 0, 0)
	for n := range sections {
		value := int64(n)
		if n == sections-1 {
			value -= behind
		}
		add(history.Invoke, history.ReadOp, n, value)
		add(history.OK, history.ReadOp, n, value)
		add(history.Invoke, history.WriteOp, n, value+1)
		add(history.OK, history.WriteOp, n, value+1)
	}
	h.Events = append(h.Events, history.Event{Type: history.End, T: now + 1,
		Process: history.Harness})
	return h
}
