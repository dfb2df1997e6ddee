// Package counterexample defines the file that stores a run that violates a property: its plan, its
// deviations from the default run, its steps and the verdict. People read the file, and a replay
// repeats the run.
package counterexample

import (
	"bytes"
	"fmt"
	"io"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/strictyaml"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
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

// maxFile is how many bytes of a file are read and written. A client that tries again without a
// pause makes some ten thousand steps in a second, of some 110 bytes each.
const maxFile = units.MaxFile

// Read reads what Write wrote, and believes nothing of it: an unknown field, format, lock or absurd
// number is an error with its line.
func Read(r io.Reader) (*Counterexample, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	file, err := strictyaml.ParseUpTo(maxFile, "", text)
	if err != nil {
		return nil, err
	}
	c := &Counterexample{}
	if err := file.CheckFormat(Format); err != nil {
		return nil, err
	}
	if err := file.Decode(c); err != nil {
		return nil, err
	}
	c.Verdict.UsePresentNames()
	return c, c.Validate()
}

// ReadFile reads the file; the error names it.
func ReadFile(name string) (*Counterexample, error) {
	text, err := units.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s is no counterexample: %w", name, err)
	}
	return c, nil
}

// The limits of a file. They protect against files from untrusted sources.
const (
	maxSteps      = 100_000
	maxDeviations = 100_000
	maxAnswer     = 1 << 20
	maxTime       = history.Duration(24 * 3600 * 1e9)
)

// Validate returns an error of one line if a counterexample that was read cannot be used.
func (c *Counterexample) Validate() error {
	p := c.Plan
	switch {
	case c.Format != Format:
		return units.CheckFormat(c.Format, Format)
	case c.Schedule != Timed && c.Schedule != Picked:
		return fmt.Errorf("schedule %q is not known; there are: %s, %s", c.Schedule, Timed, Picked)
	case len(c.Steps) == 0:
		return fmt.Errorf("the file has no steps, so it is truncated")
	case c.tooLong() != nil:
		return c.tooLong()
	case c.Verdict.Verdict != checker.Violated || c.Verdict.Property == "":
		return fmt.Errorf("the verdict names no property that is violated")
	case max(p.For, p.TTL, p.Hold, p.Poll, p.AcquireTimeout, p.ClientTimeout, p.Think, p.Backoff) >
		maxTime:
		return fmt.Errorf("the plan has a time of more than a day")
	}
	if err := p.Validate(); err != nil {
		return err
	}
	if err := harness.Judgeable([]string{c.Verdict.Property}); err != nil {
		return err
	}
	for name, answer := range c.Deviations {
		if name == "" || answer < 1 || answer > maxAnswer {
			return fmt.Errorf("deviation %q is %d; it is above 0, up to %d", name, answer, maxAnswer)
		}
	}
	if err := c.Curve.validate(len(c.Steps)); err != nil {
		return err
	}
	return validSteps(c.Steps, p)
}

// tooLong returns an error for a counterexample of which no file is read.
func (c *Counterexample) tooLong() error {
	if len(c.Steps) > maxSteps || len(c.Deviations) > maxDeviations {
		return fmt.Errorf("%d steps and %d deviations; at most %d of each are read", len(c.Steps),
			len(c.Deviations), maxSteps)
	}
	return nil
}

func validSteps(steps []Step, p harness.Plan) error {
	last := history.Duration(0)
	for i, s := range steps {
		if err := s.validate(p); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if s.At < last {
			return fmt.Errorf("step %d is at %v, before the one in front of it at %v", i+1, s.At, last)
		}
		last = s.At
	}
	return nil
}

func (s Step) validate(p harness.Plan) error {
	command := s.Kind == Send || s.Kind == Exec || s.Kind == Recv
	switch {
	case s.At > maxTime:
		return fmt.Errorf("at %v is more than a day", s.At)
	case !command && s.Kind != Mark && s.Kind != Fault:
		return fmt.Errorf("kind %q is not known; there are: %s, %s, %s, %s, %s", s.Kind, Send, Exec, Recv,
			Mark, Fault)
	case s.Client < 0 || s.Client >= p.Clients:
		return fmt.Errorf("client %d does not exist; the plan has %d", s.Client, p.Clients)
	case command && (s.Command == "" || s.Node == ""):
		return fmt.Errorf("a %s needs a node and a command", s.Kind)
	case s.Kind == Mark && s.Phase == "":
		return fmt.Errorf("a mark needs a phase")
	case s.Kind == Fault && (s.Fault == nil || s.Fault.Do == ""):
		return fmt.Errorf("a fault needs an action (do)")
	}
	return nil
}
