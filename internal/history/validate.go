package history

import (
	"fmt"
	"slices"
	"strings"
)

// Validator checks, event by event, that each process does one thing at a time. lockbench validates
// a history when it records it and again when it reads it, so that no checker ever sees an
// impossible one.
type Validator struct {
	all  map[int]*process // by their numbers
	late int64            // as Header.Late
	end  bool
}

// process is the state of a process in a history.
type process struct {
	last int64 // stamp of the latest event
	call int64 // stamp of the latest invocation or completion
	busy bool  // open has no completion yet
	open call
	gone bool // killed or exited
}

// call identifies an invocation.
type call struct {
	f string
	n int
}

func (v *Validator) process(n int) *process {
	p := v.all[n]
	if p == nil {
		p = &process{}
		v.all[n] = p
	}
	return p
}

// NewValidator returns a validator for one history.
func NewValidator() *Validator {
	return &Validator{all: map[int]*process{}}
}

// Allow sets how much earlier than an event before it an event of the same process may be stamped,
// as in Header.Late.
func (v *Validator) Allow(late Duration) { v.late = int64(late) }

// Add checks the next event of its process. Calls of one process must come in order, and so must
// its other events, unless Allow permits more. Events of several processes may interleave.
func (v *Validator) Add(e Event) error {
	return v.add(&e)
}

func (v *Validator) add(e *Event) error {
	switch {
	case v.end:
		return fmt.Errorf("%s after the end", e.Type)
	case e.Type == End:
		v.end = true
		return nil
	case e.Process == Harness || e.Type == Gap || e.Type == Kill || e.Type == Exit:
		return v.outside(e)
	case e.Process < 0:
		return fmt.Errorf("process %d: clients count from 0", e.Process)
	}
	switch p := v.process(e.Process); {
	case p.gone:
		return fmt.Errorf("process %d: %s after it was gone", e.Process, e.Type)
	case e.T < p.last-v.late:
		return fmt.Errorf("process %d: time runs backwards, from %d to %d", e.Process, p.last, e.T)
	default:
		p.last = max(p.last, e.T)
		return p.operation(e)
	}
}

// outside checks events from the harness: its own, and those that it stamps for a process. The
// latter may be late.
func (v *Validator) outside(e *Event) error {
	switch e.Type {
	case Exit:
		p := v.process(e.Process)
		if e.Process != Harness && e.T < p.last {
			return fmt.Errorf("process %d: gone at %d, before its last event at %d", e.Process, e.T, p.last)
		}
		p.gone = true
	case Kill, Gap:
	case Fault:
		if e.Phase != PhaseFrom && e.Phase != PhaseTo {
			return fmt.Errorf("fault %q has phase %q; it is begin or end", e.F, e.Phase)
		}
	default:
		return fmt.Errorf("the harness cannot %q", e.Type)
	}
	return nil
}

var operations = []string{Acquire, Release, ExtendOp, ReadOp, WriteOp, CasOp}

func (p *process) operation(e *Event) error {
	if e.Type == Invoke || e.Type.Completes() {
		if e.T < p.call {
			return fmt.Errorf("process %d: a call at %d follows one at %d", e.Process, e.T, p.call)
		}
		p.call = e.T
	}
	switch {
	case e.Mode != "" && e.Mode != Shared:
		return fmt.Errorf("process %d: unknown mode %q; it is %s, or none", e.Process, e.Mode, Shared)
	case e.Type == Invoke && !slices.Contains(operations, e.F):
		return fmt.Errorf("process %d: unknown operation %q; operations are %s", e.Process, e.F,
			strings.Join(operations, ", "))
	case e.Type == Invoke && p.busy:
		return fmt.Errorf("process %d: %s invoked while its %s of acquisition %d is open", e.Process, e.F,
			p.open.f, p.open.n)
	case e.Type == Invoke:
		p.busy, p.open = true, call{e.F, e.N}
	case e.Type.Completes() && !p.busy:
		return fmt.Errorf("process %d: %s of %s without an invocation", e.Process, e.Type, e.F)
	case e.Type.Completes() && p.open != (call{e.F, e.N}):
		return fmt.Errorf("process %d: %s of %s %d completes %s %d", e.Process, e.Type, e.F, e.N,
			p.open.f, p.open.n)
	case e.Type.Completes():
		p.busy = false
	case e.Type == Extend, e.Type == Lost:
	default:
		return fmt.Errorf("unknown type %q", e.Type)
	}
	return nil
}
