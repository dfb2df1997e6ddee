package detection

import (
	_ "embed"
	"slices"

	"github.com/lockbench/lockbench/internal/run/batch"
)

// Reason is the reason why some mutants are not found.
type Reason struct {
	Class   string // one of Classes
	Reason  string
	Mutants []string // by Mutant.Key
}

// The classes of reasons.
const (
	// no run can distinguish the mutants from the lock, by an argument and not only by experience
	Equivalent = "equivalent"
	Undrawn    = "undrawn"   // a load, setting or moment would show it, and is not drawn
	Unjudged   = "unjudged"  // a history or a trace shows it, and no letter counts it
	Masked     = "masked"    // the original lock violates the same letters in the same runs
	Faultless  = "faultless" // the fault that would show it does not exist
	Harmless   = "harmless"  // the mutant is safer than its lock
)

// Classes returns the classes of reasons.
func Classes() []string {
	return []string{Equivalent, Undrawn, Unjudged, Masked, Faultless, Harmless}
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
