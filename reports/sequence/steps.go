package sequence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// The kinds of a step of a violation's story.
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

// Step is one row of the sequence diagram, and one line of the story in words.
type Step struct {
	T       int64
	Kind    string
	Process int    // the client that it is about, -1 for faults
	Role    string // of the client in the story that the run shows
	Node    string // of a command
	Text    string // label
	Tip     string // all of it
	During  bool   // while two are inside
	Failed  bool   // a reply that is an error
	alike   []int  // the clients of a row that says the same of several
}

// Words returns the step as a line of text.
func (s Step) Words() string {
	switch s.Kind {
	case stepSend:
		return fmt.Sprintf("%s → %s: %s", units.Upper(s.who()), s.Node, s.Tip)
	case stepReply:
		return fmt.Sprintf("%s → %s: %s", s.Node, s.who(), s.Tip)
	case stepFault:
		return s.Tip
	case stepItself:
		return s.Node + ": " + s.Tip
	}
	return units.Upper(s.who()) + " " + s.Tip
}

// who names the client, with its role if it has one.
func (s Step) who() string {
	if s.Role != "" {
		return view.Who(s.Process) + " (" + s.Role + ")"
	}
	return view.Who(s.Process)
}

// maxSteps bounds the sequence diagram. Of a longer violation it keeps the last steps.
const maxSteps = 70

// teller collects the steps of a violation.
type teller struct {
	*view.View
	w      *view.Violation
	lo, hi int64 // the time span of the steps
	steps  []Step
}

// Steps returns the steps of a violation: the messages of its clients and its nodes from the first
// acquire call to the end of the overlap, with the faults in between. Left is the number of omitted
// earlier steps.
func Steps(v *view.View, w *view.Violation) (steps []Step, left int) {
	t := teller{View: v, w: w}
	t.lo, t.hi = w.Extent(v)
	t.commands()
	t.explainBefore()
	for _, h := range w.Before {
		t.lo = min(t.lo, h.From)
		t.grant(h)
	}
	for _, h := range slices.Concat(w.Before, w.Holds) {
		t.hold(h)
	}
	t.faults()
	t.marks()
	slices.SortStableFunc(t.steps, func(a, b Step) int { return cmp.Compare(a.T, b.T) })
	for i := range t.steps {
		s := &t.steps[i]
		s.Role = v.Cast.Roles[s.Process]
		s.During = w.Together && s.T >= w.From && s.T <= w.To
	}
	left = max(0, len(t.steps)-maxSteps)
	return t.steps[left:], left
}

// add adds a step of a client or of the harness.
func (t *teller) add(at int64, kind string, process int, label, tip string) {
	t.steps = append(t.steps, Step{T: at, Kind: kind, Process: process, Text: label, Tip: tip})
}

func (t *teller) hold(h checker.Hold) {
	if h.N == 0 { // a client that tried in vain has no hold
		t.add(h.From, stepMark, h.Process, "tries", "tries to acquire the lock")
		t.add(t.Clamp(h.To), stepMark, h.Process, "still outside", "has still not been granted it")
		return
	}
	t.add(h.From, stepInside, h.Process, "inside", "is inside: its acquire returned")
	if h.To > t.hi {
		return
	}
	for _, own := range t.Grants() {
		if own.Process == h.Process && own.N == h.N {
			label, tip := leaves(&own)
			t.add(h.To, stepLeaves, h.Process, label, tip)
			return
		}
	}
}

// leaves says how a hold ended, as a label and in words.
func leaves(h *record.Hold) (label, tip string) {
	switch h.Ended {
	case record.Killed, record.Vanished:
		return view.Ending(h), "is " + view.Ending(h) + " while inside"
	case record.Open:
		return "still inside", "is still inside at the end of the record"
	}
	return "leaves", "leaves: it calls release"
}

func (t *teller) faults() {
	margin := max(t.hi-t.lo, 20e6)
	for _, f := range t.Faults {
		if f.From > t.hi || f.To < t.lo && f.From < t.lo-margin {
			continue
		}
		text := f.Words()
		if f.From < t.lo-margin {
			text += ", at " + units.Stamp(f.From)
		}
		t.add(max(t.lo-margin, f.From), stepFault, history.Harness, text, text)
		if over := f.EndWords(); over != "" && f.To >= t.lo && f.To <= t.hi {
			t.add(f.To, stepFault, history.Harness, over, over)
		}
	}
}

