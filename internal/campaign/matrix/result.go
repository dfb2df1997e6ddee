package matrix

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Result is the result of one run, a line of results.jsonl.
type Result struct {
	Format  int    `json:"format"`
	Row     string `json:"row"`
	Column  string `json:"column"`
	Nemesis string `json:"nemesis"`
	Control bool   `json:"control,omitempty"`
	Attempt int    `json:"attempt"`
	Seed    uint64 `json:"seed"`
	Dir     string `json:"dir"` // relative to the directory of the matrix
	batch.Finding
	// a stall of the machine acted as a fault
	Disturbed bool             `json:"disturbed,omitempty"`
	Alone     bool             `json:"alone,omitempty"` // a repetition with few other runs in parallel
	Took      history.Duration `json:"took"`
}

func newResult(t Task, dir string, v *checker.Verdict, err error, took time.Duration) Result {
	return Result{
		Format: batch.Format, Row: t.Row.Name, Column: t.Column, Nemesis: t.Aim.Nemesis,
		Control: t.Aim.Control,
		Attempt: t.Attempt, Seed: t.Seed,
		Dir: dir, Finding: batch.NewFinding(v, err), Took: history.Duration(took.Round(time.Millisecond)),
	}
}

// Unfit reports whether the run says little about its cell. Such a run is not counted, and a
// repetition replaces it.
func (r Result) Unfit() bool { return r.Stalled || r.Disturbed || r.HarnessError != "" }

func (r Result) key() string {
	return fmt.Sprintf("%s|%s|%s|%d", r.Row, r.Column, r.Nemesis, r.Attempt)
}

func (r Result) cell() string { return r.Row + "|" + r.Column }

// ReadResults reads results.jsonl. It ignores a last line that was cut off by an interruption.
func ReadResults(r io.Reader) ([]Result, error) { return batch.ReadLines[Result](r) }

// Broken returns one result of each row whose runs all broke, in the order of the results.
func Broken(results []Result) (broken []Result) {
	ran, first := map[string]bool{}, map[string]bool{}
	for _, r := range results {
		if r.HarnessError == "" {
			ran[r.Row] = true
		}
	}
	for _, r := range results {
		if !ran[r.Row] && !first[r.Row] {
			first[r.Row], broken = true, append(broken, r)
		}
	}
	return broken
}

// Unrun returns the first cell of each row that the request names and of which no cell can be run,
// in the order of the rows.
func (m *Matrix) Unrun(o Options) (cells []Cell) {
	named := func(r Row) bool {
		return slices.Contains(o.Rows, r.Name) || slices.Contains(o.Rows, r.Impl) ||
			slices.Contains(o.Adapters, r.Adapter)
	}
	for _, r := range m.Rows {
		of := slices.DeleteFunc(slices.Clone(m.Cells), func(c Cell) bool { return c.Row != r.Name })
		if named(r) && len(of) > 0 && !slices.ContainsFunc(of, func(c Cell) bool {
			return c.Impossible == ""
		}) {
			cells = append(cells, of[0])
		}
	}
	return cells
}

// Rejudged returns the result with a new verdict on the same record. An error that broke the run is
// kept.
func (r Result) Rejudged(p harness.Plan, v *checker.Verdict) Result {
	var err error
	if r.HarnessError != "" {
		err = errors.New(r.HarnessError)
	}
	r.Finding, r.Disturbed = batch.NewFinding(v, err), batch.Disturbed(p, v)
	return r
}

// Dir returns the directory of the run that shows most of the cell, or "" if nothing was run.
func (c *Cell) Dir() string {
	best := ""
	for _, r := range c.Runs {
		if best == "" || len(r.Violated()) > 0 {
			best = r.Dir
		}
	}
	return best
}

// Title returns the tooltip of a cell.
func (c *Cell) Title() string {
	if c.Impossible != "" {
		return "not possible: " + c.Impossible
	}
	if c.Elsewhere {
		return "another shard runs it"
	}
	var out []string
	for _, l := range c.Properties {
		s := l.Name + " " + l.Found.String()
		for _, more := range []string{l.Class, l.Reason} {
			if more != "" {
				s += " (" + more + ")"
			}
		}
		if l.Inherited {
			s += ", found without any fault"
		}
		out = append(out, s)
	}
	return c.Row + ", " + c.Column + ": " + strings.Join(out, "; ")
}
