package choose

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Candidate is a row of a matrix with the data of Choose, for a page that chooses in the browser.
type Candidate struct {
	Choice
	Lacks   []string // Untold, Unfenced, Holdless
	Family  string   // the library, or the lock of which it is a form
	Level   int      // only locks of level 0 are among the best
	Missing int      // number of faults that its matrix does not have
	// what a question appends to the command of a proof, by the first two bits of its index
	Flags [4]string
	Cells []Candidacy
}

// Candidacy is a candidate under one fault.
type Candidacy struct {
	Fault string
	// The index is the sum of 1 if outages count, 2 if S, L, O and V do not count because the resource
	// refuses old tokens and the lock gives some, and 4 if all work ends within the lease.
	Standings [8]Standing
	// Breaks lists the violated letters that count, Unjudged those that no run could judge. Their
	// index is the first two bits of the index of Standings.
	Breaks, Unjudged [4]string
	Proof            *Proof // nil if it was not run
	Unable           bool   // the fault could happen but cannot be tried
}

// Candidates returns the locks of a matrix among which its page chooses, the best one first.
func Candidates(m *matrix.Matrix) (out []Candidate) {
	s := newSource(m, nil, nil)
	for _, r := range m.Rows {
		c, ok := s.choice(r, Query{}, []string{"none"})
		if !ok {
			continue
		}
		lock, _ := r.Lock() // choice has found it
		x := Candidate{Choice: c, Family: c.family, Level: c.quality.level,
			Lacks: slices.Concat(units.If(!lock.Loss, Untold), units.If(!lock.Fencing, Unfenced),
				units.If(lock.Optimistic, Holdless))}
		for _, col := range matrix.Columns() {
			x.Missing += batch.Truth(col.Name != "none" && s.Cell(r.Name, col.Name) == nil)
		}
		for i := range x.Flags {
			x.Flags[i] = proofFlags(r, Query{NoOutage: i&1 > 0, Fencing: i&2 > 0})
		}
		for _, col := range m.Columns {
			cell := s.Cell(r.Name, col.Name)
			one := Candidacy{Fault: col.Name, Unable: unable(r, col, cell)}
			for i := range one.Standings {
				one.Standings[i] = s.standing(r, col.Name, Query{NoOutage: i&1 > 0,
					Fencing: i&2 > 0 && lock.Fencing, Work: time.Duration(i >> 2), Lease: 2})
			}
			for i := range one.Breaks {
				if q := (Query{NoOutage: i&1 > 0, Fencing: i&2 > 0 && lock.Fencing}); cell != nil {
					one.Breaks[i] = strings.Join(q.counts(cell.Found()), "")
					one.Unjudged[i] = strings.Join(q.counts(cell.Unknown()), "")
				}
			}
			if cell != nil && cell.Impossible == "" && len(cell.Runs) > 0 {
				proof := s.proof(r, cell)
				one.Proof = &proof
			}
			x.Cells = append(x.Cells, one)
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return worth(a.Choice, b.Choice) })
	return out
}