func (t *teller) marks() {
	for _, e := range t.Marks {
		// a kill appears as the end of its hold, and a short gap decides nothing
		told := e.Type == history.Lost || e.Type == history.Exit ||
			e.Type == history.Gap && e.Gap > t.History.Header.ShortestLease()/16
		text := t.MarkText(e)
		switch {
		case !told || text == "" || e.T < t.lo || e.T > t.hi || !t.w.Has(e.Process):
		case e.Type != history.Gap || !t.joinGap(e, text):
			t.add(e.T, stepMark, e.Process, text, text)
		}
	}
}

// instant is how far apart the ends of gaps of several clients may be that make one row, in ns.
const instant = int64(10 * time.Millisecond)

// joinGap adds the client of a gap to a row with the same text that is at most instant earlier. It
// returns false if there is none.
func (t *teller) joinGap(e *history.Event, text string) bool {
	for i := range t.steps {
		s := &t.steps[i]
		if !strings.HasSuffix(s.Text, text) || s.T > e.T || e.T-s.T > instant {
			continue
		}
		if len(s.alike) == 0 {
			s.alike = []int{s.Process}
		}
		if slices.Contains(s.alike, e.Process) {
			return true
		}
		s.alike = append(s.alike, e.Process)
		slices.Sort(s.alike)
		s.Kind, s.Process = stepFault, history.Harness
		s.Text = "clients " + units.List(s.alike) + " " + text
		s.Tip = units.Upper(s.Text)
		return true
	}
	return false
}

// explainBefore adds the end of the last hold before a violation that has none.
func (t *teller) explainBefore() {
	h := t.w.PrecedingHold(t.View)
	if h == nil {
		return
	}
	label, tip := leaves(h)
	t.add(h.End, stepLeaves, h.Process, label, tip)
	for i := range t.Trace {
		if c := &t.Trace[i]; c.Process == h.Process && c.N == h.N && c.Sent >= h.End &&
			c.Sent < t.w.From {
			t.command(view.Polls{Command: *c}, t.w.To)
		}
	}
}

// grant adds the command by which a hold was granted: the last one before it.
func (t *teller) grant(h checker.Hold) {
	last := -1
	for i, c := range t.Trace {
		if c.Process == h.Process && c.N == h.N && c.Sent < h.From {
			last = i
		}
	}
	if last >= 0 {
		t.command(view.Polls{Command: t.Trace[last]}, t.hi)
	}
}

// commands takes the checker's own choice of commands, if it made one, and else all commands of the
// violation's clients.
func (t *teller) commands() {
	var cs []history.Command
	for _, c := range t.w.Commands {
		switch {
		case len(c.Args) > 0:
			cs = append(cs, c.Command)
		case !slices.ContainsFunc(t.Faults, func(f view.Fault) bool { // they have rows of their own
			return f.From == c.Sent || f.To == c.Sent
		}):
			text := page.Clean(c.Effect, 80)
			t.steps = append(t.steps, Step{T: max(c.Sent, c.Recv), Kind: stepItself,
				Process: history.Harness, Node: page.Clean(c.Node, 24), Text: text, Tip: text})
		}
	}
	for i, chosen := 0, len(cs) > 0; !chosen && i < len(t.Trace); i++ {
		if c := &t.Trace[i]; t.w.Has(c.Process) && c.Sent <= t.hi &&
			(c.Recv >= t.lo || c.Recv == 0 && c.Sent >= t.lo) {
			cs = append(cs, *c)
		}
	}
	for _, p := range view.Group(t.votes(t.beliefs(cs))) {
		t.command(p, t.hi)
	}
}

