package counterexample

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// Kind is the kind of a step in a counterexample.
type Kind string

// The kinds of steps.
const (
	// a client has composed a command, and has read its clock if it does so; the command is in flight
	Send  Kind = "send"
	Exec  Kind = "exec"  // a node executes a command
	Recv  Kind = "recv"  // the client gets the reply, or an error instead
	Mark  Kind = "mark"  // a client has reached a phase of its cycle
	Fault Kind = "fault" // the harness changes the environment
)

// The phases of a Mark.
const (
	Acquire  = "acquire"  // about to call Acquire
	Granted  = "granted"  // Acquire returned a grant
	Refused  = "refused"  // Acquire returned an error
	Release  = "release"  // about to call Release
	Released = "released" // Release returned, with or without an error
)

// PhaseOf returns the phase that a client reaches with an event, or "" if it reaches none.
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

// Step is one event of a run. Its Kind says which fields count.
type Step struct {
	At     history.Duration `yaml:"at"` // since the start of the run
	Kind   Kind             `yaml:"kind"`
	Client int              `yaml:"client,omitempty"` // unused in a Fault
	N      int              `yaml:"n,omitempty"`      // of a Mark: the number of the acquisition
	Phase  string           `yaml:"phase,omitempty"`  // of a Mark
	// the same number for the Send, Exec and Recv of one command; 0 for commands that are not traced,
	// such as SUBSCRIBE
	Seq     int    `yaml:"seq,omitempty"`
	Node    string `yaml:"node,omitempty"`    // the server that executes the command
	Command string `yaml:"command,omitempty"` // as Render writes it
	// the reply as go-redis shows it in the trace; of a Mark, the error
	Reply string `yaml:"reply,omitempty"`
	Err   string `yaml:"err,omitempty"` // of a Recv: why no reply was read, in words
	// of a Recv with Err: the same reason for programs
	Loss history.Loss `yaml:"loss,omitempty"`
	// of a Mark: the harness canceled the call
	CalledOff bool `yaml:"called_off,omitempty"`
	// of a Fault: moving targets are replaced by numbers and names
	Fault *nemesis.Step `yaml:"fault,omitempty"`
}

// String returns the step and its time in one line.
func (s Step) String() string {
	return fmt.Sprintf("%10.3fms %s", units.Millis(int64(s.At)), s.Action())
}

// Action describes the step in words, without its time.
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

// InBrackets formats an error as a suffix, as in " (i/o timeout)". It returns "" if there is none.
func InBrackets(err string) string {
	if err == "" {
		return ""
	}
	return " (" + err + ")"
}

// Diverge compares two runs up to the end of the shorter. It returns the index of the first step
// that differs, and whether the runs are the same.
func Diverge(a, b []Step) (int, bool) {
	for i := range min(len(a), len(b)) {
		if !reflect.DeepEqual(a[i], b[i]) {
			return i, false
		}
	}
	return min(len(a), len(b)), len(a) == len(b)
}

// UpTo returns the steps up to and including a time.
func UpTo(steps []Step, at history.Duration) []Step {
	i := slices.IndexFunc(steps, func(s Step) bool { return s.At > at })
	if i < 0 {
		return steps
	}
	return steps[:i:i]
}

// Lines formats the steps for people. A command whose sending, execution and reply directly follow
// each other becomes one line, at the time of the reply.
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

// together reports whether three steps are the sending, execution and reply of one command.
func together(send, exec, recv Step) bool {
	same := func(s Step) bool {
		return s.Client == recv.Client && s.Seq == recv.Seq && s.Node == recv.Node &&
			s.Command == recv.Command
	}
	return send.Kind == Send && exec.Kind == Exec && recv.Kind == Recv && recv.Err == "" &&
		exec.Reply == recv.Reply && same(send) && same(exec)
}
