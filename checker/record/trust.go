package record

import (
	"github.com/lockbench/lockbench/internal/history"
)

// Trust says how far a record can be trusted: up to the first exit that was not planned and the
// first fault that could not be done.
type Trust struct {
	Cut         int64 // events with this stamp or a later one do not count
	Failure     Failure
	Interrupted bool            // the run was stopped before it was over
	Stalls      []Gap           // that no fault made, longer than a quarter of the shortest lease
	Undone      *history.Undone // a required step of the scenario that was not done, or nil
}

// FailureKind is a kind of failure of a run.
type FailureKind uint8

// The kinds of failures.
const (
	NoFailure    FailureKind = iota
	HarnessError             // the harness could not finish the run
	UnplannedExit
	FaultFailed // the nemesis could not carry out an action
	SelfEnded   // the lock ended the process of a client
)

// Failure is a failure of a run.
type Failure struct {
	Kind           FailureKind
	T              int64
	Process        int    // that ended
	Action, Target string // of the fault
	Err            string
	Signal         string // the signal that ended the lock's process
}

// exit takes the end of a process. One that the harness killed exits as planned.
func (t *Trust) exit(e *history.Event, killed bool) {
	if !e.Planned && !killed && t.Cut == Forever {
		t.Cut = e.T
		t.Failure = Failure{Kind: UnplannedExit, T: e.T, Process: e.Process, Err: e.Err}
		if e.Signal != "" {
			t.Failure.Kind, t.Failure.Signal = SelfEnded, e.Signal
		}
	}
}

// fault takes the end of a fault that could not be carried out.
func (t *Trust) fault(e *history.Event) {
	if t.Cut == Forever {
		t.Cut = e.T
		t.Failure = Failure{Kind: FaultFailed, T: e.T, Action: e.F, Target: e.Target, Err: e.Err}
	}
}

func (t *Trust) seal(r *Record, h *history.History) {
	t.Interrupted, t.Undone = h.Interrupted(), h.Undone()
	if why := h.HarnessError(); why != "" && t.Failure.Kind == NoFailure {
		t.Failure = Failure{Kind: HarnessError, Err: why}
	}
	limit := int64(h.Header.ShortestLease()) / 4
	for _, g := range r.Gaps {
		if limit > 0 && !g.Planned && g.Node == "" && g.Length() > limit {
			t.Stalls = append(t.Stalls, g)
		}
	}
}

// StallIn returns the longest unplanned stall that touches a time, or nil.
func (t *Trust) StallIn(from, to int64) *Gap {
	var worst *Gap
	for i := range t.Stalls {
		s := &t.Stalls[i]
		if s.From < to && from < s.To && (worst == nil || s.Length() > worst.Length()) {
			worst = s
		}
	}
	return worst
}

// WorstStall returns the longest gap, of any length, that no fault made; the zero gap if there is
// none.
func (r *Record) WorstStall() (worst Gap) {
	for _, g := range r.Gaps {
		if !g.Planned && g.Length() > worst.Length() {
			worst = g
		}
	}
	return worst
}
