package matrix

import (
	"errors"
	"slices"
	"strings"
)

// With returns the matrix with the cells and costs of a part that was measured again. It returns an
// error if the environment, lease, seed or machine differ, or if the part has fewer runs. It lists
// the versions of both.
func (m *Matrix) With(part *Matrix) (*Matrix, error) {
	if m.Environment != part.Environment || m.TTL != part.TTL || m.Repeat > part.Repeat ||
		m.Seed != part.Seed || m.Machine != part.Machine {
		return nil, errors.New("it was measured in another environment, on another machine, with " +
			"another --ttl or --seed, or with fewer runs: measure the whole matrix, or name another " +
			"directory")
	}
	out := *m
	out.Took, out.Partial = m.Took+part.Took, m.Partial || part.Partial
	out.Versions = bothVersions(m.Versions, part.Versions)
	out.Rows, out.Columns, out.Cells = slices.Clone(m.Rows), nil, nil
	for _, r := range part.Rows {
		if i := m.place(r.Name); i >= 0 {
			out.Rows[i] = r // the faults that it can be run under may have changed
		} else {
			out.Rows = append(out.Rows, r)
		}
	}
	for _, c := range columns() {
		if m.hasColumn(c.Name) || part.hasColumn(c.Name) {
			out.Columns = append(out.Columns, c)
		}
	}
	for _, r := range out.Rows {
		for _, c := range out.Columns {
			out.Cells = append(out.Cells, m.newer(part, r, c))
		}
	}
	out.Costs = slices.DeleteFunc(slices.Clone(m.Costs), func(c RowCost) bool {
		return slices.ContainsFunc(part.Costs, func(d RowCost) bool { return d.Row == c.Row })
	})
	out.Costs = append(out.Costs, part.Costs...)
	slices.SortStableFunc(out.Costs, func(a, b RowCost) int {
		return out.place(a.Row) - out.place(b.Row)
	})
	return &out, nil
}

// newer returns the cell of the part or, if there is none, of the matrix.
func (m *Matrix) newer(part *Matrix, r Row, c Column) Cell {
	cell, free := part.Cell(r.Name, c.Name), part.Cell(r.Name, columns()[0].Name)
	switch {
	case cell == nil:
		cell = m.Cell(r.Name, c.Name)
	case free == nil && cell.Impossible == "" && !cell.Elsewhere:
		measured := newCell(r, c, cell.Runs, m.Cell(r.Name, columns()[0].Name))
		cell = &measured
	}
	if cell == nil {
		cell = &Cell{Row: r.Name, Column: c.Name, Elsewhere: true}
	}
	return *cell
}

func (m *Matrix) hasColumn(name string) bool {
	return slices.ContainsFunc(m.Columns, func(c Column) bool { return c.Name == name })
}

// bothVersions lists the versions of each program in a and b.
func bothVersions(a, b map[string]string) map[string]string {
	out := map[string]string{}
	for program, version := range a {
		out[program] = version
		if other := b[program]; other != "" && !slices.Contains(strings.Split(version, ", "), other) {
			out[program] += ", " + other
		}
	}
	return out
}
