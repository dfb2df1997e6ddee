// Package workloads holds the work of clients: the seeded generator of cycles, the worker that runs
// them, the critical section itself, and the protocol between the harness and a worker. The same
// worker code plays a client in a process of its own and in the simulator.
package workloads

import (
	"github.com/lockbench/lockbench/impls"
	"github.com/lockbench/lockbench/internal/history"
)

// The kinds of orders, in field Do.
const (
	DoConfig   = "config"   // the client's configuration; the first order
	DoCycle    = "cycle"    // acquire, hold, release, once
	DoArm      = "arm"      // stop at a breakpoint
	DoGo       = "go"       // go on from a breakpoint, or forget it
	DoRedirect = "redirect" // use another node from now on
	DoClock    = "clock"    // your wall clock is wrong by Offset from now on
	DoMessage  = "message"  // Body strikes your next command: nemesis.Drop, Strand or Duplicate
	DoCancel   = "cancel"   // give up the call that is under way
	DoHurry    = "hurry"    // your sleeps are shorter by Offset from now on
	DoGiveUp   = "give-up"  // wait no longer for the reply of Node that you have waited for longest
	DoAnswer   = "answer"   // the answer of the guarded resource
	DoLeave    = "leave"    // the hold that you are in ends now
	DoStop     = "stop"     // end waiting; a hold runs to its end, unless Leave is set
	DoReset    = "reset"    // end this client's life; another config comes
	DoLog      = "log"      // before a config: your standard error goes to the file Body
)

// Order is a line from the harness to a worker. Which fields count depends on Do; docs/formats.md
// has one line of each.
type Order struct {
	Do         string           `json:"do"`
	Config     *Config          `json:"config,omitempty"`
	N          int              `json:"n,omitempty"`
	Key        int              `json:"key"`
	Keys       []int            `json:"keys,omitempty"` // of a cycle that takes several locks at once
	Mode       string           `json:"mode,omitempty"` // of a cycle: history.Shared, or ""
	Hold       history.Duration `json:"hold,omitempty"`
	Body       string           `json:"body,omitempty"`
	Breakpoint *Breakpoint      `json:"breakpoint,omitempty"`
	Node       string           `json:"node,omitempty"`
	Offset     history.Duration `json:"offset,omitempty"`
	Rate       float64          `json:"rate,omitempty"` // of a clock: seconds it gains in each second
	Value      int64            `json:"value,omitempty"`
	Err        string           `json:"err,omitempty"`
	Leave      bool             `json:"leave,omitempty"` // a hold ends now as well
}

// Config is everything that a worker needs to play its client.
type Config struct {
	// a linked program must not have served a client before
	Fresh          bool             `json:"-"`
	Run            uint64           `json:"-"` // differs between the simulator's runs in this process
	Process        int              `json:"process"`
	Impl           string           `json:"impl"`
	Variant        string           `json:"variant,omitempty"`
	Seed           uint64           `json:"seed"`
	TTL            history.Duration `json:"ttl"`
	Poll           history.Duration `json:"poll"`
	AcquireTimeout history.Duration `json:"acquire_timeout"`
	ClientTimeout  history.Duration `json:"client_timeout"` // dial, read and write
	ClientRetries  *int             `json:"client_retries"` // retries of the Redis client itself
	NoWatchdog     bool             `json:"no_watchdog,omitempty"`
	impls.Settings
	history.ClientSettings          // of all clients, until Of gives each its own
	Keys                   []string `json:"keys"` // names of the locks, by number
	// for each independent Redis: node name → address
	Nodes []map[string]string `json:"nodes"`
	// first bytes on each connection to a node, before Redis' own protocol; may be empty
	Secret string `json:"secret,omitempty"`
	// a second way to the same nodes, for DoRedirect with nemesis.Spare
	Spares []map[string]string `json:"spares,omitempty"`
	// the node to use at first; "" if each map has one node
	Master string `json:"master"`
	// addresses of the sentinels, which name the master instead
	Sentinels []string `json:"sentinels,omitempty"`
	// the addresses by which the sentinels know each other, in the same order
	Peers []string `json:"peers,omitempty"`
	// names of nodes by the address that sentinels, or the nodes of a cluster, know them by
	Announced map[string]string `json:"announced,omitempty"`
	Cluster   bool              `json:"cluster,omitempty"` // the nodes form a Redis Cluster
}

