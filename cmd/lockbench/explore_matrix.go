package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/internal/study"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// decideFlags are those of explore --matrix.
type decideFlags struct {
	matrix     bool
	each       int
	docs       string
	resume     string
	rows, cols []string
}

// eachCell is how many schedules of a cell are gone through, by default: all cells take less than
// ten minutes on two cores.
const eachCell = 1000

func (f *decideFlags) register(s *pflag.FlagSet) {
	s.BoolVar(&f.matrix, "matrix", false,
		"go through every cell of the table of expected verdicts, in spaces that grow")
	s.IntVar(&f.each, "each", eachCell,
		"matrix: schedules of each cell at most, four times as many without a fault")
	s.StringVar(&f.docs, "docs", "",
		"matrix: also write exhaustive.md and exhaustive.json to this directory, and the comparison in its verdicts.md")
	s.StringVar(&f.resume, "resume", "", "matrix: go on with an interrupted one: its directory")
	s.StringSliceVar(&f.rows, "rows", nil, "matrix: locks (default all)")
	s.StringSliceVar(&f.cols, "columns", nil, "matrix: faults (default all)")
}

// ofMatrix are the flags of a search of the table that other searches do not have, and withMatrix
// those that it shares with them.
var (
	ofMatrix   = []string{"each", "docs", "resume", "rows", "columns"}
	withMatrix = []string{"matrix", "for", "jobs", "json", "store"}
)

func (f *decideFlags) check(set *pflag.FlagSet) (err error) {
	set.Visit(func(g *pflag.Flag) {
		switch mine := slices.Contains(ofMatrix, g.Name); {
		case err != nil:
		case mine && !f.matrix:
			err = fmt.Errorf("--%s is for --matrix", g.Name)
		case f.matrix && !mine && !slices.Contains(withMatrix, g.Name):
			err = fmt.Errorf(
				"--matrix has its own locks, faults and bounds; leave --%s away (--rows and --columns choose)",
				g.Name)
		case f.resume != "" && (g.Name == "each" || g.Name == "rows" || g.Name == "columns"):
			err = fmt.Errorf("--resume goes on with what was asked for then; leave --%s away", g.Name)
		}
	})
	if err == nil && f.each <= 0 {
		err = fmt.Errorf("--each is %d; it must be above zero", f.each)
	}
	return err
}

// The files of a search's directory, and of its result in a directory of pages.
const (
	spacesFile  = "spaces.jsonl" // as they come
	decidedFile = "exhaustive.json"
)

// asked is what a search was asked for, to go on with.
type asked struct {
	Rows    []string         `json:"rows,omitempty"`
	Columns []string         `json:"columns,omitempty"`
	Each    int              `json:"each"`
	Took    history.Duration `json:"took,omitempty"` // so far
}

// decide goes through the table of expected verdicts. What was gone through is kept, whatever ends
// it.
func (f *decideFlags) decide(c *cobra.Command, of *exploreFlags) error {
	if info, err := os.Stat(f.docs); f.docs != "" && (err != nil || !info.IsDir()) {
		return usage(fmt.Errorf("--docs %s is no directory; make it first", f.docs))
	}
	x := study.Exhausting{Rows: f.rows, Columns: f.cols, Each: f.each, Budget: of.search.Budget,
		Jobs: of.search.Jobs}
	dir, earlier, err := f.open(&x, of.store)
	if err != nil {
		return usage(err)
	}
	out, err := os.OpenFile(filepath.Join(dir, spacesFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return usage(err)
	}
	defer out.Close()
	begin, bar := time.Now(), newBar(c.ErrOrStderr())
	x.Out = out
	x.Tell = func(done, all int, d *study.Decision) {
		bar.step(done, all, d.Row+" under "+d.Column)
	}
	decided, err := x.Decide(c.Context())
	bar.stop()
	if decided == nil || err != nil && c.Context().Err() == nil {
		return usage(err)
	}
	decided.Took = earlier + history.Duration(time.Since(begin))
	if err := f.keep(dir, x, decided); err != nil {
		return broken(err)
	}
	if c.Context().Err() != nil {
		return exit{
			code: 2, err: fmt.Errorf("interrupted; `lockbench explore --matrix --resume %s` goes on", dir)}
	}
	if err := f.writeDocs(decided); err != nil {
		return usage(err)
	}
	return broken(f.show(c.OutOrStdout(), decided, of.asJSON))
}

// open makes the directory of a search, or reads what an interrupted one has.
func (f *decideFlags) open(x *study.Exhausting, root string) (dir string,
	earlier history.Duration, err error) {
	if f.resume == "" {
		if err := x.Check(); err != nil {
			return "", 0, err
		}
		if dir, err = store.Create(root, "exhaustive", "all", time.Now()); err != nil {
			return "", 0, err
		}
		return dir, 0, errors.Join(writeAsked(dir, asked{x.Rows, x.Columns, x.Each, 0}),
			store.Link(filepath.Dir(dir), store.Latest, dir))
	}
	if dir, err = filepath.EvalSymlinks(f.resume); err != nil {
		return "", 0, fmt.Errorf("%s is no search of the table: %w", f.resume, err)
	}
	b, err := os.ReadFile(filepath.Join(dir, optionsFile))
	if err != nil {
		return "", 0, fmt.Errorf("%s is no search of the table: %w", f.resume, err)
	}
	var a asked
	if err := json.Unmarshal(b, &a); err != nil || a.Each <= 0 {
		return "", 0, fmt.Errorf("%s is no search of the table: its %s cannot be read", f.resume,
			optionsFile)
	}
	x.Rows, x.Columns, x.Each = a.Rows, a.Columns, a.Each
	file, err := os.Open(filepath.Join(dir, spacesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return dir, a.Took, nil
	} else if err != nil {
		return "", 0, err
	}
	defer file.Close()
	x.Known, err = study.ReadLines(file)
	return dir, a.Took, err
}

func writeAsked(dir string, a asked) error {
	return store.Write(dir, optionsFile, func(w *os.File) error {
		return json.NewEncoder(w).Encode(a)
	})
}

// keep writes what is known so far beside the record of it.
func (f *decideFlags) keep(dir string, x study.Exhausting, d *study.Decided) error {
	return errors.Join(
		writeAsked(dir, asked{x.Rows, x.Columns, x.Each, d.Took}),
		store.Write(dir, decidedFile, func(w *os.File) error { return d.Write(w) }),
	)
}

// writeDocs writes the pages, and the comparison in the page of what was measured, if that is
// there.
func (f *decideFlags) writeDocs(d *study.Decided) error {
	if f.docs == "" {
		return nil
	}
	const name = "verdicts.md"
	page, err := os.ReadFile(filepath.Join(f.docs, name))
	if err == nil {
		err = store.Write(f.docs, name, func(w *os.File) error {
			_, err := w.Write(d.Compare(page))
			return err
		})
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(
		store.Write(f.docs, decidedFile, func(w *os.File) error { return d.Write(w) }),
		store.Write(f.docs, "exhaustive.md", func(w *os.File) error {
			return d.Markdown(w, study.ReadMeasured(page))
		}),
	)
}

func (f *decideFlags) show(w io.Writer, d *study.Decided, asJSON bool) error {
	if asJSON {
		return d.Write(w)
	}
	return d.Text(w)
}
