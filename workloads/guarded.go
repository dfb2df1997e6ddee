package workloads

import (
	"context"
	"errors"

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
func (s *guarded) access(l caller, f string, o Order, value, token int64) (int64, bool) {
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
