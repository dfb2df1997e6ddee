package main

import (
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/doctor"
	"github.com/spf13/cobra"
)

func doctorCommand() *cobra.Command {
	var asJSON, clean bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine has, and which environments and faults are possible",
		Long: `doctor looks for the programs that lockbench can use, tries each environment with a
server, a client, a pause and a clock that jumps, and says what to do about the rest. Exit code 0:
at least one environment works.`,
		Example: `  lockbench doctor
  lockbench doctor --json | jq .environments
  lockbench doctor --clean`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			w := c.OutOrStdout()
			if clean {
				return doctor.CleanUp(c.Context(), w)
			}
			d, err := doctor.Diagnose(c.Context()), error(nil)
			if asJSON {
				err = history.WriteDocument(w, d)
			} else {
				err = d.Text(w)
			}
			if err == nil && !d.Healthy() {
				return result(1)
			}
			return broken(err)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&clean, "clean", false,
		"remove the containers, networks and temporary folders of killed runs, and nothing else")
	return c
}
