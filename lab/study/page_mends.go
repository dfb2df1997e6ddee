package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/hint"
)

// mends lists what the verb run advises against the violations of a library, each with its faults.
func mends(m *matrix.Matrix, adapter string) (lines []string) {
	under := map[string][]string{}
	for _, c := range m.Cells {
		i := slices.IndexFunc(m.Rows, func(r matrix.Row) bool { return r.Name == c.Row })
		if i < 0 || m.Rows[i].Adapter != adapter {
			continue
		}
		for _, run := range c.Runs {
			line := mend(m.Rows[i], c.Column, run)
			if line != "" && under[line] == nil {
				lines = append(lines, line)
			}
			if !slices.Contains(under[line], c.Column) {
				under[line] = append(under[line], c.Column)
			}
		}
	}
	for i, line := range lines {
		lines[i] = strings.Replace(line, faults, strings.Join(under[line], ", "), 1)
	}
	return lines
}

// faults is the place of the faults in a line of advice.
const faults = "FAULTS"

// mend returns the advice on the worst violation of a run that decides it, or "" if there is none.
func mend(row matrix.Row, column string, run matrix.Result) string {
	v := decided(run)
	worst, found := v.Worst()
	o := row.Options(run.Nemesis)
	o.Impl, o.Adapter, o.For = "", row.Adapter, time.Hour // enough for any lease
	p, err := harness.NewPlan(o)
	if !found || run.Control || err != nil {
		return ""
	}
	r, err := hint.RemedyFor(v, p)
	if err != nil || r.Do == "" {
		return ""
	}
	return fmt.Sprintf("%s (%s): %s.", cmp.Or(worst.Class, worst.Property), faults,
		spelled(r, column))
}

// spelled returns a remedy in few words: a link to a repair, or the locks to use instead.
func spelled(r hint.Remedy, column string) string {
	switch {
	case r.Use == hint.OtherLock && strings.HasSuffix(r.Command.Line, "--fault "+column):
		return "another lock"
	case r.Use == hint.OtherLock:
		return "another lock, `" + r.Command.Line + "`"
	case r.Use == hint.SameLibrary || r.Repair == "":
		return r.Do
	}
	link := fmt.Sprintf("[%s](../../../docs/locks/repairs.md#%s)", r.Repair,
		strings.ReplaceAll(r.Repair, " ", "-"))
	return strings.TrimSuffix(strings.Join(append([]string{link + "."}, r.Why...), " "), ".")
}

// decided returns a verdict with the violations of a recorded run that decide it.
func decided(run matrix.Result) *checker.Verdict {
	v := &checker.Verdict{}
	for _, letter := range history.Properties() {
		if run.Properties[letter] != checker.Violated ||
			slices.Contains(history.ReportedProperties(), letter) {
			continue
		}
		p := checker.Property{Property: letter, Class: run.Classes[letter], Verdict: checker.Violated}
		p.UsePresentNames()
		if p.Class == checker.LateMessage { // the record has no witness, and S says that it came late
			p.Witness = &checker.Witness{Commands: make([]checker.WitnessCommand, 1)}
		}
		v.Properties = append(v.Properties, p)
	}
	return v
}
