package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// unserved returns the disjoint, sorted times when no lock can let a client in: the only server
// answers no client, or so many of several do not that no quorum is left.
func (c outageRule) unserved() []record.Interval {
	if h := c.history.Header; h.Topology != nemesis.Single && h.Topology != nemesis.Independent {
		return nil // another server may take over
	}
	silent := map[string][]record.Interval{} // by server; "*" for all
	for i := range c.faults {
		if server, hit := silences(&c.faults[i]); hit {
			t := record.Interval{From: c.faults[i].From, To: c.faultTimes().overs()[i]}
			silent[server] = append(silent[server], t)
		}
	}
	var edges []edge
	for server, times := range silent {
		if server != "*" {
			edges = append(edges, edgesOf(record.Union(times))...)
		}
	}
	return record.Union(append(atOnce(edges, c.masters()-c.quorum()+1), silent["*"]...))
}

// silences reports whether a fault keeps a server from answering any client, and which; "*" is all.
func silences(f *record.Fault) (server string, hit bool) {
	if server, link := strings.CutPrefix(f.Target, "*>"); link {
		return server, slices.Contains([]string{nemesis.Cut, nemesis.HoldBack, nemesis.Refuse}, f.Action)
	}
	a, _ := nemesis.ActionOf(f.Action)
	_, client := f.Client()
	return f.Target, !client && (a.Kills || a.Stops)
}

// edge is the beginning of an interval, or its end.
type edge struct {
	at int64
	by int // 1, or -1
}

func edgesOf(times []record.Interval) (out []edge) {
	for _, t := range times {
		out = append(out, edge{t.From, 1}, edge{t.To, -1})
	}
	return out
}

// atOnce returns the times when at least n intervals are under way. It sorts the edges.
func atOnce(edges []edge, n int) (out []record.Interval) {
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.by, a.by))
	})
	open := 0
	for _, e := range edges {
		open += e.by
		switch {
		case e.by > 0 && open == n:
			out = append(out, record.Interval{From: e.at})
		case e.by < 0 && open == n-1:
			out[len(out)-1].To = e.at
		}
	}
	return out
}

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
