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
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// WriteFinding drafts a report to a lock's maintainers in the form of docs/findings.md: how to
// reproduce the violation, the expected and the observed behaviour, step by step. The author fills
// in the quotes from the documentation, the origin and how often it was seen. It returns an error
// if the run has no defect of the lock to report.
func WriteFinding(w io.Writer, v *view.View) error {
	if len(v.Violations) == 0 {
		return fmt.Errorf("this run violates nothing that could be reported: %s", v.Answer().Sentence)
	}
	found := view.Defects(v)
	if len(found) == 0 {
		return errors.New(strings.TrimSpace("this run shows nothing that a lock can prevent, so " +
			"there is nothing to report. " + view.Whose(v)))
	}
	b, h := bufio.NewWriter(w), v.History.Header
	name := page.Clean(strings.TrimSpace(h.Impl+" "+h.Versions[h.Impl]), 80)
	first := found[0]
	fmt.Fprintf(b, "## %s: %s\n\n", page.Literal(name), page.Literal(first.Title()))
	fmt.Fprintf(b, "```\n%s\n```\n\n%s.\n\n", page.Fenced(page.Clean(h.Command, 2000)),
		page.Literal(v.Subtitle()))
	fmt.Fprint(b, "- **Expected.** TODO: what the documentation of this release promises, with its "+
		"place.\n")
	if first.CameLate() {
		fmt.Fprint(b, "  If it promises nothing of a grant that comes late, there is nothing to "+
			"report.\n")
	}
	for _, p := range v.Properties() {
		if slices.ContainsFunc(found, func(x *view.Violation) bool { return x.Concerns(p.Name) }) {
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

// writeSteps writes the commands of a violation and the faults around them, in their order.
func writeSteps(b *bufio.Writer, v *view.View, x *view.Violation) {
	if len(x.Commands) == 0 {
		return
	}
	h := v.History.Header
	fmt.Fprint(b, "| time | client | server | command | reply | effect |\n|---|---|---|---|---|---|\n")
	for _, c := range withFaults(v, x.Commands) {
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

// withFaults adds to the commands of a violation the faults that were not over before them, such
// as the cut of a link, which a witness need not name.
func withFaults(v *view.View, commands []checker.WitnessCommand) []checker.WitnessCommand {
	all, first, last := slices.Clone(commands), commands[0].Sent, commands[len(commands)-1].Sent
	for _, f := range v.Faults {
		named := slices.ContainsFunc(commands, func(c checker.WitnessCommand) bool {
			return len(c.Args) == 0 && c.Effect == f.Words()
		})
		if !named && f.From <= last && (f.Lasting || f.To >= first) {
			row := checker.WitnessCommand{Effect: f.Words()}
			row.Sent = f.From
			all = append(all, row)
		}
	}
	slices.SortStableFunc(all, func(a, b checker.WitnessCommand) int {
		return cmp.Compare(a.Sent, b.Sent)
	})
	return all
}

// writeConfirmation writes the steps that turn the draft into a finding: the run with twenty seeds
// and its control, with the flags that it had.
func writeConfirmation(b *bufio.Writer, v *view.View) {
	h := v.History.Header
	if line, ok := strings.CutSuffix(h.Command, fmt.Sprintf(" --seed %d", h.Seed)); ok {
		fault := " --nemesis " + units.Quoted(h.Nemesis)
		commands := "for seed in $(seq 20); do " + line + " --seed $seed; done"
		if strings.Contains(line, fault) && h.Nemesis != "none" {
			control := " --nemesis " + controlOf(nemesis.Base(h.Nemesis))
			commands += "\n" + strings.Replace(line, fault, control, 1)
		}
		fmt.Fprintf(b, "To confirm it, on a machine with nothing else to do: twenty seeds, and the "+
			"control, if there is one, which must find nothing.\n\n```\n%s\n```\n", commands)
		return
	}
	writeMatrixOf(b, v)
}

// writeMatrixOf writes the steps for a run that no command line repeats.
func writeMatrixOf(b *bufio.Writer, v *view.View) {
	h := v.History.Header
	many, once, lock := advice.MatrixLock, advice.ControlLock, h.Impl
	if a := v.Adapter(); a != "" {
		many, once, lock = advice.MatrixLibrary, advice.ControlLibrary, a
	}
	fault := nemesis.Base(cmp.Or(h.Nemesis, "none"))
	what, commands := "twenty times without a fault", many.Fill(lock, fault).String()
	if fault != "none" {
		what = "the fault twenty times, and the control; the control must find nothing"
		commands += "\n" + once.Fill(lock, controlOf(fault)).String()
		if variant := v.Planned().Variant; variant != "" {
			commands += " --variant " + units.Quoted(variant)
		}
	}
	fmt.Fprintf(b, "To confirm it, on a machine with nothing else to do: %s.\n\n```\n%s\n```\n", what,
		commands)
}

// controlOf returns the control of a fault, or no fault if it has none.
func controlOf(fault string) string {
	entry, _, _ := nemesis.Find(fault)
	for _, x := range entry.Variants {
		if x.Control {
			return fault + ":" + x.Name
		}
	}
	return "none"
}
