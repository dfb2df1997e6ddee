package counterexample

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// Kind says what happens in a step of a counterexample.
type Kind string

// The kinds of steps.
const (
	// a client has composed a command, and read its clock if it does; the command is under way
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
	Released = "released" // Release returned, with or without an error
)

// PhaseOf is the phase to which an event of a client brings it; "": none.
func PhaseOf(e history.Event) string {
	switch {
	case e.F == history.Acquire && e.Type == history.Invoke:
		return Acquire
	case e.F == history.Acquire && e.Type == history.OK:
		return Granted
	case e.F == history.Acquire:
		return Refused
	case e.F == history.Release && e.Type == history.Invoke:
		return Release
	case e.F == history.Release:
		return Released
	}
	return ""
}

// Step is one thing that happened. Which fields count depends on Kind.
type Step struct {
	At     history.Duration `yaml:"at"` // since the run began
	Kind   Kind             `yaml:"kind"`
	Client int              `yaml:"client,omitempty"` // of all but a Fault
	N      int              `yaml:"n,omitempty"`      // of a Mark: the acquisition
	Phase  string           `yaml:"phase,omitempty"`  // of a Mark
	// joins Send, Exec and Recv of one command of a client; 0: it is in no trace, such as SUBSCRIBE
	Seq     int    `yaml:"seq,omitempty"`
	Node    string `yaml:"node,omitempty"`    // executes the command, or will
	Command string `yaml:"command,omitempty"` // as Render writes it
	// as the trace has it: what go-redis shows; of a Mark, the error
	Reply string `yaml:"reply,omitempty"`
	Err   string `yaml:"err,omitempty"` // of a Recv: why no reply was read, for people
	// of a Recv with Err: the same for readers
	Loss history.Loss `yaml:"loss,omitempty"`
	// of a Mark: the harness had ended the wait
	CalledOff bool `yaml:"called_off,omitempty"`
	// of a Fault: with numbers and names in the place of moving targets
	Fault *nemesis.Step `yaml:"fault,omitempty"`
}

// String is the step in one line, for messages to people.
func (s Step) String() string {
	return fmt.Sprintf("%10.3fms %s", units.Millis(int64(s.At)), s.Action())
}

// Action is the step in words, without its time.
func (s Step) Action() string {
	switch s.Kind {
	case Fault:
		return "FAULT " + asJSON(s.Fault)
	case Mark:
		return fmt.Sprintf("c%d %s %d%s", s.Client, s.Phase, s.N, InBrackets(s.Reply))
	case Send:
		return fmt.Sprintf("c%d sends to %s: %s", s.Client, s.Node, s.Command)
	case Exec:
		return fmt.Sprintf("%s executes for c%d: %s = %s", s.Node, s.Client, s.Command, s.Reply)
	case Recv:
		return fmt.Sprintf("c%d receives from %s: %s = %s%s", s.Client, s.Node, s.Command, s.Reply,
			InBrackets(s.Err))
	}
	return string(s.Kind)
}

// InBrackets is an error behind a text, as in " (i/o timeout)"; "" if there is none.
func InBrackets(err string) string {
	if err == "" {
		return ""
	}
	return " (" + err + ")"
}

// Diverge compares two runs up to the end of the shorter, and returns the number of the first step
// in which they differ, from 0, and whether the runs are the same.
func Diverge(a, b []Step) (int, bool) {
	for i := range min(len(a), len(b)) {
		if !reflect.DeepEqual(a[i], b[i]) {
			return i, false
		}
	}
	return min(len(a), len(b)), len(a) == len(b)
}

// UpTo keeps the steps until a moment.
func UpTo(steps []Step, at history.Duration) []Step {
	i := slices.IndexFunc(steps, func(s Step) bool { return s.At > at })
	if i < 0 {
		return steps
	}
	return steps[:i:i]
}

// Lines are the steps for people: a command whose sending, execution and reply follow each other
// with nothing in between is one line, at the time of the reply.
func Lines(steps []Step) (lines []string) {
	for i := 0; i < len(steps); i++ {
		if i+2 < len(steps) && together(steps[i], steps[i+1], steps[i+2]) {
			s := steps[i+2]
			lines = append(lines, fmt.Sprintf("%10.3fms c%d to %s and back: %s = %s",
				units.Millis(int64(s.At)), s.Client, s.Node, s.Command, s.Reply))
			i += 2
			continue
		}
		lines = append(lines, steps[i].String())
	}
	return lines
}

// together reports whether three steps are one command, and nothing came between them.
func together(send, exec, recv Step) bool {
	same := func(s Step) bool {
		return s.Client == recv.Client && s.Seq == recv.Seq && s.Node == recv.Node &&
			s.Command == recv.Command
	}
	return send.Kind == Send && exec.Kind == Exec && recv.Kind == Recv && recv.Err == "" &&
		exec.Reply == recv.Reply && same(send) && same(exec)
}
