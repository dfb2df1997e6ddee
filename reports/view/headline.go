package view

import (
	"slices"
	"strings"

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
	a, b := holdIn(r, first), holdIn(r, second)
	if a == nil || b == nil {
		return
	}
	if w.precedes(b, a) && !w.precedes(a, b) {
		first, second, a, b = second, first, b, a
	}
	w.pair = &record.Pair{Key: w.Key, A: a, B: b, From: w.From, To: w.To,
		SpanA: record.Span{From: first.From, End: first.To},
		SpanB: record.Span{From: second.From, End: second.To}}
	if slices.Contains(w.Properties, checker.LeaseExclusion) {
		w.pair.Rule = record.WhileLeased
	}
}

// precedes reports whether something shows that a was the first holder: its lease was over when
// the other began, the other's client deleted its key, the other's server took over from its own,
// or its grant was answered before the other's was asked for. Otherwise the order of the stamps is
// kept.
func (w *Violation) precedes(a, b *record.Hold) bool {
	late := checker.FindClass(w.Class).Overrun || w.Class == checker.LateMessage
	ga, gb := w.grantOf(a), w.grantOf(b)
	switch {
	case w.deletesAnothers(b.Process):
		return true
	case late && a.LeaseAt(b.From) <= b.From:
		return true
	case a.Node != b.Node && slices.ContainsFunc(w.faults, func(f record.Fault) bool {
		return f.Promotes() && f.Target == b.Node && f.From < b.From
	}):
		return true
	}
	return ga != nil && gb != nil && ga.Recv > 0 && ga.Recv < gb.Sent
}

// grantOf returns the command that granted a hold, or nil. The commands may also have the grant of
// an earlier hold.
func (w *Violation) grantOf(h *record.Hold) (last *checker.WitnessCommand) {
	for i := range w.Commands {
		c := &w.Commands[i]
		if c.Kind == verdict.Grant && c.Process == h.Process && c.Sent <= h.From {
			last = c
		}
	}
	return last
}

// deletesAnothers reports whether a client of the violation deleted another one's key, so that it
// is not the first holder.
func (w *Violation) deletesAnothers(process int) bool {
	return slices.ContainsFunc(w.Commands, func(c checker.WitnessCommand) bool {
		return c.Process == process &&
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
// shows no more. It returns "" for a violation without a class, and for that of a model, whose
// answer has it.
func (w *Violation) Cause() string {
	words := w.property.Cause
	if models[w.property.Property].ask != "" {
		return ""
	}
	if words == "" && w.pair != nil {
		words = explain.Because(w.faults, w.pair, w.property)
	}
	if token := w.property.OneValue; token != "" && w.pair != nil {
		words = strings.TrimSpace(words + " " + explain.OneToken(token))
	}
	if words == "" && w.Why() != "" {
		words = w.Why() + "."
	}
	return page.Clean(words, 600)
}

// Events tells the violation in the order of time, without its cause and class. Shorter stories may
// follow the whole one.
func (w *Violation) Events() []string {
	all := []string{""}
	switch {
	case w.pair != nil:
		all = explain.Events(w.header, w.faults, w.pair, w.property)
	case len(w.Told) > 0:
		all[0] = w.Told[0]
	}
	for i := range all {
		all[i] = page.Clean(all[i], 2000)
	}
	return all
}
