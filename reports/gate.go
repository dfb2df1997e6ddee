package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/lockbench/lockbench/internal/campaign"
	"github.com/lockbench/lockbench/internal/units"
)

// GitHub takes 65,536 characters in a comment and 1 MiB in a job summary: the text stays below the
// smaller one.
const (
	summaryLimit = 60_000
	claimLimit   = 600
	wordsLimit   = 3_000
)

// The marks of the outcomes, for people who look for the red ones.
var outcomeMarks = map[campaign.GateOutcome]string{
	campaign.Passed: "✅ passed", campaign.Failed: "❌ **failed**",
	campaign.Undone:  "❔ **unknown**",
	campaign.Allowed: "❔ unknown (allowed)", campaign.Refused: "🚫 **not possible**",
	campaign.Crashed: "💥 **broke**",
}

// GateSummary writes a gate's result as Markdown for a pull request or a job summary: the answer,
// what is not as expected with its counterexample, and all entries in a table. All that comes from
// a history or a file stands in code, so that nothing in it becomes a link, a mention or markup.
func GateSummary(w io.Writer, r *campaign.GateResult) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s lock gate: %s\n\n", strings.Fields(outcomeMarks[r.Result])[0],
		strings.TrimSuffix(r.Sentence(), "."))
	for _, e := range r.Entries {
		if e.Result != campaign.Passed {
			finding(&b, e)
		}
	}
	b.WriteString("| result | entry | expected | found | what was tried |\n|---|---|---|---|---|\n")
	left := 0
	for _, e := range r.Entries {
		row := fmt.Sprintf("| %s | %s | %s | %s | %s |\n", outcomeMarks[e.Result], cell(e.Name, 120),
			cell(e.Expect.String(), 60), cell(e.Found, 60), cell(e.Claim, claimLimit))
		if b.Len()+len(row) > summaryLimit {
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

// finding tells one entry that is not as expected.
func finding(b *strings.Builder, e campaign.EntryResult) {
	if b.Len() > summaryLimit/2 { // the table comes after it
		return
	}
	fmt.Fprintf(b, "### %s %s\n\nExpected %s, found %s.\n\n", outcomeMarks[e.Result],
		code(e.Name, 120), code(e.Expect.String(), 60), code(e.Found, 60))
	text := e.Claim
	if s := e.Shown; s != nil && s.Words != "" {
		text += "\n" + s.Words
	}
	fmt.Fprintf(b, "```text\n%s\n```\n\n", fenced(text))
	s := e.Shown
	if s == nil {
		return
	}
	for _, x := range [][2]string{{"report", s.Report}, {"run", s.Dir},
		{"counterexample", s.Counterexample}, {"again", s.Reproduce}} {
		if x[1] != "" {
			fmt.Fprintf(b, "- %s: %s\n", x[0], code(x[1], 400))
		}
	}
	b.WriteString("\n")
}

func footer(b *strings.Builder, r *campaign.GateResult) {
	var on []string
	for _, environment := range sortedKeys(r.Versions) {
		s := environment
		if v := r.Versions[environment]["redis"]; v != "" {
			s += " (Redis " + v + ")"
		}
		on = append(on, s)
	}
	fmt.Fprintf(b, "\n%s, seed %d, in %s; %s; lockbench %s.", code(r.Gate.File, 120), r.Gate.Seed,
		units.Span(r.Took), code(strings.Join(on, ", "), 200), code(r.Version, 60))
	if s := r.Shard.String(); s != "" {
		fmt.Fprintf(b, " Shard %s: `lockbench merge` joins it with the others.", s)
	}
	b.WriteString(" *Passed* says that what was tried came out as expected; it is no proof.\n")
}

// cell is code in a table, whose columns end at a bar even there.
func cell(s string, limit int) string { return strings.ReplaceAll(code(s, limit), "|", `\|`) }

// code writes foreign text as a code span: GitHub neither links nor mentions what stands in one.
func code(s string, limit int) string {
	s = strings.TrimSpace(clean(strings.Join(strings.Fields(s), " "), limit))
	if s == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	pad := ""
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		pad = " "
	}
	return fence + pad + s + pad + fence
}

// fenced makes foreign text fit for a fenced block: lines of it cannot end the block.
func fenced(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		line = clean(strings.TrimRight(line, "\r\n"), wordsLimit)
		lines = append(lines, strings.ReplaceAll(line, "```", "` ` `"))
	}
	return strings.Join(lines, "\n")
}
