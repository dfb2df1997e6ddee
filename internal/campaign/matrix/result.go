package matrix

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Result is what one run found: a line of results.jsonl.
type Result struct {
	Format  int    `json:"format"`
	Row     string `json:"row"`
	Column  string `json:"column"`
	Nemesis string `json:"nemesis"`
	Control bool   `json:"control,omitempty"`
	Attempt int    `json:"attempt"`
	Seed    uint64 `json:"seed"`
	Dir     string `json:"dir"` // the run directory, relative to that of the matrix
	batch.Finding
	// a stall of the machine was a fault of its own
	Disturbed bool             `json:"disturbed,omitempty"`
	Alone     bool             `json:"alone,omitempty"` // it was repeated with little beside it
	Took      history.Duration `json:"took"`
}

// newResult takes from a verdict what the matrix needs.
func newResult(t Task, dir string, v *checker.Verdict, err error, took time.Duration) Result {
	return Result{
		Format: batch.Format, Row: t.Row.Name, Column: t.Column, Nemesis: t.Aim.Nemesis,
		Control: t.Aim.Control,
		Attempt: t.Attempt, Seed: t.Seed,
		Dir: dir, Finding: batch.NewFinding(v, err), Took: history.Duration(took.Round(time.Millisecond)),
	}
}

// Unfit reports whether the run says little about its cell: it gives way to a repetition, and is
// not counted.
func (r Result) Unfit() bool { return r.Stalled || r.Disturbed || r.HarnessError != "" }

// key names the task that the result is of.
func (r Result) key() string {
	return fmt.Sprintf("%s|%s|%s|%d", r.Row, r.Column, r.Nemesis, r.Attempt)
}

// cell names the cell that the result belongs to.
func (r Result) cell() string { return r.Row + "|" + r.Column }

// ReadResults reads results.jsonl. A last line that was cut off by an interruption is left away.
func ReadResults(r io.Reader) ([]Result, error) { return batch.ReadLines[Result](r) }

// Again is the result with a verdict that was drawn anew from the same record of a plan. What broke
// the run then breaks it now.
func (r Result) Again(p harness.Plan, v *checker.Verdict) Result {
	var err error
	if r.HarnessError != "" {
		err = errors.New(r.HarnessError)
	}
	r.Finding, r.Disturbed = batch.NewFinding(v, err), batch.Disturbed(p, v)
	return r
}
