package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/reports/page"
)

// matrixData has the details that matrix.js shows of a chosen cell. It has each text once: several
// letters often share their words.
type matrixData struct {
	Rows    []string               `json:"rows"`
	Columns []string               `json:"columns"`
	Lines   []string               `json:"lines"` // what happens, by column
	Texts   []string               `json:"texts"`
	Cells   map[int][]matrixDetail `json:"cells"` // by row * number of columns + column
	Choose  []candidate            `json:"choose"`
	Lacks   [2]int                 `json:"lacks"` // the texts of what a lock may lack
	Fenced  string                 `json:"fenced"`
	Verb    string                 `json:"verb"`
	index   map[string]int
}

// candidate is a lock among which the page chooses (choose.Candidate).
type candidate struct {
	Name    string `json:"name"`
	Gives   string `json:"gives"`
	Needs   string `json:"needs"`
	Costs   string `json:"costs"`
	Out     string `json:"out"`   // faults that keep all clients out for long
	Lacks   []int  `json:"lacks"` // numbers of texts
	Untried int    `json:"untried"`
	Jams    bool   `json:"jams"` // some fault leaves it taken for ever
	// columns that cannot be tried, each with the number of the text that says why
	Unable [][2]int `json:"unable"`
	// Stands has an entry per column and question: the number of the text that explains why the lock
	// drops out. It is negative if a property is unknown instead of violated. It is 0 if the lock
	// remains.
	Stands [][8]int `json:"stands"`
	Proofs []proof  `json:"proofs"` // by column
}

// proof is the run that shows how a lock behaves under a fault. N is 0 if no run was made.
type proof struct {
	N       int    `json:"n"`
	Command int    `json:"c"`
	Link    string `json:"h,omitempty"`
}

// choices adds the candidates of a matrix.
func (d *matrixData) choices(m *matrix.Matrix, linked page.Link) {
	d.Fenced, d.Verb = choose.Fenced, advice.Verb("choose")
	d.Lacks = [2]int{d.text(choose.Untold), d.text(choose.Unfenced)}
	for _, c := range choose.Candidates(m) {
		x := candidate{Name: page.Clean(c.Lock, 60), Gives: orDash(strings.Join(c.Declares, ", ")),
			Needs: c.Needs, Costs: "–", Out: orDash(strings.Join(c.Outages, ", ")),
			Untried: c.Untried, Jams: len(c.Deadlocks) > 0, Lacks: []int{}, Unable: [][2]int{}}
		if c.Library != "" {
			x.Name += " (" + page.Clean(c.Library, 80) + ")"
		}
		if c.Cost != nil && c.Cost.Grants > 0 {
			x.Costs = fmt.Sprintf("%.1f commands, %s", c.Cost.Commands, units.Span(c.Cost.AcquireP50))
		}
		for _, l := range c.Lacks {
			x.Lacks = append(x.Lacks, d.text(l))
		}
		for i, one := range c.Cells {
			if one.Unable != "" {
				x.Unable = append(x.Unable, [2]int{i, d.text(one.Unable)})
			}
			var stands [8]int
			for i, s := range one.Standings {
				stands[i] = d.text(s.Against)
				if !s.Broken {
					stands[i] *= -1
				}
			}
			x.Stands = append(x.Stands, stands)
			p := proof{}
			if one.Proof != nil {
				p = proof{one.Proof.Runs, d.text(one.Proof.Shown()), ""}
				if cell := m.Cell(c.Lock, one.Fault); cell != nil {
					p.Link = linked(cell.Dir())
				}
			}
			x.Proofs = append(x.Proofs, p)
		}
		d.Choose = append(d.Choose, x)
	}
}

func orDash(s string) string { return cmp.Or(s, "–") }

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

// explained returns the counterexample of the run that shows the letter.
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
