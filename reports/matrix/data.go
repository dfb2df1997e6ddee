package matrix

import (
	"slices"

	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/reports/page"
)

// matrixData is what matrix.js shows of a cell when it is chosen. Texts are there once: several
// letters often have the same words.
type matrixData struct {
	Rows    []string               `json:"rows"`
	Columns []string               `json:"columns"`
	Lines   []string               `json:"lines"` // what happens, by column
	Texts   []string               `json:"texts"`
	Cells   map[int][]matrixDetail `json:"cells"` // by row * number of columns + column
	index   map[string]int
}

// matrixDetail is a letter of a cell.
type matrixDetail struct {
	Letter string `json:"l"`
	Found  string `json:"f"`
	Text   int    `json:"w,omitempty"` // number of the text
	Link   string `json:"h,omitempty"`
	Runs   [2]int `json:"n"` // that found it, of how many
	Expect bool   `json:"e,omitempty"`
}

func newMatrixData(m *matrix.Matrix) *matrixData {
	d := &matrixData{Cells: map[int][]matrixDetail{}, Texts: []string{""}, index: map[string]int{
		"": 0}}
	for _, r := range m.Rows {
		d.Rows = append(d.Rows, page.Clean(r.Name, 60))
	}
	for _, c := range m.Columns {
		d.Columns, d.Lines = append(d.Columns, page.Clean(c.Name, 40)),
			append(d.Lines, page.Clean(c.Line, 200))
	}
	return d
}

// maxText bounds the words of a counterexample on the page of a matrix; the run's report has all
// of them.
const maxText = 500

func (d *matrixData) add(c *matrix.Cell, row, column int, linked page.Link) {
	var out []matrixDetail
	if c.Impossible != "" {
		out = append(out, matrixDetail{Found: "not possible", Text: d.text(c.Impossible)})
	}
	for _, l := range c.Properties {
		x := matrixDetail{Letter: l.Name, Found: l.Found.String(), Runs: [2]int{l.Runs, l.Of},
			Expect: slices.Contains(c.Expected, l.Name)}
		switch {
		case l.Inherited:
			x.Text = d.text("It needs no fault: see the column none.")
		case l.Found == "violated":
			x.Text, x.Link = d.text(explained(c, l)), linked(l.Dir)
		default:
			x.Text = d.text(l.Reason)
		}
		out = append(out, x)
	}
	if len(out) > 0 {
		d.Cells[row*len(d.Columns)+column] = out
	}
}

// explained is the counterexample of the run that shows the letter.
func explained(c *matrix.Cell, l matrix.Property) string {
	for _, r := range c.Runs {
		if r.Dir == l.Dir && r.Explanations[l.Name] != "" {
			return r.Explanations[l.Name]
		}
	}
	for _, r := range c.Runs {
		if r.Explanations[l.Name] != "" {
			return r.Explanations[l.Name]
		}
	}
	return l.Class
}

// text numbers a text.
func (d *matrixData) text(s string) int {
	s = page.Clean(s, maxText)
	i, ok := d.index[s]
	if !ok {
		i = len(d.Texts)
		d.index[s] = i
		d.Texts = append(d.Texts, s)
	}
	return i
}
