package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/gate"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/doctor"
	"github.com/lockbench/lockbench/internal/run/runner"
	gatepage "github.com/lockbench/lockbench/reports/gate"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// gateFlags are the flags of gate.
type gateFlags struct {
	options gate.Options
	store   string
	out     string
	resume  string
	init    bool
	lock    gate.Snapshot // with init: the configuration to measure
	asJSON  bool
	quiet   bool
	tracked
}

const gateName = "lockbench.yaml" // the default file

func gateCommand() *cobra.Command {
	var f gateFlags
	c := &cobra.Command{
		Use:   "gate [FILE]",
		Short: "Demand from locks under faults what a file expects of them",
		Long: `gate runs the entries of a file (lockbench.yaml if none is named): a lock under a fault, or a
counterexample to replay, with what is expected of it: "safe", "violates S", "violates S within
30 s". An expected violation that does not happen any more fails, too, and what is unknown fails
unless the file allows it by name. The environment is named in the file, never chosen.

It writes gate.json, junit.xml and summary.md, and a report for all that is not as expected;
docs/ci.md has ready pipelines. --init --impl X watches lockbench's own lock X; a lock of yours is
watched with --init --adapter ./mylock.
Exit codes: 0 as expected, 1 not as expected, 2 unknown, 254 wrong usage, 255 lockbench
broke, 130 interrupted.`,
		Example: `  lockbench gate --init --adapter ./mylock   # write down how your lock is now, in every cell
  lockbench gate                             # a new violation turns it red, and one that is gone
  lockbench gate --init                      # or an example that says what you expect
  lockbench gate ci/locks.yaml --only "our lock under failover" --out results
  lockbench gate --shard 2/4 --out shard-2   # lockbench merge joins the results`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := gateName
			if len(args) > 0 {
				name = args[0]
			}
			if err := f.check(c.Flags()); err != nil {
				return err
			}
			switch {
			case f.lock.Impl+f.lock.Adapter != "":
				return f.measure(c, name)
			case f.init:
				if err := gate.WriteExample(name); err != nil {
					return err
				}
				return written(c, name)
			}
			return f.run(c, name)
		},
	}
	s := c.Flags()
	s.BoolVar(&f.init, "init", false,
		"write an example; with --impl or --adapter write down how that lock is")
	s.StringVar(&f.lock.Impl, "impl", "", "with --init: a lock of lockbench's own, not yours; "+
		"yours is --adapter ./mylock")
	s.StringVar(&f.lock.Adapter, "adapter", "",
		"with --init: a lock library, or the folder of your own (./mydir)")
	s.StringSliceVar(&f.lock.Faults, "nemesis", nil,
		"with --init: faults, by the names of the matrix' columns (default all)")
	s.StringVar(&f.lock.Environment, "env", "",
		"with --init: environment (default sim for --impl, real Redis for --adapter)")
	s.IntVar(&f.lock.Runs, "repeat", 0,
		"with --init: runs of each cell (default 10 in the sim, else 5)")
	s.Uint64Var(&f.lock.Seed, "seed", 1, "with --init: seed of all randomness")
	s.DurationVar(&f.lock.Lease, "ttl", 0, "with --init: lease (default 500ms, of libraries 2s)")
	s.BoolVar(&f.lock.Replace, "replace", false,
		"with --init: write over FILE, and keep its tickets and days")
	s.StringArrayVar(&f.options.Only, "only", nil, "run this entry only, by its name; may be repeated")
	s.IntVar(&f.options.Jobs, "jobs", 0,
		"runs at the same time (default two for each core, in the sim one)")
	s.Var(&f.options.Shard, "shard", "run this part only: 2/4 is the second of four")
	s.StringVar(&f.store, "store", "store", "directory that keeps the runs")
	s.StringVar(&f.out, "out", "",
		"write to this directory instead of one in the store; it must be empty or new")
	s.StringVar(&f.resume, "resume", "", "go on with the interrupted gate in this directory")
	s.BoolVar(&f.asJSON, "json", false, "print gate.json")
	f.registerTracked(s)
	s.BoolVarP(&f.quiet, "quiet", "q", false, "print only the answer")
	return c
}

