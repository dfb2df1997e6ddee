package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
)

// lock writes lab/results/verdicts/IMPL.md, all results of a lock.
func (b *Book) lock(p *page, impl string) {
	p.heading(1, impl)
	p.paragraph("All results of this lock. [locks.md](../../../docs/locks.md#the-locks) has its " +
		"origin, [verdicts.md](../verdicts.md) all locks and the letters; " +
		"[how to read the tables](#how-to-read-the-tables).")
	for _, r := range rowsOf(impl) {
		if hasSeveralRows(impl) {
			p.heading(2, r.Name)
		}
		if why := matrix.Why(r.Name); why != "" {
			p.paragraph("**Expected** ([locks/expected.md](%s)). %s", "../../../docs/locks/expected.md",
				units.Sentence(why))
		}
		b.overview(p, r)
		b.differences(p, r)
		b.orders(p, r)
	}
	p.heading(2, "How to read the tables")
	p.items([]string{
		"*on Redis*: the letters of the matrix. **Bold**: found and not expected. ~~Struck out~~: " +
			"expected and not found.",
		"*found in*: \"SLO:20/20\": each was found in 20 of 20 runs of the scenario that is aimed at " +
			"it; \"-40\": nothing was found in 40 runs; \"=\": nothing that needs a fault. " +
			"The runs of *(process)* are older than the count of A.",
		"*order by order*: all orders in the simulator, within the bounds of " +
			"[exhaustive.md](../exhaustive.md); a letter in brackets is found without any fault.",
	})
}

// overview writes one line for each fault.
func (b *Book) overview(p *page, r matrix.Row) {
	head := []string{"fault", "expected", "on Redis"}
	for _, s := range b.Soaks {
		head = append(head, "found in ("+s.Environment+")")
	}
	p.head(append(head, "order by order")...)
	for _, c := range matrix.Columns() {
		if matrix.Impossible(r, c) != "" {
			continue
		}
		expected, real, decided := "not said", "not run", "not run"
		if letters, known := matrix.Expected(r.Name, c.Name); known {
			expected = nothing(strings.Join(letters, ""))
		}
		if cell := b.cell(r.Name, c.Name); cell != nil {
			real = cell.Marked()
		}
		if d := b.decision(r.Name, c.Name); d != nil {
			decided = d.found()
		}
		row := []string{c.Name, expected, real}
		for _, s := range b.Soaks {
			row = append(row, s.words(r.Name, c.Name))
		}
		p.row(append(row, decided)...)
	}
	var impossible []string
	for _, c := range matrix.Columns() {
		if why := matrix.Impossible(r, c); why != "" && !slices.Contains(impossible, why) {
			impossible = append(impossible, why)
		}
	}
	if len(impossible) > 0 {
		p.paragraph("Other faults are not possible: %s.", strings.Join(impossible, "; "))
	}
}

func (b *Book) cell(row, column string) *matrix.Cell {
	if b.Matrix == nil {
		return nil
	}
	return b.Matrix.Cell(row, column)
}

// decision returns the result of the simulator for a cell, or nil if it was not explored.
func (b *Book) decision(row, column string) *ExhaustiveCell {
	if b.Exhaustive == nil {
		return nil
	}
	if d := b.Exhaustive.Cell(row, column); d != nil && len(d.Spaces) > 0 {
		return d
	}
	return nil
}

// differences writes the differences between measurements and expectations with their reasons, and
// the violations that only some runs show.
func (b *Book) differences(p *page, r matrix.Row) {
	var unexpected, rare grouping
	if b.Matrix != nil {
		for _, d := range b.Matrix.Differences() {
			switch {
			case d.Row != r.Name:
			case d.Expected:
				unexpected.add(matrix.Explain(d), d.Column, d.Property, "not found", "")
			default:
				unexpected.add(matrix.Explain(d), d.Column, d.Property, "found", oneLine(d.Explanation))
			}
		}
	}
	unexpected.write(p, "Not as expected on Redis")
	for _, s := range b.Soaks {
		for _, t := range s.Found {
			if t.Row == r.Name && !t.isCertain() && t.Hits > 0 {
				rare.add(t.reason(), s.Environment+", "+t.Column, t.Property,
					fmt.Sprintf("in %d of %d runs of `%s`", t.Hits, t.Of, t.Nemesis), "")
			}
		}
	}
	rare.write(p, "Not found in each run")
}

// orders writes the differences between the simulator and Redis, and the spaces of each cell.
func (b *Book) orders(p *page, r matrix.Row) {
	if b.Exhaustive == nil || !slices.Contains(b.Exhaustive.rows(), r.Name) {
		return
	}
	var gaps grouping
	for _, g := range b.Exhaustive.gaps(b.measured) {
		switch {
		case g.Row != r.Name:
		case g.here:
			gaps.add(g.why(), g.Column, g.letter, "in the simulator only", oneLine(g.words(g.letter)))
		default:
			gaps.add(g.why(), g.Column, g.letter, "on Redis only", "")
		}
	}
	gaps.write(p, "Other than on Redis, order by order")
}

// grouping groups findings by their reason, in the order of their first occurrence.
type grouping struct {
	reasons []string
	of      map[string][]finding
}

// finding holds properties, a place, the result, and a counterexample.
type finding struct{ place, letters, what, words string }

// add adds a finding. It merges findings of one place, and keeps the first counterexample.
func (g *grouping) add(reason, place, letter, what, words string) {
	if reason == "" {
		reason = "Not explained yet."
	}
	if g.of == nil {
		g.of = map[string][]finding{}
	}
	list := g.of[reason]
	if list == nil {
		g.reasons = append(g.reasons, reason)
	}
	if n := len(list) - 1; n >= 0 && list[n].place == place && list[n].what == what {
		list[n].letters += letter
		return
	}
	g.of[reason] = append(list, finding{place, letter, what, words})
}

// write writes the groups under a title, if there are any.
func (g *grouping) write(p *page, title string) {
	for i, why := range g.reasons {
		if i == 0 {
			p.paragraph("**%s.** %s", title, why)
		} else {
			p.paragraph("%s", why)
		}
		var lines []string
		for _, f := range joined(g.of[why]) {
			line := fmt.Sprintf("%s: **%s** %s.", f.place, f.letters, f.what)
			if f.words != "" {
				line += " " + f.words
			}
			lines = append(lines, line)
		}
		p.items(lines)
	}
}

// joined merges findings without a counterexample that differ only in their place.
func joined(list []finding) (out []finding) {
	for _, f := range list {
		i := slices.IndexFunc(out, func(x finding) bool {
			return f.words == "" && x.words == "" && x.letters == f.letters && x.what == f.what
		})
		if i < 0 {
			out = append(out, f)
			continue
		}
		out[i].place += ", " + f.place
	}
	return out
}
