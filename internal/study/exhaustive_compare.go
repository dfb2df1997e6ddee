package study

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/batch"
	"github.com/lockbench/lockbench/internal/matrix"
)

// The marks between which docs/verdicts.md keeps the comparison with what the simulator decides.
const (
	exhaustiveBegin = "<!-- written by lockbench explore --matrix --docs -->\n"
	exhaustiveEnd   = "<!-- end -->\n"
)

// compared writes the section of docs/verdicts.md, marks included.
func (d *ExhaustiveReport) compared(b *bufio.Writer, measured *Measured) {
	n := d.count(measured)
	fmt.Fprintf(b, `%s
## The same table, decided order by order

`+"`lockbench explore --matrix`"+` goes through all orders of commands, replies and wake-ups in the simulator, with the fault at every place, within bounds
that [exhaustive.md](exhaustive.md) states for each cell. %d of %d cells have the same letters there as in the table above; in %d of %d the [two spaces](locks/expected.md#the-two-spaces) were
gone through to the end, the others are worth the schedules that were tried. "=": the same letters. +X: found in the simulator and not on Redis. −X: found on Redis and
not in the simulator. "·" marks a cell whose spaces were not finished. Blank: not possible.

`, exhaustiveBegin, n.same, n.measured, n.finished, n.all)
	names := d.columns()
	fmt.Fprintf(b, "| lock | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|",
		len(names)))
	for _, r := range d.rows() {
		line := "| " + r
		for _, c := range names {
			line += " | " + d.Cell(r, c).against(measured)
		}
		fmt.Fprintln(b, line+" |")
	}
	d.reasons(b, d.gaps(measured))
	fmt.Fprint(b, exhaustiveEnd)
}

// against is a cell of the comparison.
func (d *ExhaustiveCell) against(measured *Measured) string {
	if d == nil || len(d.Spaces) == 0 {
		return ""
	}
	real, ok := measured.of(d.Row, d.Column)
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
func (d *ExhaustiveReport) gaps(measured *Measured) (out []gap) {
	for i := range d.Cells {
		c := &d.Cells[i]
		real, ok := measured.of(c.Row, c.Column)
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

// reasons lists differences, those with one reason together.
func (d *ExhaustiveReport) reasons(b io.Writer, gaps []gap) {
	type group struct {
		why  string
		list []gap
	}
	var groups []*group
	for _, g := range gaps {
		why := g.why()
		i := slices.IndexFunc(groups, func(x *group) bool { return x.why == why })
		if i < 0 {
			i, groups = len(groups), append(groups, &group{why: why})
		}
		groups[i].list = append(groups[i].list, g)
	}
	for _, x := range groups {
		var cells []string
		for i, g := range x.list {
			if i > 0 && x.list[i-1].ExhaustiveCell == g.ExhaustiveCell && x.list[i-1].here == g.here {
				cells[len(cells)-1] += g.letter
				continue
			}
			sign := "−"
			if g.here {
				sign = "+"
			}
			cells = append(cells, fmt.Sprintf("%s, %s %s%s", g.Row, g.Column, sign, g.letter))
		}
		fmt.Fprintf(b, "\n%s\n\n- %s.\n", x.why, strings.Join(cells, "; "))
	}
	if len(groups) == 0 {
		fmt.Fprint(b, "\nThere is no difference.\n")
	}
	fmt.Fprintln(b)
}

// why is the reason of a difference.
func (g gap) why() string {
	if w := among(exhaustiveExplanations, matrix.Difference{Row: g.Row, Column: g.Column, Property: g.letter,
		Expected: !g.here}); w != "" {
		return w
	}
	if !g.here && (g.Finished(2, 2) < 0 || g.Finished(3, 1) < 0) {
		return "Not found among the schedules that were tried; the spaces were not gone through to the end."
	}
	return "Not explained yet."
}

// differences writes what is not as expected, and the counterexamples to what was found.
func (d *ExhaustiveReport) differences(b io.Writer, measured *Measured) {
	fmt.Fprint(b, "\n## Differences from what was measured\n")
	d.reasons(b, d.gaps(measured))
	fmt.Fprint(b, "## Found and not expected\n\n")
	for i := range d.Cells {
		c := &d.Cells[i]
		for _, l := range c.Properties {
			if !c.Known || slices.Contains(c.Expected, l) || slices.Contains(c.Inherited, l) {
				continue
			}
			real, ok := measured.of(c.Row, c.Column)
			as := "not on Redis"
			if ok && slices.Contains(real, l) {
				as = "also on Redis, where verdicts.md says why"
			}
			fmt.Fprintf(b, "- %s, %s: **%s**, %s. %s\n", c.Row, c.Column, l, as, oneLine(c.words(l)))
		}
	}
}

// Compare puts the comparison with what was measured into docs/verdicts.md, and returns the page.
func (d *ExhaustiveReport) Compare(page []byte, measured *Measured) []byte {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	d.compared(w, measured)
	w.Flush()
	before, rest, marked := bytes.Cut(page, []byte(exhaustiveBegin))
	if _, after, closed := bytes.Cut(rest, []byte(exhaustiveEnd)); marked && closed {
		return slices.Concat(before, b.Bytes(), after)
	}
	const next = "\n## Not possible\n"
	before, after, found := bytes.Cut(page, []byte(next))
	if !found {
		return slices.Concat(page, []byte("\n"), b.Bytes())
	}
	return slices.Concat(before, []byte("\n"), b.Bytes(), []byte(next), after)
}
