package view

import (
	"slices"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/page"
)

// scene is what a headline needs to know of the run of a violation.
type scene struct {
	header history.Header
	faults []record.Fault
	pair   *record.Pair // the two holds that overlap; nil if they are not in the record
}

// attach gives a violation the part of the record that its headline needs.
func (w *Violation) attach(header history.Header, r *record.Record) {
	w.scene = scene{header: header, faults: r.Faults}
	if !w.Together || len(w.Holds) != 2 {
		return
	}
	first, second := w.Holds[0], w.Holds[1]
	if w.granted(second) < w.granted(first) {
		first, second = second, first
	}
	if w.deletesAnothers(first) && !w.deletesAnothers(second) {
		first, second = second, first
	}
	a, b := holdIn(r, first), holdIn(r, second)
	if a == nil || b == nil {
		return
	}
	w.pair = &record.Pair{Key: w.Key, A: a, B: b, From: w.From, To: w.To,
		SpanA: record.Span{From: first.From, End: first.To},
		SpanB: record.Span{From: second.From, End: second.To}}
	if slices.Contains(w.Properties, checker.LeaseExclusion) {
		w.pair.Rule = record.WhileLeased
	}
}

// granted returns when the command that granted a hold was sent, or when the hold began. The
// commands may also have the grant of an earlier hold.
func (w *Violation) granted(h checker.Hold) int64 {
	at := h.From
	for _, c := range w.Commands {
		if c.Kind == verdict.Grant && c.Process == h.Process && c.Sent <= h.From {
			at = c.Sent
		}
	}
	return at
}

// deletesAnothers reports whether a client of the violation deleted another one's key, so that it
// is not the first holder.
func (w *Violation) deletesAnothers(h checker.Hold) bool {
	return slices.ContainsFunc(w.Commands, func(c checker.WitnessCommand) bool {
		return c.Process == h.Process &&
			(c.Kind == verdict.ForeignDelete || c.Kind == verdict.PossibleDelete)
	})
}

func holdIn(r *record.Record, h checker.Hold) *record.Hold {
	i := slices.IndexFunc(r.Holds, func(x record.Hold) bool {
		return x.Process == h.Process && x.N == h.N
	})
	if i < 0 {
		return nil
	}
	return &r.Holds[i]
}

// Cause says in a sentence what caused the violation. It is the class's own sentence if the record
// shows no more. It returns "" for a violation without a class.
func (w *Violation) Cause() string {
	words := ""
	if w.pair != nil {
		words = explain.Because(w.faults, w.pair, w.property)
	}
	if words == "" && w.Why() != "" {
		words = w.Why() + "."
	}
	return page.Clean(words, 600)
}

// Events tells the violation in the order of time, without its cause and class.
func (w *Violation) Events() string {
	if w.pair == nil {
		if len(w.Told) == 0 {
			return ""
		}
		return page.Clean(w.Told[0], 2000)
	}
	return page.Clean(explain.Events(w.header, w.faults, w.pair, w.property), 2000)
}
