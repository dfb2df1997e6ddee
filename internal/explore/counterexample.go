package explore

import (
	"fmt"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
)

// Format is the version of a counterexample's file that this package writes, and the only one that
// it reads.
const Format = 1

// The schedules: how the simulator decides what happens next.
const (
	Timed = "timed" // each message takes its time; a deviation is a longer way than the shortest
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
	// answers to the questions that the plan leaves open, by name; what is not here is 0, the dullest
	Deviations map[string]int `yaml:"deviations"`
	// what happened, in order, up to where the violation is certain
	Steps   []Step           `yaml:"steps"`
	Verdict checker.Property `yaml:"verdict"`
}

// Kind says what a step of a counterexample is.
type Kind string

// The kinds of steps.
const (
	// a client has composed a command, and read its clock if it does; it is on its way
	Send  Kind = "send"
	Exec  Kind = "exec"  // a node executes a command
	Recv  Kind = "recv"  // the reply, or an error in its place, reaches the client
	Mark  Kind = "mark"  // a client has come to a phase of its cycle
	Fault Kind = "fault" // the harness does something to the environment
)

// The phases of a Mark.
const (
	Acquire  = "acquire"  // about to call Acquire
	Granted  = "granted"  // Acquire returned a grant
	Refused  = "refused"  // Acquire returned an error
	Release  = "release"  // about to call Release
	Released = "released" // Release returned, whatever it said
)

// Step is one thing that happened. Which fields count depends on Kind.
type Step struct {
	At     history.Duration `yaml:"at"` // since the run began
	Kind   Kind             `yaml:"kind"`
	Client int              `yaml:"client,omitempty"` // of all but a Fault
	N      int              `yaml:"n,omitempty"`      // of a Mark: the acquisition
	Phase  string           `yaml:"phase,omitempty"`  // of a Mark
	// joins Send, Exec and Recv of one command of a client; 0: it is in no trace, such as SUBSCRIBE
	Seq     int    `yaml:"seq,omitempty"`
	Node    string `yaml:"node,omitempty"`    // who executes; of a Send, where to
	Command string `yaml:"command,omitempty"` // as Spell writes it
	// as the trace has it: what go-redis shows; of a Mark, the error
	Reply string `yaml:"reply,omitempty"`
	Err   string `yaml:"err,omitempty"` // of a Recv: no reply was read, why
	// of a Fault: with numbers and names in the place of moving targets
	Fault *nemesis.Step `yaml:"fault,omitempty"`
}

// String is the step in one line, for messages to people.
func (s Step) String() string {
	who := fmt.Sprintf("%10.3fms", float64(s.At)/1e6)
	switch s.Kind {
	case Fault:
		return fmt.Sprintf("%s FAULT %s", who, asJSON(s.Fault))
	case Mark:
		return fmt.Sprintf("%s c%d %s %d%s", who, s.Client, s.Phase, s.N, reason(s.Reply))
	case Send:
		return fmt.Sprintf("%s c%d sends to %s: %s", who, s.Client, s.Node, s.Command)
	case Exec:
		return fmt.Sprintf("%s %s executes for c%d: %s = %s", who, s.Node, s.Client, s.Command, s.Reply)
	case Recv:
		return fmt.Sprintf("%s c%d receives from %s: %s = %s%s", who, s.Client, s.Node, s.Command,
			s.Reply, reason(s.Err))
	}
	return fmt.Sprintf("%s %s", who, s.Kind)
}

func reason(err string) string {
	if err == "" {
		return ""
	}
	return " (" + err + ")"
}

// The bounds of what is read from a file: it may come from anywhere.
const (
	maxSteps      = 100_000
	maxDeviations = 100_000
	maxAnswer     = 1 << 20
	maxTime       = history.Duration(24 * 3600 * 1e9)
)

// Validate says in one line what is wrong with a counterexample that was read.
func (c *Counterexample) Validate() error {
	p := c.Plan
	switch {
	case c.Format != Format:
		return fmt.Errorf(
			"counterexample format %d is not known; this lockbench writes and reads format %d", c.Format,
			Format)
	case c.Schedule != Timed && c.Schedule != Picked:
		return fmt.Errorf("schedule %q is not known; there are: %s, %s", c.Schedule, Timed, Picked)
	case len(c.Steps) == 0:
		return fmt.Errorf("there are no steps; the file is truncated")
	case len(c.Steps) > maxSteps || len(c.Deviations) > maxDeviations:
		return fmt.Errorf("%d steps and %d deviations; at most %d of each are read", len(c.Steps),
			len(c.Deviations), maxSteps)
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
	return validSteps(c.Steps, p)
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
		return fmt.Errorf("there is no client %d; the plan has %d", s.Client, p.Clients)
	case command && (s.Command == "" || s.Node == ""):
		return fmt.Errorf("a %s needs a node and a command", s.Kind)
	case s.Kind == Mark && s.Phase == "":
		return fmt.Errorf("a mark needs a phase")
	case s.Kind == Fault && (s.Fault == nil || s.Fault.Do == ""):
		return fmt.Errorf("a fault needs to say what is done")
	}
	return nil
}
