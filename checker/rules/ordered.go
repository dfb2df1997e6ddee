package rules

import (
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// ordered adds a command that deleted the first holder's key in some of the orders in which the
// server can have executed the commands. It is certain if it did so in all of them.
func (w *chain) ordered(m, ga *history.Command) {
	mine, others := 0, 0
	for victim := range w.orders.Hits(m) {
		if victim != nil && (victim == ga || w.ofOwner(victim) && victim.Sent >= ga.Sent) {
			mine++
		} else {
			others++
		}
	}
	if mine == 0 {
		return
	}
	d := command{Command: *m, Kind: verdict.ForeignDelete}
	late := m.Sent < ga.Sent
	switch {
	case others > 0 || !trace.Answered(m) && !w.mustBe(m, ga):
		d.Kind, d.Effect = verdict.PossibleDelete, explain.DeletedOf(w.pair.A.Process, false, late)
	case late:
		d.Kind = verdict.LateDelete
	case w.ofOwner(m):
		d.Kind = verdict.OwnDelete
	}
	if w.ofOwner(m) {
		d.Effect = explain.Deletes(d)
	} else {
		w.means(w.releasedBy(m), m)
	}
	if d.Effect == "" {
		d.Effect = explain.DeletesOf(d, w.pair.A.Process)
	}
	w.put(d)
}

// mustBe reports whether the first holder's key was deleted by a command in all orders.
func (w *chain) mustBe(m, ga *history.Command) bool {
	ends := w.orders.Ends(ga)
	return len(ends) == 1 && ends[trace.Ending{How: trace.ByDeletion, By: m}]
}
