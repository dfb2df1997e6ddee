package choose

import (
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"io"
	"strings"
	"sync"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
)

// Record is all data of this package. A program of the lab extracts it from longer records, and it
// is embedded in the binary.
type Record struct {
	Own, Libraries *matrix.Matrix
	Often          []Often
	Settings       []Setting
	Trials         []MitigationCell
	Drawn          []Drawn
	Alone          []Alone
}

// Alone is the median acquire of a lock that only one client wants.
type Alone struct {
	Row     string
	Library bool // the row is a library's
	Acquire history.Duration
}

// Often counts the violations of each cell in many runs in one environment.
type Often struct {
	Found []Count
	Clean []Count // cells without any violation; their Property is ""
}

// Count is the number of judged runs of a cell that violated a property.
type Count struct {
	Row, Column, Property, Nemesis string
	Hits, Of                       int
}

// Drawn is the number of simulated runs that violated a property, with random moments of the fault
// and a random order of messages.
type Drawn struct {
	Row, Fault string
	Hit
}

//go:embed known.json.gz
var known string

// Recorded returns the embedded record. It decodes the record at the first call. The caller must
// not change it.
var Recorded = sync.OnceValues(func() (*Record, error) {
	z, err := gzip.NewReader(strings.NewReader(known))
	if err != nil {
		return nil, err
	}
	r := new(Record)
	return r, json.NewDecoder(z).Decode(r)
})

// Write writes the record without data that this package does not read.
func (r Record) Write(w io.Writer) error {
	r.Own, r.Libraries = slim(r.Own), slim(r.Libraries)
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(z).Encode(r); err != nil {
		return err
	}
	return z.Close()
}

// slim returns a matrix without the texts and directories of its runs.
func slim(m *matrix.Matrix) *matrix.Matrix {
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
