package study

import (
	"os"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/store"
)

// measuredFile stands beside docs/verdicts.md, for the pages that compare with what was measured.
const measuredFile = "verdicts.json"

// Measured is what a matrix found of each cell that could be judged: the document verdicts.json.
type Measured struct {
	Format      int               `json:"format"`
	Environment string            `json:"environment"`
	Versions    map[string]string `json:"versions,omitempty"`
	Cells       []MeasuredCell    `json:"cells"`
}

// MeasuredCell holds the properties that were violated in a cell.
type MeasuredCell struct {
	Row        string   `json:"row"`
	Column     string   `json:"column"`
	Properties []string `json:"properties"`
}

func newMeasured(m *matrix.Matrix) *Measured {
	out := &Measured{Format: batch.Format, Environment: m.Environment, Versions: m.Versions}
	for i := range m.Cells {
		c := &m.Cells[i]
		found := c.Found()
		if c.Impossible == "" && !c.Elsewhere && (len(c.Unknown()) == 0 || len(found) > 0) {
			out.Cells = append(out.Cells, MeasuredCell{c.Row, c.Column, found})
		}
	}
	return out
}

// of returns the properties that were found in a cell; false if it could not be judged. Nothing was
// measured where m is nil.
func (m *Measured) of(row, column string) ([]string, bool) {
	if m != nil {
		for _, c := range m.Cells {
			if c.Row == row && c.Column == column {
				return c.Properties, true
			}
		}
	}
	return nil, false
}

// readMeasured reads what a directory of pages has; nil if it has nothing.
func readMeasured(dir string) (*Measured, error) { return ifThere[Measured](dir, measuredFile) }

func (m *Measured) save(dir string) error {
	return store.Write(dir, measuredFile, func(f *os.File) error { return history.WriteDocument(f, m) })
}
