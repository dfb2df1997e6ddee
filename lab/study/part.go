package study

import (
	"errors"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
)

// withPart returns a matrix with the cells and costs of a part that was measured again. It returns
// an error if the environment, lease or seed differ, if the part has fewer runs, or if it has costs
// of another machine. It lists the versions of both.
func withPart(m, part *matrix.Matrix) (*matrix.Matrix, error) {
	if m.Environment != part.Environment || m.TTL != part.TTL || m.Repeat > part.Repeat ||
		m.Seed != part.Seed || m.Machine != part.Machine && len(part.Costs) > 0 {
		return nil, errors.New("it was measured in another environment, with another --ttl or " +
			"--seed, with fewer runs, or with costs of another machine (--costs=false leaves them out): " +
			"measure the whole matrix, or name another directory")
	}
	out := *m
	out.Took, out.Partial = m.Took+part.Took, m.Partial || part.Partial
	out.Versions = bothVersions(m.Versions, part.Versions)
	out.Rows, out.Columns, out.Cells = slices.Clone(m.Rows), nil, nil
	for _, r := range part.Rows {
		if i := placeOf(m, r.Name); i >= 0 {
			out.Rows[i] = r // the faults that it can be run under may have changed
		} else {
			out.Rows = append(out.Rows, r)
		}
	}
	for _, c := range matrix.AllColumns() {
		if hasColumn(m, c.Name) || hasColumn(part, c.Name) {
			out.Columns = append(out.Columns, c)
		}
	}
	for _, r := range out.Rows {
		for _, c := range out.Columns {
			out.Cells = append(out.Cells, newer(m, part, r, c))
		}
	}
	out.Costs = slices.DeleteFunc(slices.Clone(m.Costs), func(c matrix.RowCost) bool {
		return slices.ContainsFunc(part.Costs, func(d matrix.RowCost) bool { return d.Row == c.Row })
	})
	out.Costs = append(out.Costs, part.Costs...)
	slices.SortStableFunc(out.Costs, func(a, b matrix.RowCost) int {
		return placeOf(&out, a.Row) - placeOf(&out, b.Row)
	})
	return &out, nil
}

// newer returns the cell of the part or, if there is none, of the matrix.
func newer(m, part *matrix.Matrix, r matrix.Row, c matrix.Column) matrix.Cell {
	cell, free := part.Cell(r.Name, c.Name), part.Cell(r.Name, "none")
	switch {
	case cell == nil:
		cell = m.Cell(r.Name, c.Name)
	case free == nil && cell.Impossible == "" && !cell.Elsewhere:
		measured := matrix.NewCell(r, c, cell.Runs, m.Cell(r.Name, "none"))
		cell = &measured
	}
	if cell == nil {
		cell = &matrix.Cell{Row: r.Name, Column: c.Name, Elsewhere: true}
	}
	return *cell
}

// placeOf returns the index of a row in a matrix, or -1.
func placeOf(m *matrix.Matrix, row string) int {
	return slices.IndexFunc(m.Rows, func(r matrix.Row) bool { return r.Name == row })
}

func hasColumn(m *matrix.Matrix, name string) bool {
	return slices.ContainsFunc(m.Columns, func(c matrix.Column) bool { return c.Name == name })
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
