// Package counterexample defines the file that stores a run that violates a property: its plan, its
// deviations from the default run, its steps and the verdict. People read the file, and a replay
// repeats the run.
package counterexample

import (
	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/harness"
)

// Format is the version of a counterexample's file that this package writes and reads.
const Format = 3

// InjectBefore is the prefix of a deviation of a Picked schedule that injects a fault before the
// question named in the rest is asked.
const InjectBefore = "inject before "

// The schedules: how the simulator decides what happens next.
const (
	Timed = "timed" // each message takes its time; a deviation is the extra time of one message
	// Messages take no time. By default the client that acted last goes on; a deviation is another
	// choice, or that time passes.
	Picked = "picked"
)

// Counterexample is a run that shows a failure of a lock. It contains enough to repeat the run
// exactly, and the steps of the run.
type Counterexample struct {
	Format   int    `yaml:"format"`
	Schedule string `yaml:"schedule"`
	// the configuration: lock, clients, times, scenario, seed
	Plan harness.Plan `yaml:"plan"`
	// the answers to the questions that the plan leaves open, by name; a missing answer is 0, the
	// default
	Deviations map[string]int `yaml:"deviations"`
	// the steps differ from start to start of the lock's program, and the violation does not
	Varies bool `yaml:"varies,omitempty"`
	// what happened, in order, until the violation is certain
	Steps   []Step           `yaml:"steps"`
	Verdict checker.Property `yaml:"verdict"`
	// how likely the violation was after each step, or nil if that was not measured
	Curve *Curve `yaml:"curve,omitempty"`
}
