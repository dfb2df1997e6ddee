package matrix

import "strings"

// Dir returns the directory of the run that shows most of the cell, or "" if nothing was run.
func (c *Cell) Dir() string {
	best := ""
	for _, r := range c.Runs {
		if best == "" || len(r.Violated()) > 0 {
			best = r.Dir
		}
	}
	return best
}

// Title returns the tooltip of a cell.
func (c *Cell) Title() string {
	if c.Impossible != "" {
		return "not possible: " + c.Impossible
	}
	if c.Elsewhere {
		return "another shard runs it"
	}
	var out []string
	for _, l := range c.Properties {
		s := l.Name + " " + l.Found.String()
		for _, more := range []string{l.Class, l.Reason} {
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
