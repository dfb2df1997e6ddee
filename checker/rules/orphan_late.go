package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// lateness says of refusals whether lost time may be why they found a key. It is not safe for
// concurrent use.
type lateness struct {
	stalls []stall
	struck map[int][]strike // by lock
}

// stall is lost time, with the stamp until which it still delays clients.
type stall struct {
	gap   record.Gap
	until int64
}

// strike is a command that was lost, and until when the key that it may have left may be there.
type strike struct {
	command *history.Command
	until   int64
}

// lateness returns the lost time of a run that may explain a late release.
func (c orphanRule) lateness() lateness {
	limit := int64(c.history.Header.ShortestLease()) / 16
	late := lateness{stalls: stallsOf(c.Record.Gaps, limit), struck: map[int][]strike{}}
	for _, m := range c.trace.Commands {
		if !c.excuses().unexplained(m) || !mayLeave(c.Case, m) {
			continue
		}
		for _, l := range c.waits().locks() {
			if c.trace.MayBeOf(m, l.Key) {
				late.struck[l.Key] = append(late.struck[l.Key], strike{m, c.excuses().freedBy(&l, m)})
			}
		}
	}
	return late
}

// mayLeave reports whether a lost command may have left a key behind. The command may have written
// the key, or its client may have had it and not known how to proceed. A read by a call that wrote
// nothing leaves nothing, unless its client was inside.
func mayLeave(c *Case, m *history.Command) bool {
	sent := c.trace.SentWithin(m.Process, 0, m.Sent)
	wrote := func(k *history.Command) bool { return k.N == m.N && c.trace.MayWrite(k) }
	return m.N == 0 || slices.ContainsFunc(sent, wrote) ||
		slices.ContainsFunc(c.Record.Holds, func(h record.Hold) bool {
			return h.Process == m.Process && h.From <= m.Sent && m.Sent <= h.End
		})
}

// stallsOf returns the gaps longer than a limit that no fault made. Each delays later actions by
// its length. The delay ends while all processes run again.
func stallsOf(gaps []record.Gap, limit int64) (out []stall) {
	debt, over := int64(0), int64(0)
	for _, g := range joinGaps(slices.DeleteFunc(slices.Clone(gaps), func(g record.Gap) bool {
		return g.Planned || g.Length() <= limit
	})) {
		debt = max(0, debt-(g.From-over)) + g.Length()
		over = g.To
		out = append(out, stall{g, over + debt})
	}
	return out
}

// why says why a refusal proves no orphan: time was lost shortly before, so that the release may be
// late, or the key of a lost command may still be there. It returns "" if neither is so.
func (l lateness) why(key int, refused *history.Command) string {
	for _, s := range l.stalls {
		if s.gap.From < refused.Recv && refused.Sent <= s.until {
			return explain.Stall(s.gap) + explain.Say(", which may be why")
		}
	}
	for _, s := range l.struck[key] {
		if s.command.Sent <= refused.Recv && refused.Sent <= s.until {
			return explain.Unanswered(s.command)
		}
	}
	return ""
}
