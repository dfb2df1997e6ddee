package rules

import (
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/history"
)

// This file says whose value a deletion found on its node. The class of a violation follows from
// that, and not from who deleted: what a client has written on a node it may take back.

// ofOwner reports whether a command was sent for the first hold of the pair: by its acquisition, or
// by an inner one.
func (w *chain) ofOwner(m *history.Command) bool {
	a := w.pair.A
	return m.Process == a.Process && (m.N == a.N || w.inner(m))
}

// inner reports whether a command was sent for an acquisition by the first holder while it was
// inside already.
func (w *chain) inner(m *history.Command) bool {
	a := w.pair.A
	return m.Process == a.Process && slices.ContainsFunc(w.Record.Inner, func(h record.Hold) bool {
		return h.Process == a.Process && h.N == m.N && h.Key == a.Key && h.From >= a.From
	})
}

// undoes reports whether a deletion took back what its sender had written on that node: the latest
// value there was its own. A value of which it is unknown whether it was written counts where the
// first holder has none, or its lease was over.
func (w *chain) undoes(m, ga *history.Command) bool {
	lost := func(k *history.Command) bool {
		return !trace.Answered(k) && trace.EffectOf(k.Args).Kind.Writes() && k.Process == m.Process
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

// spares reports whether a deletion is for another value than the one that a command wrote: the
// script of an owner who compares leaves it alone, and so does a command that compares.
func (w *chain) spares(m, by *history.Command) bool {
	value := trace.EffectOf(by.Args).Value
	if e := trace.EffectOf(m.Args); e.Compares {
		return !w.trace.Declared(by) && e.Is != value
	}
	if !w.trace.Declared(m) || len(m.Args) <= 4 {
		return false
	}
	if w.trace.Declared(by) {
		return named(by) && !slices.ContainsFunc(owners(by), func(id string) bool {
			return slices.Contains(m.Args[4:], id)
		})
	}
	return !slices.Contains(m.Args[4:], value)
}

// named reports whether a script that took a lock was told who its owner is.
func named(by *history.Command) bool { return len(owners(by)) > 0 }

// owners are the arguments of a script, behind its keys, that are no numbers: among them is the
// owner's value.
func owners(by *history.Command) (ids []string) {
	if len(by.Args) < 4 {
		return nil
	}
	keys, err := strconv.Atoi(by.Args[2])
	if err != nil || keys < 0 {
		return nil
	}
	for _, arg := range by.Args[min(3+keys, len(by.Args)):] {
		if _, err := strconv.ParseFloat(arg, 64); err != nil {
			ids = append(ids, arg)
		}
	}
	return ids
}

// writerBefore returns the latest command that fits and wrote the key on the node of a deletion
// before it came there, as far as is known; nil if there is none. A deletion that came late was
// there at the latest before the second grant, whose writes count for deletions of the same call
// alone: an attempt before the one that was granted takes back what it wrote.
func (w *chain) writerBefore(m *history.Command, fits func(*history.Command) bool,
) (by *history.Command) {
	for _, k := range w.trace.OfKey(w.key) {
		second := k.Process == w.pair.B.Process && k.N == w.pair.B.N &&
			(m.Process != k.Process || m.N != k.N)
		before := (k.Sent <= m.Sent || k.Sent < w.pair.A.From && m.Sent < w.pair.A.From) &&
			!(trace.Answered(m) && m.Recv <= k.Sent)
		if k.Node == m.Node && before && !second && !w.trace.Releasing(k) &&
			!w.spares(m, k) && fits(k) && (by == nil || k.Sent >= by.Sent) {
			by = k
		}
	}
	return by
}
