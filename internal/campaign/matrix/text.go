package matrix

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
)

// Text writes the matrix and every difference from the expectations for a terminal of the given
// width. Columns that do not fit continue in a table below. A width of 0 means no limit.
func (m *Matrix) Text(w io.Writer, width int) error {
	for i, columns := range m.splitColumns(width) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := m.table(w, columns); err != nil {
			return err
		}
	}
	s := m.Count()
	_, err := fmt.Fprintf(w, "\n%s\n", s)
	for _, d := range m.Differences() {
		fmt.Fprintf(w, "  %s\n", d)
	}
	return errors.Join(err, m.constancy(w))
}

// constancy says how often the properties of cells were found, if scenarios were run more than
// once.
func (m *Matrix) constancy(w io.Writer) error {
	if m.Repeat < 2 {
		return nil
	}
	steady := 0
	for i := range m.Cells {
		c := &m.Cells[i]
		for _, l := range c.Properties {
			switch {
			case l.Found != checker.Violated || l.Of == 0:
			case l.Runs == l.Of:
				steady++
			default:
				fmt.Fprintf(w, "%s under %s: %s in %d of %d runs of the scenarios that show it.\n", c.Row,
					c.Column, l.Name, l.Runs, l.Of)
			}
		}
	}
	_, err := fmt.Fprintf(w, "Found in each run of the scenarios that show them, %d or more: %s.\n",
		m.Repeat, units.Count(steady, "letter"))
	return err
}

func (m *Matrix) table(w io.Writer, columns []Column) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for _, c := range columns {
		fmt.Fprintf(t, "\t%s", c.Name)
	}
	fmt.Fprintln(t)
	for _, r := range m.Rows {
		fmt.Fprint(t, r.Name)
		for _, c := range columns {
			fmt.Fprintf(t, "\t%s", m.Cell(r.Name, c.Name).plain())
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// splitColumns splits the columns into tables that fit the width.
func (m *Matrix) splitColumns(width int) (tables [][]Column) {
	names := 0
	for _, r := range m.Rows {
		names = max(names, utf8.RuneCountInString(r.Name))
	}
	room := 0
	for _, c := range m.Columns {
		wide := utf8.RuneCountInString(c.Name)
		for _, r := range m.Rows {
			wide = max(wide, utf8.RuneCountInString(m.Cell(r.Name, c.Name).plain()))
		}
		if last := len(tables) - 1; last >= 0 && (width == 0 || wide < room) {
			tables[last] = append(tables[last], c)
		} else {
			tables, room = append(tables, []Column{c}), width-names
		}
		room -= 1 + wide
	}
	return tables
}

// plain formats the cell, with "+" before unexpected properties and "!" before missing ones.
func (c *Cell) plain() string { return c.marked("+%s", "!%s") }

// marked formats the cell, with formats for an unexpected property and for the missing ones.
func (c *Cell) marked(more, missing string) string {
	s := c.String()
	for _, l := range c.More() {
		s = strings.Replace(s, l, fmt.Sprintf(more, l), 1)
	}
	if miss := c.Missing(); len(miss) > 0 {
		s += fmt.Sprintf(missing, strings.Join(miss, ""))
	}
	return s
}

// Count counts how many expected properties were found.
type Count struct {
	Cells, Impossible, Properties, Reproduced, More, Unknown int
}

// Count counts the cells and properties of the matrix.
func (m *Matrix) Count() (n Count) {
	for i := range m.Cells {
		c := &m.Cells[i]
		if c.Impossible != "" {
			n.Impossible++
			continue
		}
		if c.Elsewhere {
			continue
		}
		n.Cells++
		n.Unknown += len(c.Unknown())
		if c.Known {
			n.Properties += len(c.Expected)
			n.Reproduced += len(c.Expected) - len(c.Missing())
			n.More += len(c.More())
		}
	}
	return n
}

// String returns the counts in one sentence.
func (n Count) String() string {
	found := fmt.Sprintf("%d of %d expected letters were found in %d cells; %d were found that were "+
		"not expected;", n.Reproduced, n.Properties, n.Cells, n.More)
	if n.Properties == 0 && n.More == 0 {
		found = fmt.Sprintf("No letter is recorded as expected of %s; of all letters",
			units.Count(n.Cells, "cell"))
	}
	return fmt.Sprintf("%s %d %s unknown; %s not possible.", found, n.Unknown,
		units.Plural(n.Unknown, "is", "are"),
		units.Count(n.Impossible, "cell is", "cells are"))
}

// Difference is a property of a cell that differs from the expectation.
type Difference struct {
	Row, Column, Property string
	Expected              bool   // expected but not found; otherwise found but not expected
	Explanation           string // the counterexample, or why it is unknown
	Dir                   string
}

// Differences returns all differences in the order of the cells.
func (m *Matrix) Differences() (out []Difference) {
	for i := range m.Cells {
		c := &m.Cells[i]
		for _, l := range c.Missing() {
			f := c.Property(l)
			out = append(out, Difference{c.Row, c.Column, l, true, fmt.Sprintf("%s; %s", f.Found, f.Reason),
				f.Dir})
		}
		for _, l := range c.More() {
			f := c.Property(l)
			out = append(out, Difference{c.Row, c.Column, l, false, c.Explanation(l), f.Dir})
		}
	}
	return out
}

// Explanation returns the counterexample of a property.
func (c *Cell) Explanation(letter string) string {
	for _, r := range c.Runs {
		if w := r.Explanations[letter]; w != "" {
			return w
		}
	}
	return ""
}

// What says how the property differs.
func (d Difference) What() string {
	if d.Expected {
		return "expected, not found"
	}
	return "found, not expected"
}

// String returns the difference in one line.
func (d Difference) String() string {
	return fmt.Sprintf("%s, %s: %s %s: %s", d.Row, d.Column, d.Property, d.What(), d.Explanation)
}

// Markdown writes the matrix as a Markdown table and marks differences from the expectations.
func (m *Matrix) Markdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "| lock |")
	for _, c := range m.Columns {
		fmt.Fprintf(b, " %s |", c.Name)
	}
	fmt.Fprintf(b, "\n|---|%s\n", strings.Repeat("---|", len(m.Columns)))
	for _, r := range m.Rows {
		fmt.Fprintf(b, "| %s |", r.Name)
		for _, c := range m.Columns {
			fmt.Fprintf(b, " %s |", m.Cell(r.Name, c.Name).Marked())
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// Marked formats the cell, with unexpected properties in bold and missing ones struck out.
func (c *Cell) Marked() string { return c.marked("**%s**", " ~~%s~~") }
