// Command lockbench finds out what a distributed lock in Redis does when the network is cut, a
// process pauses, a clock jumps or a master fails over.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/cluster/proxy"
	"github.com/lockbench/lockbench/internal/cluster/worker"
	"github.com/lockbench/lockbench/internal/runner"
	"github.com/spf13/cobra"
)

func main() {
	if worker.IsOne() {
		os.Exit(worker.Main(os.Stdin, os.Stdout))
	}
	if docker.IsJanitor() {
		os.Exit(docker.JanitorMain(os.Stdin))
	}
	if proxy.IsRemote() {
		os.Exit(proxy.RemoteMain(os.Stdout))
	}
	// Where Go itself dies, as of a panic in a goroutine, it would exit with 2, which says unknown.
	// So it ends by SIGABRT.
	debug.SetTraceback("crash")
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	code := Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// endings are the signals that end a verb in order: Ctrl-C, a service manager's, and that of a
// terminal that is closed, unless lockbench was started with nohup.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
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
	out := &output{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil || err.Error() == "" {
		err = cmp.Or(out.err, err)
	}
	if err == nil {
		return 0
	}
	if err.Error() != "" {
		fmt.Fprintln(stderr, "lockbench:", brief(err.Error()))
	}
	return exitCode(err)
}

func rootCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "lockbench",
		Short: "Find out what a distributed lock in Redis does under faults",
		Long: `lockbench drives lock algorithms with real clients against real Redis, cuts, pauses,
kills and fails over, records what every client saw, and lets porcupine judge whether two were
inside at once.

Exit codes of run, check and gate: 0 as expected, 1 not as expected, 2 unknown,
254 wrong usage, 255 lockbench broke, 130 interrupted.`,
		Example: `  lockbench run --impl getset --nemesis failover
  lockbench run --impl token-lua --nemesis failover --expect S
  lockbench check store/latest
  lockbench gate --init
  lockbench list impls`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       runner.Version(),
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(runCommand(), checkCommand(), reportCommand(), exportCommand(), listCommand(),
		doctorCommand(), matrixCommand(), serveCommand(), gateCommand(), mergeCommand(), compareCommand())
	c.AddCommand(exploreCommand(), replayCommand())
	c.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return inBounds(c.Flags()) }
	completeAll(c)
	groupFlags(c)
	return c
}

// noCommand explains a word that is no command.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unknown command %q; `lockbench --help` shows all", args[0])
}
