package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
)

// meanings says what the letters of the properties stand for.
var meanings = map[string]string{
	checker.MutualExclusion: "two clients are never inside at once",
	checker.LeaseExclusion:  "two clients are never inside at once while both leases are valid",
	checker.OwnerRelease:    "only the owner releases",
	checker.Orphan:          "no key stays set that nobody holds",
	checker.Deadlock:        "a live client that tries gets in again",
	checker.Fencing:         "fencing tokens grow",
	checker.LostUpdate:      "no update of the guarded resource is lost",
	checker.Reentry:         "a holder can acquire again, and has to release as often",
	checker.Validity:        "two clients are never inside while the lock tells both that they are",
}

// propertyRow is a property with its verdict. Symbol says in a shape what the colour says.
type propertyRow struct {
	Name, Meaning, Verdict, State, Symbol, Class, Words string
	Story                                               string // where it is told in full
	Reported                                            bool
}

func propertyRows(r Run) []propertyRow {
	if r.Verdict == nil {
		return nil
	}
	told := map[string]string{}
	for i, w := range witnessesOf(r.Verdict) {
		for _, p := range w.properties {
			told[p] = fmt.Sprintf("violation-%d", i+1)
		}
	}
	var rows []propertyRow
	for _, p := range r.Verdict.Properties {
		row := propertyRow{Name: clean(p.Property, 24), Meaning: meanings[p.Property],
			Verdict: p.Verdict.String(), State: state(p.Verdict),
			Class: clean(p.Class, 80), Words: clean(p.Explanation, 1200), Reported: p.Reported}
		row.Symbol = map[string]string{"violated": "✕", "valid": "✓", "unknown": "?",
			"na": "–"}[row.State]
		if p.Reason != "" {
			row.Words = units.Sentence(clean(p.Reason, 600))
		}
		if row.Story = told[p.Property]; row.Story != "" {
			row.Words = ""
		}
		if p.Assumption != "" {
			row.Class += "; the fault broke an assumption: " + clean(p.Assumption, 80)
		}
		rows = append(rows, row)
	}
	return rows
}

// evidenceRow is something that was tried, and how much of it the run needed.
type evidenceRow struct {
	What, Have, Need string
	Short            bool // less than needed
}

func evidenceRows(r Run, f *facts) []evidenceRow {
	rows := []evidenceRow{{What: "operations recorded", Have: fmt.Sprintf("%s by %s in %s",
		units.Thousands(f.count), units.Count(len(f.clients), "client"), units.Span(f.end))}}
	if r.Verdict == nil {
		return rows
	}
	e, q := r.Verdict.Evidence, r.History.Header.Requires
	add := func(what string, have, need int, always bool) {
		if have == 0 && need == 0 && !always {
			return
		}
		row := evidenceRow{What: what, Have: units.Thousands(have), Short: have < need &&
			r.Verdict.Verdict != checker.Violated}
		if need > 0 {
			row.Need = "at least " + units.Thousands(need)
		}
		rows = append(rows, row)
	}
	add("acquisitions granted", e.Acquisitions, 0, true)
	add("of them while another client wanted in", e.Contended, q.Contended, true)
	add("faults that began", max(e.Faults, len(f.faults)), 0, true)
	add("faults that struck a hold while another client waited", e.Hits, max(q.Hits, e.Aimed),
		false)
	add("grants by the new master", e.AfterFailover, b2i(q.Failover), false)
	add("reads and writes of the guarded resource", e.Sections, 0, false)
	add("nested acquisitions", e.NestedAcquires, 0, false)
	add("fenced writes", e.FencedWrites, 0, false)
	add("operations whose outcome nobody knows", max(e.Unknown, f.unknown), 0, false)
	if e.TimedOut > 0 {
		rows = append(rows, evidenceRow{What: "commands that timed out although no fault held them back",
			Have: units.Thousands(e.TimedOut)})
	}
	if e.LongestGapMS > 0 {
		rows = append(rows, evidenceRow{What: "longest unplanned stall of the machine",
			Have: units.Span(time.Duration(e.LongestGapMS) * time.Millisecond)})
	}
	if e.Interrupted {
		rows = append(rows, evidenceRow{What: "end of the record",
			Have: "missing: the run was interrupted", Need: "an end", Short: true})
	}
	return rows
}

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
func (p *page) commands(r Run, f *facts, w *witness) {
	if len(r.Trace) == 0 {
		return
	}
	lo, hi, in, what := commandWindow(f, w)
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
		p.Commands = append(p.Commands, rowOf(c.Command, f.header, w))
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
	for _, x := range f.faults {
		if x.from >= first && x.from <= hi && len(p.Commands) < 2*maxCommandRows {
			p.Commands = append(p.Commands, commandRow{T: units.Micros(x.from), Fault: x.words(), t: x.from})
		}
	}
	slices.SortStableFunc(p.Commands, func(a, b commandRow) int {
		return int(min(1, max(-1, a.t-b.t)))
	})
}

func rowOf(c history.Command, h history.Header, w *witness) commandRow {
	row := commandRow{T: units.Micros(c.Sent), Client: fmt.Sprint(c.Process), Node: clean(c.Node, 24),
		Command: clean(strings.Join(h.Readable(c.Args), " "), 240), Reply: replyOf(c, 160),
		Bad: c.Err != "" || c.Recv == 0, t: c.Sent}
	if c.Recv > 0 {
		row.Latency = units.Span(c.Recv - c.Sent)
	}
	row.During = w != nil && w.together && c.Sent <= w.to && max(c.Sent, c.Recv) >= w.from
	return row
}

func commandWindow(f *facts, w *witness) (lo, hi int64, in func(int) bool, what string) {
	if w != nil {
		lo, hi = w.extent(f)
		pad := max((hi-lo)/5, 2e6)
		return lo - pad, hi + pad, w.has, "The Redis commands of the clients involved"
	}
	all := func(int) bool { return true }
	for _, x := range f.faults {
		if x.strike {
			return x.from - 50e6, x.from + 100e6, all, "The Redis commands around the fault " + x.name()
		}
	}
	return 0, f.end, all, "The first Redis commands"
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
