package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// refusing returns the times when a server refused to serve: from one refusal to the next, if it
// carried out no write between the two.
func refusing(commands []*history.Command, until int64) (out []record.Interval) {
	last := map[string]int64{} // when each server refused last
	for _, m := range answers(commands, until) {
		at, before := last[m.Node]
		switch {
		case refused(m):
			if before {
				out = append(out, record.Interval{From: at, To: m.Recv})
			}
			last[m.Node] = m.Recv
		case trace.Answered(m) && trace.EffectOf(m.Args).Kind.Writes():
			delete(last, m.Node)
		}
	}
	return out
}

// answers returns the commands that got a reply before a stamp, in the order of their replies.
func answers(commands []*history.Command, until int64) (out []*history.Command) {
	for _, m := range commands {
		if m.Recv != 0 && m.Err == "" && m.Recv <= until {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b *history.Command) int { return cmp.Compare(a.Recv, b.Recv) })
	return out
}

// refused reports whether the reply to a command is that its server does not serve.
func refused(m *history.Command) bool {
	return m.Recv != 0 && strings.HasPrefix(m.Reply, "(error)") && history.Refuses(m.Reply)
}

// refusalIn returns a command that was refused within a time, or nil.
func refusalIn(commands []*history.Command, from, to int64) *history.Command {
	for _, m := range commands {
		if refused(m) && m.Recv >= from && m.Recv <= to {
			return m
		}
	}
	return nil
}
