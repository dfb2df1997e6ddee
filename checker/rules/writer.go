package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// This file says whose value a deletion found on its node. The class of a violation follows from
// that, and not from who deleted: what a client has written on a node it may take back.

// ofOwner reports whether a command was sent for the first hold of the pair: by its acquisition, by
// an inner one, or in the background if its client had not asked before.
func (w *chain) ofOwner(m *history.Command) bool {
	a := w.pair.A
	alone := m.N == 0 && isFirstCall(w.Case, a)
	return m.Process == a.Process && (m.N == a.N || w.inner(m) || alone)
}

// isFirstCall reports whether a hold was granted by its client's first acquire call.
func isFirstCall(c *Case, h *record.Hold) bool {
	return !slices.ContainsFunc(c.Record.Calls, func(k record.Call) bool {
		return k.Process == h.Process && k.From < h.Call
	})
}

// inner reports whether a command was sent for an acquisition by the first holder while it was
// inside already.
func (w *chain) inner(m *history.Command) bool {
	a := w.pair.A
	return m.Process == a.Process && slices.ContainsFunc(w.Record.Inner, func(h record.Hold) bool {
		return h.Process == a.Process && h.N == m.N && h.Key == a.Key && h.From >= a.From
	})
}

// undoes reports whether a deletion took back its sender's own write on that node: the latest value
// there was its own. A value that was perhaps written counts if the first holder has none, or its
// lease was over.
func (w *chain) undoes(m, ga *history.Command) bool {
	lost := func(k *history.Command) bool {
		return trace.Unsure(k) && trace.EffectOf(k.Args).Kind.Writes() && k.Process == m.Process
	}
	over := w.pair.A.LeaseAt(m.Sent) <= m.Sent
	if over && w.writerBefore(m, lost) != nil {
		return true
	}
	if by := w.writerBefore(m, w.trace.Takes); by != nil {
		return by.Process == m.Process && !w.ofOwner(by)
	}
	return ga.Node != m.Node && w.writerBefore(m, lost) != nil
}

// writerBefore returns the latest command that fits and wrote the key on the node of a deletion
// before it arrived, or nil if none is known. A late deletion arrived before the second grant. The
// writes of the second grant count only for deletions of the same call: an attempt before the
// granted one takes back its own writes.
func (w *chain) writerBefore(m *history.Command, fits func(*history.Command) bool,
) (by *history.Command) {
	for _, k := range w.trace.OfKey(w.key) {
		second := k.Process == w.pair.B.Process && k.N == w.pair.B.N &&
			(m.Process != k.Process || m.N != k.N)
		before := (k.Sent <= m.Sent || k.Sent < w.pair.A.From && m.Sent < w.pair.A.From) &&
			!(trace.Answered(m) && m.Recv <= k.Sent)
		if k.Node == m.Node && before && !second && !w.trace.Releasing(k) &&
			!w.trace.Spares(m, k) && fits(k) && (by == nil || k.Sent >= by.Sent) {
			by = k
		}
	}
	return by
}
