package view

import (
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
)

// Spared returns the hold that a fault struck in a run without a violation, and the next client's
// hold. Reports show it like a violation, so that a reader sees how the lock withstood the fault.
// It returns nil if no fault struck a hold, or if the run proves nothing.
func (v *View) Spared() *Violation {
	if v.Verdict == nil || v.Verdict.Verdict != checker.Valid {
		return nil
	}
	for i := range v.Faults {
		if h := struck(v.Holds, v.Faults[i].From); h != nil {
			return v.afterwards(h)
		}
	}
	return nil
}

// struck returns the hold that was under way at a stamp, or ended there: a kill ends the hold that
// it strikes.
func struck(holds []record.Hold, at int64) *record.Hold {
	for i := range holds {
		if h := &holds[i]; h.From <= at && at <= h.End {
			return h
		}
	}
	return nil
}

// afterwards returns a hold and the next one of its lock by another client, up to that grant.
func (v *View) afterwards(h *record.Hold) *Violation {
	w := &Violation{Key: h.Key, From: min(h.From, h.Granting), To: v.Clamp(h.End),
		Holds: []checker.Hold{shown(h)}}
	var next *record.Hold
	for i := range v.Holds {
		o := &v.Holds[i]
		if o.Key == h.Key && o.Process != h.Process && o.From > h.From &&
			(next == nil || o.From < next.From) {
			next = o
		}
	}
	if next != nil {
		w.To, w.Holds = max(w.To, next.From), append(w.Holds, shown(next))
	}
	return w
}

func shown(h *record.Hold) checker.Hold {
	return checker.Hold{Process: h.Process, N: h.N, From: h.From, To: h.End}
}