// PhaseConnect is one more phase, in addition to the nemesis' own: the client is about to connect
// to a node. Only a breakpoint for every call stops it there.
const PhaseConnect = "connect"

// Breakpoint is a place where a worker stops until it is told to go on. It matches a phase, or a
// Redis command.
type Breakpoint struct {
	ID int `json:"id"`
	// of a command: "before" it is sent, when it was "sent" (no call stops there), or "after" its
	// reply was read
	At    string `json:"at,omitempty"`
	Phase string `json:"phase,omitempty"` // one of nemesis' phases, or PhaseConnect
	// regular expression over the whole command in lower case
	Command string `json:"command,omitempty"`
	// what the command means to its call, one of nemesis' meanings; with a Command only for a Remote
	Means string `json:"means,omitempty"`
	Nth   int    `json:"nth,omitempty"` // stop at this match; 0 and 1 mean the first
	// instead: each call stops every time it is about to acquire, to release, to connect or to send a
	// command
	Every bool `json:"every,omitempty"`
	Stop  int  `json:"stop,omitempty"` // of a Go: let only this one go on, and keep the breakpoint
}

// Report is a line from a worker to the harness. Exactly one field is set, besides Process, which
// the environment fills in.
type Report struct {
	Process    int              `json:"-"`
	Ready      *Ready           `json:"ready,omitempty"`
	Event      *history.Event   `json:"event,omitempty"`
	Command    *history.Command `json:"command,omitempty"`
	Breakpoint *BreakpointHit   `json:"breakpoint,omitempty"`
	Ask        *Ask             `json:"ask,omitempty"`
	Done       *Done            `json:"done,omitempty"`
	Failed     string           `json:"failed,omitempty"` // the worker cannot go on; why
	Reset      bool             `json:"reset,omitempty"`  // the client is gone; a config may come
	// the environment reports that the worker is gone
	Exit *Exit `json:"-"`
}

// Ready says that a worker is configured and connected.
type Ready struct {
	PID int   `json:"pid"`
	T   int64 `json:"t"`
	// versions of other programs that play the client: "redis-py": "8.1.0"
	Versions map[string]string `json:"versions,omitempty"`
}

// BreakpointHit reports that a call waits at a breakpoint.
type BreakpointHit struct {
	ID      int    `json:"id"`
	T       int64  `json:"t"`
	N       int    `json:"n"`
	Key     int    `json:"key"`
	Command string `json:"command,omitempty"` // where it stopped at one

	// Of a breakpoint for every call.
	Stop  int      `json:"stop,omitempty"`  // numbers the stops of a worker there, from 1
	Phase string   `json:"phase,omitempty"` // where it stopped at one
	Node  string   `json:"node,omitempty"`  // where the command is to go
	Args  []string `json:"args,omitempty"`  // the command in its words
}

// Ask is a read or write of the guarded resource, which lives in the harness and never fails.
type Ask struct {
	N     int    `json:"n"`
	Key   int    `json:"key"`
	F     string `json:"f"` // history.ReadOp or history.WriteOp
	Value int64  `json:"value,omitempty"`
	Token int64  `json:"token,omitempty"`
}

// Done says that a cycle is over and the worker waits for the next order.
type Done struct {
	N   int    `json:"n"`
	Err string `json:"err,omitempty"` // an outcome that delays the next cycle
}

// Exit says that a process is gone: the worker of Report.Process, or a node.
type Exit struct {
	T    int64
	Node string // the node, if it was one
	Err  string // how it ended, or why a node is no longer usable
	// the signal of the lock that ended its process; "" if the harness ended it or it ended otherwise
	Signal string
}

// SignaledError says that a lock ended its own process by a signal.
type SignaledError struct{ Signal string }

func (e SignaledError) Error() string { return "the lock ended it: signal " + e.Signal }
