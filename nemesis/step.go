// Package nemesis describes faults as plain data: each step names an action, its target and its
// moment. A scenario is a list of steps. The harness carries them out in order, in any environment
// that has the capabilities.
package nemesis

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// The actions of a Step, in field Do. Target is a node, a client or a link; see Step.
const (
	// The clients' cycles.
	Quiesce = "quiesce" // no client starts a new cycle, and all have ended theirs
	Resume  = "resume"  // clients go on; with a Target only that one
	// wait for enough contended acquisitions, so that the run can show something
	Warm     = "warm"
	Redirect = "redirect" // all clients, or the client Target, use the node Node from now on
	// the client at the breakpoint goes on; with a Target, the client that an Await named so
	Go      = "go"
	Wait    = "wait"    // wait for For, or until the run is Until old
	Elected = "elected" // wait until the servers have promoted a replica by themselves, For at most

	// Nodes.
	Barrier       = "barrier"        // wait until every replica has all of its master's writes
	KillNode      = "kill"           // the node Target is killed with SIGKILL; until Start
	LoseDisk      = "lose-disk"      // the dead node Target loses its files
	Start         = "start"          // the node Target is started again, with the files on its disk
	Flush         = "flush"          // an operator deletes all keys of the node Target
	ForgetScripts = "forget-scripts" // the node Target forgets the scripts that it was sent
	FillMemory    = "fill-memory"    // the node Target has no memory for writes; until FreeMemory
	FreeMemory    = "free-memory"    // the node Target has memory again
	Promote       = "promote"        // the replica Target becomes a master
	SwitchOver    = "switch-over"    // the replica Target takes over, with its master's consent
	MoveSlot      = "move-slot"      // the slot of the run's keys moves to the master Target
	Lead          = "lead"           // the member Target of an ensemble was elected; it is not a step
	PauseNode     = "pause-node"     // the node Target is stopped with SIGSTOP; until ResumeNode
	ResumeNode    = "resume-node"    // the node Target runs again
	NodeClock     = "node-clock"     // the wall clock of the node Target is wrong by Offset
	StopClock     = "stop-clock"     // the clock of the node Target stops; until NodeClock
	Busy          = "busy"           // the node Target executes a script that does not end; until Free
	Free          = "free"           // the script on the node Target is killed, or its command is over
	// the node Target executes one command for For; until then it answers no client, and new commands
	// wait
	Stall = "stall"

	// Links.
	Cut = "cut" // the link Target drops all messages, by Mode; until Heal
	// the link Target keeps all messages, by Mode, and delivers them at Heal
	HoldBack = "hold-back"
	Delay    = "delay"  // the link Target delivers each message For later; until Heal
	Refuse   = "refuse" // the link Target closes its connections and refuses new ones; until Heal
	// the link Target resets its connections as soon as something is sent; until Heal
	Reset = "reset"
	Heal  = "heal" // the link Target is whole again

	// The next command of the client Target, of any kind.
	Drop      = "drop"      // it never arrives, and its connection breaks
	Strand    = "strand"    // it arrives, and its connection breaks before the reply
	Duplicate = "duplicate" // it arrives twice

	// Clients.
	Launch  = "launch"  // the client Target starts; until then it was not there
	Cancel  = "cancel"  // the client Target gives up the call that it has under way
	Crash   = "crash"   // the client Target is killed with SIGKILL and stays away
	Pause   = "pause"   // the client Target is stopped with SIGSTOP; until Unpause
	Unpause = "unpause" // the client Target runs again
	// the machine of the client Target sleeps: the client stands, and so does its monotonic clock;
	// until Wake
	Suspend = "suspend"
	Wake    = "wake" // the machine of the client Target goes on; its wall clock is right
	// the wall clock of the client Target is wrong by Offset from now on, and gains Rate
	ClientClock = "client-clock"
)

// The moving targets. A client gets one of these names when it reaches a breakpoint, and likewise a
// name that an Await gives (As).
const (
	Hit    = "hit"    // the client that reached the last breakpoint
	Waiter = "waiter" // a client that waits for the same lock as the one that was hit
)

// The directions of Cut and HoldBack.
const (
	Both     = ""         // nothing passes
	Requests = "requests" // messages of a client do not arrive; nothing is executed
	Replies  = "replies"  // answers of a node do not arrive; commands are executed
)

// Streams returns those of a link's two directions that a mode names: to the node, and back.
func Streams[T any](mode string, up, down T) ([]T, error) {
	switch mode {
	case Both:
		return []T{up, down}, nil
	case Requests:
		return []T{up}, nil
	case Replies:
		return []T{down}, nil
	}
	return nil, fmt.Errorf("a link is cut both ways, for requests or for replies, not %q", mode)
}

// Step is an action of the harness or, with Await, a wait. An Await without For waits for ever. If
// For is over, the scenario goes on without a client at the breakpoint.
type Step struct {
	Do string `json:"do,omitempty"`
	// node "n0"; client "c2", "hit", "waiter", a name, "*"; link "n0>n1", "hit>n0", "c2>*"
	Target string           `json:"target,omitempty"`
	Node   string           `json:"node,omitempty"` // of a Redirect
	Mode   string           `json:"mode,omitempty"` // of a Cut or HoldBack
	For    history.Duration `json:"for,omitempty"`  // of a Wait, Delay, Stall, Elected or Await
	// of a Wait, instead of For: the time since the start of the run
	Until  history.Duration `json:"until,omitempty"`
	Offset history.Duration `json:"offset,omitempty"` // of a clock
	// of a client's clock: seconds gained in each second
	Rate float64 `json:"rate,omitempty"`
	// must fall into a hold with a contender waiting, or the run proves nothing
	Aimed bool   `json:"aimed,omitempty"`
	Await *Await `json:"await,omitempty"`
}

