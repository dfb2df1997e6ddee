package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/doctor"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/spf13/cobra"
)

func doctorCommand() *cobra.Command {
	var all, asJSON, clean bool
	var place harness.Place
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine has, and which environments and faults are possible",
		Long: `doctor looks for the programs that lockbench can use, tries each environment with a
server, a client, a pause and a clock that jumps, and says what to do about the rest. Exit code 0:
at least one environment works.`,
		Example: `  lockbench doctor
  lockbench doctor --all
  lockbench doctor --json | jq .environments
  lockbench doctor --clean
  lockbench doctor --clean --addr staging:6379`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			w := c.OutOrStdout()
			switch {
			case clean && len(place.Addrs) > 0:
				return cleanExternal(w, place)
			case len(place.Addrs) > 0 || place.TLS:
				return errors.New("--addr and --tls are for --clean: they say which Redis to clean up")
			case clean:
				return doctor.CleanUp(c.Context(), w)
			}
			d, err := doctor.Diagnose(c.Context()), error(nil)
			if asJSON {
				err = history.WriteDocument(w, d)
			} else {
				err = d.Text(w, all)
			}
			if err == nil && !d.Healthy() {
				return result(1)
			}
			return broken(err)
		},
	}
	c.Flags().BoolVar(&all, "all", false,
		"also list the programs that are there, and the faults that are possible")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&clean, "clean", false,
		"remove the containers, networks and temporary folders of killed runs, and nothing else")
	c.Flags().StringSliceVar(&place.Addrs, "addr", nil,
		"with --clean: remove only the keys of killed runs, from the Redis at host:port")
	c.Flags().BoolVar(&place.TLS, "tls", false, "with --addr: speak TLS; the login is as for run")
	return c
}

// cleanExternal prints how many keys were removed.
func cleanExternal(w io.Writer, p harness.Place) error {
	removed, kept, err := runner.CleanExternal(p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "keys of runs that are over: %d removed; of runs that live, or were "+
		"killed less than a minute ago: %d\n", removed, kept)
	return broken(err)
}

// warnOfLoad warns a person that the machine is too busy for a run. It does not warn about the
// simulator, whose time stops meanwhile.
func warnOfLoad(c *cobra.Command, environment string) {
	f := doctor.Load()
	if f.OK || environment == "sim" || !progress.Terminal(c.ErrOrStderr()) {
		return
	}
	fmt.Fprintf(c.ErrOrStderr(), "lockbench: the machine is busy, load %s: %s\n", f.Found, f.Advice)
}

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
