package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the report of a run as Markdown that fits in an issue or a pull request: the
// answer, what was judged, what it rests on, each violation in words, and the command that does it
// again.
func WriteMarkdown(w io.Writer, r Run) error {
	if r.History == nil {
		return errNoHistory
	}
	b, h, f, a := bufio.NewWriter(w), r.History.Header, factsOf(r), answerOf(r)
	fmt.Fprintf(b, "# %s\n\n**%s** %s\n\n%s\n", literal(question(h)), literal(a.Word),
		literal(a.Sentence), literal(subtitle(h, f)))
	if v := r.Verdict; v != nil && v.HarnessError != "" {
		fmt.Fprintf(b, "\n**The harness broke:** %s\n", literal(clean(v.HarnessError, 400)))
	}
	if rows := propertyRows(r); len(rows) > 0 {
		fmt.Fprint(b, "\n| | property | verdict | |\n|---|---|---|---|\n")
		for _, p := range rows[:min(len(rows), maxRows)] {
			fmt.Fprintf(b, "| %s | %s | %s %s | %s |\n", literal(p.Name), literal(p.Meaning), p.Symbol,
				p.Verdict, literal(strings.Trim(p.Class+" "+p.Words, " ")))
		}
	}
	fmt.Fprint(b, "\n| what was tried | |\n|---|---|\n")
	for _, e := range evidenceRows(r, f) {
		need := ""
		if e.Need != "" {
			need = " (needs " + e.Need + ")"
		}
		fmt.Fprintf(b, "| %s | %s%s |\n", literal(e.What), literal(e.Have), need)
	}
	ws := witnessesIn(r)
	for _, x := range ws[:min(len(ws), maxStories)] {
		fmt.Fprintf(b, "\n## %s\n", literal(x.title()))
		for _, words := range x.words {
			fmt.Fprintf(b, "\n%s\n", literal(clean(words, 2000)))
		}
	}
	for _, c := range caveats(h, f) {
		fmt.Fprintf(b, "\n*%s*\n", literal(c))
	}
	if h.Command != "" {
		fmt.Fprintf(b, "\n## Do it again\n\n```sh\n%s\n```\n", fenced(clean(h.Command, 2000)))
	}
	return b.Flush()
}

// literal keeps what a text says from being taken for Markdown or HTML.
func literal(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<",
		"&lt;", ">", "&gt;", "[", "\\[", "]", "\\]", "#", "\\#", "&", "&amp;").Replace(s)
}
