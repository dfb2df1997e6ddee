// Package gate writes the result of a gate: a page, a summary for a pull request, and a report for
// a pipeline.
package gate

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/reports/page"
)

// claimLimit bounds the claim of an entry, in runes.
const claimLimit = 600

// The marks of the outcomes, for people who look for the red ones.
var outcomeMarks = map[gate.Outcome]string{
	gate.Passed: "✅ passed", gate.Failed: "❌ **failed**",
	gate.Unknown: "❔ **unknown**",
	gate.Allowed: "❔ unknown (allowed)", gate.Refused: "🚫 **not possible**",
	gate.Broken: "💥 **broke**",
}

// mark returns the mark of an outcome, or another one for a pass with a defect that the file
// accepts.
func mark(o gate.Outcome, accepts bool) string {
	if o == gate.Passed && accepts {
		return "⚠️ passed, with a defect"
	}
	return outcomeMarks[o]
}

// WriteSummary writes a gate's result as Markdown for a pull request or a job summary: the answer,
// each unexpected result with its counterexample, and a table of all entries. It writes text from a
// history or a file as code, so that none of it becomes a link, a mention or markup.
func WriteSummary(w io.Writer, r *gate.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s lock gate: %s\n\n", strings.Fields(mark(r.Result, r.Accepts() > 0))[0],
		strings.TrimSuffix(r.Sentence(), "."))
	for _, note := range r.Notes() {
		fmt.Fprintf(&b, "%s\n\n", page.Code(note, 200))
	}
	for _, e := range r.InOrder() {
		if e.Result != gate.Passed {
			finding(&b, e)
		}
	}
	b.WriteString("| result | entry | expected | found | what was tried |\n|---|---|---|---|---|\n")
	left := 0
	for _, e := range r.InOrder() {
		row := fmt.Sprintf("| %s | %s | %s | %s | %s |\n", mark(e.Result, len(e.Accepted) > 0),
			page.Cell(e.Name, 120), page.Cell(e.Expect.String(), 60), page.Cell(e.Found, 60),
			page.Cell(e.Claim, claimLimit))
		if b.Len()+len(row) > page.SummaryLimit {
			left++
			continue
		}
		b.WriteString(row)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%d more entries are in gate.json and junit.xml.\n", left)
	}
	footer(&b, r)
	_, err := io.WriteString(w, b.String())
	return err
}

// finding writes one unexpected entry.
func finding(b *strings.Builder, e gate.EntryResult) {
	if b.Len() > page.SummaryLimit/2 { // the table comes after it
		return
	}
	fmt.Fprintf(b, "### %s %s\n\nExpected %s, found %s.\n\n", outcomeMarks[e.Result],
		page.Code(e.Name, 120), page.Code(e.Expect.String(), 60), page.Code(e.Found, 60))
	text := e.Claim
	if s := e.Shown; s != nil && s.Explanation != "" {
		text += "\n" + s.Explanation
		if s.ToDo != "" {
			text += "\nTo do: " + s.ToDo
		}
	}
	fmt.Fprintf(b, "```text\n%s\n```\n\n", page.Fenced(text))
	s := e.Shown
	if s == nil {
		return
	}
	for _, x := range [][2]string{{"report", s.Report}, {"run", s.Dir},
		{"counterexample", s.Counterexample}, {"again", s.Reproduce},
		{"with the lock as it was, in a checkout of the commit that wrote the file", s.Then}} {
		if x[1] != "" {
			fmt.Fprintf(b, "- %s: %s\n", x[0], page.Code(x[1], 400))
		}
	}
	b.WriteString("\n")
}

func footer(b *strings.Builder, r *gate.Result) {
	var on []string
	for _, environment := range slices.Sorted(maps.Keys(r.Versions)) {
		s := environment
		if v := r.Versions[environment]["redis"]; v != "" {
			s += " (Redis " + v + ")"
		}
		on = append(on, s)
	}
	fmt.Fprintf(b, "\n%s, seed %d, in %s; %s; lockbench %s.", page.Code(r.Gate.File, 120), r.Gate.Seed,
		units.Span(r.Took), page.Code(strings.Join(on, ", "), 200), page.Code(r.Version, 60))
	if s := r.Shard.String(); s != "" {
		fmt.Fprintf(b, " Shard %s: `%s` joins it with the others.", s, advice.Verb("merge"))
	}
	b.WriteString(" The page is [gate.html](gate.html).")
	b.WriteString(" *Passed* says that what was tried came out as expected; it is no proof.\n")
}

// mostAnnotations is the number of annotations that GitHub shows for one step.
const mostAnnotations = 10

// WriteAnnotations writes unexpected results as workflow commands. GitHub shows them at the lines
// of the gate file.
func WriteAnnotations(w io.Writer, r *gate.Result) error {
	lines := map[string]int{}
	for _, e := range r.Gate.Entries {
		lines[e.Name] = e.Line
	}
	left := mostAnnotations
	for _, e := range r.InOrder() {
		if e.Result == gate.Passed || left == 0 {
			continue
		}
		left--
		kind := "error"
		if e.Result == gate.Allowed {
			kind = "warning"
		}
		_, err := fmt.Fprintf(w, "::%s file=%s,line=%d,title=%s::%s\n", kind, property(r.Gate.File),
			max(lines[e.Name], 1), property(e.Name), data(e.Claim))
		if err != nil {
			return err
		}
	}
	return nil
}

// data escapes the message of a workflow command, so that it neither ends the line nor starts a
// command.
func data(s string) string { return strings.ReplaceAll(batch.Plain(s), "%", "%25") }

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}
