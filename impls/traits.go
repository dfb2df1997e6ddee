package impls

import "fmt"

// Row is a row of the matrix: the lock with its knobs.
type Row struct {
	Name       string // after the lock's own: "constant"; "": nothing more
	Variant    string
	NoWatchdog bool
	Traits     []Trait // beside those of the lock
}

// flags are those of `lockbench run` beside --impl that run the row.
func (r Row) flags() (out string) {
	if r.Variant != "" {
		out = fmt.Sprintf(" --variant %q", r.Variant)
	}
	if r.NoWatchdog {
		out += " --watchdog=false"
	}
	return out
}

// Trait is a way in which a lock can be attacked: scenarios are aimed at locks that have it.
type Trait string

// The traits that cannot be told from the rest of an entry.
const (
	Look     Trait = "look"     // a release looks who has the lock, and then deletes it
	Two      Trait = "two"      // an acquire needs two commands
	Takeover Trait = "takeover" // a client that finds the lease over takes the lock away by itself
	// the owner value outlives a hold, so that a late release can end the next one
	Reused  Trait = "reused"
	SeesNil Trait = "nil"     // a lock that is gone between two commands is read as expired
	Finally Trait = "finally" // a client that was refused releases nevertheless
	Posted  Trait = "posted"  // it cannot be used as it was posted
)
