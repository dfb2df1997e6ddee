package view

import (
	"fmt"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// DeclareRow is a promise of the lock, the events that bear on it, and whether it was kept: "kept",
// "broken", "not put to the test", or "" if the lock promises nothing or the checker has no
// property for it.
type DeclareRow struct{ Promise, Happened, Kept string }

// State returns the row's class in the style sheet. Symbol says the same in a shape.
func (d DeclareRow) State() string {
	return map[string]string{"kept": "valid", "broken": "violated"}[d.Kept]
}

// Symbol returns the mark in front of the word.
func (d DeclareRow) Symbol() string {
	return map[string]string{"kept": "✓", "broken": "✕"}[d.Kept]
}

// promises counts what happened to what a lock declares.
type promises struct {
	over, stale    int // holds beyond their lease, and beyond their validity
	told, extended int
	tokens, back   int
	longest        int64
}

func (v *View) promises() (p promises) {
	last := map[int]int64{} // token, by key
	for _, h := range v.Grants() {
		p.longest = max(p.longest, h.End-h.From)
		p.over += batch.Truth(h.End > h.LeaseEnd())
		p.stale += batch.Truth(h.End > h.Valid)
		if h.Token != 0 {
			p.tokens++
			p.back += batch.Truth(h.Token <= last[h.Key])
			last[h.Key] = max(last[h.Key], h.Token)
		}
	}
	for _, m := range v.Marks {
		p.told += batch.Truth(m.Type == history.Lost)
		p.extended += batch.Truth(m.Type == history.Extend || m.F == history.ExtendOp)
	}
	return p
}

// Declares compares the declarations of the lock with the events of the run. If the checker has
// judged a promise, its verdict counts.
func (v *View) Declares() []DeclareRow {
	d, p := v.History.Header.Declares, v.promises()
	row := func(on bool, promise, happened, kept, otherwise string) DeclareRow {
		if on {
			return DeclareRow{promise, happened, kept}
		}
		return DeclareRow{Promise: otherwise, Happened: "–"}
	}
	lease := fmt.Sprintf("in %s the client stayed inside after its lease of %s; the longest took %s",
		units.Count(p.over, "hold"), Lease(v.History.Header), units.Span(p.longest))
	if p.extended > 0 {
		lease += "; " + units.Count(p.extended, "extension")
	}
	promise := DeclareRow{"Asked of every lock: two clients are never inside at once",
		together(v.Violations), judged(v, checker.MutualExclusion)}
	if d.Optimistic && v.Verdict != nil {
		promise = DeclareRow{"All clients are let in; a write that comes second is refused",
			units.Count(v.Verdict.Evidence.Conflicts, "write") + " refused", judged(v, checker.LostUpdate)}
	}
	if d.Transaction && v.Verdict != nil {
		promise = DeclareRow{"Each write is in the transaction that holds the lock", "–",
			judged(v, checker.LostUpdate)}
	}
	return []DeclareRow{
		promise,
		row(d.Lease, "A hold ends by itself after a time (lease)", lease, judged(v, checker.Deadlock),
			"No lease: a hold ends only by a release"),
		row(d.Validity, "Each grant says until when it is good", stayed(p.stale),
			judged(v, checker.Validity), "No word on until when a grant is good"),
		row(d.Loss, "The holder is told when the hold is over early", "told "+units.Count(p.told, "time"),
			"",
			"The lock does not say by itself that a hold is over"),
		row(d.Fencing, "Each grant carries a growing token",
			fmt.Sprintf("%s with a token, %d not above the one before", units.Count(p.tokens, "grant"),
				p.back),
			judged(v, checker.Fencing), "No fencing token"),
		row(d.Reentrant, "The holder may acquire again", fmt.Sprintf("%s inside a hold",
			units.Count(len(v.Inner), "acquisition")), judged(v, checker.Reentry), "Not re-entrant"),
	}
}

// judged turns the verdict on a property into a word about the promise.
func judged(v *View, property string) string {
	if v.Verdict == nil {
		return "not judged"
	}
	switch v.Verdict.Property(property).Verdict {
	case checker.Violated:
		return "broken"
	case checker.Valid:
		return "kept"
	}
	return "not put to the test"
}

func together(all []*Violation) string {
	for _, w := range all {
		if w.Together {
			return w.Clients() + " were, for " + units.Span(w.Overlap())
		}
	}
	return "no two were seen inside at once"
}

func stayed(over int) string {
	if over == 0 {
		return "no client was inside longer than it was promised"
	}
	return "in " + units.Count(over, "hold") + " the client stayed inside longer than promised"
}
