package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/tour"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/spf13/cobra"
)

// tourFlags are the flags of tour.
type tourFlags struct {
	language, env, store string
	from                 int
	list                 bool
}

func tourCommand() *cobra.Command {
	var f tourFlags
	c := &cobra.Command{
		Use:   "tour",
		Short: "Go through the tutorial step by step",
		Long: `tour runs the commands of docs/tutorial.md one after the other, each with what the
document says and what to look at. On a terminal it waits for Enter between two steps. The tour
goes on after a command that does not end as it must, names it at the end, and ends with its exit
code.`,
		Example: `  lockbench tour
  lockbench tour --lang zh
  lockbench tour --list
  lockbench tour --from 9 --env sim`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	s := c.Flags()
	s.StringVar(&f.language, "lang", "en", "language of the tutorial: en, zh")
	s.StringVar(&f.env, "env", "", "environment of the runs (default as of run)")
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs")
	s.IntVar(&f.from, "from", 1, "step to begin with")
	s.BoolVar(&f.list, "list", false, "only name the steps")
	return c
}

func (f *tourFlags) run(c *cobra.Command) error {
	if err := runner.CheckEnvironment(f.env); err != nil {
		return err
	}
	steps := tour.Steps()
	f.language, _, _ = strings.Cut(strings.ReplaceAll(f.language, "-", "_"), "_") // zh of zh_CN
	if !slices.Contains(tour.Languages(), f.language) {
		return fmt.Errorf("--lang is %q; the tutorial is there in %s", f.language,
			units.List(tour.Languages()))
	}
	if f.from < 1 || f.from > len(steps) {
		return fmt.Errorf("--from is %d; the steps are 1 to %d", f.from, len(steps))
	}
	w, in := c.OutOrStdout(), bufio.NewReader(c.InOrStdin())
	if note := tour.Note(f.language); note != "" && !f.list {
		fmt.Fprintln(w, note)
	}
	var missed []miss
	for i := f.from - 1; i < len(steps); i++ {
		s := steps[i]
		t := s.In(f.language)
		if f.list {
			fmt.Fprintf(w, "%2d  %-18s %s\n", i+1, s.Name, t.Title)
			continue
		}
		fmt.Fprintf(w, "\n== %s\n\n", tour.Heading(f.language, i+1))
		for _, words := range []string{s.Quote, t.Told} {
			if words != "" {
				fmt.Fprintln(w, strings.TrimSpace(words))
			}
		}
		code, err := f.step(c.Context(), w, c.ErrOrStderr(), s)
		if err != nil || c.Context().Err() != nil {
			return cmp.Or(err, error(exit{code: exitInterrupted, err: c.Context().Err()}))
		}
		if code != s.Exit {
			missed = append(missed, miss{i + 1, code, s.Exit})
			fmt.Fprintf(w, "\n%s.\n", units.Upper(missed[len(missed)-1].String()))
		} else if s.Name == "" || f.language != "en" { // the run of a story prints it itself
			folded := progress.NewTable(w)
			fmt.Fprintln(folded, "\n"+strings.TrimSpace(t.See))
			if err := folded.Flush(); err != nil {
				return err
			}
		}
		if progress.Terminal(w) && i+1 < len(steps) {
			fmt.Fprint(w, "\n[Enter] ")
			if _, err := in.ReadString('\n'); err != nil {
				return f.result(missed)
			}
		}
	}
	return f.result(missed)
}

// A miss is a step that ended with another exit code than it must.
type miss struct{ step, code, want int }

// String says it in words.
func (m miss) String() string {
	return fmt.Sprintf("step %d ended with exit code %d, and not %d", m.step, m.code, m.want)
}

// result returns an error that names the missed steps, with the exit code of the first one.
func (f *tourFlags) result(missed []miss) error {
	if len(missed) == 0 {
		return nil
	}
	var words []string
	for _, m := range missed {
		words = append(words, m.String())
	}
	first := missed[0]
	return exit{code: cmp.Or(first.code, checker.ExitUnexpected), err: fmt.Errorf("%s; `%s` does it "+
		"again, and goes on", strings.Join(words, "; "),
		advice.TourFrom.Fill(strconv.Itoa(first.step)).Line+f.given())}
}

// mostTries is how often a run is done that a busy machine keeps from being as the document says.
const mostTries = 3

// runExits are the exit codes of a run that was judged and is not as expected.
var runExits = []int{checker.ExitUnexpected, checker.ExitUnknown}

// given returns the flags with which the tour goes on as it began.
func (f *tourFlags) given() (flags string) {
	if f.language != "en" {
		flags += " --lang " + f.language
	}
	if f.env != "" {
		flags += " --env " + f.env
	}
	return flags
}

// step carries out one command as if the user had typed it, and returns its exit code. A run that
// is not as it must be is done again.
func (f *tourFlags) step(ctx context.Context, w, errs io.Writer, s tour.Step) (int, error) {
	args := s.Args()
	if slices.Contains(args, "--init") { // removes the file of an earlier tour
		file := filepath.FromSlash(args[len(args)-1])
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			return 0, err
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return 0, err
		}
	}
	if args[0] == "run" {
		if f.env != "" {
			args = append(args, "--env", f.env)
		}
		if f.env == "sim" && !slices.Contains(args, "--seed") { // each reader sees the same run
			args = append(args, "--seed", "1")
		}
		if f.store != "store" {
			args = append(args, "--store", f.store)
		}
	}
	fmt.Fprintf(w, "\n$ lockbench %s\n\n", strings.Join(args, " "))
	code := Main(ctx, args, w, errs)
	for try := 1; args[0] == "run" && code != s.Exit && slices.Contains(runExits, code) &&
		try < mostTries; try++ {
		fmt.Fprintln(w, "\nThis run is not as it must be. Once more:")
		code = Main(ctx, args, w, errs)
	}
	return code, nil
}
