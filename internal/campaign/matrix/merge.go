package matrix

import (
	"cmp"
	"errors"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Part is the result of one shard of a matrix.
type Part struct {
	Name    string // its directory
	Options Options
	Results []Result
	Matrix  *Matrix
}

// Merge merges the shards of one matrix. It returns the whole matrix, its options and all results.
// With allowMissing, shards may be missing or interrupted, and their cells are then unknown.
func Merge(parts []Part, allowMissing bool) (*Matrix, Options, []Result, error) {
	var common []batch.Part
	for _, p := range parts {
		plan, err := batch.Fields(p.Options, "shard", "jobs", "format", "by", "since")
		if err != nil {
			return nil, Options{}, nil, err
		}
		common = append(common, batch.Part{
			Name: p.Name, Shard: p.Options.Shard, Partial: p.Matrix.Partial, Plan: plan,
			Version: p.Matrix.Versions["lockbench"], Versions: p.Matrix.Versions,
		})
	}
	missing, err := batch.Joinable(common, allowMissing)
	if err != nil {
		return nil, Options{}, nil, err
	}
	o := parts[0].Options
	o.Shard = batch.Shard{}
	var all []Result
	var took history.Duration
	for _, p := range parts {
		all, took = append(all, p.Results...), took+p.Matrix.Took
	}
	all = inTaskOrder(o, all)
	if err := checkDistinct(all); err != nil {
		return nil, o, nil, err
	}
	m, err := New(o, all)
	if err != nil {
		return nil, o, nil, err
	}
	m.Took, m.Partial, m.Machine, m.Versions = took, len(missing) > 0, machines(parts),
		parts[0].Matrix.Versions
	for _, p := range parts {
		m.Partial, m.Costs = m.Partial || p.Matrix.Partial, append(m.Costs, p.Matrix.Costs...)
	}
	slices.SortStableFunc(m.Costs, func(a, b RowCost) int {
		return cmp.Compare(m.place(a.Row), m.place(b.Row))
	})
	return m, o, all, nil
}

// place returns the index of a row in the matrix, or -1.
func (m *Matrix) place(row string) int {
	return slices.IndexFunc(m.Rows, func(r Row) bool { return r.Name == row })
}

// checkDistinct returns an error if two results are of the same run, because then a directory was
// copied and changed.
func checkDistinct(results []Result) error {
	seen := map[string]bool{}
	for _, r := range results {
		key := r.key()
		if r.Alone {
			key += "|alone"
		}
		if seen[key] {
			return errors.New("the run " + r.Dir +
				" is in two of the shards; one of the directories was copied and changed")
		}
		seen[key] = true
	}
	return nil
}

// machines returns the machine of all parts, or SeveralMachines if they differ.
func machines(parts []Part) string {
	one := parts[0].Matrix.Machine
	if slices.ContainsFunc(parts, func(p Part) bool { return p.Matrix.Machine != one }) {
		return batch.SeveralMachines
	}
	return one
}
