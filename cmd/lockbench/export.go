package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/history/edn"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/reports"
	"github.com/lockbench/lockbench/reports/spans"
	"github.com/lockbench/lockbench/reports/view"
	"github.com/spf13/cobra"
)

func exportCommand() *cobra.Command {
	var format, jepsen string
	var o edn.Options
	key := -1
	c := &cobra.Command{
		Use:   "export DIR|FILE|-",
		Short: "Print a history in another format",
		Long: `export prints a history as Jepsen's EDN, one map per line, as Knossos and elle-cli read
it, or as lockbench's own JSON lines. Jepsen's checkers know one lock: use --key for a history of
several. perfetto is a trace that ui.perfetto.dev and Chrome open, otlp are spans of OpenTelemetry
in OTLP's JSON; both show clients, servers, faults and violations. With --jepsen it writes the run,
its verdict, report and plots into a store with Jepsen's layout, which Jepsen's web page can
list.`,
		Example: `  lockbench export store/latest > history.edn
  lockbench export --format jsonl history.edn > history.jsonl
  lockbench export --format perfetto store/latest > trace.json
  lockbench export --jepsen jepsen/store store/latest`,
		Args: exactly(1, "a history: the directory of a run, a file, or - for standard input"),
		RunE: func(c *cobra.Command, args []string) error {
			return interruptible(c, func() error {
				r, err := load(c.InOrStdin(), args[0], edn.Options{Independent: o.Independent})
				if err != nil {
					return err
				}
				if jepsen != "" {
					return exportJepsen(c, r, jepsen, o.Values)
				}
				if c.Flags().Changed("key") {
					o.Key = &key
				}
				return export(c.OutOrStdout(), r, format, o)
			})
		},
	}
	s := c.Flags()
	s.StringVar(&format, "format", "edn", "edn, jsonl, perfetto or otlp")
	s.IntVar(&key, "key", -1, "only the operations of this lock (default all)")
	s.BoolVar(&o.Values, "values", false,
		"write the details of a grant as {:client .. :fence .. :uid .. :key ..}")
	s.BoolVar(&o.Independent, "independent", false, "values of an EDN history are [key value]")
	s.StringVar(&jepsen, "jepsen", "",
		"instead, write the run with its results below this directory in Jepsen's layout")
	c.MarkFlagsMutuallyExclusive("jepsen", "format")
	c.MarkFlagsMutuallyExclusive("jepsen", "key")
	return c
}

func export(w io.Writer, r *store.Run, format string, o edn.Options) error {
	write := spans.WritePerfetto
	if o.Key != nil && format != "edn" {
		return fmt.Errorf("--key is for --format edn; %s shows all locks", format)
	}
	if n := r.History.Header.Keys; o.Key != nil && (*o.Key < 0 || n > 0 && *o.Key >= n) {
		return fmt.Errorf("--key %d: the run has the locks 0 to %d", *o.Key, max(n, 1)-1)
	}
	switch format {
	case "edn":
		return edn.Write(w, r.History, o)
	case "jsonl":
		return r.History.Write(w)
	case "perfetto":
	case "otlp":
		write = spans.WriteOTLP
	default:
		return fmt.Errorf("unknown --format %q; there are edn, jsonl, perfetto and otlp", format)
	}
	v, err := judged(r)
	if err != nil {
		return err
	}
	return write(w, v)
}

// judged returns the view of a run. It first judges a history without a verdict.
func judged(r *store.Run) (*view.View, error) {
	if r.Verdict == nil {
		r.Verdict = checker.Check(r.History, r.Trace, checker.Options{})
	}
	v, err := view.New(r)
	return v, broken(err)
}

func exportJepsen(c *cobra.Command, r *store.Run, root string, values bool) error {
	view.Redraw(r)
	v, err := judged(r)
	if err != nil {
		return err
	}
	h := r.History.Header
	name := cmp.Or(h.Impl, "imported") + "-" + cmp.Or(h.Nemesis, "none")
	dir, err := reports.WriteJepsen(root, v, name, r.Began(), values)
	if err != nil {
		return fmt.Errorf("cannot write to %s: %w", root, err)
	}
	fmt.Fprintln(c.OutOrStdout(), dir)
	return nil
}

func reportCommand() *cobra.Command {
	finding := false
	c := &cobra.Command{
		Use:   "report DIR",
		Short: "Write the report of a recorded run again",
		Example: `  lockbench report store/latest

  # the draft of what one would write to a library's maintainers
  lockbench report --finding store/latest > finding.md`,
		Args: exactly(1, "the directory of a run"),
		RunE: func(c *cobra.Command, args []string) error {
			return interruptible(c, func() error { return report(c, args[0], finding) })
		},
	}
	c.Flags().BoolVar(&finding, "finding", false,
		"instead, print its violations as a draft for the lock's maintainers, in Markdown")
	return c
}

// report writes the report of a run again and prints its place, or prints the draft of a finding.
func report(c *cobra.Command, dir string, finding bool) error {
	r, err := loadRun(dir)
	if r == nil {
		return err
	}
	if r.Verdict == nil {
		return fmt.Errorf("%s has not been judged; `%s` does it", dir, advice.Check.Fill(dir))
	}
	if finding {
		v, err := view.New(r)
		if err != nil {
			return broken(err)
		}
		return reports.WriteFinding(c.OutOrStdout(), v)
	}
	view.Redraw(r)
	path, err := writeReport(r)
	if err != nil {
		return broken(err)
	}
	fmt.Fprintln(c.OutOrStdout(), path)
	return nil
}

func writeReport(r *store.Run) (path string, err error) {
	v, err := view.New(r)
	if err != nil {
		return "", err
	}
	return reports.Save(v)
}
