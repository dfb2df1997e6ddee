package reports

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// The kinds of a step of the witness's story.
const (
	stepSend   = "send"
	stepReply  = "reply"
	stepFault  = "fault"
	stepInside = "inside"
	stepLeaves = "leaves"
	stepMark   = "mark"
	stepMore   = "more"
	stepItself = "itself" // something that happened by itself on a node: an expiry
)

// step is one row of the sequence diagram, and one line of the story in words.
type step struct {
	T       int64
	Kind    string
	Process int    // the client that it is about, -1 for faults
	Node    string // of a command
	Text    string // label
	Tip     string // all of it
	During  bool   // while two are inside
}

// Words tells the step as a line of text.
func (s step) Words() string {
	switch s.Kind {
	case stepSend:
		return fmt.Sprintf("%s → %s: %s", units.Upper(who(s.Process)), s.Node, s.Tip)
	case stepReply:
		return fmt.Sprintf("%s → %s: %s", s.Node, who(s.Process), s.Tip)
	case stepFault:
		return s.Tip
	case stepItself:
		return s.Node + ": " + s.Tip
	}
	return units.Upper(who(s.Process)) + " " + s.Tip
}

// maxSteps bounds the sequence diagram; a violation that takes more is told around its end.
const maxSteps = 70

// stepsOf tells a witness: what its clients and its nodes said to each other from the first acquire
// call to the end of the overlap, with the faults in between. It also returns how many steps it
// left out.
func stepsOf(r *View, w *witness) ([]step, int) {
	lo, hi := w.extent(r)
	margin := max(hi-lo, 20e6)
	ss := commandSteps(r.Trace, r, w, lo, hi)
	ss = append(ss, w.before(r.Trace, r)...)
	for _, h := range w.holds {
		if h.N == 0 { // no hold: the time in which a client tried in vain
			ss = append(ss, step{T: h.From, Kind: stepMark, Process: h.Process, Text: "tries",
				Tip: "tries to acquire the lock"},
				step{T: min(h.To, r.end), Kind: stepMark, Process: h.Process, Text: "still outside",
					Tip: "has still not been granted it"})
			continue
		}
		ss = append(ss, step{T: h.From, Kind: stepInside, Process: h.Process, Text: "inside",
			Tip: "is inside: its acquire returned"})
		if h.To <= hi {
			label, tip := leaves(r, h.Process, h.N)
			ss = append(ss, step{T: h.To, Kind: stepLeaves, Process: h.Process, Text: label, Tip: tip})
		}
	}
	for _, x := range r.faults {
		if x.from <= hi && (x.to >= lo || x.from >= lo-margin) {
			text := x.words()
			if x.from < lo-margin {
				text += ", at " + units.At(x.from)
			}
			ss = append(ss, step{T: max(lo-margin, x.from), Kind: stepFault, Process: -1, Text: text,
				Tip: text})
		}
	}
	for _, m := range r.marks {
		// a kill ends a hold, and is told there
		if m.t >= lo && m.t <= hi && w.has(m.process) && m.kind != "extend" && m.kind != "kill" {
			ss = append(ss, step{T: m.t, Kind: stepMark, Process: m.process, Text: m.text, Tip: m.text})
		}
	}
	slices.SortStableFunc(ss, func(a, b step) int { return cmp.Compare(a.T, b.T) })
	for i := range ss {
		ss[i].During = w.together && ss[i].T >= w.from && ss[i].T <= w.to
	}
	left := max(0, len(ss)-maxSteps)
	if left > 0 {
		ss = ss[left:]
	}
	return ss, left
}

// extent goes from the first acquire call of the witness to the end of its overlap.
func (w *witness) extent(r *View) (lo, hi int64) {
	lo, hi = w.from, w.to
	for i := range r.holds {
		if h := &r.holds[i]; w.hold(h.process, h.n) {
			lo = min(lo, h.call)
		}
	}
	for _, c := range w.commands {
		if c.Sent > 0 {
			lo = min(lo, c.Sent)
		}
	}
	if h := w.left(r); h != nil {
		lo = min(lo, h.to)
	}
	return lo, min(hi, r.end)
}

