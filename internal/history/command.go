package history

import (
	"strconv"
	"strings"
)

// A Command is one Redis command of one client in trace.jsonl. The file has two lines for it: one
// with Sent and Args before the command is sent, and one with Recv and Reply or Err after the reply
// was read. A script whose lock does not declare its effect may have a third line with Effects.
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
	Why     Loss     `json:"why,omitempty"` // set if Err is
	// the commands of a script in their order, as the node reported them; empty if unknown
	Effects [][]string `json:"effects,omitempty"`
	// how many more times the client library sent it, which happens if no reply comes
	Again int `json:"again,omitempty"`
	// where Args has the key that the command is about; 0: it is the first key. Files do not have it:
	// the checker replaces a script by one command for each of its keys.
	About int `json:"-"`
}

// Loss is the reason why the reply to a command was not read. It is empty if the process ended
// while the command was in flight.
type Loss string

// The losses.
const (
	TimedOut  Loss = "timed-out"  // the client's time-out was over
	NotSent   Loss = "not-sent"   // the client had no connection
	Canceled  Loss = "canceled"   // the waiting call was cancelled
	Expired   Loss = "expired"    // the waiting call reached its own deadline
	BrokenOff Loss = "broken-off" // anything else, such as a connection that ended
)

// Broke reports whether the wait for a reply ended before the client's time-out.
func (l Loss) Broke() bool { return l != "" && l != TimedOut }

// String returns the command as one types it into redis-cli.
func (c Command) String() string { return strings.Join(c.Args, " ") }

// NodeCommand is a line of nodes/NODE.jsonl: a line of MONITOR, and the time when lockbench read
// it.
type NodeCommand struct {
	T    int64  `json:"t"`
	Line string `json:"line"`
}

// Shown is a parsed line of MONITOR.
type Shown struct {
	Wall   float64 // the node's own clock, in seconds
	At     int64   // the same, in µs
	DB     int
	From   string // the client's address, or "lua"
	Script bool   // a script sent the command: the last command before it that has Script unset
	Args   []string
}

// Shown parses the line, such as 1792000000.123456 [0 127.77.3.1:40112] "SETNX" "lock:0" "1792". It
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
	s.Wall, s.At = wall, int64(wall*1e6+.5)
	db, from, _ := strings.Cut(from, " ")
	s.DB, _ = strconv.Atoi(db)
	s.From, s.Script = from, from == "lua"
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
