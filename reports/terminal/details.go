package terminal

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// details writes all that the first screen leaves out: the verdict on each property, what the
// answer rests on, and each violation in words.
func (t *terminal) details(v *view.View, x Extra) {
	t.line("")
	t.properties(v)
	t.evidence(v)
	for _, wit := range v.Violations {
		t.witness(&v.History.Header, wit)
	}
	t.line("")
	t.setting(v)
	for _, h := range x.Hints {
		if v.Verdict.Verdict == checker.Violated { // the screen has the others
			t.wrap("", h.String(), 0)
		}
	}
	t.line("")
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
	switch {
	case e.Withheld > 0:
		parts = append(parts, units.Count(e.Withheld, "grant")+" withheld, since too few replicas "+
			"had them")
	case e.Aimed > 0:
		parts = append(parts, fmt.Sprintf("%d of %s hit a contended hold", e.Hits,
			units.Count(e.AimedFaults(), "aimed fault")))
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
	if m := v.Missing(); m != "" && v.Verdict.Verdict.String() == string(checker.Unknown) {
		t.wrap(t.paint(dim, "Lacks:  "), units.Sentence(m), 8)
	}
	if q := v.Verdict.Porcupine; q.Result != "" {
		t.wrap(t.paint(dim, "Judge:  "), fmt.Sprintf("%s: %s over %s of its model in %s.",
			view.Judge(q.Version), page.Clean(q.Result, 20), units.Count(q.Operations, "operation"),
			units.Span(q.Took)), 8)
	}
}

func (t *terminal) witness(of *history.Header, w *view.Violation) {
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
			lease = ", lease then to " + explain.Moment(of, h.LeaseEnd)
		}
		end := " to " + explain.Moment(of, h.To)
		if view.Endless(h) {
			end = " on, without an end"
		}
		t.line(fmt.Sprintf("        client %d inside from %s%s%s", h.Process, explain.Moment(of, h.From),
			end, lease))
	}
	if w.Together {
		t.line("        " + t.paint(red, fmt.Sprintf("both inside from %s to %s, %s", units.Stamp(w.From),
			units.Stamp(w.To), units.Span(w.Overlap()))))
	}
	if more := w.Further(); more != "" {
		t.wrap("        ", more, 8)
	}
}

func (t *terminal) setting(v *view.View) {
	h := v.History.Header
	where := "an imported history"
	if h.Environment != "" {
		where = fmt.Sprintf("seed %d, environment %s", h.Seed, page.Clean(h.Environment, 40))
	}
	if redis := h.Versions["redis"]; redis != "" {
		where += ", Redis " + page.Clean(redis, 40)
	}
	t.line(units.Upper(strings.Join(append([]string{where}, v.Settings()...), ", ")) + ".")
}
