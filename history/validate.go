package history

import "fmt"

// Validator checks, event by event, that each process does one thing at a time. It is used when a
// history is recorded and again when it is read, so that no checker ever sees an impossible one.
type Validator struct {
	last map[int]int64 // stamp of the latest event, by process
	open map[int]call  // the invocation that has no completion yet, by process
	gone map[int]bool  // killed or exited
	end  bool
}

// call is what tells an invocation from others.
type call struct {
	f string
	n int
}

// NewValidator returns a validator for one history.
func NewValidator() *Validator {
	return &Validator{last: map[int]int64{}, open: map[int]call{}, gone: map[int]bool{}}
}

// Add checks the next event of its process. The events of one process must come in order; those of
// several may interleave.
func (v *Validator) Add(e Event) error {
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
	case v.gone[e.Process]:
		return fmt.Errorf("process %d: %s after it was gone", e.Process, e.Type)
	case e.T < v.last[e.Process]:
		return fmt.Errorf("process %d: time runs backwards, from %d to %d", e.Process, v.last[e.Process],
			e.T)
	}
	v.last[e.Process] = e.T
	return v.operation(e)
}

// outside checks what the harness says: its own events, and those it stamps for a process, which
// may be late.
func (v *Validator) outside(e Event) error {
	switch e.Type {
	case Exit:
		if e.Process != Harness && e.T < v.last[e.Process] {
			return fmt.Errorf("process %d: gone at %d, before its last event at %d", e.Process, e.T,
				v.last[e.Process])
		}
		v.gone[e.Process] = true
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

func (v *Validator) operation(e Event) error {
	open, busy := v.open[e.Process]
	switch {
	case e.Type == Invoke && busy:
		return fmt.Errorf("process %d: %s invoked while its %s of acquisition %d is open", e.Process, e.F,
			open.f, open.n)
	case e.Type == Invoke:
		v.open[e.Process] = call{e.F, e.N}
	case e.Type.Completes() && !busy:
		return fmt.Errorf("process %d: %s of %s without an invocation", e.Process, e.Type, e.F)
	case e.Type.Completes() && open != (call{e.F, e.N}):
		return fmt.Errorf("process %d: %s of %s %d completes %s %d", e.Process, e.Type, e.F, e.N, open.f,
			open.n)
	case e.Type.Completes():
		delete(v.open, e.Process)
	case e.Type == Extend, e.Type == Lost:
	default:
		return fmt.Errorf("unknown type %q", e.Type)
	}
	return nil
}
