package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/adapters"
	"github.com/lockbench/lockbench/internal/run/runner"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

// mcpFlags are the flags of mcp.
type mcpFlags struct {
	adapters   []string
	allowSetup bool
	store      string
	program    string // lockbench
}

func mcpCommand() *cobra.Command {
	var f mcpFlags
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Offer run, explore, check, choose and report to programs, over standard input",
		Long: `mcp speaks the Model Context Protocol over standard input and output. It offers the verbs
run, explore, check, choose and report as tools. A program that asks may name only locks of
lockbench's own, and adapters below the directories of --adapters; nothing is set up without
--allow-setup. Each call is a lockbench of its own. Runs are read and written only below
--store.`,
		Example: "  lockbench mcp --adapters ./locks",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			var err error
			if f.program, err = os.Executable(); err != nil {
				return broken(err)
			}
			t := &mcp.IOTransport{Reader: io.NopCloser(c.InOrStdin()), Writer: unclosed{c.OutOrStdout()}}
			err = f.server().Run(c.Context(), t)
			if errors.Is(err, io.EOF) || c.Context().Err() != nil {
				return nil
			}
			return broken(err)
		},
	}
	s := c.Flags()
	s.StringArrayVar(&f.adapters, "adapters", nil,
		"directory whose adapters may be run: an adapter, or a folder of adapters; may be repeated")
	s.BoolVar(&f.allowSetup, "allow-setup", false,
		"allow the setup of these adapters, which runs code")
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs")
	return c
}

// check returns an error if a directory of adapters is missing.
func (f *mcpFlags) check() error {
	for _, dir := range f.adapters {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("--adapters %s is not a directory; name a folder of adapters", dir)
		}
	}
	return nil
}

// unclosed is standard output, which the end of a session does not close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// The arguments of the tools. The descriptions are for the program that asks.
type (
	lockArgs struct {
		Impl    string `json:"impl,omitempty" jsonschema:"a lock of lockbench's own, such as token-lua"`
		Adapter string `json:"adapter,omitempty" jsonschema:"an adapter's folder below --adapters"`
		Variant string `json:"variant,omitempty" jsonschema:"of the lock"`
		Nemesis string `json:"nemesis,omitempty" jsonschema:"the fault, such as pause or failover:cut"`
	}
	runArgs struct {
		lockArgs
		Env  string `json:"env,omitempty" jsonschema:"sim (default) or process"`
		Seed uint64 `json:"seed,omitempty" jsonschema:"of all randomness"`
	}
	exploreArgs struct {
		lockArgs
		Seeds int `json:"seeds,omitempty" jsonschema:"number of runs, default 200, at most 10000"`
	}
	runDirArgs struct {
		Dir string `json:"dir" jsonschema:"the directory of a run in the store"`
	}
	chooseArgs struct {
		Faults  []string `json:"faults" jsonschema:"faults that can happen"`
		Fencing bool     `json:"fencing,omitempty" jsonschema:"the resource refuses old tokens"`
	}
)

func (f *mcpFlags) server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "lockbench", Version: runner.Version()}, nil)
	tool(f, s, "run", "Runs one lock under one fault.", func(a runArgs) ([]string, error) {
		words, err := f.lock("run", a.lockArgs)
		if a.Env != "" && a.Env != runner.Sim && a.Env != runner.Process {
			return nil, fmt.Errorf("env is %q; it is sim or process", a.Env)
		}
		if a.Env != "" || a.Adapter == "" {
			words = append(words, "--env", cmp.Or(a.Env, runner.Sim))
		}
		if a.Seed != 0 {
			words = append(words, "--seed", strconv.FormatUint(a.Seed, 10))
		}
		return append(words, "--json"), err
	})
	tool(f, s, "explore", "Searches the simulator for a run that breaks a lock.",
		func(a exploreArgs) ([]string, error) {
			words, err := f.lock("explore", a.lockArgs)
			seeds := cmp.Or(min(max(a.Seeds, 0), 10000), 200)
			return append(words, "--seeds", strconv.Itoa(seeds), "--json"), err
		})
	tool(f, s, "check", "Judges a run in the store again.", func(a runDirArgs) ([]string, error) {
		dir, err := f.runDir(a.Dir)
		return []string{"check", "--json", "--", dir}, err
	})
	tool(f, s, "report", "Writes the report of a run again, and returns its path.",
		func(a runDirArgs) ([]string, error) {
			dir, err := f.runDir(a.Dir)
			return []string{"report", "--", dir}, err
		})
	tool(f, s, "choose", "Says which lock to use.", func(a chooseArgs) ([]string, error) {
		words := []string{"choose", "--json"}
		for _, fault := range a.Faults {
			words = append(words, "--fault="+fault)
		}
		if a.Fencing {
			words = append(words, "--fencing")
		}
		return words, nil
	})
	return s
}

