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
func (d *ExhaustiveReport) compared(b *bufio.Writer, measured Measured) {
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
func (d *ExhaustiveReport) differences(b io.Writer, measured Measured) {
	fmt.Fprint(b, "\n## Differences from what was measured\n")
	d.reasons(b, d.gaps(measured))
	fmt.Fprint(b, "## Found and not expected\n\n")
	for i := range d.Cells {
		c := &d.Cells[i]
		for _, l := range c.Properties {
			if !c.Known || slices.Contains(c.Expected, l) || slices.Contains(c.Inherited, l) {
				continue
			}
			real, ok := measured(c.Row, c.Column)
			as := "not on Redis"
			if ok && slices.Contains(real, l) {
				as = "also on Redis, where verdicts.md says why"
			}
			fmt.Fprintf(b, "- %s, %s: **%s**, %s. %s\n", c.Row, c.Column, l, as, oneLine(c.words(l)))
		}
	}
}

// Compare puts the comparison into docs/verdicts.md, and returns the page. The letters that were
// measured are read from the page itself.
func (d *ExhaustiveReport) Compare(page []byte) []byte {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	d.compared(w, ReadMeasured(page))
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

// ReadMeasured reads the table of docs/verdicts.md back. A cell of which nobody can tell, or that
// is not possible, has none.
func ReadMeasured(page []byte) Measured {
	var names []string
	cells := map[[2]string][]string{}
	for line := range strings.Lines(string(page)) {
		f := strings.Split(strings.Trim(line, "| \n"), "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		switch {
		case f[0] == "lock" && names == nil:
			names = f
		case names != nil && !strings.HasPrefix(line, "|"):
			return func(row, column string) ([]string, bool) {
				letters, ok := cells[[2]string{row, column}]
				return letters, ok
			}
		case names != nil && len(f) == len(names):
			for i := 1; i < len(f); i++ {
				if letters, ok := marked(f[i]); ok {
					cells[[2]string{f[0], names[i]}] = letters
				}
			}
		}
	}
	return func(string, string) ([]string, bool) { return nil, false }
}

// marked reads what Cell.marked has written.
func marked(text string) (letters []string, ok bool) {
	first, _, _ := strings.Cut(text+" ", " ")
	first = strings.ReplaceAll(first, "*", "")
	letters = batch.InOrder(split(first))
	return letters, first == "-" || first == strings.Join(letters, "") && first != ""
}
