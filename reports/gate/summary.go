// Package gate writes the result of a gate: a page, a summary for a pull request, and a report for
// a pipeline.
package gate

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/reports/page"
)

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

//go:embed summary.md.tmpl
var summaryParts string

var summary = template.Must(template.New("summary").Funcs(template.FuncMap{
	"mark": mark, "code": page.Code, "cell": page.Cell, "fenced": page.Fenced, "verb": advice.Verb,
	"span": units.Span[history.Duration], "environments": environments,
	"sign": func(o gate.Outcome, accepts bool) string { return strings.Fields(mark(o, accepts))[0] },
	"trim": func(sentence string) string { return strings.TrimSuffix(sentence, ".") },
}).Parse(summaryParts))

// WriteSummary writes a gate's result as Markdown for a pull request or a job summary: the answer,
// each unexpected result with its counterexample, and a table of all entries. It writes text from a
// history or a file as code, so that none of it becomes a link, a mention or markup.
func WriteSummary(w io.Writer, r *gate.Result) error {
	var b bytes.Buffer
	write := func(part string, data any) { // into memory, which cannot fail
		_ = summary.ExecuteTemplate(&b, part, data)
	}
	write("head", r)
	for _, e := range r.InOrder() {
		if e.Result != gate.Passed && b.Len() <= page.SummaryLimit/2 { // the table comes after it
			write("finding", e)
		}
	}
	b.WriteString("| result | entry | expected | found | what was tried |\n|---|---|---|---|---|\n")
	left := 0
	for _, e := range r.InOrder() {
		before := b.Len()
		if write("row", e); b.Len() > page.SummaryLimit {
			b.Truncate(before)
			left++
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%d more entries are in gate.json and junit.xml.\n", left)
	}
	write("foot", r)
	_, err := w.Write(b.Bytes())
	return err
}

// environments names the environments of a gate, with the versions of Redis there.
func environments(r *gate.Result) string {
	var on []string
	for _, environment := range slices.Sorted(maps.Keys(r.Versions)) {
		s := environment
		if v := r.Versions[environment]["redis"]; v != "" {
			s += " (Redis " + v + ")"
		}
		on = append(on, s)
	}
	return strings.Join(on, ", ")
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