// check returns an error for flags without an effect.
func (f *gateFlags) check(set *pflag.FlagSet) (err error) {
	for _, name := range []string{"impl", "adapter", "nemesis", "env", "repeat", "seed", "ttl",
		"replace"} {
		if set.Changed(name) && (!f.init || f.lock.Impl+f.lock.Adapter == "") {
			return fmt.Errorf("--%s is for a measurement, `%s`; it needs --init, and "+
				"--impl or --adapter", name, advice.GateInit)
		}
	}
	switch {
	case f.lock.Impl != "" && f.lock.Adapter != "":
		return errors.New("--impl and --adapter are two locks; write a file for each")
	case f.init && (set.Changed("only") || set.Changed("shard") || f.asJSON ||
		f.since+f.metrics != ""):
		return errors.New("--init writes a whole file; omit --only, --shard, --json, --since and " +
			"--metrics")
	case f.resume != "" && (f.init || f.out != ""):
		return errors.New("--resume goes on in its own directory; omit --init and --out (an " +
			"interrupted --init goes on by itself)")
	case f.lock.Runs < 0 || f.lock.Lease < 0:
		return errors.New("--repeat and --ttl must not be below zero")
	}
	return nil
}

// written prints that a gate file was written.
func written(c *cobra.Command, name string) error {
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s is written; `%s` runs it\n", name,
		advice.Gate.Fill(name))
	return err
}

// patience says what to know of a measurement on real servers. It names no time, because that
// depends on the lock and the machine: the progress has one when enough runs are done.
func patience(environment string, load doctor.Finding) string {
	if environment == runner.Sim {
		return ""
	}
	busy := ""
	if !load.OK {
		busy = fmt.Sprintf(" (busy now: load %s)", load.Found)
	}
	return "; how long they take is shown when some are done, and more on a busy machine" + busy +
		", since runs that others disturb are repeated one by one. After an interruption, the same " +
		"command continues"
}

func (f *gateFlags) measure(c *cobra.Command, name string) error {
	s := &f.lock
	g, err := s.Prepare(c.Context(), name)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "lockbench: %d cells in the environment %s, %d runs each, seed %d%s"+
		"\n", len(g.Entries), s.Environment, s.Runs, s.Seed,
		patience(s.Environment, doctor.Load()))
	if s.Impl != "" {
		fmt.Fprintf(c.ErrOrStderr(), "lockbench: this watches lockbench's own lock %s, and no lock of "+
			"yours; for that: %s\n", s.Impl, advice.GateMyLock)
	}
	dir, r, err := f.carryOut(c, g, name)
	if err != nil {
		return err
	}
	if c.Context().Err() != nil {
		return interrupted("no gate file was written; the runs that were done are in " + dir +
			"; run the same command again, and it continues")
	}
	for _, e := range r.Entries {
		if !f.quiet {
			fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", e.Name, e.Claim)
		}
	}
	if why := s.Missing(r); why != "" {
		return exit{checker.ExitUnknown, errors.New(why)}
	}
	for _, w := range s.Warnings(r) {
		fmt.Fprintf(c.ErrOrStderr(), "lockbench: warning: %s\n", w)
	}
	if err := s.Write(r); err != nil {
		return err
	}
	return errors.Join(f.finish(), written(c, name))
}

// finish removes the record of the runs, so that no gate goes on with them.
func (f *gateFlags) finish() error { return os.Remove(f.options.Record.Name()) }

func (f *gateFlags) run(c *cobra.Command, name string) error {
	g, err := gate.ReadFile(name)
	if err == nil {
		err = g.Named("--only", f.options.Only)
	}
	if err != nil {
		return err
	}
	dir, r, err := f.carryOut(c, g, name)
	if err != nil {
		return err
	}
	if c.Context().Err() == nil {
		if err := f.finish(); err != nil {
			return broken(err)
		}
	}
	return f.conclude(c, name, dir, r, c.Context().Err())
}

