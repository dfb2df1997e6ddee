package study

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// Measured returns the violations of a cell on real Redis, and false if they are unknown.
type Measured func(row, column string) ([]string, bool)

// Text writes the table for a terminal, with the counterexamples of unexpected violations.
func (d *ExhaustiveReport) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	n := d.count(func(string, string) ([]string, bool) { return nil, false })
	d.plainTable(b)
	fmt.Fprintf(b,
		"\n%d of %d cells have exactly the letters that were expected; in %d of %d the simulator tried "+
			"at least every order without a preemption, of 2 clients with 2 rounds and of 3 with 1.\n%d "+
			"schedules, %s.%s\n\n",
		n.agree, n.known, n.finished, n.all, n.schedules, d.Took.D().Round(time.Second),
		sentence(d.Partial))
	for i := range d.Cells {
		if c := &d.Cells[i]; len(c.Spaces) > 0 {
			_, partly := c.bounds()
			if partly != "" {
				partly = "; then " + partly
			}
			for _, l := range c.Expected {
				if !slices.Contains(c.Properties, l) {
					fmt.Fprintf(b, "- %s, %s: %s was expected and not found in %s%s\n", c.Row, c.Column, l,
						c.explored(), partly)
				}
			}
			for _, l := range c.Properties {
				if c.Known && !slices.Contains(c.Expected, l) && !slices.Contains(c.Inherited, l) {
					fmt.Fprintf(b, "- %s, %s: %s found. %s\n", c.Row, c.Column, l, oneLine(c.words(l)))
				}
			}
		}
	}
	return b.Flush()
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	return " **" + strings.ToUpper(s[:1]) + s[1:] + ".**"
}

// exhaustiveCount sums up the table.
type exhaustiveCount struct{ agree, known, same, measured, schedules, finished, all int }

func (d *ExhaustiveReport) count(measured Measured) (n exhaustiveCount) {
	for i := range d.Cells {
		c := &d.Cells[i]
		if c.Impossible != "" || len(c.Spaces) == 0 {
			continue
		}
		n.all++
		n.schedules += c.Schedules()
		n.known += batch.Truth(c.Known)
		n.agree += batch.Truth(c.Agrees())
		n.finished += batch.Truth(c.Finished(2, 2) >= 0 && c.Finished(3, 1) >= 0)
		if letters, ok := measured(c.Row, c.Column); ok {
			n.measured++
			n.same += batch.Truth(slices.Equal(d.only(letters), c.Properties))
		}
	}
	return n
}

// columns returns the faults with a cell.
func (d *ExhaustiveReport) columns() (names []string) {
	for _, c := range matrix.Columns() {
		if slices.ContainsFunc(d.Cells, func(x ExhaustiveCell) bool {
			return x.Column == c.Name &&
				len(x.Spaces) > 0
		}) {
			names = append(names, c.Name)
		}
	}
	return names
}

// rows returns the locks with a cell.
func (d *ExhaustiveReport) rows() (names []string) {
	for _, r := range matrix.Rows() {
		if slices.ContainsFunc(d.Cells, func(x ExhaustiveCell) bool {
			return x.Row == r.Name &&
				len(x.Spaces) > 0
		}) {
			names = append(names, r.Name)
		}
	}
	return names
}

// plainTable writes the table for a terminal.
func (d *ExhaustiveReport) plainTable(b io.Writer) {
	names := d.columns()
	fmt.Fprintf(b, "| lock | %s |\n|---|%s\n", strings.Join(names, " | "),
		strings.Repeat("---|", len(names)))
	d.each(func(r matrix.Row, cells []*ExhaustiveCell) {
		line := "| " + r.Name
		for _, c := range cells {
			line += " | " + c.text("%s %s")
		}
		fmt.Fprintln(b, line+" |")
	})
}

// table writes the table with links to the pages of the locks.
func (d *ExhaustiveReport) table(p *page, dir string) {
	p.head(append([]string{"lock"}, d.columns()...)...)
	d.each(func(r matrix.Row, cells []*ExhaustiveCell) {
		row := []string{nameLink(r, dir)}
		for _, c := range cells {
			row = append(row, c.text("%s <sub>%s</sub>"))
		}
		p.row(row...)
	})
}

