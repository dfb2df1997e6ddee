package reports

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
)

// WriteFinding drafts a report to a lock's maintainers in the form of docs/findings.md: how to
// reproduce the violation, the expected and the observed behaviour, step by step. The author fills
// in the quotes from the documentation, the origin and how often it was seen. It returns an error
// if the run has no defect to report.
func WriteFinding(w io.Writer, v *view.View) error {
	if len(v.Violations) == 0 {
		return fmt.Errorf("this run violates nothing that could be reported: %s", v.Answer().Sentence)
	}
	found := defects(v)
	if len(found) == 0 {
		return errors.New("this run shows only that a client worked beyond its lease. No lock " +
			"with a lease can prevent that, so there is nothing to report")
	}
	b, h := bufio.NewWriter(w), v.History.Header
	name := page.Clean(strings.TrimSpace(h.Impl+" "+h.Versions[h.Impl]), 80)
	first := found[0]
	fmt.Fprintf(b, "## %s: %s\n\n", page.Literal(name), page.Literal(first.Title()))
	fmt.Fprintf(b, "```\n%s\n```\n\n%s.\n\n", page.Fenced(page.Clean(h.Command, 2000)),
		page.Literal(v.Subtitle()))
	fmt.Fprint(b, "- **Expected.** TODO: what the documentation of this release promises, with its "+
		"place.\n")
	for _, p := range v.Properties() {
		if p.State == "violated" && !p.Reported {
			fmt.Fprintf(b, "  %s: %s.\n", page.Literal(p.Name), page.Literal(p.Meaning))
		}
	}
	fmt.Fprint(b, "- **Seen.**")
	for i, x := range found[:min(len(found), maxStories)] {
		for j, told := range x.Told {
			if i+j > 0 {
				fmt.Fprint(b, "\n ")
			}
			fmt.Fprintf(b, " %s", page.Literal(page.Clean(told, 2000)))
		}
	}
	fmt.Fprint(b, "\n- **Where.** TODO: file and line of this release, and why it does that.\n"+
		"- **How often.** TODO: n of N, by the two commands below; once is luck.\n\n")
	writeSteps(b, v, first)
	writeConfirmation(b, v)
	return b.Flush()
}

// defects returns the violations that a lock is responsible for. It leaves out properties that are
// only reported, and an S that is only an overrun.
func defects(v *view.View) []*view.Violation {
	decide := v.Verdict.Violated(false)
	return slices.DeleteFunc(slices.Clone(v.Violations), func(x *view.Violation) bool {
		decides := slices.ContainsFunc(x.Properties, func(l string) bool {
			return slices.Contains(decide, l)
		})
		return !decides || checker.FindClass(x.Class).Overrun && slices.Equal(x.Properties,
			[]string{checker.MutualExclusion})
	})
}

// writeSteps writes the commands of a violation, in their order.
func writeSteps(b *bufio.Writer, v *view.View, x *view.Violation) {
	if len(x.Commands) == 0 {
		return
	}
	h := v.History.Header
	fmt.Fprint(b, "| time | client | server | command | reply | effect |\n|---|---|---|---|---|---|\n")
	for _, c := range x.Commands {
		who, command, reply := "", "", ""
		if len(c.Args) > 0 {
			who = fmt.Sprint(c.Process)
			command = page.Cell(strings.Join(h.Readable(c.Args), " "), 200)
			reply = page.Cell(view.ReplyOf(h.WithTimes(c.Command), 80), 80)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", units.Stamp(c.Sent), who,
			page.Literal(c.Node),
			command, reply, page.Literal(page.Clean(c.Effect, 200)))
	}
	fmt.Fprintln(b)
}

// writeConfirmation writes the steps that turn the draft into a finding.
func writeConfirmation(b *bufio.Writer, v *view.View) {
	h := v.History.Header
	form, lock := advice.MatrixLock, h.Impl
	if a := v.Adapter(); a != "" {
		form, lock = advice.MatrixLibrary, a
	}
	fault, _, _ := strings.Cut(cmp.Or(h.Nemesis, "none"), ":")
	fmt.Fprintf(b, "To confirm it, on a machine with nothing else to do: the fault twenty times, and "+
		"the control without it.\n\n```\n%s\n%s\n```\n", form.Fill(lock, fault), form.Fill(lock, "none"))
}