// carryOut runs a gate in a directory of its own, and writes what came of it there.
func (f *gateFlags) carryOut(c *cobra.Command, g *gate.File, name string) (string, *gate.Result,
	error) {
	if err := f.checkSince(gate.ResultFile); err != nil {
		return "", nil, err
	}
	g.Simulate, g.SimulatePlan = simulateProgram, simulateReplay
	machine, err := g.Prepare(c.Context(), f.options.Only)
	if err != nil {
		return "", nil, err
	}
	dir, lock, err := f.open(c, machine.Record(), name)
	if err != nil {
		return "", nil, err
	}
	defer lock.Close()
	defer f.options.Record.Close()
	warnOfLoad(c, g.Environment)
	bar := progress.StartBar(c.ErrOrStderr())
	if f.options.Tell = bar.Step; !f.quiet {
		f.options.Tell = bar.Aloud(c.ErrOrStderr())
	}
	r, _ := machine.Run(c.Context(), dir, f.options) // it only repeats the context's error
	bar.Stop()
	home := filepath.Join(f.store, "gate-"+baseOf(name))
	r.Findings, err = f.track(dir, home, gate.ResultFile, name, r.Cells())
	if err := errors.Join(err, gatepage.Save(c.Context(), dir, r, c.ErrOrStderr())); err != nil {
		return "", nil, broken(err)
	}
	if f.out == "" {
		pointTo(c, dir)
	}
	return dir, r, nil
}

// open opens the directory of a gate and the record of its runs. A measurement that was interrupted
// keeps its directory, and a gate if --resume names it.
func (f *gateFlags) open(c *cobra.Command, record, name string) (dir string, lock io.Closer,
	err error) {
	base := baseOf(name)
	switch {
	case f.init:
		dir = gate.Unfinished(f.dirs(base), record)
	case f.resume != "":
		if dir = gate.Unfinished([]string{f.resume}, record); dir == "" {
			return "", nil, fmt.Errorf("--resume %s: no gate was interrupted there, or its file, a lock, "+
				"this machine or lockbench has changed; run the gate anew", f.resume)
		}
	}
	if dir != "" {
		lock, err = batch.Lock(dir)
	} else {
		dir, lock, err = newDir(f.out, f.store, "gate", base)
	}
	if err != nil {
		return dir, nil, err
	}
	f.options.Record, err = batch.OpenRecord[gate.Done](filepath.Join(dir, record))
	if err != nil {
		return dir, nil, errors.Join(err, lock.Close())
	}
	if n := len(f.options.Record.Known); n > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "lockbench: goes on in %s (%s done); remove that directory to "+
			"start over\n", dir, units.Count(n, "run"))
	}
	return dir, lock, nil
}

// baseOf returns the name of a gate file without its folder and ending.
func baseOf(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// dirs returns the directories that a measurement may continue in.
func (f *gateFlags) dirs(base string) (all []string) {
	if f.out != "" {
		return []string{f.out}
	}
	root := filepath.Join(f.store, "gate-"+base)
	entries, _ := os.ReadDir(root) // there may be none yet
	for _, e := range entries {
		if e.IsDir() {
			all = append(all, filepath.Join(root, e.Name()))
		}
	}
	return all
}

// conclude prints the result and returns the exit code.
func (f *gateFlags) conclude(c *cobra.Command, name, dir string, r *gate.Result,
	runErr error) error {
	if err := showGate(c, dir, r, f.asJSON, f.quiet); err != nil {
		return broken(err)
	}
	if runErr != nil {
		return interrupted(fmt.Sprintf("`%s` goes on", advice.GateResume.Fill(name, dir).Line+f.given()))
	}
	return result(r.Exit)
}

// given returns the flags with which a gate goes on with the part of its file that it began.
func (f *gateFlags) given() (flags string) {
	for _, name := range f.options.Only {
		flags += " --only " + units.Quoted(name)
	}
	if f.options.Shard.Of > 0 {
		flags += " --shard " + f.options.Shard.String()
	}
	if f.store != "store" {
		flags += " --store " + units.Quoted(f.store)
	}
	return flags
}

func showGate(c *cobra.Command, dir string, r *gate.Result, asJSON, quiet bool) error {
	w := c.OutOrStdout()
	switch {
	case asJSON:
		return r.Write(w)
	case quiet:
		_, err := fmt.Fprintln(w, r.Sentence())
		return err
	}
	if err := r.Text(w, dir); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nReport: %s\n        with %s, %s, %s\n",
		filepath.Join(dir, gatepage.PageFile), gate.ResultFile, gatepage.JUnitFile, gatepage.SummaryFile)
	return err
}
