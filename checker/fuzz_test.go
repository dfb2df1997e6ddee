package checker

import (
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// wellFormed turns any bytes into a history that the validator accepts: each byte is one step of
// some process.
func wellFormed(b []byte) *history.History {
	h := &history.History{Header: history.Header{Type: "header", Format: history.Format,
		Environment: "test",
		TTL:         40}}
	if len(b) > 0 {
		h.Header.Declares = history.Declares{Lease: b[0]&1 != 0, Reentrant: b[0]&2 != 0,
			Validity: b[0]&4 != 0, Loss: b[0]&8 != 0, Fencing: b[0]&16 != 0}
		b = b[1:]
	}
	v := history.NewValidator()
	open := map[int]*history.Event{}
	n := map[int]int{}
	t := int64(0)
	for i := 0; i+1 < len(b) && i < 80; i += 2 {
		p := int(b[i] & 3)
		t += int64(b[i]>>2) & 7
		e := step(open[p], b[i+1], p, n)
		e.T, e.Process = t, p
		if e.Grant != nil {
			e.Grant.Sent = max(0, t-int64(b[i]>>5))
		}
		if v.Add(e) != nil {
			continue
		}
		h.Events = append(h.Events, e)
		switch {
		case e.Type == history.Invoke:
			open[p] = &e
		case e.Type.Completes():
			delete(open, p)
		}
	}
	h.Events = append(h.Events, history.Event{Type: history.End, T: t + int64(len(b)&7),
		Process: history.Harness})
	return h
}

// step is what a process does next: it completes what it has open, or begins something.
func step(open *history.Event, b byte, p int, n map[int]int) history.Event {
	key := history.Ptr(int(b>>6) & 1)
	switch {
	case open != nil && b&7 != 7:
		e := *open
		e.Type = []history.Type{history.OK, history.OK, history.OK, history.OK, history.Fail,
			history.Info, history.OK}[b&7]
		if e.F == history.Acquire && e.Type == history.OK {
			e.Grant = &history.Grant{Lease: history.Duration(b >> 3), Token: int64(b >> 5)}
		}
		return e
	case open == nil && b&3 == 0:
		n[p]++
		return history.Event{Type: history.Invoke, F: history.Acquire, N: n[p], Key: key}
	case open == nil && b&3 == 1:
		return history.Event{Type: history.Invoke, F: history.Release, N: n[p], Key: key}
	case open == nil && b&3 == 2:
		return history.Event{Type: history.Invoke, F: []string{history.ReadOp, history.WriteOp}[b>>3&1],
			N: n[p], Value: history.Ptr(int64(b >> 5))}
	}
	return history.Event{
		Type: []history.Type{history.Extend, history.Lost, history.Kill, history.Gap, history.Exit,
			history.Extend, history.Lost, history.Extend}[b>>3&7],
		N: n[p], Key: key, Grant: &history.Grant{Lease: history.Duration(b >> 4)}, Planned: b>>7 == 1,
		Gap: history.Duration(b),
	}
}

// FuzzPipeline judges any well-formed history by everything: no panic, no disagreement of the fast
// checks and porcupine, and S, L and the mutex model as plain porcupine has them.
func FuzzPipeline(f *testing.F) {
	f.Add([]byte{0, 4, 0, 4, 0, 4, 1, 4, 1})
	f.Add([]byte{1, 4, 0, 5, 0, 4, 248, 5, 248, 4, 1, 5, 1})
	f.Add([]byte{2, 4, 0, 4, 0, 4, 0, 4, 0, 4, 1, 4, 0, 4, 1, 4, 0, 9, 0})
	f.Add([]byte{31, 4, 0, 4, 128, 4, 3, 4, 19, 4, 2, 4, 0, 4, 10, 4, 4, 9, 64, 9, 5})
	f.Fuzz(func(t *testing.T, b []byte) { pipeline(t, wellFormed(b)) })
}

func pipeline(t *testing.T, h *history.History) {
	v := Check(h, nil, Options{Properties: []string{"S", "L", "O", "R", "D", "A", "F", "U", "E", "V",
		"N"}})
	if v.Exit == ExitBroken && record.Build(h).Trust.Failure.Kind == record.NoFailure {
		t.Fatalf("%s\n%+v", v.HarnessError, h.Events)
	}
	for b, letter := range map[record.ExclusionRule]string{record.UntilRelease: "S",
		record.WhileLeased: "L"} {
		p := v.Property(letter)
		if p.Verdict != Valid && p.Verdict != Violated {
			continue
		}
		r, legal := record.Build(inOrder(h)), true
		for _, ss := range r.Spans(b, r.Trust.Cut) {
			legal = legal && plain(linear.SpanOps(r, ss))
		}
		if legal != (p.Verdict == Valid) {
			t.Fatalf("%s is %s, plain porcupine says %v\n%+v", letter, p.Verdict, legal, h.Events)
		}
	}
	for _, model := range Models() {
		m := Check(h, nil, Options{Model: model})
		if m.Exit == ExitBroken && record.Build(h).Trust.Failure.Kind == record.NoFailure {
			t.Fatalf("%s: %s\n%+v", model, m.HarnessError, h.Events)
		}
		if p := m.Properties[0]; model == "mutex" && p.Verdict == Violated == plainMutex(h) &&
			(p.Verdict == Violated || p.Verdict == Valid) {
			t.Fatalf("mutex is %s, which plain porcupine denies\n%+v", p.Verdict, h.Events)
		}
		if model == "mutex" {
			streams(t, h, m)
		}
	}
	m := NewMonitor(h.Header)
	for _, e := range h.Events {
		m.Add(e)
	}
	plainly(t, h, Options{})
}

func plainMutex(h *history.History) bool {
	for _, l := range linear.Logs(h) {
		if !plain(l.Ops) {
			return false
		}
	}
	return true
}

// plain is what porcupine says of operations as they are.
func plain(ops []linear.Op) bool {
	return porcupine.CheckOperations(linear.MutexModel(), linear.Operations(ops))
}
