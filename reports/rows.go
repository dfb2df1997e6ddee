package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// commandRow is a line of the table of commands; a fault has a line of its own, with Fault set.
type commandRow struct {
	T, Client, Node, Command, Reply, Latency, Fault, More string
	Bad, During                                           bool

	t int64
}

// maxCommandRows bounds the table of commands.
const maxCommandRows = 160

// commands chooses the commands of the clients involved, around the violation, or else around the
// first fault that had to strike.
func (p *runPage) commands(r *View) {
	w := r.first()
	if len(r.Trace) == 0 {
		return
	}
	lo, hi, in, what := commandWindow(r, w)
	p.CommandsTitle = what
	var cs []history.Command
	for i := range r.Trace {
		if c := &r.Trace[i]; in(c.Process) && c.Sent <= hi && max(c.Recv, c.Sent) >= lo {
			cs = append(cs, *c)
		}
	}
	if len(cs) == 0 {
		return
	}
	total, shown := len(cs), group(cs)
	shown = nearest(shown, w)
	if len(shown) < total {
		p.CommandsLeft = fmt.Sprintf(
			"%s of %s commands are shown: repeated polls are joined, and what is far from the violation or the fault is left out. All are in trace.jsonl.", units.Thousands(len(shown)), units.Thousands(total))
	}
	for _, c := range shown {
		p.Commands = append(p.Commands, rowOf(c.Command, r.header, w))
		if c.more > 0 {
			t := max(c.Recv, c.Sent)
			p.Commands = append(p.Commands, commandRow{Client: fmt.Sprint(c.Process),
				More: "the same again, " + units.Count(c.more, "more time") + ", answered alike", t: t})
		}
	}
	first := min(lo, shown[0].Sent) // a fault from before is told in the sequence diagram
	if w == nil {
		first = lo
	}
	for _, x := range r.faults {
		if x.from >= first && x.from <= hi && len(p.Commands) < 2*maxCommandRows {
			p.Commands = append(p.Commands, commandRow{T: units.Micros(x.from), Fault: x.words(), t: x.from})
		}
	}
	slices.SortStableFunc(p.Commands, func(a, b commandRow) int {
		return int(min(1, max(-1, a.t-b.t)))
	})
}

func rowOf(c history.Command, h history.Header, w *witness) commandRow {
	row := commandRow{T: units.Micros(c.Sent), Client: fmt.Sprint(c.Process), Node: page.Clean(c.Node, 24),
		Command: page.Clean(strings.Join(h.Readable(c.Args), " "), 240), Reply: replyOf(c, 160),
		Bad: c.Err != "" || c.Recv == 0, t: c.Sent}
	if c.Recv > 0 {
		row.Latency = units.Span(c.Recv - c.Sent)
	}
	row.During = w != nil && w.together && c.Sent <= w.to && max(c.Sent, c.Recv) >= w.from
	return row
}

func commandWindow(r *View, w *witness) (lo, hi int64, in func(int) bool, what string) {
	if w != nil {
		lo, hi = w.extent(r)
		pad := max((hi-lo)/5, 2e6)
		return lo - pad, hi + pad, w.has, "The Redis commands of the clients involved"
	}
	all := func(int) bool { return true }
	for _, x := range r.faults {
		if x.strike {
			return x.from - 50e6, x.from + 100e6, all, "The Redis commands around the fault " + x.name()
		}
	}
	return 0, r.end, all, "The first Redis commands"
}

// nearest keeps the commands closest to the beginning of the overlap, or the first.
func nearest(cs []polls, w *witness) []polls {
	if len(cs) <= maxCommandRows {
		return cs
	}
	if w == nil {
		return cs[:maxCommandRows]
	}
	at, _ := slices.BinarySearchFunc(cs, w.from, func(c polls, t int64) int {
		return int(min(1, max(-1, c.Sent-t)))
	})
	first := min(max(0, at-maxCommandRows/2), len(cs)-maxCommandRows)
	return cs[first : first+maxCommandRows]
}
