package campaign

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed matrix.html.tmpl
var pageSource string

var page = template.Must(template.New("matrix").Funcs(template.FuncMap{
	"cell": func(m *Matrix, r Row, c Column) *Cell { return m.Cell(r.Name, c.Name) },
	"join": strings.Join,
	"why":  Why,
}).Parse(pageSource))

// HTML writes the matrix as one page that needs nothing else. Its links lead to the runs beside it.
func (m *Matrix) HTML(w io.Writer) error { return page.Execute(w, m) }

// Dir is the directory of the run that shows most of the cell; "" if nothing was run.
func (c *Cell) Dir() string {
	best := ""
	for _, r := range c.Runs {
		if best == "" || len(r.Violated()) > 0 {
			best = r.Dir
		}
	}
	return best
}

// Kind is how the page shows a cell.
func (c *Cell) Kind() string {
	switch {
	case c.Impossible != "" || c.Elsewhere:
		return "impossible"
	case len(c.Found()) > 0:
		return "violated"
	case len(c.Unknown()) > 0:
		return "unknown"
	}
	return "safe"
}

// Title is what the page says of a cell when it is pointed at.
func (c *Cell) Title() string {
	if c.Impossible != "" {
		return "not possible: " + c.Impossible
	}
	if c.Elsewhere {
		return "another shard runs it"
	}
	var out []string
	for _, l := range c.Letters {
		s := l.Letter + " " + l.Found.String()
		for _, more := range []string{l.Class, l.Because} {
			if more != "" {
				s += " (" + more + ")"
			}
		}
		if l.Inherited {
			s += ", found without any fault"
		}
		out = append(out, s)
	}
	return c.Row + ", " + c.Column + ": " + strings.Join(out, "; ")
}
