package history

import "strings"

// Command is a line of trace.jsonl: one Redis command of one client. On disk it is two lines, one
// with Sent and Args when it is about to leave and one with Recv and Reply or Err when the reply
// was read; ReadTrace joins them by Process and Seq.
type Command struct {
	Process int      `json:"process"`
	Seq     int      `json:"seq"`         // numbers the commands of one process, from 1
	N       int      `json:"n,omitempty"` // the acquisition that the process was busy with
	Node    string   `json:"node,omitempty"`
	Sent    int64    `json:"sent,omitempty"` // stamp; 0 in the second line
	Recv    int64    `json:"recv,omitempty"` // stamp; 0: no reply was read
	Args    []string `json:"args,omitempty"`
	Reply   string   `json:"reply,omitempty"`
	Err     string   `json:"err,omitempty"` // for people; Why is for readers
	Why     Loss     `json:"why,omitempty"` // wherever Err is
}

// Loss is why the reply to a command was not read. A command that was in flight when its process
// ended has none.
type Loss string

// The losses.
const (
	TimedOut  Loss = "timed-out"  // the client waited for as long as its settings say
	BrokenOff Loss = "broken-off" // anything else: no connection, one that ended, a call that did
)

// String shows the command as one types it into redis-cli.
func (c Command) String() string { return strings.Join(c.Args, " ") }

// NodeCommand is a line of nodes/NODE.jsonl: what MONITOR showed, and when lockbench read it.
type NodeCommand struct {
	T    int64  `json:"t"`
	Line string `json:"line"`
}
