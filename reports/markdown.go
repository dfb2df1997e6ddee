package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// WriteMarkdown writes the report of a run as Markdown that fits in an issue or a pull request: the
// answer, the judged properties, the evidence, each violation in words, and the command that
// repeats the run.
func WriteMarkdown(w io.Writer, v *view.View) error {
	b, h, a := bufio.NewWriter(w), v.History.Header, v.Answer()
	fmt.Fprintf(b, "# %s\n\n**%s** %s\n\n%s\n", page.Literal(v.Question()), page.Literal(a.Word),
		page.Literal(strings.TrimSpace(a.Sentence+" "+v.Unasked.String())), page.Literal(v.Subtitle()))
	if err := head(b, v); err != nil {
		return err
	}
	if v.Verdict != nil && v.Verdict.HarnessError != "" {
		fmt.Fprintf(b, "\n**The harness failed:** %s\n", page.Literal(page.Clean(v.Verdict.HarnessError,
			400)))
	}
	if rows := v.Properties(); len(rows) > 0 {
		fmt.Fprint(b, "\n| | property | verdict | |\n|---|---|---|---|\n")
		for _, p := range rows[:min(len(rows), maxRows)] {
			fmt.Fprintf(b, "| %s | %s | %s %s | %s |\n", page.Literal(p.Name), page.Literal(p.Meaning),
				p.Symbol,
				p.Verdict, page.Literal(strings.Trim(p.Class+" "+p.Text, " ")))
		}
	}
	fmt.Fprint(b, "\n| what was tried | |\n|---|---|\n")
	for _, e := range v.Evidence() {
		need := ""
		if e.Need != "" {
			need = " (needs " + e.Need + ")"
		}
		fmt.Fprintf(b, "| %s | %s%s |\n", page.Literal(e.What), page.Literal(e.Have), need)
	}
	ws := v.Violations
	for _, x := range ws[:min(len(ws), maxStories)] {
		fmt.Fprintf(b, "\n## %s\n", page.Literal(x.Title()))
		for _, told := range x.Told {
			fmt.Fprintf(b, "\n%s\n", page.Literal(page.Clean(told, 2000)))
		}
		if more := x.Further(); more != "" {
			fmt.Fprintf(b, "\n%s\n", page.Literal(more))
		}
	}
	for _, c := range v.Caveats() {
		fmt.Fprintf(b, "\n*%s*\n", page.Literal(c))
	}
	k, err := known(v)
	if err != nil {
		return err
	}
	if k != nil {
		k.markdown(b)
	}
	if h.Command != "" {
		fmt.Fprintf(b, "\n## Do it again\n\n```sh\n%s\n```\n", page.Fenced(page.Clean(h.Command, 2000)))
	}
	return b.Flush()
}

// head writes the cause of the worst violation and what to do about it.
func head(b io.Writer, v *view.View) error {
	if w := v.First(); w != nil && w.Cause() != "" {
		fmt.Fprintf(b, "\n**Cause:** %s\n", page.Literal(units.Upper(w.Cause())))
	}
	if s := view.Whose(v); s != "" {
		fmt.Fprintf(b, "\n**Whose is it?** %s\n", page.Literal(s))
	}
	r, err := remedy(v)
	if r == nil || err != nil {
		return err
	}
	fmt.Fprintf(b, "\n**What to do:** %s\n", page.Literal(strings.Join(append(
		[]string{r.Do + "."}, r.Why...), " ")))
	if len(r.Code) > 0 {
		fmt.Fprintf(b, "\n```\n%s\n```\n", page.Fenced(strings.Join(r.Code, "\n")))
	}
	if r.Command.Line != "" {
		fmt.Fprintf(b, "\n%s:\n\n```sh\n%s\n```\n", page.Literal(r.Shown),
			page.Fenced(r.Command.Line))
	}
	for _, s := range r.Rest {
		fmt.Fprintf(b, "\n%s\n", page.Literal(s))
	}
	return nil
}

// markdown writes how often the lock fails, what helped, and what to use instead.
func (k *knownSection) markdown(w io.Writer) {
	fmt.Fprintf(w, "\n## How likely, and what to do\n\n%s\n",
		page.Literal(strings.TrimSpace(k.Line+" "+strings.Join(k.Often, " ")+" "+k.Where+" "+k.Drawn)))
	if len(k.Helps) > 0 {
		fmt.Fprintf(w, "\n%s:\n\n| setting | under | without | with | effect |\n|---|---|---|---|---|\n",
			page.Literal(k.HelpsTitle))
	}
	for _, h := range k.Helps {
		name := h.Mitigation
		if h.On {
			name += " (this run has it)"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", page.Literal(name),
			page.Literal(h.Nemesis+": "+h.MitigationCell.Line), page.Literal(h.Without.String()),
			page.Literal(h.With.String()),
			page.Literal(strings.TrimSpace(h.Verdict+". "+h.Note)))
	}
	if len(k.Others) == 0 {
		fmt.Fprintf(w, "\n%s\n", page.Literal(k.None))
		return
	}
	fmt.Fprintf(w, "\n%s:\n\n", page.Literal(k.OthersTitle))
	for _, o := range k.Others {
		fmt.Fprintf(w, "- %s\n", page.Literal(strings.TrimSpace(o.Lock+" "+o.Library)))
	}
	fmt.Fprintf(w, "\n`%s` has all of them.\n", k.Choose())
}
