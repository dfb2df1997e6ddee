package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/doctor"
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
	c.AddCommand(lister("impls", "the locks, and what each declares", implRows, writeImpls),
		lister("adapters", "the lock libraries that run --adapter drives", adapterRows, writeAdapters),
		lister("nemeses", "the faults, and what each does", nemesisRows, writeNemeses),
		lister("workloads", "what clients can do with a lock", workloadRows, writeWorkloads))
	return c
}

// lister is a verb that prints rows as a table, or with --json for a program.
func lister[R any](name, short string, rows func() []R, table func(io.Writer, []R)) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   name,
		Short: "List " + short,
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON {
				return broken(history.WriteDocument(c.OutOrStdout(), rows()))
			}
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
			table(t, rows())
			return broken(t.Flush())
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

func implRows() (rows []implRow) {
	for _, e := range impls.All() {
		row := implRow{e.Name, e.Line, e.Document, string(e.Topology), []string{}}
		for _, d := range []struct {
			name string
			is   bool
		}{{"lease", e.Lease}, {"validity", e.Validity}, {"loss", e.Loss}, {"fencing", e.Fencing},
			{"re-entry", e.Reentrant}} {
			if d.is {
				row.Declares = append(row.Declares, d.name)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func writeImpls(w io.Writer, rows []implRow) {
	fmt.Fprintln(w, "LOCK\tDOCUMENT\tTOPOLOGY\tDECLARES\tIN SHORT")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Name, cmp.Or(r.Document, "-"), r.Topology,
			cmp.Or(strings.Join(r.Declares, ", "), "-"), r.Line)
	}
}

type workloadRow struct {
	Name string `json:"name"`
	Line string `json:"line"`
}

func workloadRows() (rows []workloadRow) {
	for _, w := range workloads.All() {
		rows = append(rows, workloadRow{w.Name, w.Line})
	}
	return rows
}

func writeWorkloads(w io.Writer, rows []workloadRow) {
	fmt.Fprintln(w, "WORKLOAD\tWHAT CLIENTS DO")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\n", r.Name, r.Line)
	}
}

type nemesisRow struct {
	Name string `json:"name"`
	Line string `json:"line"`
	// for how long, or how much, by default
	Lasts        string                    `json:"lasts,omitempty"`
	Needs        string                    `json:"needs"` // the topology; "": any
	Default      string                    `json:"default,omitempty"`
	Variants     []variantRow              `json:"variants"`
	Environments map[string]doctor.Support `json:"environments"`
}

type variantRow struct {
	Name    string `json:"name"`
	Line    string `json:"line"`
	Control bool   `json:"control,omitempty"` // a run without a fault finds the same
}

func nemesisRows() (rows []nemesisRow) {
	for _, e := range nemesis.All() {
		r := nemesisRow{e.Name, e.Line, e.Lasts, e.Needs, e.Default(), []variantRow{},
			map[string]doctor.Support{}}
		if e.Needs == nemesis.Failover {
			r.Needs = failoverOrReplicas
		}
		for _, v := range e.Variants {
			r.Variants = append(r.Variants, variantRow{v.Name, v.Line, v.Control})
		}
		for _, has := range nemesis.AllCapabilities() {
			r.Environments[has.Environment] = doctor.Supports(has, e)
		}
		rows = append(rows, r)
	}
	return rows
}

// failoverOrReplicas is too long for the table, which has a footnote.
const failoverOrReplicas = "failover, or independent with replicas"

func writeNemeses(w io.Writer, rows []nemesisRow) {
	fmt.Fprintln(w, "FAULT\tENVIRONMENTS\tTOPOLOGY\tWHAT IT DOES")
	for _, r := range rows {
		if r.Lasts != "" {
			r.Line += " (" + r.Lasts + ")"
		}
		if r.Needs == failoverOrReplicas {
			r.Needs = "failover*"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, strings.Join(where(r.Environments), ", "),
			cmp.Or(r.Needs, "-"), r.Line)
		for i, v := range r.Variants {
			mark := ""
			switch {
			case i == 0:
				mark = " [default]"
			case v.Control:
				mark = " [control]"
			}
			fmt.Fprintf(w, "  :%s\t\t\t%s%s\n", v.Name, v.Line, mark)
		}
	}
	fmt.Fprint(w, `
* or independent masters with a replica each, for redlock.
Several with commas between them are carried out one after the other in one run. A file in YAML or
JSON (./my.yaml) is a fault that you wrote; docs/formats.md has the format. `+
		"`lockbench doctor`"+` shows
what is possible on this machine, and why the rest is not.
`)
}

// where lists the environments that have a fault, or a part of its variants.
func where(environments map[string]doctor.Support) (names []string) {
	for _, has := range nemesis.AllCapabilities() {
		switch s := environments[has.Environment]; s.Possible {
		case doctor.Yes:
			names = append(names, has.Environment)
		case doctor.Partly:
			names = append(names, fmt.Sprintf("%s (%v)", has.Environment, s))
		}
	}
	return names
}
