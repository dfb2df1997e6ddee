package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/spf13/cobra"
)

// aimRun is the run of one aim of a fault.
type aimRun struct {
	Nemesis string `json:"nemesis"`
	judgedRun

	plan harness.Plan
	aim  matrix.Aim
}

// aimRuns is what run --json prints of all aims of a fault.
type aimRuns struct {
	Exit int      `json:"exit"`
	Runs []aimRun `json:"runs"`
}

// runAll runs every aim of a fault, one after the other, as a cell of the matrix does. Each run has
// a directory of its own, and all share one summary. The exit code is the worst.
func (f *runFlags) runAll(c *cobra.Command, fault string) error {
	if err := f.read(c.Flags()); err != nil {
		return err
	}
	runs, err := f.planAll(c, fault)
	if err != nil {
		return err
	}
	for i := range runs {
		if err := f.carryOut(c, &runs[i]); err != nil {
			return err
		}
	}
	if err := f.tellAll(c.OutOrStdout(), fault, runs); err != nil {
		return broken(err)
	}
	return result(worst(runs))
}

// planAll makes the plans. It leaves out an aim that is not possible here, and names it.
func (f *runFlags) planAll(c *cobra.Command, fault string) (runs []aimRun, err error) {
	if err := f.simulated(c.Context()); err != nil {
		return nil, err
	}
	aims, err := matrix.AimsOf(f.RunOptions, fault)
	if err != nil {
		return nil, err
	}
	var last error
	for i, a := range aims {
		o := a.Apply(f.RunOptions)
		o.Thorough = true // judge every property, as in the matrix
		p, note, err := runner.Prepare(c.Context(), o)
		switch {
		case errors.As(err, new(nemesis.ImpossibleError)), errors.As(err, new(harness.MomentError)):
			last = err
			fmt.Fprintf(c.ErrOrStderr(), "lockbench: %s is left out: %v\n", a.Nemesis, err)
			continue
		case err != nil:
			return nil, err
		case note != "" && i == 0:
			fmt.Fprintln(c.ErrOrStderr(), "lockbench:", note)
		}
		runs = append(runs, aimRun{Nemesis: p.Nemesis, plan: p, aim: a})
	}
	if len(runs) == 0 {
		return nil, last
	}
	return runs, nil
}

// carryOut carries out one of the runs, and writes its report.
func (f *runFlags) carryOut(c *cobra.Command, a *aimRun) error {
	line := commandLine(c.Flags(), a.plan) + " --thorough=true"
	if a.aim.Clients > 0 && !c.Flags().Changed("clients") {
		line += fmt.Sprint(" --clients ", a.aim.Clients)
	}
	r, dir, err := f.perform(c, a.plan, line)
	switch {
	case errors.Is(err, context.Canceled):
		return interrupted("the recorded files are in " + dir)
	case r == nil:
		return err
	case err != nil:
		fmt.Fprintf(c.ErrOrStderr(), "lockbench: %s: the run broke: %s\n", a.Nemesis, brief(err.Error()))
	}
	v, report, err := saveReport(c, r)
	if err != nil {
		return broken(err)
	}
	a.judgedRun = judge(c, v, report)
	return nil
}

func (f *runFlags) tellAll(w io.Writer, fault string, runs []aimRun) error {
	if f.asJSON {
		return history.WriteDocument(w, aimRuns{worst(runs), runs})
	}
	var found []string
	unknown := 0
	for _, a := range runs {
		unknown += batch.Truth(a.Verdict.Verdict == checker.Unknown)
		letters := a.Verdict.Violated(false)
		found = history.Distinct(append(found, letters...))
		if f.quiet {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-24s %-9s %s\n%24s %s\n", a.Nemesis,
			strings.Join(append([]string{a.Verdict.Verdict.String()}, letters...), " "),
			a.Verdict.Summary, "", a.Report); err != nil {
			return err
		}
	}
	said := "no violation found"
	switch {
	case len(found) > 0:
		said = "violated: " + units.List(found)
	case slices.ContainsFunc(runs, func(a aimRun) bool { return len(a.Verdict.Violated(true)) > 0 }):
		said = "no violation that decides"
	}
	if unknown > 0 {
		said += fmt.Sprintf("; %d of them unknown", unknown)
	}
	_, err := fmt.Fprintf(w, "ran %s of %s, all that there are for this lock: %s\n",
		units.Count(len(runs), "aim"), fault, said)
	return err
}

func worst(runs []aimRun) int {
	code := checker.ExitExpected
	for _, a := range runs {
		code = worse(code, a.Verdict.Exit)
	}
	return code
}

// worse returns the worse of two exit codes: broken, then not as expected, then unknown.
func worse(a, b int) int {
	order := []int{checker.ExitExpected, checker.ExitUnknown, checker.ExitUnexpected,
		checker.ExitBroken}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}
