package study

import (
	"io"

	"github.com/lockbench/lockbench/internal/batch"
)

// Cell returns a cell, or nil.
func (d *ExhaustiveReport) Cell(row, column string) *ExhaustiveCell {
	for i := range d.Cells {
		if c := &d.Cells[i]; c.Row == row && c.Column == column {
			return c
		}
	}
	return nil
}

// Write writes exhaustive.json: half a megabyte, so that it is not indented.
func (d *ExhaustiveReport) Write(w io.Writer) error { return batch.WriteLine(w, d) }

// ReadExhaustive reads exhaustive.json.
func ReadExhaustive(r io.Reader) (*ExhaustiveReport, error) {
	return batch.ReadDocument[ExhaustiveReport](r, ExhaustiveFile)
}

// ReadLines reads the record of a search. A last line that was cut off by an interruption is left
// away.
func ReadLines(r io.Reader) ([]Line, error) { return batch.ReadLines[Line](r) }