// Await stops one client at a place of its cycle, and the scenario until a client has come there.
// The client waits there until a Go or, if it has no name, until the next Await without a name. A
// client that has Sent a command or Lost its lease does not stop: the Await only notices it.
type Await struct {
	// a name for the client, so that it waits there while the scenario awaits others
	As string `json:"as,omitempty"`
	// "c0", a name, "!" and a name for all but that one, or "other" for any but the one hit last; if
	// empty, the first client that arrives
	Client string `json:"client,omitempty"`
	Phase  string `json:"phase,omitempty"` // one of the phases below
	// instead of Phase: a regular expression over a Redis command in lower case
	Command string `json:"command,omitempty"`
	// the same by the command's meaning in its client's call, one of the meanings below; with a
	// Command, for clients whose commands lockbench does not know (adapters)
	Means string `json:"means,omitempty"`
	// of a Command or a meaning: before it is sent, just after it was sent, or after its reply
	At        string `json:"at,omitempty"`
	Nth       int    `json:"nth,omitempty"`       // the number of the match; 0 and 1 mean the first
	Contended bool   `json:"contended,omitempty"` // whether another client must wait for the same lock
}

// The phases of a client's cycle that an Await can name. Nth counts a client's calls from the start
// of the Await.
const (
	Acquiring = "acquire"  // it is about to call Acquire
	Sent      = "sent"     // the first command of its Acquire has left; it does not stop
	Replied   = "replied"  // its Acquire has returned, granted or not
	Granted   = "granted"  // its Acquire has returned a grant: it holds the lock
	Releasing = "release"  // it is about to call Release
	Released  = "released" // its Release has returned
	// it is inside, and its lease is over, or the lock has told it so; it does not stop
	Lost = "lost"
)

// The meanings of a command, in field Means. Only commands that name a key of their call count. In
// its first cycle, a client shows which script creates the key and how many commands a release has.
// If it does not, no client ever meets the Await.
const (
	FirstOfAcquire = "first-of-acquire"
	CreatesKey     = "creates-key"      // or tries to; After: it did
	AfterCreation  = "after-creation"   // of the same acquire, on the same node
	FirstOfRelease = "first-of-release" // of a release call
	WithinRelease  = "within-release"   // its second, on its node
	LastOfRelease  = "last-of-release"  // on its node
	OnKey          = "on-key"           // any, also between calls
	ReadsKey       = "reads-key"        // of an acquire; it changes nothing
	TakesOver      = "takes-over"       // of an acquire; it deletes or replaces a key that is there
)

// When an Await for a Command stops, in field At.
const (
	Before   = "before" // it is about to be sent
	JustSent = "sent"   // it was sent just now; the client does not stop
	After    = "after"  // its reply was read
)

// Spare, as a Redirect's Node, means a second way to the same nodes. Only new connections take it.
const Spare = "spare"

// Other, as an Await's Client, means any client but the one that was hit last and the named ones
// that wait at a breakpoint.
const Other = "other"

// But, as the beginning of an Await's Client, means any client but the one whose name follows:
// "!owner".
const But = "!"

// Noticed reports whether the awaited client does not stop.
func (a Await) Noticed() bool { return a.Phase == Sent || a.Phase == Lost || a.At == JustSent }

// String returns the step as in plan.json.
func (s Step) String() string {
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Sprint(s.Do, " ", s.Target)
	}
	return string(b)
}

// Words describes the step as in a file: "kill n0", or the event that an await waits for.
func (s Step) Words() string {
	if s.Await == nil {
		return strings.TrimSpace(s.Do + " " + s.Target)
	}
	who := s.Await.Client
	if who == "" {
		who = "a client"
	}
	if s.Await.Command == "" && s.Await.Means == "" {
		return fmt.Sprintf("await that %s comes to %q", who, s.Await.Phase)
	}
	words := fmt.Sprintf("await that %s sends a command that matches %q", who, s.Await.Command)
	if meaning := s.Await.Means; meaning != "" { // Command is that of lockbench's own locks
		words = fmt.Sprintf("await that %s sends %s", who, meant[meaning])
	}
	if s.Await.Nth > 1 {
		words += fmt.Sprintf(" for the %dth time", s.Await.Nth)
	}
	return words
}

// meant describes the command of each meaning.
var meant = map[string]string{
	FirstOfAcquire: "the first command of an acquire",
	CreatesKey:     "the command that creates the key",
	AfterCreation:  "a command after the creation of the key",
	FirstOfRelease: "the first command of a release",
	WithinRelease:  "the second command of a release",
	LastOfRelease:  "the last command of a release",
	OnKey:          "a command on the key",
	ReadsKey:       "a command of an acquire that reads the key",
	TakesOver:      "a command of an acquire that takes over an existing key",
}

// Client reads the number out of a client's name: 2 for "c2".
func Client(name string) (int, error) {
	var n int
	if _, err := fmt.Sscanf(name, "c%d", &n); err != nil || fmt.Sprintf("c%d", n) != name {
		return 0, fmt.Errorf("%q is not a client; clients are called c0, c1, …", name)
	}
	return n, nil
}
