package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/lockbench/lockbench/reports/page"
)

// WriteMarkdown writes the report of a run as Markdown that fits in an issue or a pull request: the
// answer, what was judged, what it rests on, each violation in words, and the command that does it
// again.
func WriteMarkdown(w io.Writer, r *View) error {
	b, h, a := bufio.NewWriter(w), r.History.Header, answerOf(r)
	fmt.Fprintf(b, "# %s\n\n**%s** %s\n\n%s\n", page.Literal(question(h)), page.Literal(a.Word),
		page.Literal(a.Sentence), page.Literal(subtitle(r)))
	if v := r.Verdict; v != nil && v.HarnessError != "" {
		fmt.Fprintf(b, "\n**The harness broke:** %s\n", page.Literal(page.Clean(v.HarnessError, 400)))
	}
	if rows := propertyRows(r); len(rows) > 0 {
		fmt.Fprint(b, "\n| | property | verdict | |\n|---|---|---|---|\n")
		for _, p := range rows[:min(len(rows), maxRows)] {
			fmt.Fprintf(b, "| %s | %s | %s %s | %s |\n", page.Literal(p.Name), page.Literal(p.Meaning), p.Symbol,
				p.Verdict, page.Literal(strings.Trim(p.Class+" "+p.Words, " ")))
		}
	}
	fmt.Fprint(b, "\n| what was tried | |\n|---|---|\n")
	for _, e := range evidenceRows(r) {
		need := ""
		if e.Need != "" {
			need = " (needs " + e.Need + ")"
		}
		fmt.Fprintf(b, "| %s | %s%s |\n", page.Literal(e.What), page.Literal(e.Have), need)
	}
	ws := r.violations
	for _, x := range ws[:min(len(ws), maxStories)] {
		fmt.Fprintf(b, "\n## %s\n", page.Literal(x.title()))
		for _, words := range x.words {
			fmt.Fprintf(b, "\n%s\n", page.Literal(page.Clean(words, 2000)))
		}
	}
	for _, c := range caveats(r) {
		fmt.Fprintf(b, "\n*%s*\n", page.Literal(c))
	}
	if h.Command != "" {
		fmt.Fprintf(b, "\n## Do it again\n\n```sh\n%s\n```\n", page.Fenced(page.Clean(h.Command, 2000)))
	}
	return b.Flush()
}