// beliefs adds why a key was deleted by or before the chosen commands: the DEL, and what its client
// had read.
func (t *teller) beliefs(cs []history.Command) []history.Command {
	for _, c := range slices.Clone(cs) {
		before := t.earlier(c)
		deleted := is(c, "del") || len(before) > 0 && is(before[len(before)-1], "del")
		read := len(before) - 1
		for read >= 0 && !is(before[read], "get") {
			read--
		}
		if !deleted || read < 0 {
			continue
		}
		for _, b := range before[read:] {
			if !slices.ContainsFunc(cs, func(o history.Command) bool {
				return o.Process == b.Process && o.Seq == b.Seq
			}) {
				cs = append(cs, b)
			}
		}
	}
	slices.SortStableFunc(cs, func(a, b history.Command) int { return cmp.Compare(a.Sent, b.Sent) })
	return cs
}

func is(c history.Command, name string) bool {
	return len(c.Args) > 0 && strings.EqualFold(c.Args[0], name)
}

// earlier returns the last few commands of the same acquire or release call before one.
func (t *teller) earlier(c history.Command) (out []history.Command) {
	const few = 3
	inside := int64(0)
	for _, h := range t.Grants() {
		if h.Process == c.Process && h.N == c.N {
			inside = h.From
		}
	}
	for _, o := range t.Trace {
		if o.Process == c.Process && o.N == c.N && o.Node == c.Node && o.Sent < c.Sent &&
			(o.Sent < inside) == (c.Sent < inside) && len(o.Args) > 0 {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b history.Command) int { return cmp.Compare(a.Sent, b.Sent) })
	return out[max(0, len(out)-few):]
}

// independent is the topology of servers that know nothing of each other.
const independent = "independent"

// votes adds the equal commands that the same call sent to the other independent servers. A grant
// consists of several votes, and the verdict names one.
func (t *teller) votes(cs []history.Command) []history.Command {
	if t.History.Header.Topology != independent {
		return cs
	}
	for i := range t.Trace {
		c := &t.Trace[i]
		same := func(o history.Command) bool { return o.Process == c.Process && o.Seq == c.Seq }
		alike := func(o history.Command) bool {
			return o.Process == c.Process && o.N == c.N && slices.Equal(o.Args, c.Args)
		}
		if slices.ContainsFunc(cs, alike) && !slices.ContainsFunc(cs, same) {
			cs = append(cs, *c)
		}
	}
	return cs
}

// command adds a command, and its reply unless it came long after hi.
func (t *teller) command(p view.Polls, hi int64) {
	node := page.Clean(p.Node, 24)
	t.steps = append(t.steps, Step{T: p.Sent, Kind: stepSend, Process: p.Process, Node: node,
		Text: brief(t.History.Header.Readable(p.Args)),
		Tip:  page.Clean(units.ShortOwners(p.String()), 300)})
	if p.Recv > 0 && p.Recv <= hi+int64(50*time.Millisecond) {
		told := t.History.Header.WithTimes(p.Command)
		told.Reply = units.ShortOwners(told.Reply)
		t.steps = append(t.steps, Step{T: p.Recv, Kind: stepReply, Process: p.Process, Node: node,
			Text: view.ReplyOf(told, longest), Tip: view.ReplyOf(told, 300),
			Failed: p.Err != ""})
	}
	if p.More > 0 {
		text := "asks " + units.Count(p.More, "more time") + ", same answer"
		t.add(max(p.Recv, p.Sent), stepMore, p.Process, text, text)
	}
}

// longest bounds the runes of a label: an arrow's label in a narrow window leaves it nowhere.
const longest = 34

// brief shortens a command to fit on an arrow.
func brief(args []string) string {
	s := ""
	for i, a := range args {
		if i > 0 {
			s += " "
		}
		if _, at, ok := strings.Cut(a, " <"); ok && strings.HasSuffix(at, " s>") {
			a = "<" + at // a wall clock's time: its stamp
		}
		r := []rune(units.ShortOwners(a))
		if len(r) > 16 && r[0] != '<' { // the name of a script is told from its beginning
			r = slices.Concat(r[:6], []rune("…"), r[len(r)-4:])
		}
		s += string(r)
	}
	return page.Clean(s, longest)
}

// Stamp returns the time of the step, in seconds to the microsecond.
func (s Step) Stamp() string { return units.Micros(s.T) }
