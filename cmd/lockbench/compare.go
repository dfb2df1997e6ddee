package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	comparepage "github.com/lockbench/lockbench/reports/compare"
	gatepage "github.com/lockbench/lockbench/reports/gate"
	matrixpage "github.com/lockbench/lockbench/reports/matrix"
	"github.com/lockbench/lockbench/reports/view"

	"github.com/spf13/cobra"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/campaign/compare"
	"github.com/lockbench/lockbench/internal/run/store"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	asJSON       bool
	html         string
	markdown     string
	failOnChange bool
}

func compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Put two runs, two matrices or two gates side by side",
		Long: `compare shows what is different between two directories: verdicts, classes, latency of
acquire, throughput, commands for each grant, time to recover. It says first how far the two can be
compared: another environment or machine, other versions, other settings.

A letter changed only if chance alone would make such a difference in fewer than one of 10,000
comparisons: eight runs of each side can show that (--repeat 8), one run never does. A cost is
called better or worse only if that is more than noise: matrices with --repeat 5 or more show it.`,
		Example: `  # a branch against main
  lockbench compare main/latest branch/latest

  # in CI: fail if a letter changed, and say so in the pull request
  lockbench compare main branch --fail-on-change --markdown comparison.md`,
		Args: exactly(2, "two directories of runs, matrices or gates"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0], args[1]) },
	}
	s := c.Flags()
	s.BoolVar(&f.asJSON, "json", false, "print the comparison as JSON")
	s.StringVar(&f.html, "html", "", "also write a page to this file")
	s.StringVar(&f.markdown, "markdown", "",
		"also write Markdown to this file, fit for a pull request")
	s.BoolVar(&f.failOnChange, "fail-on-change", false,
		"exit code 1 if a letter changed for certain, 2 if one cannot be told any more")
	return c
}

func (f *compareFlags) run(c *cobra.Command, a, b string) error {
	sideA, err := f.load(c, a)
	if err != nil {
		return err
	}
	sideB, err := f.load(c, b)
	if err != nil {
		return err
	}
	cmp, err := compare.Compare(sideA, sideB)
	if err != nil {
		return err
	}
	if err := f.write(cmp, a, b); err != nil {
		return err
	}
	if f.asJSON {
		err = cmp.Write(c.OutOrStdout())
	} else {
		err = cmp.Text(c.OutOrStdout())
	}
	if err != nil {
		return broken(err)
	}
	if code := cmp.Exit(); f.failOnChange && code != 0 {
		return exit{code: code}
	}
	return nil
}

// load reads one side, and shows a bar for a large one.
func (f *compareFlags) load(c *cobra.Command, dir string) (*compare.Side, error) {
	bar := progress.StartBar(c.ErrOrStderr())
	defer bar.Stop()
	s, err := compare.Load(c.Context(), dir, func(done, all int) {
		bar.Step(done, all, "reading "+dir)
	})
	if c.Context().Err() != nil {
		return nil, exit{exitInterrupted, errors.New("interrupted")}
	}
	return s, err
}

// write writes the requested files of a comparison of two directories.
func (f *compareFlags) write(cmp *compare.Comparison, a, b string) error {
	html := func(w io.Writer, c *compare.Comparison) error {
		return comparepage.WriteHTML(w, c, leading(f.html, a), leading(f.html, b))
	}
	for _, x := range []struct {
		name  string
		write func(io.Writer, *compare.Comparison) error
	}{{f.html, html}, {f.markdown, comparepage.WriteMarkdown}} {
		if x.name == "" {
			continue
		}
		err := store.Write(filepath.Dir(x.name), filepath.Base(x.name), func(w *os.File) error {
			return x.write(w, cmp)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	return nil
}

// leading returns the relative link from a page to the page of a run, a matrix or a gate in dir. It
// returns "" if dir has no page.
func leading(from, dir string) string {
	here, err := filepath.Abs(filepath.Dir(from))
	if err != nil {
		return ""
	}
	for _, name := range []string{store.Report, matrixpage.PageFile, gatepage.PageFile} {
		there, err := filepath.Abs(filepath.Join(dir, name))
		if err != nil {
			return ""
		}
		if _, err := os.Stat(there); err == nil {
			return view.From(here, there, "").Href
		}
	}
	return ""
}
