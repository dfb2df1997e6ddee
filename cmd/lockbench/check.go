package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/reports/view"

	"github.com/spf13/cobra"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/history/edn"
	"github.com/lockbench/lockbench/internal/run/store"
)

// checkFlags are the flags of check.
type checkFlags struct {
	options checker.Options
	printed
	format edn.Options
	lines  string // a file of format.Lines
	stream bool
}

func checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check DIR|FILE|-",
		Short: "Judge a recorded run again, or any history",
		Long: `check judges the run in a directory from its files alone, and writes its verdict.json
again; of a directory with many runs, such as that of a matrix or a gate, it judges all. Of a file,
or of standard input (-), it judges the history: lockbench's own JSON lines, Jepsen's EDN or JSON,
or with --lines the lines of any log. --read-as says what operations with other names mean; one that
no model knows is refused. Exit codes are those of run.`,
		Example: `  lockbench check store/latest
  lockbench check --model mutex history.edn
  grep -v nemesis history.edn | lockbench check --model mutex --expect violated -
  lockbench check --model register --read-as get=read,put=write history.json
  zcat weeks.jsonl.gz | lockbench check --model mutex --stream -`,
		Args: exactly(1, "what to judge: the directory of a run, a history file, or - for "+
			"standard input"),
		RunE: func(c *cobra.Command, args []string) error { return f.check(c, args[0]) },
	}
	s := c.Flags()
	s.StringSliceVar(&f.options.Properties, "properties", nil,
		"properties to judge (default the properties that the run itself judged)")
	s.StringVar(&f.options.Model, "model", "",
		"judge this model instead: "+strings.Join(checker.Models(), ", "))
	s.StringVar(&f.options.Expect, "expect", "",
		`verdict for exit code 0: valid, violated, starved, letters, or "exactly:" and letters (default `+
			`the run's own, else valid)`)
	s.DurationVar(&f.options.TTL, "ttl", 0, "lease of grants that name none, for --model lease")
	s.DurationVar(&f.options.Timeout, "timeout", time.Minute,
		"longest time for each property; it is unknown then")
	s.BoolVar(&f.options.Partial, "partial", false, "judge the readable part of a damaged history")
	s.BoolVar(&f.format.Independent, "independent", false,
		"values of a Jepsen history are [key value], as jepsen.independent makes them")
	s.StringToStringVar(&f.format.Words, "read-as", nil,
		`what a word of a Jepsen history means: an operation, or "none" to leave it out, as in `+
			`get=read,drain=none`)
	s.StringVar(&f.lines, "lines", "",
		"file that says how the lines of a history in another format are to be read")
	s.BoolVar(&f.stream, "stream", false,
		"judge JSON lines while they are read, in memory that does not grow; with --model mutex")
	f.printed.register(s)
	return c
}

func (f *checkFlags) check(c *cobra.Command, path string) error {
	if m := f.options.Model; m != "" && !slices.Contains(checker.Models(), m) {
		return fmt.Errorf("unknown --model %q; there are: %s", m, strings.Join(checker.Models(), ", "))
	}
	if err := errors.Join(harness.Judgeable(f.options.Properties),
		harness.Expectable(f.options.Expect)); err != nil {
		return err
	}
	f.options.Properties = history.Distinct(f.options.Properties)
	f.format.Pairs = c.Flags().Changed("independent")
	if err := f.readLines(); err != nil {
		return err
	}
	if f.stream {
		return interruptible(c, func() error { return f.streamed(c, path) })
	}
	dirs, err := runsBelow(path)
	switch {
	case err != nil:
		return err
	case dirs != nil:
		return f.checkAll(c, dirs)
	}
	return interruptible(c, func() error { return f.judgePath(c, path) })
}

func (f *checkFlags) readLines() error {
	if f.lines == "" {
		return nil
	}
	text, err := units.ReadFile(f.lines)
	if err != nil {
		return err
	}
	f.format.Lines, err = edn.ReadLines(f.lines, text)
	return err
}

// judgePath judges one run, or one history.
func (f *checkFlags) judgePath(c *cobra.Command, path string) error {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() >= wholeBelow {
		if r := f.plainly(c, path); r != nil {
			return f.tell(c, r)
		}
		if os.Getenv("GOGC") == "" { // the history takes most of the heap, and stays
			defer debug.SetGCPercent(debug.SetGCPercent(25))
		}
	}
	r, err := load(c.InOrStdin(), path, f.format)
	switch {
	case err == nil:
	case r == nil || r.History == nil:
		return err
	case !f.options.Partial && len(r.History.Events) > 0:
		return fmt.Errorf("%w; --partial judges the %d events before it", err, len(r.History.Events))
	case !f.options.Partial:
		return err
	}
	if err := f.judge(r, err != nil); err != nil {
		if r.Verdict != nil { // it is not saved, but it is shown
			_ = f.tell(c, r)
		}
		return err
	}
	if path == "-" && r.Verdict.Exit == checker.ExitBroken {
		if err := keep(c.ErrOrStderr(), r.History); err != nil {
			return broken(err)
		}
	}
	return f.tell(c, r)
}

