package impls

import "fmt"

// Row is a row of the matrix: the lock with its knobs.
type Row struct {
	Name       string // added to the lock's name, such as "constant"
	Variant    string
	NoWatchdog bool
	Traits     []Trait // in addition to the lock's own
}

// flags returns the flags of `lockbench run` that, with --impl, run the row.
func (r Row) flags() (out string) {
	if r.Variant != "" {
		out = fmt.Sprintf(" --variant %q", r.Variant)
	}
	if r.NoWatchdog {
		out += " --watchdog=false"
	}
	return out
}

// A Trait is a property that makes a lock a target: scenarios name the traits that they are aimed
// at.
type Trait string

// The traits that cannot be told from the rest of an entry.
const (
	Look     Trait = "look"     // a release reads the owner first and deletes the key then
	Two      Trait = "two"      // an acquire needs two commands
	Takeover Trait = "takeover" // a client that finds an expired lease takes the lock over by itself
	// the owner value outlives a hold, so that a late release can end the next one
	Reused  Trait = "reused"
	SeesNil Trait = "nil"     // a lock that is gone between two commands is read as expired
	Finally Trait = "finally" // a client that was refused releases nevertheless
	Posted  Trait = "posted"  // it cannot be used as it was posted
)