// left is the last hold that ended before a witness that has none: a key that was left behind was
// left by somebody.
func (w *witness) left(r *View) (last *hold) {
	if len(w.holds) > 0 {
		return nil
	}
	for i := range r.holds {
		if h := &r.holds[i]; h.key == w.key && h.to <= w.from && (last == nil || h.to > last.to) {
			last = h
		}
	}
	return last
}

// before tells how that hold ended.
func (w *witness) before(trace []history.Command, r *View) (ss []step) {
	h := w.left(r)
	if h == nil {
		return nil
	}
	label, tip := leaves(r, h.process, h.n)
	ss = append(ss, step{T: h.to, Kind: stepLeaves, Process: h.process, Text: label, Tip: tip})
	for i := range trace {
		if c := &trace[i]; c.Process == h.process && c.N == h.n && c.Sent >= h.to && c.Sent < w.from {
			ss = append(ss, polls{Command: *c}.steps(r.header, w.to)...)
		}
	}
	return ss
}

func (w *witness) hold(process, n int) bool {
	for _, h := range w.holds {
		if h.Process == process && h.N == n {
			return true
		}
	}
	return false
}

// leaves says how a hold ended, as a label and in words.
func leaves(r *View, process, n int) (label, tip string) {
	for i := range r.holds {
		if h := &r.holds[i]; h.process == process && h.n == n {
			switch h.ended {
			case "killed", "gone":
				return h.ended, "is " + h.ended + " while inside"
			case "open":
				return "still inside", "is still inside at the end of the record"
			}
		}
	}
	return "leaves", "leaves: it calls release"
}

// commandSteps takes the checker's own choice of commands, if it made one, and else all commands of
// the witness's clients.
func commandSteps(trace []history.Command, r *View, w *witness, lo, hi int64) []step {
	var cs []history.Command
	var ss []step
	for _, c := range w.commands {
		if len(c.Args) == 0 && slices.ContainsFunc(r.faults, func(x fault) bool {
			return x.from == c.Sent || x.to == c.Sent
		}) {
			continue // the faults have rows of their own
		}
		if len(c.Args) == 0 {
			text := page.Clean(c.Effect, 80)
			ss = append(ss, step{T: max(c.Sent, c.Recv), Kind: stepItself, Process: -1,
				Node: page.Clean(c.Node, 24), Text: text, Tip: text})
			continue
		}
		cs = append(cs, c.Command)
	}
	if len(cs) == 0 {
		for i := range trace {
			if c := &trace[i]; w.has(c.Process) && c.Sent <= hi && (c.Recv >= lo || c.Recv == 0 &&
				c.Sent >= lo) {
				cs = append(cs, *c)
			}
		}
	}
	for _, g := range group(cs) {
		ss = append(ss, g.steps(r.header, hi)...)
	}
	return ss
}

func (p polls) steps(h history.Header, hi int64) []step {
	ss := []step{{T: p.Sent, Kind: stepSend, Process: p.Process, Node: page.Clean(p.Node, 24),
		Text: brief(h.Readable(p.Args)), Tip: page.Clean(p.String(), 300)}}
	if p.Recv > 0 && p.Recv <= hi+int64(50*time.Millisecond) {
		ss = append(ss, step{T: p.Recv, Kind: stepReply, Process: p.Process, Node: page.Clean(p.Node, 24),
			Text: replyOf(p.Command, 34), Tip: replyOf(p.Command, 300)})
	}
	if p.more > 0 {
		text := "asks " + units.Count(p.more, "more time") + ", same answer"
		ss = append(ss, step{T: max(p.Recv, p.Sent), Kind: stepMore, Process: p.Process, Text: text,
			Tip: text})
	}
	return ss
}

// brief is a command that fits on an arrow.
func brief(args []string) string {
	s := ""
	for i, a := range args {
		if i > 0 {
			s += " "
		}
		if len(a) > 16 {
			s += page.Clean(a, 8) // a token; its beginning tells it from others
		} else {
			s += page.Clean(a, 0)
		}
		if len(s) > 48 {
			return page.Clean(s, 48) + "…"
		}
	}
	return s
}

// Stamp is when the step happened, in seconds to the microsecond.
func (s step) Stamp() string { return units.Micros(s.T) }