// tell prints the verdict of a run. Its error is the exit code.
func (f *checkFlags) tell(c *cobra.Command, r *store.Run) (err error) {
	if f.asJSON {
		err = r.Verdict.Write(c.OutOrStdout())
	} else if f.quiet {
		_, err = fmt.Fprintln(c.OutOrStdout(), r.Verdict.Summary)
	} else if v, e := view.New(r); e == nil {
		err = printVerdict(c, v, reportIn(r.Dir), f.printed)
	} else {
		err = e
	}
	if err != nil {
		return broken(err)
	}
	return result(r.Verdict.Exit)
}

// reportIn returns the path of the report in the directory of a run, or "".
func reportIn(dir string) string {
	path := filepath.Join(dir, store.Report)
	if info, err := os.Stat(path); dir == "" || err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// streamed judges a history while it reads it.
func (f *checkFlags) streamed(c *cobra.Command, path string) error {
	if f.options.Model != "mutex" {
		return errors.New("--stream needs --model mutex; other models are judged without --stream")
	}
	in, err := opened(c.InOrStdin(), path)
	if err != nil {
		return err
	}
	defer in.Close()
	var header history.Header
	var judge *checker.Stream
	var unknown error
	read, err := stream(c, in, func(h history.Header) {
		header, judge = h, checker.NewStream(h, f.options)
	}, func(e *history.Event) bool {
		unknown = f.options.Knows(e)
		return unknown == nil && judge.Add(e)
	})
	if unknown != nil {
		return unknown
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", in.name, err)
		if read > 0 && !f.options.Partial {
			err = fmt.Errorf("%w; --partial judges the %d events before it", err, read)
		}
		if judge == nil || !f.options.Partial {
			return err
		}
	}
	return f.tell(c, &store.Run{History: &history.History{Header: header},
		Verdict: judge.Verdict(err != nil)})
}

// stream reads a history as history.Stream does, and shows the progress. It returns the number of
// events.
func stream(c *cobra.Command, in io.Reader, begin func(history.Header),
	event func(*history.Event) bool) (int64, error) {
	var read atomic.Int64
	line := progress.Start(c.ErrOrStderr(), func(time.Duration) string {
		return units.Count(int(read.Load()), "event") + " read"
	})
	defer line.Stop()
	err := history.Stream(in, begin, func(e *history.Event) bool {
		read.Add(1)
		return event(e)
	})
	return read.Load(), err
}

// wholeBelow is a file size. Smaller files take only a moment, so that check reads them at once.
const wholeBelow = 4 << 20

// plainly judges a history while it reads it, so that it need not keep the events in memory. It
// returns nil if the history is not plain enough and must be read as a whole.
func (f *checkFlags) plainly(c *cobra.Command, path string) *store.Run {
	in, err := opened(nil, path)
	if err != nil {
		return nil
	}
	defer in.Close()
	var header history.Header
	var judge *checker.Plain
	plain := true
	_, err = stream(c, in, func(h history.Header) {
		header, judge = h, checker.NewPlain(h, f.options)
	}, func(e *history.Event) bool {
		plain = judge != nil && f.options.Knows(e) == nil && judge.Add(e)
		return plain
	})
	if err != nil || judge == nil || !plain {
		return nil
	}
	v := judge.Verdict()
	if v == nil {
		return nil
	}
	return &store.Run{History: &history.History{Header: header}, Verdict: v}
}

// judge gives a run its verdict, and saves it with the run.
func (f *checkFlags) judge(r *store.Run, partial bool) error {
	o := f.options
	o.Partial = partial
	for i := range r.History.Events {
		if err := o.Knows(&r.History.Events[i]); err != nil {
			return err
		}
	}
	r.Verdict = checker.Check(r.History, r.Trace, o)
	if r.Dir != "" && o.Model == "" {
		return broken(r.SaveVerdict())
	}
	return nil
}

// checkedRun is one of several runs that check has judged again.
type checkedRun struct {
	Dir     string           `json:"dir"`
	Verdict *checker.Verdict `json:"verdict"`
}

// checkedRuns is what check --json prints of many runs.
type checkedRuns struct {
	Exit int          `json:"exit"`
	Runs []checkedRun `json:"runs"`
}

// runsBelow returns the runs below a directory such as a matrix or a gate. It returns nil if the
// path is a run itself or no directory.
func runsBelow(dir string) (runs []string, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil
	}
	if _, err := os.Stat(filepath.Join(dir, store.History)); err == nil {
		return nil, nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == store.History {
			within, _ := filepath.Rel(real, filepath.Dir(path))
			runs = append(runs, filepath.Join(dir, within))
		}
		return err
	})
	if err == nil && len(runs) == 0 {
		if m, e := matrix.Open(real); e == nil && len(matrix.Broken(m.Known)) > 0 {
			return nil, brokenRows(m.Known) // as the matrix said
		}
		err = fmt.Errorf("%s: no %s here or in its subdirectories", dir, store.History)
	}
	slices.Sort(runs)
	return runs, err
}

