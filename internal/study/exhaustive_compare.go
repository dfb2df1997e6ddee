package study

import (
	"slices"

	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/matrix"
)

// comparison writes the table of what differs from what was measured.
func (d *ExhaustiveReport) comparison(p *page, measured Measured) {
	p.head(append([]string{"lock"}, d.columns()...)...)
	d.each(func(r matrix.Row, cells []*ExhaustiveCell) {
		row := []string{nameLink(r, "verdicts/")}
		for _, c := range cells {
			row = append(row, c.against(measured))
		}
		p.row(row...)
	})
}

// against is a cell of the comparison.
func (d *ExhaustiveCell) against(measured Measured) string {
	if d == nil || len(d.Spaces) == 0 {
		return ""
	}
	real, ok := measured(d.Row, d.Column)
	if !ok {
		return "?"
	}
	out := ""
	for _, l := range batch.Properties {
		switch here, there := slices.Contains(d.Properties, l), slices.Contains(real, l); {
		case here && !there:
			out += "+" + l
		case there && !here:
			out += "−" + l
		}
	}
	if out == "" {
		out = "="
	}
	if d.Finished(2, 2) < 0 || d.Finished(3, 1) < 0 {
		out += " ·"
	}
	return out
}

// gap is a letter that one environment has and the other, or the expectation, has not.
type gap struct {
	*ExhaustiveCell
	letter string
	here   bool // it was found in the simulator
}

// gaps are the differences from what was measured, in the order of the table.
func (d *ExhaustiveReport) gaps(measured Measured) (out []gap) {
	for i := range d.Cells {
		c := &d.Cells[i]
		real, ok := measured(c.Row, c.Column)
		if !ok || len(c.Spaces) == 0 {
			continue
		}
		for _, l := range batch.Properties {
			if here := slices.Contains(c.Properties, l); here != slices.Contains(real, l) {
				out = append(out, gap{c, l, here})
			}
		}
	}
	return out
}

// why is the reason of a difference.
func (g gap) why() string {
	if w := among(exhaustiveExplanations, matrix.Difference{Row: g.Row, Column: g.Column,
		Property: g.letter,
		Expected: !g.here}); w != "" {
		return w
	}
	if !g.here && (g.Finished(2, 2) < 0 || g.Finished(3, 1) < 0) {
		return "Not found among the schedules that were tried; the spaces were not gone through to " +
			"the end."
	}
	return "Not explained yet."
}
