package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
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
// first aimed fault.
func (p *runPage) commands(v *view.View) {
	w := v.First()
	if len(v.Trace) == 0 {
		return
	}
	lo, hi, in, what := commandWindow(v, w)
	p.CommandsTitle = what
	var cs []history.Command
	for i := range v.Trace {
		if c := &v.Trace[i]; in(c.Process) && c.Sent <= hi && max(c.Recv, c.Sent) >= lo {
			cs = append(cs, *c)
		}
	}
	if len(cs) == 0 {
		return
	}
	total, shown := len(cs), view.Group(cs)
	shown = nearest(shown, w)
	if len(shown) < total {
		p.CommandsLeft = fmt.Sprintf(
			"%s of %s commands are shown: repeated polls are joined, and commands far from the "+
				"violation or the fault are left out. trace.jsonl has all but the ones that only set up a "+
				"connection, such as SCRIPT LOAD.",
			units.Thousands(len(shown)), units.Thousands(total))
	}
	for _, c := range shown {
		p.Commands = append(p.Commands, rowOf(c.Command, v.History.Header, w))
		if c.More > 0 {
			t := max(c.Recv, c.Sent)
			p.Commands = append(p.Commands, commandRow{Client: fmt.Sprint(c.Process),
				More: "the same again, " + units.Count(c.More, "more time") + ", answered alike", t: t})
		}
	}
	first := min(lo, shown[0].Sent) // the sequence diagram shows an earlier fault
	if w == nil {
		first = lo
	}
	for _, x := range v.Faults {
		if x.From >= first && x.From <= hi && len(p.Commands) < 2*maxCommandRows {
			p.Commands = append(p.Commands, commandRow{T: units.Micros(x.From), Fault: x.Words(), t: x.From})
		}
	}
	slices.SortStableFunc(p.Commands, func(a, b commandRow) int { return cmp.Compare(a.t, b.t) })
}

func rowOf(c history.Command, h history.Header, w *view.Violation) commandRow {
	row := commandRow{T: units.Micros(c.Sent), Client: fmt.Sprint(c.Process), Node: page.Clean(c.Node,
		24),
		Command: page.Clean(strings.Join(h.Readable(c.Args), " "), 240),
		Reply:   view.ReplyOf(h.WithTimes(c), 160), Bad: c.Err != "" || c.Recv == 0, t: c.Sent}
	if c.Recv > 0 {
		row.Latency = units.Span(c.Recv - c.Sent)
	}
	row.During = w != nil && w.Together && c.Sent <= w.To && max(c.Sent, c.Recv) >= w.From
	return row
}

func commandWindow(v *view.View, w *view.Violation) (lo, hi int64, in func(int) bool, what string) {
	if w != nil {
		lo, hi = w.Extent(v)
		pad := max((hi-lo)/5, 2e6)
		return lo - pad, hi + pad, w.Has, "The Redis commands of the clients involved"
	}
	all := func(int) bool { return true }
	for _, x := range v.Faults {
		if x.Aimed {
			return x.From - 50e6, x.From + 100e6, all, "The Redis commands around the fault " + x.Name()
		}
	}
	return 0, v.End, all, "The first Redis commands"
}

// nearest keeps the commands closest to the beginning of the overlap, or the first.
func nearest(cs []view.Polls, w *view.Violation) []view.Polls {
	if len(cs) <= maxCommandRows {
		return cs
	}
	if w == nil {
		return cs[:maxCommandRows]
	}
	at, _ := slices.BinarySearchFunc(cs, w.From, func(c view.Polls, t int64) int {
		return cmp.Compare(c.Sent, t)
	})
	first := min(max(0, at-maxCommandRows/2), len(cs)-maxCommandRows)
	return cs[first : first+maxCommandRows]
}
