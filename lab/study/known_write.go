package study

import (
	"compress/gzip"
	"encoding/json"
	"io"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
)

// WriteKnown writes the record that the product embeds, without data that it does not read.
func WriteKnown(r choose.Record, w io.Writer) error {
	r.Own, r.Libraries = slimKnown(r.Own), slimKnown(r.Libraries)
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(z).Encode(r); err != nil {
		return err
	}
	return z.Close()
}

// slimKnown returns a matrix without the texts and directories of its runs.
func slimKnown(m *matrix.Matrix) *matrix.Matrix {
	if m == nil {
		return nil
	}
	out := *m
	out.Cells = nil
	for _, c := range m.Cells {
		properties := c.Properties
		c.Properties, c.Expected = nil, nil
		for _, p := range properties {
			p.Dir = ""
			if p.Found != checker.Unknown {
				p.Reason = ""
			}
			c.Properties = append(c.Properties, p)
		}
		runs := c.Runs
		c.Runs = nil
		for _, r := range runs {
			c.Runs = append(c.Runs, slimRun(r))
		}
		out.Cells = append(out.Cells, c)
	}
	return &out
}

// slimRun returns a run with its properties and whether it is fit to be counted.
func slimRun(r matrix.Result) matrix.Result {
	short := matrix.Result{Nemesis: r.Nemesis, Control: r.Control}
	short.Stalled, short.Properties, short.Classes = r.Unfit(), r.Properties, map[string]string{}
	for letter, class := range r.Classes {
		if r.Properties[letter] == checker.Violated {
			short.Classes[letter] = class
		}
	}
	return short
}
