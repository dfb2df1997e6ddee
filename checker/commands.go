package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
)

// maxCommands is how many commands a witness shows at most. Those of a typical one are three to
// five.
const maxCommands = 9

// commands returns the Redis commands that make a violation up, in the order in which they were
// sent: the two grants, and between them everything that changed the key. For a key that was
// deleted by somebody else, also the grant that made him think that it was his. What happens by
// itself (a lease that ends, a fault) stands between them without arguments. Without a trace there
// are none.
func (c *check) commands(p *pair) []WitnessCommand {
	ga, gb := c.trace.GrantOf(p.a), c.trace.GrantOf(p.b)
	if ga == nil || gb == nil {
		return nil
	}
	w := chain{check: c, pair: p, key: trace.Key(ga)}
	w.put(ga, fmt.Sprintf("grants client %d", p.a.Process))
	for i := range c.trace.Commands {
		w.consider(&c.trace.Commands[i], ga, gb)
	}
	w.happenings()
	w.put(gb, fmt.Sprintf("grants client %d", p.b.Process))
	slices.SortStableFunc(w.out, func(a, b WitnessCommand) int { return cmp.Compare(a.Sent, b.Sent) })
	return shorten(w.out)
}

// chain collects the commands of a witness.
type chain struct {
	*check
	pair *pair
	key  string
	out  []WitnessCommand
}

func (w *chain) put(m *history.Command, effect string) {
	for i := range w.out {
		if w.out[i].Process == m.Process && w.out[i].Seq == m.Seq && w.out[i].Sent == m.Sent {
			return
		}
	}
	w.out = append(w.out, WitnessCommand{Command: *m, Effect: effect})
}

// consider adds a command that changed the key, or may have, between the two grants.
func (w *chain) consider(m, ga, gb *history.Command) {
	if m == ga || m == gb || trace.Key(m) != w.key || m.Sent > gb.Recv {
		return
	}
	known := m.Recv != 0 && m.Err == ""
	if known && m.Recv < ga.Sent {
		return // certainly before
	}
	switch {
	case known && w.trace.Deleted(m):
		w.deletion(m, ga, "deletes the key")
	case !known && w.trace.Frees(m):
		w.deletion(m, ga, "was never answered and may have deleted the key")
	case known && !w.trace.Releasing(m) && w.trace.Takes(m) && trace.Verb(m) != "GETSET" && m.Sent >= ga.Sent:
		w.put(m, fmt.Sprintf("writes the key for client %d", m.Process))
	case known && trace.Verb(m) == "GETSET" && m.Sent >= ga.Sent:
		w.put(m, fmt.Sprintf("overwrites the key for client %d", m.Process))
	}
}

// deletion adds a command that deleted the key. If it was not the first holder's own, its sender's
// grant tells why it thought it was its.
func (w *chain) deletion(m, ga *history.Command, effect string) {
	if m.Process == w.pair.a.Process && m.N == w.pair.a.N {
		w.put(m, effect)
		return
	}
	if w.undoes(m, ga) {
		return
	}
	own := w.releasedBy(m)
	if m.Sent < ga.Recv {
		if own != nil && own.LeaseEnd() > ga.Recv {
			return // it must have come before the first grant, which nothing else allowed
		}
		effect = "was sent before the grant and came late; it " + effect
	}
	if own != nil {
		if g := w.trace.GrantOf(own); g != nil {
			w.put(g, fmt.Sprintf("grants client %d", own.Process))
		}
	}
	w.put(m, effect+" of client "+strconv.Itoa(w.pair.a.Process))
}

// undoes reports whether a deletion on one of several servers takes back what its sender has
// written there itself: an attempt that failed.
func (w *chain) undoes(m, ga *history.Command) bool {
	return w.independent() && slices.ContainsFunc(w.trace.Sent[m.Process], func(k *history.Command) bool {
		return k.Node == m.Node && trace.Key(k) == w.key && k.Sent >= ga.Sent && k.Recv != 0 &&
			k.Recv <= m.Sent && !w.trace.Releasing(k) && w.trace.Takes(k)
	})
}

// releasedBy returns the hold that the sender of a deletion meant, or nil.
func (w *chain) releasedBy(m *history.Command) *record.Hold {
	var own *record.Hold
	for i := range w.record.Holds {
		h := &w.record.Holds[i]
		if h.Process == m.Process && h.Key == w.pair.key && (m.N == h.N || m.N == 0 && h.From <= m.Sent) {
			own = h
		}
	}
	return own
}

// happenings adds what no client sent: the end of the first holder's lease, promotions and
// restarts.
func (w *chain) happenings() {
	note := func(t int64, node, effect string) {
		w.out = append(w.out, WitnessCommand{Command: history.Command{Process: history.Harness,
			Node: node, Sent: t}, Effect: effect})
	}
	if end := w.pair.a.LeaseAt(w.pair.from); end <= w.pair.from {
		note(end, w.pair.a.Node, fmt.Sprintf("the lease of client %d ends", w.pair.a.Process))
	}
	for _, f := range w.faults {
		if f.Forgets() && f.From < w.pair.b.From && f.From > w.pair.a.Call {
			begin, _ := nemesis.Tell(f.Action, f.Target)
			note(f.From, f.Target, begin)
		}
	}
}

// shorten keeps the beginning and the end of a long list.
func shorten(cs []WitnessCommand) []WitnessCommand {
	if len(cs) <= maxCommands {
		return cs
	}
	return append(slices.Clone(cs[:maxCommands/2]), cs[len(cs)-(maxCommands-maxCommands/2):]...)
}

// foreignDelete reports whether somebody else deleted the first holder's key, or may have with a
// command that was never answered.
func foreignDelete(cs []WitnessCommand) bool {
	return deletes(cs, "deletes the key of client ") || deletes(cs, "was never answered")
}

// lateDelete reports whether a deletion of the first holder's key was under way since before the
// grant.
func lateDelete(cs []WitnessCommand) bool { return deletes(cs, "was sent before the grant") }

func deletes(cs []WitnessCommand, effect string) bool {
	return slices.ContainsFunc(cs, func(c WitnessCommand) bool {
		return strings.HasPrefix(c.Effect, effect) && strings.Contains(c.Effect, " of client ")
	})
}
