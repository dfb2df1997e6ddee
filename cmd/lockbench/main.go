// Command lockbench finds out what a distributed lock in Redis does when the network is cut, a
// process pauses, a clock jumps or a master fails over.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/spf13/cobra"
)

// The exit codes of run and check (docs/commands.md, Exit codes), beside 0, 1 and 2 of the verdict.
const (
	exitUsage       = 254 // the user must change something
	exitBroken      = 255 // lockbench itself could not do it
	exitInterrupted = 130
)

func main() {
	if cluster.IsWorker() {
		os.Exit(cluster.WorkerMain(os.Stdin, os.Stdout))
	}
	if docker.IsJanitor() {
		os.Exit(docker.JanitorMain(os.Stdin))
	}
	if cluster.IsSite() {
		os.Exit(cluster.SiteMain(os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exit is an error that carries the exit code. An empty text prints nothing: what there is to say
// has been said.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// usage marks an error as one that the user can mend.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return exit{exitUsage, err}
}

// broken marks an error as lockbench's own.
func broken(err error) error {
	if err == nil {
		return nil
	}
	return exit{exitBroken, err}
}

// Main runs the command line and returns the exit code. A panic becomes one line and exit code 255.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "lockbench: internal error: %v; please report it with this stack:\n%s", p,
				debug.Stack())
			code = exitBroken
		}
	}()
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if err.Error() != "" {
		fmt.Fprintln(stderr, "lockbench:", err)
	}
	var e exit
	if errors.As(err, &e) {
		return e.code
	}
	return exitUsage // cobra's own: an unknown flag or command
}

func rootCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "lockbench",
		Short: "Find out what a distributed lock in Redis does under faults",
		Long: `lockbench drives lock algorithms with real clients against real Redis, cuts, pauses, kills and
fails over, records what every client saw, and lets porcupine judge whether two were inside at once.

Exit codes of run, check and gate: 0 as expected, 1 not as expected, 2 unknown,
254 wrong usage, 255 lockbench broke, 130 interrupted.`,
		Example: `  lockbench run --impl getset --nemesis failover
  lockbench run --impl token-lua --nemesis failover --expect S
  lockbench check store/latest
  lockbench gate --init
  lockbench list impls`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version(),
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(runCommand(), checkCommand(), reportCommand(), exportCommand(), listCommand(),
		doctorCommand(), matrixCommand(), serveCommand(), gateCommand(), mergeCommand(), compareCommand())
	c.AddCommand(exploreCommand(), replayCommand())
	completeAll(c)
	return c
}

// noCommand explains a word that is no command.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage(fmt.Errorf("unknown command %q; `lockbench --help` shows all", args[0]))
}

// version is the module's, or "devel".
func version() string {
	b, ok := debug.ReadBuildInfo()
	if !ok || b.Main.Version == "" || b.Main.Version == "(devel)" {
		return "devel"
	}
	return b.Main.Version
}