// each calls f with each row and its cells. Cells that were not explored are nil.
func (d *ExhaustiveReport) each(f func(r matrix.Row, cells []*ExhaustiveCell)) {
	rows, columns := d.rows(), d.columns()
	for _, r := range matrix.Rows() {
		if !slices.Contains(rows, r.Name) {
			continue
		}
		var cells []*ExhaustiveCell
		for _, n := range columns {
			c := d.Cell(r.Name, n)
			if c != nil && len(c.Spaces) == 0 {
				c = nil
			}
			cells = append(cells, c)
		}
		f(r, cells)
	}
}

// text formats a cell of the table: its properties and how far it was explored.
func (d *ExhaustiveCell) text(format string) string {
	if d == nil {
		return ""
	}
	out := ""
	for _, l := range batch.Properties {
		found, expected := slices.Contains(d.Properties, l), slices.Contains(d.Expected, l)
		switch {
		case found && (expected || !d.Known):
			out += l
		case found:
			out += "**" + l + "**"
		case expected:
			out += "~~" + l + "~~"
		}
	}
	two, three := d.Finished(2, 2), d.Finished(3, 1)
	depth := preemptions(two) + "·" + preemptions(three)
	if two < 0 || three < 0 {
		depth += " (" + preemptions(d.Finished(2, 1)) + ")"
	}
	return fmt.Sprintf(format, nothing(out), depth)
}

func preemptions(n int) string {
	if n < 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

func nothing(letters string) string {
	if letters == "" {
		return "-"
	}
	return letters
}

// found returns the violated properties. Those that need no fault are in brackets.
func (d *ExhaustiveCell) found() string {
	own := slices.DeleteFunc(slices.Clone(d.Properties), func(l string) bool {
		return slices.Contains(d.Inherited, l)
	})
	out := strings.Join(own, "")
	if len(d.Inherited) > 0 {
		out += "(" + strings.Join(d.Inherited, "") + ")"
	}
	return nothing(out)
}

// bounds returns the fully explored spaces, and the attempts in the others.
func (d *ExhaustiveCell) bounds() (ended, partly string) {
	n := 0
	var whole []string
	for _, s := range d.Spaces {
		switch {
		case s.Err != "":
			partly = oneLine(s.Err)
		case s.Whole:
			n += s.Schedules + s.Merged
		default:
			partly += fmt.Sprintf("%d schedules of %s; ", s.Schedules+s.Merged, spaceName(s.Bounds))
		}
	}
	for _, b := range []explore.Bounds{{Clients: 2, Rounds: 1}, {Clients: 2, Rounds: 2},
		{Clients: 3, Rounds: 1}} {
		if b.Preemptions = d.Finished(b.Clients, b.Rounds); b.Preemptions >= 0 {
			whole = append(whole, spaceName(b))
		}
	}
	for _, s := range d.Spaces {
		if s.Whole && s.Bounds.Expiries > 0 {
			whole = append(whole, spaceName(s.Bounds))
		}
	}
	if ended = "none"; len(whole) > 0 {
		ended = fmt.Sprintf("%s: %d schedules", strings.Join(whole, ", "), n)
	}
	return ended, strings.TrimSuffix(partly, "; ")
}

// open returns the smallest unfinished space of docs/locks/expected.md.
func (d *ExhaustiveCell) open() (explore.Bounds, *Space) {
	for _, b := range whole {
		if d.Finished(b.Clients, b.Rounds) >= 0 {
			continue
		}
		for i := range d.Spaces {
			if s := &d.Spaces[i]; s.has(b) {
				return b, s
			}
		}
		return b, nil
	}
	return explore.Bounds{}, nil
}

// explored describes the finished spaces.
func (d *ExhaustiveCell) explored() string {
	ended, _ := d.bounds()
	if ended == "none" {
		return "any space that was finished"
	}
	return "all of " + ended
}

// spaceName names a space: 2 clients with 2 rounds and up to 1 preemption is "2×2 to 1". It appends
// "+late" if messages may be late without any fault.
func spaceName(b explore.Bounds) string {
	s := fmt.Sprintf("%d×%d to %d", b.Clients, b.Rounds, b.Preemptions)
	if b.Expiries > 0 {
		s += " +late"
	}
	return s
}
