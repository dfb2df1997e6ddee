package detection

import (
	_ "embed"
	"slices"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// Reason is the reason why some mutants are not found.
type Reason struct {
	// no run can distinguish the mutants from the lock, by an argument and not only by experience
	Equivalent bool
	Reason     string
	Mutants    []string // by Mutant.Key
}

//go:embed reasons.yaml
var reasonsYAML string

var reasons = batch.Table[[]Reason]("reasons.yaml", reasonsYAML)

// Reasons returns the reasons why mutants are not found. The caller may keep and change the slice.
func Reasons() []Reason { return slices.Clone(reasons()) }

// ReasonOf returns the recorded reason why a mutant is not found, or nil.
func ReasonOf(r Result) *Reason {
	for i, x := range reasons() {
		if slices.Contains(x.Mutants, r.Key()) {
			return &reasons()[i]
		}
	}
	return nil
}
