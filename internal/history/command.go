package history

import (
	"strconv"
	"strings"
)

// A Command is one Redis command of one client, as trace.jsonl has it. On disk it takes two lines:
// one with Sent and Args before it is sent, and one with Recv and Reply or Err after the reply was
// read. A script whose lock does not declare its effect may have a third line with Effects.
// ReadTrace joins the lines by Process and Seq.
type Command struct {
	Process int      `json:"process"`
	Seq     int      `json:"seq"`         // numbers the commands of one process, from 1
	N       int      `json:"n,omitempty"` // the acquisition that the process was busy with
	Node    string   `json:"node,omitempty"`
	Sent    int64    `json:"sent,omitempty"` // stamp; 0 in the second line
	Recv    int64    `json:"recv,omitempty"` // stamp; zero if no reply was read
	Args    []string `json:"args,omitempty"`
	Reply   string   `json:"reply,omitempty"`
	Err     string   `json:"err,omitempty"` // for people; Why is for readers
	Why     Loss     `json:"why,omitempty"` // wherever Err is
	// the commands that a script sent, in their order, as its node showed them; empty if not known
	Effects [][]string `json:"effects,omitempty"`
	// how many times more its node was sent it: its client library does that when no reply comes
	Again int `json:"again,omitempty"`
}

// Loss is why the reply to a command was not read. A command that was in flight when its process
// ended has none.
type Loss string

// The losses.
const (
	TimedOut  Loss = "timed-out"  // the client waited for as long as its settings say
	NotSent   Loss = "not-sent"   // the client had no connection
	Canceled  Loss = "canceled"   // the waiting call was cancelled
	Expired   Loss = "expired"    // the waiting call reached its own deadline
	BrokenOff Loss = "broken-off" // anything else, such as a connection that ended
)

// Broke reports whether the wait for a reply ended before the time that the settings say.
func (l Loss) Broke() bool { return l != "" && l != TimedOut }

// String shows the command as one types it into redis-cli.
func (c Command) String() string { return strings.Join(c.Args, " ") }

// NodeCommand is a line of nodes/NODE.jsonl: what MONITOR showed, and when lockbench read it.
type NodeCommand struct {
	T    int64  `json:"t"`
	Line string `json:"line"`
}

// Shown is what a line of MONITOR says.
type Shown struct {
	Wall   float64 // the node's own clock, in seconds
	Script bool    // the command was sent by a script: by the last command before that was not
	Args   []string
}

// Shown reads the line, such as 1792000000.123456 [0 127.77.3.1:40112] "SETNX" "lock:0" "1792". It
// returns false if the line does not show a command.
func (c NodeCommand) Shown() (s Shown, ok bool) {
	stamp, rest, ok := strings.Cut(c.Line, " [")
	if !ok {
		return s, false
	}
	from, rest, ok := strings.Cut(rest, "] ")
	wall, err := strconv.ParseFloat(stamp, 64)
	if err != nil || !ok {
		return s, false
	}
	s.Wall, s.Script = wall, strings.HasSuffix(from, " lua")
	for rest != "" {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return s, false
		}
		arg, err := strconv.Unquote(quoted)
		if err != nil {
			return s, false
		}
		s.Args, rest = append(s.Args, arg), strings.TrimPrefix(rest[len(quoted):], " ")
	}
	return s, len(s.Args) > 0
}
