package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/doctor"
	"github.com/lockbench/lockbench/internal/run/runner"
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
		lister("workloads", "what clients can do with a lock", workloads.All, writeWorkloads))
	return c
}

// lister returns a verb that prints rows as a table, or with --json for programs.
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
			t := progress.NewTable(c.OutOrStdout())
			t.Most = widest
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
	rank := ranks(func(x choose.Choice) bool { return x.Library == "" })
	all := slices.Clone(impls.All())
	slices.SortStableFunc(all, func(a, b impls.Entry) int {
		return cmp.Or(cmp.Compare(batch.Truth(a.Document == control), batch.Truth(b.Document == control)),
			cmp.Compare(rank(a.Name), rank(b.Name)))
	})
	for _, e := range all {
		declares := append([]string{}, slices.Concat(units.If(e.Lease, "lease"),
			units.If(e.Validity, "validity"), units.If(e.Loss, "loss"), units.If(e.Fencing, "fencing"),
			units.If(e.Reentrant, "re-entry"))...)
		rows = append(rows, implRow{e.Name, e.Line, e.Document, string(e.Topology), declares})
	}
	return rows
}

// control is the document of locks that only show that the harness notices.
const control = "control"

// ranks returns the order of locks, the best first, as choose has it for clients that crash. The
// argument selects the locks. A lock that was not measured comes last.
func ranks(of func(choose.Choice) bool) func(lock string) int {
	at := map[string]int{}
	all, _ := choose.Choose(choose.Query{Faults: []string{"crash"}}) // without it: in any order
	for i, x := range all {
		name, _, _ := strings.Cut(x.Lock, " ")
		if _, seen := at[name]; !seen && of(x) {
			at[name] = i + 1
		}
	}
	return func(lock string) int { return cmp.Or(at[lock], len(all)+1) }
}

func writeImpls(w io.Writer, rows []implRow) {
	fmt.Fprintln(w, "LOCK\tDECLARES\tIN SHORT")
	for _, r := range rows {
		if r.Document != "" && r.Document != control {
			r.Line += " (" + r.Document + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Name, cmp.Or(strings.Join(r.Declares, ", "), "-"), r.Line)
	}
}

func writeWorkloads(w io.Writer, rows []workloads.Workload) {
	fmt.Fprintln(w, "WORKLOAD\tWHAT CLIENTS DO")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\n", r.Name, r.Line)
	}
}

type nemesisRow struct {
	Name string `json:"name"`
	Line string `json:"line"`
	// the default duration or amount
	Lasts        string                    `json:"lasts,omitempty"`
	Needs        string                    `json:"needs"` // the topology; "" means any
	Default      string                    `json:"default,omitempty"`
	Variants     []variantRow              `json:"variants"`
	Environments map[string]doctor.Support `json:"environments"`
	// the same with the servers of other systems than Redis, as processes
	Systems map[string]doctor.Support `json:"systems"`
}

type variantRow struct {
	Name    string `json:"name"`
	Line    string `json:"line"`
	Control bool   `json:"control,omitempty"` // a run without a fault finds the same
}

func nemesisRows() (rows []nemesisRow) {
	for _, e := range nemesis.All() {
		r := nemesisRow{e.Name, e.Line, e.Lasts, e.Needs, e.Default(), []variantRow{},
			map[string]doctor.Support{}, map[string]doctor.Support{}}
		if e.Needs == nemesis.Failover {
			r.Needs = failoverOrReplicas
		}
		for _, v := range e.Variants {
			r.Variants = append(r.Variants, variantRow{v.Name, v.Line, v.Control})
		}
		for _, has := range nemesis.AllCapabilities() {
			r.Environments[has.Environment] = doctor.Supports(has, e)
		}
		for _, system := range nemesis.Systems()[1:] {
			r.Systems[system] = doctor.Supports(nemesis.CapabilitiesOf(runner.Process).On(system), e)
		}
		rows = append(rows, r)
	}
	return rows
}

// failoverOrReplicas does not fit into the table, and so it is a footnote.
const failoverOrReplicas = "failover, or independent with replicas"

func writeNemeses(w io.Writer, rows []nemesisRow) {
	fmt.Fprintln(w, "FAULT\tWHAT IT DOES [WHERE; TOPOLOGY]")
	for _, r := range rows {
		if r.Lasts != "" {
			r.Line += " (" + r.Lasts + ")"
		}
		if r.Needs == failoverOrReplicas {
			r.Needs = "failover*"
		}
		where := strings.Join(r.where(), ", ")
		if r.Needs != "" {
			where += "; " + r.Needs
		}
		fmt.Fprintf(w, "%s\t%s [%s]\n", r.Name, r.Line, where)
		for i, v := range r.Variants {
			mark := ""
			switch {
			case i == 0:
				mark = " [default]"
			case v.Control:
				mark = " [control]"
			}
			fmt.Fprintf(w, "  :%s\t%s%s\n", v.Name, v.Line, mark)
		}
	}
	fmt.Fprint(w, `
* or independent masters with a replica each, for redlock.
Several with commas between them are carried out one after the other in one run. A file in YAML or
JSON (./my.yaml) is a fault that you wrote; docs/formats.md has the format. `+
		"`"+advice.DoctorAll.String()+"`"+` shows
what is possible on this machine, and why the rest is not.
`)
}

// where lists the environments that have a fault, or some of its variants. If Redis does not have
// it, where lists the systems that do.
func (r nemesisRow) where() (names []string) {
	add := func(name string, s doctor.Support) {
		switch s.Possible {
		case doctor.Yes:
			names = append(names, name)
		case doctor.Partly:
			names = append(names, fmt.Sprintf("%s (%v)", name, s))
		}
	}
	for _, has := range nemesis.AllCapabilities() {
		add(has.Environment, r.Environments[has.Environment])
	}
	if len(names) > 0 {
		return names
	}
	for _, system := range nemesis.Systems() {
		add(system, r.Systems[system])
	}
	return names
}
