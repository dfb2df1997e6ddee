package matrix

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the matrix for people: letters as found, differences from what was expected
// marked, and each of them listed below.
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

// Marked is the cell with what was not expected in bold, and what was expected and not found struck
// out.
func (c *Cell) Marked() string {
	s := c.String()
	if c.Impossible != "" || len(c.Missing())+len(c.More()) == 0 {
		return s
	}
	for _, l := range c.More() {
		s = strings.Replace(s, l, "**"+l+"**", 1)
	}
	if miss := c.Missing(); len(miss) > 0 {
		s += " ~~" + strings.Join(miss, "") + "~~"
	}
	return s
}
