package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/foreign/adapter"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/spf13/cobra"
)

func adaptersCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "adapters",
		Short: "Set up the lock libraries that run --adapter drives, and check one of your own",
		Long: `An adapter drives a lock that is a library, in any language. ` + "`" + advice.ListAdapters.String() + "`" + `
shows those that lockbench brings along; docs/adding-an-adapter.md says how to write one.`,
		Example: "  lockbench adapters setup redis-py\n  lockbench adapters check ./mydir",
		Args:    noCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(setupCommand(), conformCommand())
	return c
}

func setupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "setup NAME...",
		Short: "Fetch and build adapters, once for each content of their files",
		Long: `setup does what the first run of an adapter does otherwise: it carries out the commands of its
adapter.yaml. Without a name it sets up all whose toolchains this machine has.`,
		Example: "  lockbench adapters setup redis-py redsync\n" +
			"  lockbench adapters setup ./mydir",
		ValidArgsFunction: completeAdapters,
		RunE: func(c *cobra.Command, names []string) error {
			all := len(names) == 0
			if all {
				names = adapters.Names()
			}
			var failed error
			for _, name := range names {
				err := setUp(c, name)
				if all && errors.As(err, new(adapters.MissingError)) {
					fmt.Fprintf(c.OutOrStdout(), "%s: left out: %v\n", name, err)
					continue
				}
				failed = errors.Join(failed, err)
			}
			return failed
		},
	}
}

// setUp sets up one adapter, and prints how long it took.
func setUp(c *cobra.Command, name string) error {
	a, err := adapters.Find(name)
	if err != nil {
		return err
	}
	if a.IsSetUp() {
		_, err := fmt.Fprintf(c.OutOrStdout(), "%s: is set up already\n", a.Name)
		return broken(err)
	}
	began := time.Now()
	if _, err := adapters.Setup(c.Context(), a); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: set up in %.0f s\n", a.Name,
		time.Since(began).Seconds())
	return broken(err)
}

func conformCommand() *cobra.Command {
	var variant string
	var asJSON bool
	c := &cobra.Command{
		Use:   "check NAME",
		Short: "Ask an adapter everything, and list the missing answers",
		Long: `check starts two clients of the adapter on a redis-server of its own and goes through the whole
protocol. Exit code 0: nothing is missing; a line with – is something that an adapter may lack.`,
		Example:           "  lockbench adapters check ./mydir",
		Args:              exactly(1, "an adapter: its name, or its directory"),
		ValidArgsFunction: completeAdapters,
		RunE: func(c *cobra.Command, names []string) error {
			a, err := adapters.Find(names[0])
			if err != nil {
				return err
			}
			in, err := adapters.Setup(c.Context(), a)
			if err != nil {
				return err
			}
			findings, err := adapter.Check(c.Context(), in, variant)
			if err != nil {
				return err
			}
			if asJSON {
				err = history.WriteDocument(c.OutOrStdout(), findings)
			} else {
				err = adapter.Text(c.OutOrStdout(), findings)
			}
			if err == nil && !adapter.Good(findings) {
				return result(1)
			}
			return broken(err)
		},
	}
	c.Flags().StringVar(&variant, "variant", "", "variant of the adapter (default the first)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func completeAdapters(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return adapters.Names(), cobra.ShellCompDirectiveDefault
}

type adapterRow struct {
	Name     string       `json:"name"`
	Line     string       `json:"line"`
	Language string       `json:"language"`
	Library  string       `json:"library"`
	Version  string       `json:"version"`
	Document string       `json:"document"`
	Topology string       `json:"topology"`
	Tells    []string     `json:"tells"`
	Variants []variantRow `json:"variants"`
	SetUp    bool         `json:"set_up"`
	Missing  string       `json:"missing,omitempty"` // programs that it needs
}

func adapterRows() (rows []adapterRow) {
	for _, a := range adapters.All() {
		row := adapterRow{Name: a.Name, Line: a.Line, Language: a.Language, Library: a.Library,
			Version: a.Version, Document: a.Document, Topology: a.Topology, Tells: a.Tells,
			SetUp: a.IsSetUp()}
		if missing, ok := errors.AsType[adapters.MissingError](a.Missing()); ok {
			row.Missing = strings.Join(missing.Programs, ", ")
		}
		for _, v := range a.Variants {
			row.Variants = append(row.Variants, variantRow{Name: v.Name, Line: v.Line})
		}
		rows = append(rows, row)
	}
	rank := ranks(func(x choose.Choice) bool { return x.Library != "" })
	slices.SortStableFunc(rows, func(a, b adapterRow) int {
		return cmp.Compare(rank(a.Name), rank(b.Name))
	})
	return rows
}

func writeAdapters(w io.Writer, rows []adapterRow) {
	fmt.Fprintln(w, "ADAPTER\tLANGUAGE\tIN SHORT")
	for _, r := range rows {
		here := ""
		switch {
		case r.Missing != "":
			here = " [not here: needs " + r.Missing + "]"
		case !r.SetUp:
			here = " [to be set up]"
		}
		fmt.Fprintf(w, "%s\t%s\t%s (%s %s)%s\n", r.Name, r.Language, r.Line, r.Library, r.Version, here)
		for i, v := range r.Variants {
			mark := ""
			if i == 0 {
				mark = " [default]"
			}
			fmt.Fprintf(w, "  %s\t\t%s%s\n", v.Name, v.Line, mark)
		}
	}
}
