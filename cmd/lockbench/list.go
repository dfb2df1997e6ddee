package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
	"github.com/spf13/cobra"
)

func listCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the locks and the faults",
		Example: "  lockbench list impls\n  lockbench list nemeses --json",
		Args:    noCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(lister("impls", "the locks, and what each declares", writeImpls, implRows),
		lister("nemeses", "the faults, and what each does", writeNemeses, nemesisRows),
		lister("workloads", "what clients can do with a lock", writeWorkloads, func() any {
			return workloadRows()
		}))
	return c
}

// lister is a verb that prints a table, or with --json the same rows for a program.
func lister(name, short string, table func(io.Writer), rows func() any) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   name,
		Short: "List " + short,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !asJSON {
				table(c.OutOrStdout())
				return nil
			}
			return history.WriteDocument(c.OutOrStdout(), rows())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

type implRow struct {
	Name     string   `json:"name"`
	Line     string   `json:"line"`
	Document string   `json:"document"`
	Topology string   `json:"topology"`
	Declares []string `json:"declares"`
}

func implRows() any {
	var rows []implRow
	for _, e := range impls.All() {
		rows = append(rows, implRow{e.Name, e.Line, e.Document, string(e.Topology), declared(e)})
	}
	return rows
}

// declared lists what a lock promises.
func declared(e impls.Entry) []string {
	list := []string{}
	for _, d := range []struct {
		name string
		is   bool
	}{{"lease", e.Lease}, {"validity", e.Validity}, {"loss", e.Loss}, {"fencing", e.Fencing},
		{"re-entry", e.Reentrant}} {
		if d.is {
			list = append(list, d.name)
		}
	}
	return list
}

func writeImpls(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "LOCK\tDOCUMENT\tTOPOLOGY\tDECLARES\tWHAT IT IS")
	for _, e := range impls.All() {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", e.Name, dash(e.Document), e.Topology,
			dash(strings.Join(declared(e), ", ")), e.Line)
	}
	t.Flush()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

type workloadRow struct {
	Name string `json:"name"`
	Line string `json:"line"`
}

func workloadRows() []workloadRow {
	var rows []workloadRow
	for _, w := range workloads.All() {
		rows = append(rows, workloadRow{w.Name, w.Line})
	}
	return rows
}

func writeWorkloads(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "WORKLOAD\tWHAT CLIENTS DO")
	for _, r := range workloadRows() {
		fmt.Fprintf(t, "%s\t%s\n", r.Name, r.Line)
	}
	t.Flush()
}

// completeNames teaches the shell the names of locks and faults.
func completeNames(c *cobra.Command) {
	var locks, faults []string
	for _, e := range impls.All() {
		locks = append(locks, e.Name)
	}
	for _, e := range nemesis.All() {
		faults = append(faults, e.Name)
		for _, v := range e.Variants {
			faults = append(faults, e.Name+":"+v.Name)
		}
	}
	register(c, "impl", locks)
	register(c, "nemesis", faults)
	register(c, "workload", workloads.Names())
}

// register makes the shell complete a flag out of these words.
func register(c *cobra.Command, flag string, words []string) {
	err := c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag is registered a few lines away
	}
}