// tool adds a tool that is a verb. Words returns the command line for its arguments.
func tool[A any](f *mcpFlags, s *mcp.Server, name, what string, words func(A) ([]string, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: what}, func(ctx context.Context,
		_ *mcp.CallToolRequest, a A) (*mcp.CallToolResult, any, error) {
		line, err := words(a)
		if err != nil {
			return nil, nil, err
		}
		code, text, err := f.call(ctx, line)
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{IsError: code < 0 || code >= exitInterrupted, Content: []mcp.Content{
			&mcp.TextContent{Text: fmt.Sprintf("exit code %d", code)},
			&mcp.TextContent{Text: text}}}, nil, nil
	})
}

// call runs lockbench. If the program that asked gives up, it ends as by Ctrl-C.
func (f *mcpFlags) call(ctx context.Context, line []string) (code int, text string, err error) {
	var out, say bytes.Buffer
	c := exec.CommandContext(ctx, f.program, line...)
	c.Stdout, c.Stderr, c.WaitDelay = &out, &say, 20*time.Second
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	err = c.Run()
	if c.ProcessState == nil {
		return 0, "", err
	}
	text = strings.TrimSpace(out.String())
	if code = c.ProcessState.ExitCode(); code < 0 || code >= exitInterrupted {
		text = strings.TrimSpace(say.String() + "\n" + text)
	}
	return code, text, ctx.Err()
}

// lock returns the command line of a verb for a lock.
func (f *mcpFlags) lock(verb string, a lockArgs) ([]string, error) {
	words := []string{verb, "--store=" + f.store}
	if (a.Impl == "") == (a.Adapter == "") {
		return nil, errors.New("name a lock by impl or by adapter")
	}
	if a.Adapter != "" {
		dir, err := f.allowed(a.Adapter)
		if err != nil {
			return nil, err
		}
		words = append(words, "--adapter="+dir)
	} else {
		words = append(words, "--impl="+a.Impl)
	}
	if a.Variant != "" {
		words = append(words, "--variant="+a.Variant)
	}
	if a.Nemesis != "" {
		if strings.ContainsAny(a.Nemesis, `/\.`) {
			return nil, fmt.Errorf("nemesis is %q; name a fault, not a file", a.Nemesis)
		}
		words = append(words, "--nemesis="+a.Nemesis)
	}
	return words, nil
}

// allowed returns the folder of an adapter that lies in a directory of --adapters, and that is set
// up unless --allow-setup is given.
func (f *mcpFlags) allowed(name string) (string, error) {
	dir, err := real(name)
	if err != nil {
		return "", fmt.Errorf("adapter %s: %w", name, err)
	}
	if !slices.ContainsFunc(f.adapters, func(root string) bool { return below(dir, root) }) {
		return "", fmt.Errorf("the adapter %s is not in a directory of --adapters", name)
	}
	a, err := adapters.Find(dir)
	if err == nil && !f.allowSetup && !a.IsSetUp() {
		err = fmt.Errorf("the adapter %s is not set up; a person sets it up once, or starts this server "+
			"with --allow-setup", a.Name)
	}
	return dir, err
}

// runDir returns the directory of a run. It returns an error if that is outside of the store.
func (f *mcpFlags) runDir(name string) (string, error) {
	dir, err := real(name)
	if err == nil && !below(dir, f.store) {
		err = fmt.Errorf("%s is not in the store %s", name, f.store)
	}
	return dir, err
}

// real returns the absolute path without symbolic links.
func real(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// below reports whether a real path is a directory or lies in it.
func below(path, dir string) bool {
	root, err := real(dir)
	rel, err2 := filepath.Rel(root, path)
	return err == nil && err2 == nil && filepath.IsLocal(rel)
}
