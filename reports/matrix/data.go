package matrix

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/advice"
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
	Lacks   [3]int                 `json:"lacks"` // the texts of what a lock may lack
	Verb    string                 `json:"verb"`
	Best    int                    `json:"best"` // number of locks to show
	Few     int                    `json:"few"`
	Answers any                    `json:"answers"`
	index   map[string]int
}

// candidate is a lock among which the page chooses (choose.Candidate).
type candidate struct {
	Name    string `json:"name"`
	Gives   string `json:"gives"`
	Costs   string `json:"costs"`
	Family  string `json:"family"`
	Level   int    `json:"level"`
	Lacks   []int  `json:"lacks"` // numbers of texts
	Missing int    `json:"missing"`
	Unable  []int  `json:"unable"` // columns that cannot be tried although they could happen
	// what a question appends to the command of a proof, by the first two bits of its number
	Flags [4]string `json:"flags"`
	// Stands has an entry per column and question: the number of the text that explains why the lock
	// drops out. It is negative if a property is unknown instead of violated. It is 0 if the lock
	// remains.
	Stands [][8]int `json:"stands"`
	// the letters that count, by column and question
	Breaks   [][4]string `json:"breaks"`
	Unjudged [][4]string `json:"unjudged"`
	Proofs   []proof     `json:"proofs"` // by column
}

// proof is the run that shows how a lock behaves under a fault. N is 0 if no run was made.
type proof struct {
	N       int    `json:"n"`
	Command int    `json:"c"`
	Link    string `json:"h,omitempty"`
}

// choices adds the candidates of a matrix, and returns what explains their costs.
func (d *matrixData) choices(m *matrix.Matrix, linked page.Link) (costs string) {
	var all []choose.Choice
	d.Verb = advice.Verb("choose")
	d.Best, d.Few, d.Answers = choose.Shown, choose.Few, choose.Answers
	d.Lacks = [3]int{d.text(choose.Untold), d.text(choose.Unfenced), d.text(choose.Holdless)}
	for _, c := range choose.Candidates(m) {
		d.Choose, all = append(d.Choose, d.candidate(m, c, linked)), append(all, c.Choice)
	}
	return choose.CostsNote(all)
}

// candidate converts a candidate with its texts and links.
func (d *matrixData) candidate(m *matrix.Matrix, c choose.Candidate, linked page.Link) candidate {
	x := candidate{Name: page.Clean(c.Name, 60), Gives: strings.Join(c.Gives, ", "), Costs: c.Costs(),
		Family: page.Clean(c.Family, 60), Level: c.Level, Missing: c.Missing, Lacks: []int{},
		Unable: []int{}, Flags: c.Flags}
	for _, l := range c.Lacks {
		x.Lacks = append(x.Lacks, d.text(l))
	}
	for i, one := range c.Cells {
		if one.Unable {
			x.Unable = append(x.Unable, i)
		}
		var stands [8]int
		for i, s := range one.Standings {
			stands[i] = d.text(s.Against)
			if !s.Broken && !s.Never {
				stands[i] *= -1
			}
		}
		x.Stands, x.Breaks = append(x.Stands, stands), append(x.Breaks, one.Breaks)
		x.Unjudged = append(x.Unjudged, one.Unjudged)
		p := proof{}
		if one.Proof != nil {
			p = proof{one.Proof.Runs, d.text(one.Proof.Shown()), ""}
			if cell := m.Cell(c.Lock, one.Fault); cell != nil {
				p.Link = linked(cell.Dir())
			}
		}
		x.Proofs = append(x.Proofs, p)
	}
	return x
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

// explained returns the counterexample of the run that shows the letter.
func explained(c *matrix.Cell, l matrix.Property) string {
	for _, r := range c.Runs {
		if r.Dir == l.Dir && r.Explanations[l.Name] != "" {
			return r.Explanations[l.Name]
		}
	}
	return cmp.Or(c.Explanation(l.Name), l.Class)
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
