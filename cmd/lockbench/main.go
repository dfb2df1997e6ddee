// Command lockbench finds out what a distributed lock in Redis does when the network is cut, a
// process pauses, a clock jumps or a master fails over.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() {
	_ = proc.HideEnviron() // if it fails, an adapter may see this program's settings
	if docker.IsJanitor() {
		os.Exit(docker.JanitorMain(os.Stdin))
	}
	if proxy.IsRemote() {
		os.Exit(proxy.RemoteMain(os.Stdout))
	}
	// A fatal error of Go itself, such as a panic in a goroutine, would exit with 2, which means
	// unknown. Therefore it ends the process by SIGABRT.
	debug.SetTraceback("crash")
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	code := Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// endings returns the signals that end a verb in order: Ctrl-C, SIGTERM of a service manager, and
// SIGHUP of a closed terminal, unless nohup started lockbench.
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
		Version:       "-", // the template below has it, because it takes a moment
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(runCommand(), checkCommand(), reportCommand(), exportCommand(), listCommand(),
		doctorCommand(), matrixCommand(), serveCommand(), gateCommand(), mergeCommand(), compareCommand())
	c.AddCommand(exploreCommand(), replayCommand(), adaptersCommand(), chooseCommand(), tourCommand())
	c.AddCommand(watchCommand(), mcpCommand(), versionCommand())
	c.SetVersionTemplate("lockbench {{lockbenchVersion}}\n")
	c.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		return errors.Join(onlyHelp(c.Flags()), inBounds(c.Flags()))
	}
	c.SetFlagErrorFunc(noFlag)
	completeAll(c)
	groupFlags(c)
	return c
}

// noFlag explains an unknown flag, or a missing or invalid value of a flag.
func noFlag(c *cobra.Command, err error) error {
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return noValue(value)
	}
	if alone, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return noArgument(c, alone.GetFlag())
	}
	none, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	word := none.GetSpecifiedName()
	if short := none.GetSpecifiedShortnames(); short != "" {
		word, _, _ = strings.Cut(short, "=") // a long name with one dash
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if verbs := verbsWith(c.Parent(), word); len(verbs) > 0 {
		return fmt.Errorf("%w; it is a flag of %s", err, units.List(verbs))
	}
	if near := units.Nearest(word, names); near != "" {
		return fmt.Errorf("%w (did you mean --%s?)", err, near)
	}
	return err
}

func verbsWith(c *cobra.Command, flag string) (verbs []string) {
	if c == nil {
		return nil
	}
	for _, verb := range c.Commands() {
		if f := verb.Flags().Lookup(flag); f != nil && !f.Hidden {
			verbs = append(verbs, verb.Name())
		}
	}
	return verbs
}

// valueOf describes the valid values of a flag, by its type.
var valueOf = map[string]string{"bool": "write true or false", "int": "write a whole number",
	"uint64": "write a whole number that is not below zero", "float64": "write a number",
	"duration": "write a time with its unit, such as 10s or 500ms"}

// noValue explains an invalid value of a flag, in the words of the flag.
func noValue(err *pflag.InvalidValueError) error {
	want := valueOf[err.GetFlag().Value.Type()]
	if want == "" { // our own types explain the valid values themselves
		return fmt.Errorf("--%s: %w", err.GetFlag().Name, err.Unwrap())
	}
	return fmt.Errorf("--%s cannot be %q; %s", err.GetFlag().Name, err.GetValue(), want)
}

// noCommand returns an error for an unknown command, with suggestions.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, verb := range c.Commands() {
		if verb.IsAvailableCommand() {
			names = append(names, verb.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s; `%s --help` shows all", args[0],
		units.DidYouMean(args[0], names), c.CommandPath())
}

// The exit codes of all verbs (docs/commands.md, Exit codes), in addition to the codes of verdicts
// (checker.ExitExpected and the following).
const (
	exitUsage       = 254 // the user must change something
	exitBroken      = checker.ExitBroken
	exitInterrupted = 130
)

// exitCode returns the exit code for an error of a verb. An error without a code is one that the
// user can correct, such as an unknown flag.
func exitCode(err error) int {
	coded, ok := errors.AsType[exit](err)
	switch {
	case ok:
		return coded.code
	case errors.As(err, new(runner.BrokenError)):
		return exitBroken
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitUsage
}

// exit is an error with an exit code of its own. If it wraps no error, nothing is printed, because
// the verb has printed its result.
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

// output is standard output. A verb that could not write its result has failed, even if it ignores
// the error.
type output struct {
	w   io.Writer
	err error // of the first write that failed
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil && o.err == nil {
		o.err = broken(fmt.Errorf("the output cannot be written: %w", err))
	}
	return n, err
}

// Fd returns the file descriptor, so that a terminal is recognised, or an invalid one if the writer
// is not a file.
func (o *output) Fd() uintptr {
	if f, ok := o.w.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// The most bytes that an error quotes.
const (
	longWord = 300
	longText = 4000
)

var longWords = regexp.MustCompile(fmt.Sprintf(`(\S{%d})\S{%d,}`, longWord/3, longWord*2/3))

// commandMark finds the beginning of a command of GitHub's runner.
var commandMark = regexp.MustCompile(`^(\s*)(::|##\[)`)

// brief cuts the words and the end of an error to a readable length, and escapes what a terminal or
// a CI job would take for a command. The error may quote a user, a file, a program or a server at
// any length.
func brief(text string) string {
	text = longWords.ReplaceAllString(text, "$1…")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = commandMark.ReplaceAllString(page.Clean(line, 0), "$1| $2")
	}
	text = strings.Join(lines, "\n")
	if len(text) > longText {
		text = strings.ToValidUTF8(text[:longText], "") + "…"
	}
	return text
}

// result returns nil for exit code 0, and otherwise an exit that prints nothing.
func result(code int) error {
	if code == 0 {
		return nil
	}
	return exit{code: code}
}

// broken marks an error as lockbench's fault, not the user's.
func broken(err error) error {
	if err == nil {
		return nil
	}
	return runner.BrokenError{Err: err}
}

// interruptible does work that cannot be interrupted. If the user interrupts it, interruptible
// returns at once, and the process ends. Files are written in one step, so that no file is left
// incomplete.
func interruptible(c *cobra.Command, work func() error) error {
	const stopped = "nothing was written"
	if c.Context().Err() != nil {
		return interrupted(stopped)
	}
	done, broke := make(chan error, 1), make(chan any, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				broke <- p
			}
		}()
		done <- work()
	}()
	select {
	case err := <-done:
		return err
	case p := <-broke:
		panic(p)
	case <-c.Context().Done():
		return interrupted(stopped)
	}
}

// interrupted returns the error of a verb that Ctrl-C ended.
func interrupted(rest string) error {
	return exit{exitInterrupted, errors.New("interrupted; " + rest)}
}
