package choose

import (
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Candidate is a row of a matrix with the data of Choose, for a page that chooses in the browser.
type Candidate struct {
	Choice
	Lacks   []string // Untold, Unfenced
	Untried int      // number of faults that its matrix does not have
	Cells   []Candidacy
}

// Candidacy is a candidate under one fault.
type Candidacy struct {
	Fault string
	// The index is the sum of 1 if outages count, 2 if S, L, O and V do not count because the resource
	// refuses old tokens and the lock gives some, and 4 if all work ends within the lease.
	Standings [8]Standing
	Proof     *Proof // nil if it was not run
	Unable    string // the reason why the fault cannot be tried although it could happen, or ""
}

// Candidates returns the locks of a matrix among which its page chooses.
func Candidates(m *matrix.Matrix) (out []Candidate) {
	s := source{m, nil}
	for _, r := range m.Rows {
		c, ok := s.choice(r, Query{}, []string{"none"})
		if !ok {
			continue
		}
		lock, _ := r.Lock() // choice has found it
		x := Candidate{Choice: c, Lacks: append(lacks(!lock.Loss, Untold),
			lacks(!lock.Fencing, Unfenced)...)}
		for _, col := range matrix.Columns() {
			x.Untried += batch.Truth(col.Name != "none" && s.Cell(r.Name, col.Name) == nil)
		}
		for _, col := range m.Columns {
			cell := s.Cell(r.Name, col.Name)
			one := Candidacy{Fault: col.Name}
			for i := range one.Standings {
				one.Standings[i] = s.standing(r, col.Name, Query{NoOutage: i&1 > 0,
					Fencing: i&2 > 0 && lock.Fencing, Work: time.Duration(i >> 2), Lease: 2})
			}
			if unable(r, col, cell) {
				one.Unable = cell.Impossible
			}
			if cell != nil && cell.Impossible == "" && len(cell.Runs) > 0 {
				proof := s.proof(r, cell)
				one.Proof = &proof
			}
			x.Cells = append(x.Cells, one)
		}
		out = append(out, x)
	}
	return out
}
