package workloads

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockbench/lockbench/internal/history"
)

// guarded reads and writes the number that the locks guard, and records that. The number is the
// harness's Resource or, of a Guard, its own.
type guarded struct {
	*reporter
	life   context.Context
	remote Remote      // touches the resource, or nil if this process does
	answer chan *Order // of the harness
}

// access reads or writes the number. It returns false if that failed.
func (s *guarded) access(l RemoteLock, f string, o Order, value, token int64) (int64, bool) {
	if g, ok := l.(Guard); ok {
		return s.ownNumber(g, f, o, value)
	}
	a, ok := s.ask(f, o, value, token)
	return a.Value, ok
}

// ownNumber reads or writes the number of a Guard.
func (s *guarded) ownNumber(g Guard, f string, o Order, value int64) (int64, bool) {
	begun := func(at int64) {
		e := newEvent(history.Invoke, f, o)
		if e.T = at; f == history.WriteOp {
			e.Value = &value
		}
		s.event(e)
	}
	var at int64
	var err error
	if f == history.WriteOp {
		at, err = g.Write(o.N, value, begun)
	} else {
		value, at, err = g.Read(o.N, begun)
	}
	if errors.Is(err, ErrGone) {
		return 0, false
	}
	e := newEvent(history.OK, f, o)
	e.T, e.Value, e.Err = at, &value, text(err)
	switch {
	case errors.Is(err, ErrConflict):
		e.Type = history.Fail
	case err != nil:
		e.Type, e.Value = history.Info, nil
	}
	s.event(e)
	return value, err == nil
}

// ask reads or writes the harness's resource. It returns the answer, and false if the worker's life
// ended first. A process that has the lock touches the resource itself: that is when the read or
// the write starts.
func (s *guarded) ask(f string, o Order, value, token int64) (Order, bool) {
	e := newEvent(history.Invoke, f, o)
	if s.remote != nil {
		at, err := s.remote.Touch(o.N)
		if err != nil {
			return Order{}, false
		}
		e.T = at
	}
	if f == history.WriteOp {
		e.Value = &value
	}
	s.event(e)
	s.report(Report{Ask: &Ask{N: o.N, Key: o.Key, F: f, Value: value, Token: token}})
	a, ok := s.answered()
	if !ok {
		return a, false
	}
	done := newEvent(history.OK, f, o)
	done.Value, done.Err = &a.Value, a.Err
	if f == history.WriteOp {
		done.Value = &value
	}
	if a.Err != "" {
		done.Type = history.Fail // the resource refused, and that outcome is certain
	}
	s.event(done)
	return a, true
}

// answered waits for the answer of the harness.
func (s *guarded) answered() (Order, bool) {
	if s.life.Err() != nil {
		return Order{}, false
	}
	select {
	case a := <-s.answer:
		return *a, true
	case <-s.life.Done():
		return Order{}, false
	}
}

// Resource is the resource that the locks guard: one number for each key. It lives in the harness,
// outside everything that is under test. It is never faulty and answers each Ask in one step. The
// zero value is ready. It is not safe for concurrent use.
type Resource struct {
	cells map[int]cell
}

type cell struct {
	value int64
	token int64 // the newest token that came with a read or a write
}

// Answer carries out a read or a write, and returns the order with the answer for the worker. It
// refuses a write with a token that is older than one before. The token of a read counts, too: a
// late write between the read and the write of a newer holder would be lost. Answer accepts writes
// without a token (0) as long as nothing had one.
func (r *Resource) Answer(a Ask) Order {
	if r.cells == nil {
		r.cells = map[int]cell{}
	}
	c := r.cells[a.Key]
	o := Order{Do: DoAnswer, N: a.N, Key: a.Key}
	switch {
	case a.F != history.WriteOp:
		c.token = max(c.token, a.Token)
	case a.Token < c.token:
		o.Err = fmt.Sprintf("refused: token %d is older than %d", a.Token, c.token)
	default:
		c = cell{value: a.Value, token: a.Token}
	}
	r.cells[a.Key] = c
	o.Value = c.value
	return o
}
