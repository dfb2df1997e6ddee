package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/spf13/cobra"
)

// finding is a row of doctor: one thing that lockbench can use.
type finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Found  string `json:"found"`            // version, or what is wrong
	For    string `json:"for"`              // what it is good for
	Advice string `json:"advice,omitempty"` // what to do if it is missing
}

// diagnosis is all that doctor says.
type diagnosis struct {
	Findings     []finding         `json:"findings"`
	Environments map[string]string `json:"environments"` // "yes", or why not
	Faults       []faultRow        `json:"faults"`
}

func doctorCommand() *cobra.Command {
	var asJSON, clean bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is there, and which environments and faults are possible",
		Long: `doctor looks for what lockbench can use, tries each environment with a server, a client, a pause and a clock that jumps,
and says what to do about the rest. Exit code 0: at least one environment works.`,
		Example: `  lockbench doctor
  lockbench doctor --json | jq .environments
  lockbench doctor --clean`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if clean {
				return cleanUp(c)
			}
			d := diagnose(c.Context())
			if err := d.print(c.OutOrStdout(), asJSON); err != nil {
				return broken(err)
			}
			for _, possible := range d.Environments {
				if possible == yes {
					return nil
				}
			}
			return exit{code: 1}
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&clean, "clean", false,
		"remove the containers, networks and temporary folders that killed runs left behind, and nothing else")
	return c
}

// cleanUp removes what runs that are over left behind. What belongs to others, or to a lockbench
// that lives, is never touched.
func cleanUp(c *cobra.Command) error {
	fmt.Fprintf(c.OutOrStdout(), "temporary folders of runs that are over: %d removed\n",
		cluster.Sweep())
	if _, err := docker.Version(c.Context()); err != nil {
		fmt.Fprintf(c.OutOrStdout(), "containers: none can be seen (%v)\n", err)
		return nil
	}
	n, err := docker.Sweep(c.Context(), true)
	if err != nil {
		return usage(err)
	}
	fmt.Fprintf(c.OutOrStdout(), "containers and networks of runs that are over: %d removed\n", n)
	return nil
}

// diagnose looks around and tries the environments.
func diagnose(ctx context.Context) diagnosis {
	redis, daemon := program("redis-server", "environment process", "apt-get install redis-server",
		"--version"), dockerDaemon(ctx)
	d := diagnosis{Findings: []finding{
		redis, sentinel(redis), program("cc", "building the clock shim, for the fault clock-server",
			"apt-get install gcc libc6-dev", "--version"), clockShim(),
		daemon, dockerImage(ctx, daemon), cgroups(), loopback(), signals(), temporaryFolder(),
		openFiles(),
		program("chromium", "tests of the report, and pictures", "apt-get install chromium", "--version"),
	}}
	environments := tryEnvironments(ctx)
	d.Environments = map[string]string{}
	for _, w := range environments {
		d.Environments[w.name] = w.said()
	}
	d.Faults = faultRows(environments)
	return d
}

func (d diagnosis) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return history.WriteDocument(w, d)
	}
	for _, f := range d.Findings {
		mark := "✓"
		if !f.OK {
			mark = "✕"
		}
		fmt.Fprintf(w, "%s %-17s %s\n", mark, f.Name, f.Found)
		if !f.OK {
			fmt.Fprintf(w, "  for %s: %s\n", f.For, f.Advice)
		}
	}
	fmt.Fprintln(w)
	for _, name := range tried {
		fmt.Fprintf(w, "environment %-8s %s\n", name, d.Environments[name])
	}
	return d.printFaults(w)
}

// printFaults writes a table, and under it why a fault cannot be had where others can.
func (d diagnosis) printFaults(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "\nfault\t%s\n", strings.Join(tried, "\t"))
	for _, f := range d.Faults {
		line := f.Fault
		for _, name := range tried {
			line += "\t" + f.Environments[name].Possible
		}
		fmt.Fprintln(t, line)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, name := range tried {
		for _, note := range d.notes(name) {
			fmt.Fprintln(w, note)
		}
	}
	_, err := fmt.Fprintln(w, "`lockbench list nemeses` says what each fault does.")
	return err
}

// notes say why faults cannot be had in an environment, those with one reason together.
func (d diagnosis) notes(environment string) (notes []string) {
	var whys []string
	faults := map[string][]string{}
	for _, f := range d.Faults {
		p := f.Environments[environment]
		if len(p.Lacks) == 0 {
			continue
		}
		if faults[p.Because] == nil {
			whys = append(whys, p.Because)
		}
		faults[p.Because] = append(faults[p.Because], p.Lacks...)
	}
	for _, why := range whys {
		notes = append(notes, fmt.Sprintf("%s: no %s: %s", environment, strings.Join(faults[why], ", "),
			why))
	}
	return notes
}
