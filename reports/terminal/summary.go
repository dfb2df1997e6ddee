// Package terminal tells the end of a run on a terminal.
package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// Where words are wrapped: at the width of the terminal, but for very wide and very narrow ones.
const (
	widest    = 100
	narrowest = 40
)

// Look is how a summary looks.
type Look struct {
	Color bool // with styles
	Width int  // of the terminal, in columns; zero if unknown
}

// width returns the column at which words are wrapped.
func (l Look) width() int {
	if l.Width == 0 {
		return widest
	}
	return max(narrowest, min(widest, l.Width))
}

// Summary writes the words that end a run on a terminal: the answer first, then the verdict on each
// property, what the answer rests on, and the violation in words. The caller prints the paths of
// the run's files after it. Colour never says anything that the words do not say.
func Summary(w io.Writer, v *view.View, l Look) error {
	t := terminal{Look: l}
	a := v.Answer()
	t.wrap("", t.paint(bold, v.Question()), 0)
	t.wrap(t.paint(tone(a.Result), a.Word)+" ", a.Sentence, 0)
	t.line("")
	t.properties(v)
	t.evidence(v)
	for _, wit := range v.Violations {
		t.witness(wit)
	}
	t.closing(v)
	_, err := io.WriteString(w, t.String())
	return err
}

// Note writes a text in the form of a summary, with a word in front of it.
func Note(w io.Writer, word, text string, l Look) error {
	t := terminal{Look: l}
	t.wrap(t.paint(dim, fmt.Sprintf("%-8s", word+":")), text, 8)
	_, err := io.WriteString(w, t.String())
	return err
}

// The codes of the few styles that a terminal is asked for.
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
)

func tone(r checker.Result) string {
	switch r {
	case checker.Violated:
		return red
	case checker.Valid:
		return green
	case checker.NA:
		return dim
	}
	return yellow
}

type terminal struct {
	strings.Builder
	Look
}

func (t *terminal) line(s string) { t.WriteString(strings.TrimRight(s, " ") + "\n") }

func (t *terminal) paint(code, s string) string {
	if !t.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// wrap writes a lead and a text after it, with the following lines indented.
func (t *terminal) wrap(lead, text string, indent int) {
	col := visible(lead)
	t.WriteString(lead)
	for i, word := range strings.Fields(text) {
		n := visible(word)
		switch {
		case i == 0:
		case col+1+n > t.width():
			t.WriteString("\n" + strings.Repeat(" ", indent))
			col = indent
		default:
			t.WriteString(" ")
			col++
		}
		t.WriteString(word)
		col += n
	}
	t.WriteString("\n")
}

// visible returns the width of a text without its styles.
func visible(s string) int {
	n, esc := 0, false
	for _, r := range s {
		switch {
		case r == '\x1b':
			esc = true
		case esc:
			esc = r != 'm'
		default:
			n++
		}
	}
	return n
}

// properties writes each property with its text. A text that several share is written at the first.
func (t *terminal) properties(v *view.View) {
	first := map[string]string{} // first property that has the text
	for _, p := range v.Properties() {
		lead := fmt.Sprintf("  %s %-9s %s", p.Symbol, p.Name, t.paint(tone(checker.Result(p.Verdict)),
			fmt.Sprintf("%-8s", p.Verdict)))
		text := p.Meaning
		switch {
		case p.State == "violated" && view.Broken(p) != "":
			text = view.Broken(p)
		case p.State != "valid" && p.State != "violated" && p.Text != "":
			text = strings.TrimSuffix(p.Text, ".")
			if same := first[text]; same != "" {
				text = "for the same reason as " + same
			} else {
				first[text] = p.Name
			}
		}
		if p.Reported {
			text += " (reported only)"
		}
		t.wrap(lead+"  ", text, 24)
	}
}

func (t *terminal) evidence(v *view.View) {
	if v.Verdict == nil {
		return
	}
	e := v.Verdict.Evidence
	parts := []string{units.Count(e.Acquisitions, "acquisition"), fmt.Sprintf("%d contended",
		e.Contended)}
	if e.Aimed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s hit a contended hold", e.Hits,
			units.Count(e.Aimed, "aimed fault")))
	}
	if e.Conflicts > 0 {
		parts = append(parts, units.Count(e.Conflicts, "write")+" refused since another was first")
	}
	if e.AfterFailover > 0 {
		parts = append(parts, units.Count(e.AfterFailover, "grant")+" by "+
			view.Successor(v.History.Header))
	}
	if e.Unknown > 0 {
		parts = append(parts, units.Count(e.Unknown, "operation")+" of unknown outcome")
	}
	t.line("")
	t.wrap(t.paint(dim, "Tried:  "), strings.Join(parts, ", ")+".", 8)
	if s := e.Starved; s != nil {
		t.wrap(t.paint(dim, "Starved:")+" ", s.Explanation+".", 8)
	}
	if m := v.Missing(); m != "" && v.Verdict.Verdict.String() == string(checker.Unknown) {
		t.wrap(t.paint(dim, "Lacks:  "), units.Sentence(m), 8)
	}
	if q := v.Verdict.Porcupine; q.Result != "" {
		t.wrap(t.paint(dim, "Judge:  "), fmt.Sprintf("%s: %s over %s of its model in %s.",
			view.Judge(q.Version), page.Clean(q.Result, 20), units.Count(q.Operations, "operation"),
			units.Span(q.Took)), 8)
	}
}

func (t *terminal) witness(w *view.Violation) {
	t.line("")
	for _, words := range w.Told {
		t.wrap(t.paint(dim, "How:    "), page.Clean(words, 2000), 8)
	}
	for _, h := range w.Holds {
		if h.N == 0 { // no hold, but the time of failed attempts
			continue
		}
		lease := ""
		if h.LeaseEnd > 0 {
			lease = ", lease to " + units.Stamp(h.LeaseEnd)
		}
		end := " to " + units.Stamp(h.To)
		if view.Endless(h) {
			end = " on, without an end"
		}
		t.line(fmt.Sprintf("        client %d inside from %s%s%s", h.Process, units.Stamp(h.From), end,
			lease))
	}
	if w.Together {
		t.line("        " + t.paint(red, fmt.Sprintf("both inside from %s to %s, %s", units.Stamp(w.From),
			units.Stamp(w.To), units.Span(w.Overlap()))))
	}
	if more := w.Further(); more != "" {
		t.wrap("        ", more, 8)
	}
}

func (t *terminal) closing(v *view.View) {
	h := v.History.Header
	t.line("")
	if v.Verdict != nil && v.Verdict.HarnessError != "" {
		t.wrap(t.paint(red, "Failed: "), units.Sentence(page.Clean(v.Verdict.HarnessError, 400)), 8)
	}
	if what, how := v.Expectation(); what != "" {
		t.line(fmt.Sprintf("Expected %s: %s.", what, how))
	}
	where := "seed " + fmt.Sprint(h.Seed)
	if h.Environment != "" {
		where += ", environment " + page.Clean(h.Environment, 40)
	}
	if redis := h.Versions["redis"]; redis != "" {
		where += ", Redis " + page.Clean(redis, 40)
	}
	t.line(units.Upper(strings.Join(append([]string{where}, v.Settings()...), ", ")) + ".")
	if h.Command != "" {
		t.line("Again:  " + page.Clean(h.Command, 1000))
	}
}
