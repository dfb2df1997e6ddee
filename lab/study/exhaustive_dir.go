package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/lab/records"
)

// The files in a search's directory, in addition to ExhaustiveFile.
const (
	spacesFile = "spaces.jsonl" // the record: a line for each space, written as the search goes on
	askedFile  = "options.json"
)

// asked holds the parameters of a search, so that another process can resume it.
type asked struct {
	Rows    []string         `json:"rows,omitempty"`
	Columns []string         `json:"columns,omitempty"`
	Each    int              `json:"each"`
	Took    history.Duration `json:"took,omitempty"` // so far
}

// Work is a search of the table with a directory. It can be interrupted and resumed.
type Work struct {
	ExhaustiveSearch
	Dir  string
	took history.Duration // time used by earlier processes
	lock io.Closer
}

// Begin creates the directory of a new search below root.
func (x ExhaustiveSearch) Begin(root string) (*Work, error) {
	if err := x.Check(); err != nil {
		return nil, err
	}
	dir, err := store.Create(root, "exhaustive", "all", time.Now())
	if err != nil {
		return nil, err
	}
	w := &Work{ExhaustiveSearch: x, Dir: dir}
	if w.lock, err = batch.Lock(dir); err != nil {
		return nil, err
	}
	return w, errors.Join(w.keepAsked(), store.Link(filepath.Dir(dir), store.Latest, dir))
}

// Resume opens the directory of an interrupted search. Its rows, columns and number of schedules
// replace the values of x.
func (x ExhaustiveSearch) Resume(dir string) (*Work, error) {
	w, err := &Work{ExhaustiveSearch: x}, error(nil)
	var a asked
	if w.Dir, err = filepath.EvalSymlinks(dir); err == nil {
		var b []byte
		if b, err = os.ReadFile(filepath.Join(w.Dir, askedFile)); err == nil {
			if json.Unmarshal(b, &a) != nil || a.Each <= 0 {
				err = fmt.Errorf("its %s cannot be read", askedFile)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a search of the table: %w", dir, err)
	}
	w.Rows, w.Columns, w.Each, w.took = a.Rows, a.Columns, a.Each, a.Took
	w.lock, err = batch.Lock(w.Dir)
	return w, err
}

// Close allows another process to resume the search.
func (w *Work) Close() error { return w.lock.Close() }

// Run explores the cells and stores its progress in the directory. If ctx ends, it returns the
// partial report and the error of ctx. It returns a nil report only with another error.
func (w *Work) Run(ctx context.Context) (*ExhaustiveReport, error) {
	record, err := batch.OpenRecord[Line](filepath.Join(w.Dir, spacesFile))
	if err != nil {
		return nil, err
	}
	defer record.Close()
	x, begin := w.ExhaustiveSearch, time.Now()
	x.Known, x.Out = record.Known, record
	d, err := x.Run(ctx)
	if d == nil || err != nil && ctx.Err() == nil {
		return nil, err
	}
	w.took += history.Duration(time.Since(begin))
	d.Took = w.took
	if err := errors.Join(w.keepAsked(), d.save(w.Dir)); err != nil {
		return d, err
	}
	return d, err
}

func (w *Work) keepAsked() error {
	return store.Write(w.Dir, askedFile, func(f *os.File) error {
		return json.NewEncoder(f).Encode(asked{w.Rows, w.Columns, w.Each, w.took})
	})
}

func (d *ExhaustiveReport) save(dir string) error {
	return records.Write(dir, ExhaustiveFile, d.Write)
}

// WriteDocs stores the report in a directory and writes its pages.
func (d *ExhaustiveReport) WriteDocs(dir string) error {
	return errors.Join(d.save(dir), WritePages(dir))
}

// Cell returns a cell, or nil.
func (d *ExhaustiveReport) Cell(row, column string) *ExhaustiveCell {
	for i := range d.Cells {
		if c := &d.Cells[i]; c.Row == row && c.Column == column {
			return c
		}
	}
	return nil
}

// Write writes exhaustive.json. It does not indent the file because of its size of half a megabyte.
func (d *ExhaustiveReport) Write(w io.Writer) error { return batch.WriteLine(w, d) }

// ReadExhaustive reads exhaustive.json.
func ReadExhaustive(r io.Reader) (*ExhaustiveReport, error) {
	return batch.ReadDocument[ExhaustiveReport](r, ExhaustiveFile)
}

// ReadLines reads the record of a search. It ignores a last line that was cut off by an
// interruption.
func ReadLines(r io.Reader) ([]Line, error) { return batch.ReadLines[Line](r) }
