package matrix

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

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
