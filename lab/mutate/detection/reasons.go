package detection

import (
	_ "embed"
	"slices"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// Reason is why mutants are not found.
type Reason struct {
	// no run can tell the mutants from the lock: argued, and not only not found
	Equivalent bool
	Reason     string
	Mutants    []string // by Mutant.Key
}

//go:embed reasons.yaml
var reasonsYAML string

var reasons = batch.Table[[]Reason]("reasons.yaml", reasonsYAML)

// Reasons returns why mutants are not found. The caller may keep and change the slice.
func Reasons() []Reason { return slices.Clone(reasons()) }

// ReasonOf is why a mutant is not found; nil: there is no reason written down.
func ReasonOf(r Result) *Reason {
	for i, x := range reasons() {
		if slices.Contains(x.Mutants, r.Key()) {
			return &reasons()[i]
		}
	}
	return nil
}
