// Package counterexample is the file in which a run is kept that violates a property: what was
// planned, how the run differs from the default one, its steps, and the verdict. A person reads it,
// and a replay does the run again.
package counterexample

import (
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
)

// Format is the version of a counterexample's file that this package writes and reads.
const Format = 3

// InjectBefore begins the name of a deviation of a Picked schedule: a fault is injected before the
// question that follows is asked.
const InjectBefore = "inject before "

// The schedules: how the simulator decides what happens next.
const (
	Timed = "timed" // each message takes its time; a deviation is a longer time than the shortest
	// messages take no time; a deviation is another one than that of the client that acted last, or
	// that time passes
	Picked = "picked"
)

// Counterexample is a run in which a lock failed: enough to do it again to the byte, and what
// happened in it.
type Counterexample struct {
	Format   int    `yaml:"format"`
	Schedule string `yaml:"schedule"`
	// the configuration: lock, clients, times, scenario, seed
	Plan harness.Plan `yaml:"plan"`
	// answers to the questions that the plan leaves open, by name; one that is not here is 0, the
	// default
	Deviations map[string]int `yaml:"deviations"`
	// what happened, in order, up to where the violation is certain
	Steps   []Step           `yaml:"steps"`
	Verdict checker.Property `yaml:"verdict"`
	// how likely the violation was from each step on; nil: that was not asked
	Curve *Curve `yaml:"curve,omitempty"`
}
