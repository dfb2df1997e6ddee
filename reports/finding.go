package reports

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
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
	h, first := v.History.Header, found[0]
	var told []string
	for _, x := range found[:min(len(found), maxStories)] {
		told = append(told, x.Told...)
	}
	what, commands := confirmation(v)
	return writeMarkdown(w, "finding.md.tmpl", struct {
		*view.View
		Header         history.Header
		Name           string
		First          *view.Violation
		Properties     []view.PropertyRow
		Told           []string
		Steps          []checker.WitnessCommand
		What, Commands string
	}{v, h, page.Clean(strings.TrimSpace(h.Impl+" "+h.Versions[h.Impl]), 80), first,
		slices.DeleteFunc(v.Properties(), func(p view.PropertyRow) bool {
			return !slices.ContainsFunc(found, func(x *view.Violation) bool { return x.Concerns(p.Name) })
		}), told, withFaults(v, first.Commands), what, commands})
}

// withFaults adds to the commands of a violation, if it has some, the faults that were not over
// before them, such as the cut of a link, which a witness need not name.
func withFaults(v *view.View, commands []checker.WitnessCommand) []checker.WitnessCommand {
	if len(commands) == 0 {
		return nil
	}
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

// confirmation says what turns the draft into a finding: the run with twenty seeds and its control,
// with the flags that it had.
func confirmation(v *view.View) (what, commands string) {
	h := v.History.Header
	line, ok := strings.CutSuffix(h.Command, fmt.Sprintf(" --seed %d", h.Seed))
	if !ok {
		return matrixOf(v)
	}
	fault := " --nemesis " + units.Quoted(h.Nemesis)
	commands = "for seed in $(seq 20); do " + line + " --seed $seed; done"
	if strings.Contains(line, fault) && h.Nemesis != "none" {
		control := " --nemesis " + controlOf(nemesis.Base(h.Nemesis))
		commands += "\n" + strings.Replace(line, fault, control, 1)
	}
	return "twenty seeds, and the control, if there is one, which must find nothing", commands
}

// matrixOf is confirmation for a run that no command line repeats.
func matrixOf(v *view.View) (what, commands string) {
	h := v.History.Header
	many, once, lock := advice.MatrixLock, advice.ControlLock, h.Impl
	if a := v.Adapter(); a != "" {
		many, once, lock = advice.MatrixLibrary, advice.ControlLibrary, a
	}
	fault := nemesis.Base(cmp.Or(h.Nemesis, "none"))
	commands = many.Fill(lock, fault).String()
	if fault == "none" {
		return "twenty times without a fault", commands
	}
	commands += "\n" + once.Fill(lock, controlOf(fault)).String()
	if variant := v.Planned().Variant; variant != "" {
		commands += " --variant " + units.Quoted(variant)
	}
	return "the fault twenty times, and the control; the control must find nothing", commands
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
