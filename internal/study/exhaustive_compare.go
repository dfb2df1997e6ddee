package study

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/internal/units"
)

// comparison writes the table of what differs from what was measured.
func (d *ExhaustiveReport) comparison(p *page, measured Measured) {
	p.head(append([]string{"lock"}, d.columns()...)...)
	d.each(func(r matrix.Row, cells []*ExhaustiveCell) {
		row := []string{nameLink(r, "verdicts/")}
		for _, c := range cells {
			row = append(row, c.against(measured, d.judged()))
		}
		p.row(row...)
	})
}

// against is a cell of the comparison, of these properties.
func (d *ExhaustiveCell) against(measured Measured, judged []string) string {
	if d == nil || len(d.Spaces) == 0 {
		return ""
	}
	real, ok := measured(d.Row, d.Column)
	if !ok {
		return "?"
	}
	out := ""
	for _, l := range judged {
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
		for _, l := range d.judged() {
			if here := slices.Contains(c.Properties, l); here != slices.Contains(real, l) {
				out = append(out, gap{c, l, here})
			}
		}
	}
	return out
}

// cause is the explanation of a difference; nil if there is none.
func (g gap) cause() *explanation {
	return fitting(explanations().Simulator, matrix.Difference{Row: g.Row, Column: g.Column,
		Property: g.letter, Expected: !g.here})
}

// why is the reason of a difference.
func (g gap) why() string {
	if e := g.cause(); e != nil {
		return e.Reason
	}
	return "Not explained yet."
}

// exhaustive writes docs/exhaustive.md: the table as the simulator decides it, on one page.
func (b *Book) exhaustive(p *page) {
	d := b.Exhaustive
	n := d.count(b.measured)
	p.heading(1, "The table of expected verdicts, order by order")
	p.paragraph("**The answer.** %d of %d cells have exactly the letters that were expected "+
		"([locks/expected.md](locks/expected.md)), and %d of %d those that were measured on real Redis "+
		"([verdicts.md](verdicts.md)). In %d of %d cells every order was gone through to the end in "+
		"both [spaces of the expectation](locks/expected.md#the-two-spaces); the others are worth the "+
		"schedules that were tried. A lock leads to its page, which has the reason for each difference "+
		"and the spaces of each cell.%s",
		n.agree, n.known, n.same, n.measured, n.finished, n.all, sentence(d.Partial))
	p.paragraph("Each cell was gone through in the simulator "+
		"([explore.md](explore.md#the-whole-table)): "+
		"all orders of commands, replies and wake-ups, and in each order the fault at every place, "+
		"within bounds that grow. `lockbench explore --matrix --each %d --docs docs` ran %s schedules "+
		"in %s and wrote this page.", d.Each, units.Thousands(n.schedules), d.Took.D().Round(time.Second))
	d.table(p, "verdicts/")
	p.items([]string{
		"The letters are those of [verdicts.md](verdicts.md#the-table). **Bold**: found and not " +
			"expected. ~~Struck out~~: expected and not found. Empty: not possible.",
		"The small numbers say up to how many preemptions every order was gone through, of 2 clients " +
			"with 2 rounds and of 3 clients with 1 round: what is not found there is not there. \"–\": " +
			"not even all orders without a preemption; then the number in brackets is that of 2 clients " +
			"with 1 round.",
		"Each acquire has 8 tries, a lease has three ticks, and clients work and wait for one.",
	})
	d.left(p)
	p.heading(2, "Beside real Redis")
	p.paragraph(
		"\"=\": the same letters. +X: found in the simulator and not on Redis. −X: found on " +
			"Redis and not in the simulator. \"·\": a space of the cell was not finished. \"?\": not " +
			"run on Redis.")
	d.comparison(p, b.measured)
}

// left writes what was not gone through to the end, and what it would cost.
func (d *ExhaustiveReport) left(p *page) {
	rows := [][]string{}
	for i := range d.Cells {
		c := &d.Cells[i]
		if b, s := c.open(); len(c.Spaces) > 0 && b.Clients > 0 {
			tried, known := "0", ""
			if s != nil {
				tried = units.Thousands(s.Schedules + s.Merged)
				if s.Known > 0 {
					known = units.Thousands(s.Schedules + s.Merged + s.Known)
				}
			}
			rows = append(rows, []string{c.Row, c.Column, spaceName(b), tried, known})
		}
	}
	if len(rows) == 0 {
		return
	}
	p.heading(2, "What is left open")
	p.paragraph("The smallest space of each cell that was not gone through to the end; \"3×1 to 0\" " +
		"is every order of 3 clients with 1 round and no preemption. At least: the schedules that " +
		"were run and the ways that were found and not taken, of which each is one schedule or " +
		"more. Where such a space was finished later, it came to one to three times that. A " +
		"schedule takes 0.7 ms of a processor with a lock on one server, and 2.5 ms with a watchdog.")
	p.head("lock", "fault", "space", "schedules run", "at least")
	for _, row := range rows {
		p.row(row...)
	}
}
