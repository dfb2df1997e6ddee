package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/lockbench/lockbench/internal/batch"
)

// Cell returns a cell, or nil.
func (d *Decided) Cell(row, column string) *Decision {
	for i := range d.Cells {
		if c := &d.Cells[i]; c.Row == row && c.Column == column {
			return c
		}
	}
	return nil
}

// Write writes exhaustive.json.
func (d *Decided) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(d)
}

// ReadDecided reads exhaustive.json.
func ReadDecided(r io.Reader) (*Decided, error) {
	var d Decided
	if err := json.NewDecoder(r).Decode(&d); err != nil {
		return nil, fmt.Errorf("exhaustive.json: %w", err)
	}
	if d.Format != batch.Format {
		return nil,
			fmt.Errorf(
				"exhaustive.json has format %d; this lockbench reads %d: write it again with `lockbench explore --matrix --docs docs`", d.Format, batch.Format)
	}
	return &d, nil
}

// ReadLines reads the record of a search. A last line that was cut off by an interruption is left
// away.
func ReadLines(r io.Reader) (out []Line, err error) {
	dec := json.NewDecoder(r)
	for {
		var l Line
		switch err := dec.Decode(&l); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return out, nil
		case err != nil:
			return out, fmt.Errorf("line %d: %w", len(out)+1, err)
		}
		out = append(out, l)
	}
}