// loadRun reads a run directory. If the directory holds many runs, the error names one of them.
func loadRun(dir string) (*store.Run, error) {
	r, err := store.Load(dir)
	if r != nil || err == nil {
		return r, err
	}
	if runs, e := runsBelow(dir); e == nil && len(runs) > 0 {
		err = fmt.Errorf("%s holds %s; name one of them, such as %s", dir,
			units.Count(len(runs), "run"), runs[0])
	}
	return nil, err
}

// checkAll judges several runs again. It returns the worst exit code.
func (f *checkFlags) checkAll(c *cobra.Command, dirs []string) error {
	var runs []checkedRun
	var unreadable error
	for _, dir := range dirs {
		if err := c.Context().Err(); err != nil {
			return interrupted(fmt.Sprintf("%d of %s were judged", len(runs),
				units.Count(len(dirs), "run")))
		}
		r, err := store.Load(dir)
		if err != nil && (!f.options.Partial || r == nil || r.History == nil) {
			unreadable = err
			fmt.Fprintln(c.ErrOrStderr(), "lockbench:", brief(err.Error()))
			continue
		}
		if err := f.judge(r, err != nil); err != nil {
			return err
		}
		runs = append(runs, checkedRun{dir, r.Verdict})
		if f.asJSON || f.quiet {
			continue
		}
		fmt.Fprintf(c.OutOrStdout(), "%-9s %-8s %s\n", r.Verdict.Verdict,
			strings.Join(r.Verdict.Violated(false), ""), dir)
	}
	return f.conclude(c, runs, len(dirs), unreadable)
}

func (f *checkFlags) conclude(c *cobra.Command, runs []checkedRun, all int,
	unreadable error) error {
	code, counts := checker.ExitExpected, map[checker.Result]int{}
	for _, r := range runs {
		counts[r.Verdict.Verdict]++
		code = worse(code, r.Verdict.Exit)
	}
	if unreadable != nil {
		code = exitUsage
	}
	if f.asJSON {
		if err := history.WriteDocument(c.OutOrStdout(), checkedRuns{code, runs}); err != nil {
			return broken(err)
		}
		return result(code)
	}
	text := units.Count(all, "run")
	for _, v := range []checker.Result{checker.Violated, checker.Valid, checker.Unknown} {
		text += fmt.Sprintf(", %d %s", counts[v], v)
	}
	if n := all - len(runs); n > 0 {
		text += fmt.Sprintf(", %d cannot be read", n)
	}
	if _, err := fmt.Fprintln(c.OutOrStdout(), text); err != nil {
		return broken(err)
	}
	return result(code)
}

// keep saves a history from standard input that the checker could not judge, as evidence against
// the checker.
func keep(say io.Writer, h *history.History) error {
	file, err := os.CreateTemp(".", "lockbench-history-*.jsonl")
	if err != nil {
		return err
	}
	defer file.Close()
	fmt.Fprintf(say, "lockbench: the history is kept in %s; please report it\n", file.Name())
	return h.Write(file)
}

// load reads a run directory, or a single history from a file or, for "-", from stdin. If it
// returns an error, it also returns the readable part.
func load(stdin io.Reader, path string, o edn.Options) (*store.Run, error) {
	if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
		return loadRun(path)
	}
	in, err := opened(stdin, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	h, err := edn.ReadAny(history.Sized{Reader: in, Bytes: in.size}, o)
	if err != nil {
		err = fmt.Errorf("%s: %w", in.name, err)
	}
	return &store.Run{History: h}, err
}

// input is a stream of a history.
type input struct {
	*bufio.Reader
	io.Closer
	name string
	size int64 // in bytes; 0 if unknown
}

// opened opens a history: standard input for "-", a file, or the history of a run directory.
func opened(stdin io.Reader, path string) (*input, error) {
	in := &input{bufio.NewReader(stdin), io.NopCloser(stdin), "standard input", 0}
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
		}
		if info.IsDir() {
			path = filepath.Join(path, store.History)
		}
		file, err := units.Open(path, units.MaxRecord)
		if err != nil {
			return nil, err
		}
		in = &input{bufio.NewReader(file), file, path, history.SizeOf(file)}
	}
	if err := readable(in.Reader, in.name); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// readable returns advice if a file holds a history in another form, such as a compressed one.
func readable(in *bufio.Reader, name string) error {
	if b, _ := in.Peek(len(units.BOM)); string(b) == units.BOM {
		_, _ = in.Discard(len(b))
	}
	switch b, _ := in.Peek(2); string(b) {
	case "\x1f\x8b":
		return fmt.Errorf("%s is compressed: gunzip it first, or `gunzip -c FILE | "+
			advice.Verb("check")+" -`",
			name)
	case "\xff\xfe", "\xfe\xff":
		return fmt.Errorf("%s is UTF-16, and a history is UTF-8: `iconv -f UTF-16 -t UTF-8` makes it so",
			name)
	}
	return nil
}

// exactly returns an error unless a verb has n arguments. What describes them.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return fmt.Errorf("%s needs %s; `%s --help` has examples", c.CommandPath(), what,
			c.CommandPath())
	}
}
