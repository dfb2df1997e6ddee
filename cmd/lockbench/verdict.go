package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/lockbench/lockbench/reports/terminal"
	"github.com/lockbench/lockbench/reports/view"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// printed is how a verdict is printed.
type printed struct{ quiet, asJSON, verbose bool }

// register adds the flags of a verdict's form.
func (o *printed) register(s *pflag.FlagSet) {
	s.BoolVarP(&o.quiet, "quiet", "q", false, "print only the verdict")
	s.BoolVar(&o.asJSON, "json", false, "print the verdict as JSON")
	s.BoolVar(&o.verbose, "verbose", false,
		"print also each property, what was tried, and every violation")
}

// reportVerdict writes the report of a judged run, directs the store's links to it, and prints the
// verdict. The verdict decides the exit code.
func reportVerdict(c *cobra.Command, r *store.Run, o printed) error {
	v, path, err := saveReport(c, r)
	if err != nil {
		return broken(err)
	}
	if o.asJSON {
		err = history.WriteDocument(c.OutOrStdout(), judge(c, v, path))
	} else {
		err = printVerdict(c, v, path, o)
	}
	if err != nil {
		return broken(err)
	}
	return result(r.Verdict.Exit)
}

// judgedRun is what run --json prints of a run.
type judgedRun struct {
	Dir    string `json:"dir"`
	Report string `json:"report"`
	history.ClientSettings
	Answer  string           `json:"answer"`
	Cause   string           `json:"cause,omitempty"` // of the worst violation
	Whose   string           `json:"whose,omitempty"` // whether it is a defect of the lock
	ToDo    *hint.Remedy     `json:"to_do,omitempty"`
	Verdict *checker.Verdict `json:"verdict"`
}

// judge returns a verdict with what a summary says of it. Report is the path of the run's report,
// or "".
func judge(c *cobra.Command, v *view.View, report string) judgedRun {
	run := judgedRun{Dir: v.Dir, Report: report, ClientSettings: v.History.Header.ClientSettings,
		Answer: v.Answer().String(), Whose: view.Whose(v), Verdict: v.Verdict}
	if w := v.First(); w != nil && v.Verdict.Verdict == checker.Violated {
		run.Cause = units.Upper(w.Cause())
	}
	var err error
	if run.ToDo, err = reports.Remedy(v); err != nil {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: no advice:", err)
	}
	return run
}

// saveReport writes the report of a run and directs the store's links to it. If the report cannot
// be written, it says so, and the path is "".
func saveReport(c *cobra.Command, r *store.Run) (v *view.View, path string, err error) {
	if v, err = view.New(r); err != nil {
		return nil, "", err
	}
	if path, err = reports.Save(v); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: no report:", first)
		path = ""
	}
	pointTo(c, r.Dir)
	return v, path, nil
}

// pointTo directs the store's links to the directory of a run, or of many.
func pointTo(c *cobra.Command, dir string) {
	if err := store.Point(filepath.Dir(filepath.Dir(dir)), dir); err != nil {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: no link to the newest run:", err)
	}
}

// printVerdict prints the verdict in words. Report is the path of the run's report, or "".
func printVerdict(c *cobra.Command, v *view.View, report string, o printed) error {
	w := c.OutOrStdout()
	if o.quiet {
		_, err := fmt.Fprintln(w, v.Verdict.Summary)
		return err
	}
	x := terminal.Extra{Verbose: o.verbose, Report: report}
	if err := advise(v, &x); err != nil {
		fmt.Fprintln(c.ErrOrStderr(), "lockbench: no advice:", err)
	}
	return terminal.Summary(w, v, look(w), x)
}

// advise adds what to do after a run. A history without a plan gets no advice.
func advise(v *view.View, x *terminal.Extra) (err error) {
	p, broken := harness.ReadPlan(bytes.NewReader(v.Plan))
	if broken != nil || v.Verdict == nil {
		return nil
	}
	if x.Remedy, err = hint.RemedyFor(v.Verdict, p); err != nil {
		return err
	}
	if x.Orphan, err = hint.OrphanRemedy(v.Verdict, p); err != nil {
		return err
	}
	where := p.Environment
	if where == runner.Process {
		where = ""
	}
	x.Hints, err = hint.For(v.Verdict, p, where, v.History.Header.Command)
	return err
}

// look returns the style of words on a writer.
func look(w io.Writer) terminal.Look {
	return terminal.Look{Color: progress.Terminal(w), Width: progress.Width(w)}
}
