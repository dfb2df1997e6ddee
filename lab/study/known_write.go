package study

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"slices"

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
	whole, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var all any
	if err := json.Unmarshal(whole, &all); err != nil {
		return err
	}
	if err := json.NewEncoder(z).Encode(withoutZeros(all)); err != nil {
		return err
	}
	return z.Close()
}

// withoutZeros returns a JSON value without the fields that decode to their zero value if they are
// absent. Each run of lockbench that shows a violation decodes the record. Of costs, a zero says
// more than an absent field.
func withoutZeros(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = withoutZeros(v[i])
		}
	case map[string]any:
		for name := range v {
			if name != "costs" {
				v[name] = withoutZeros(v[name])
			}
		}
		maps.DeleteFunc(v, func(_ string, x any) bool {
			return slices.Contains([]any{nil, false, "", 0.0, "0s", checker.Unknown.String()}, x)
		})
	}
	return value
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
			if p.Found != checker.NA {
				c.Properties = append(c.Properties, p)
			}
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
	short.Stalled, short.Classes = r.Unfit(), map[string]string{}
	short.Properties = maps.Clone(r.Properties)
	maps.DeleteFunc(short.Properties, func(_ string, found checker.Result) bool {
		return found != checker.Valid && found != checker.Violated
	})
	for letter, class := range r.Classes {
		if r.Properties[letter] == checker.Violated {
			short.Classes[letter] = class
		}
	}
	return short
}
