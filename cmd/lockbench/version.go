package main

import (
	"cmp"
	"fmt"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/doctor"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/spf13/cobra"
)

// versionCommand prints the origin of this lockbench.
func versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Say what this lockbench was built from",
		Long: `version prints what tells this build from others, as each run records it: the version of the
module, or the commit, or else a digest of the program; and the versions of what it would use here.`,
		Example: `  lockbench version
  lockbench version --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b := runner.ThisBuild()
			uses := doctor.Uses(c.Context())
			if asJSON {
				return broken(history.WriteDocument(c.OutOrStdout(), versions{b, uses}))
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "lockbench %s, commit %s, %s, %s/%s\n", b.Version,
				cmp.Or(b.Commit, "not known"), b.Go, b.OS, b.Arch)
			for _, u := range uses {
				fmt.Fprintf(c.OutOrStdout(), "  %s: %s\n", u.Name, u.Found)
			}
			return broken(err)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

// versions is what version --json prints.
type versions struct {
	runner.Build
	Uses []doctor.Finding `json:"uses"`
}

// Templates can call it.
func init() { cobra.AddTemplateFunc("lockbenchVersion", runner.Version) }
