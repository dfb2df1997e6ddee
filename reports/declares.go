package reports

import (
	"fmt"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/units"
)

// declareRow is a promise of the lock, what happened to it, and whether it was kept: "kept",
// "broken", "not put to the test", or nothing where nothing is promised or no property of the
// checker stands for it.
type declareRow struct{ Promise, Happened, Kept string }

// State is the row's class in the style sheet, Symbol says the same in a shape.
func (d declareRow) State() string {
	return map[string]string{"kept": "valid", "broken": "violated"}[d.Kept]
}

// Symbol stands before the word.
func (d declareRow) Symbol() string {
	return map[string]string{"kept": "✓", "broken": "✕"}[d.Kept]
}

// promises counts what happened to what a lock declares.
type promises struct {
	over, told, extended int
	tokens, back, nested int
	longest              int64
}

func promisesOf(r *View) promises {
	p := promises{nested: nested(r)}
	last := map[int]int64{} // by key
	for i := range r.holds {
		h := &r.holds[i]
		p.longest = max(p.longest, h.to-h.from)
		p.over += b2i(h.lease > 0 && h.to > h.lease)
		if h.token != 0 {
			p.tokens++
			p.back += b2i(h.token <= last[h.key])
			last[h.key] = max(last[h.key], h.token)
		}
	}
	for _, m := range r.marks {
		p.told += b2i(m.kind == "lost")
		p.extended += b2i(m.kind == "extend")
	}
	return p
}

// declareRows sets what the lock declares against what happened. Where the checker has judged a
// promise, its word counts.
func declareRows(r *View) []declareRow {
	d, p := r.History.Header.Declares, promisesOf(r)
	row := func(on bool, promise, happened, kept, otherwise string) declareRow {
		if on {
			return declareRow{promise, happened, kept}
		}
		return declareRow{Promise: otherwise, Happened: "–"}
	}
	lease := fmt.Sprintf("%s outlasted the lease of %s; the longest hold took %s",
		units.Count(p.over, "hold"), units.Span(r.History.Header.TTL), units.Span(p.longest))
	if p.extended > 0 {
		lease += "; " + units.Count(p.extended, "extension")
	}
	return []declareRow{
		{"Two clients are never inside at once", together(r), judged(r, checker.MutualExclusion)},
		row(d.Lease, "A hold ends by itself after a time (lease)", lease, judged(r, checker.Deadlock),
			"No lease: a hold ends only by a release"),
		row(d.Validity, "Each grant says until when it is good", over2(p.over),
			judged(r, checker.Validity), "No word on until when a grant is good"),
		row(d.Loss, "The holder is told when the hold is over early", "told "+units.Count(p.told, "time"),
			"",
			"The holder is never told that the hold is over"),
		row(d.Fencing, "Each grant carries a growing token",
			fmt.Sprintf("%s with a token, %d not above the one before", units.Count(p.tokens, "grant"),
				p.back),
			judged(r, checker.Fencing), "No fencing token"),
		row(d.Reentrant, "The holder may acquire again", fmt.Sprintf("%s inside a hold",
			units.Count(p.nested, "acquisition")), judged(r, checker.Reentry), "Not re-entrant"),
	}
}

// judged turns the verdict on a property into a word about the promise.
func judged(r *View, property string) string {
	if r.Verdict == nil {
		return "not judged"
	}
	switch r.Verdict.Property(property).Verdict {
	case checker.Violated:
		return "broken"
	case checker.Valid:
		return "kept"
	}
	return "not put to the test"
}

func together(r *View) string {
	for _, w := range r.violations {
		if w.together {
			return w.clients() + " were, for " + units.Span(w.overlap())
		}
	}
	return "no two were seen inside at once"
}

func over2(over int) string {
	if over == 0 {
		return "no client was inside longer than it was promised"
	}
	return units.Count(over, "client") + " stayed inside longer than promised"
}

func nested(r *View) int {
	n := 0
	for i := range r.holds {
		n += b2i(r.holds[i].depth > 0)
	}
	return n
}
