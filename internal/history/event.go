// Package history is the record of a run: what every client asked for and saw, which faults struck
// when, and how it all ended. Everything downstream (checker, reports) works from this record
// alone. The format is in docs/formats.md.
package history

import "time"

// Format is the version of the histories that this package writes.
const Format = 2

// Harness is the process number of the harness and its nemesis; clients count from 0.
const Harness = -1

// A Type is a kind of event. The zero value is not valid.
type Type string

// The types of events. Invoke, OK, Fail and Info belong to an operation; the others are single.
const (
	Invoke Type = "invoke" // a client is about to call
	OK     Type = "ok"     // the call did happen
	Fail   Type = "fail"   // the call certainly did not happen
	Info   Type = "info"   // the call may have happened, or not
	Extend Type = "extend" // the lease of a hold was prolonged
	Lost   Type = "lost"   // the lock told its holder that the hold is over
	Kill   Type = "kill"   // the process is about to be killed on purpose
	Exit   Type = "exit"   // the process is known to be gone
	// the process did not run for Gap before T; of the harness with F and Target: its action took Gap;
	// with Target alone: that server did not answer for Gap
	Gap   Type = "gap"
	Fault Type = "fault" // the nemesis begins or ends an action
	End   Type = "end"   // the run is over; a history without it was interrupted
)

// Completes reports whether events of this type end an operation.
func (t Type) Completes() bool { return t == OK || t == Fail || t == Info }

// The functions of operations, in field F.
const (
	Acquire   = "acquire"
	Release   = "release"
	ExtendOp  = "extend" // an extension that the client asked for, as an operation of its own
	ReadOp    = "read"   // a read of the guarded resource
	WriteOp   = "write"  // a write to the guarded resource
	CasOp     = "cas"    // a compare-and-set of a register, in imported histories
	Shared    = "shared" // Mode of an acquire that shares the lock; without a mode it is exclusive
	PhaseFrom = "begin"  // Phase of a fault that begins
	PhaseTo   = "end"    // Phase of a fault that is over
)

// NilValue represents the value nil of a register.
const NilValue = int64(-1) << 61

// Event is one line of a history after the header. Which fields count depends on Type;
// docs/formats.md has one line of each.
type Event struct {
	Type Type `json:"type"`
	// ns of CLOCK_MONOTONIC since the header's epoch, stamped in the process it is about
	T       int64  `json:"t"`
	Process int    `json:"process"`
	F       string `json:"f,omitempty"`
	N       int    `json:"n,omitempty"`    // number of the acquire call within its process, from 1
	Key     *int   `json:"key,omitempty"`  // number of the lock, from 0
	Keys    []int  `json:"keys,omitempty"` // instead of Key, where one acquire takes several
	// of an acquire: Shared if other shared holds of the lock may overlap the one that is asked for
	Mode string `json:"mode,omitempty"`
	// how many holds of the same lock this process had already
	Depth   int      `json:"depth,omitempty"`
	Value   *int64   `json:"value,omitempty"` // read from or written to the guarded resource
	If      *int64   `json:"if,omitempty"`    // of a cas: it writes Value if this value stands
	Grant   *Grant   `json:"grant,omitempty"`
	Err     string   `json:"err,omitempty"` // for people; Why and Lasted are for readers
	Why     Refusal  `json:"why,omitempty"` // of an acquire that failed
	Gap     Duration `json:"gap,omitempty"`
	Planned bool     `json:"planned,omitempty"` // of an exit: the harness did it
	Signal  string   `json:"signal,omitempty"`  // of an exit: the lock ended its process by it

	Phase  string `json:"phase,omitempty"`  // of a fault: begin or end
	ID     int    `json:"id,omitempty"`     // of a fault: joins begin and end
	Target string `json:"target,omitempty"` // of a fault: node, client or link
	Aimed  bool   `json:"aimed,omitempty"`  // of a fault: must fall into a contended hold
	// of a fault's end: it was in effect until the run ended, when the harness took it back
	Lasted bool `json:"lasted,omitempty"`
	By     *int `json:"by,omitempty"` // of a fault: the client at whose breakpoint it began
	// of the end: the step that the scenario missed and needs, or nil if all went as planned
	Undone *Undone `json:"undone,omitempty"`
	// of the end: a signal stopped the run before it was over
	Interrupted bool `json:"interrupted,omitempty"`
	// of the end: what the run's own servers counted of keys that went
	Counters []Counters `json:"counters,omitempty"`
}

// Undone is the first step of a scenario that the run should have done and did not.
type Undone struct {
	Step int    `json:"step"` // from 1
	Of   int    `json:"of"`   // steps of the scenario
	What string `json:"what"` // for people
	// every step was carried out, but no fault began and no client was met: this step is the first
	Idle bool `json:"idle,omitempty"`
}

// Refusal is why an acquire failed. The zero value is Taken.
type Refusal string

// The refusals.
const (
	Taken         Refusal = ""               // the lock was another client's until the time was over
	GaveUp        Refusal = "gave-up"        // so too, but the client ended its wait early
	CalledOff     Refusal = "called-off"     // so too, but the harness called the wait off
	Unreachable   Refusal = "unreachable"    // the client could not connect to the server
	ServerRefused Refusal = "server-refused" // the server refused to execute the command
)

// Denied reports whether the client was told that the lock is another's.
func (r Refusal) Denied() bool { return r == Taken || r == GaveUp || r == CalledOff }

// Grant is what the lock itself knows of a hold. A zero field means that it declares nothing of the
// kind.
type Grant struct {
	// stamp: the granting command of the successful attempt was about to be sent
	Sent int64 `json:"sent,omitempty"`
	// the server keeps the lock this long from then on; if zero, for ever
	Lease Duration `json:"lease,omitempty"`
	// stamp: until when the lock itself promises the hold
	ValidUntil int64  `json:"valid_until,omitempty"`
	Token      int64  `json:"token,omitempty"` // fencing token
	Node       string `json:"node,omitempty"`  // the Redis that granted it
}

// KeyOf returns the number of the lock that an event is about, 0 if it names none.
func (e Event) KeyOf() int {
	if e.Key != nil {
		return *e.Key
	}
	if len(e.Keys) > 0 {
		return e.Keys[0]
	}
	return 0
}

// Ptr is for the optional fields of an Event.
func Ptr[T any](v T) *T { return &v }

// Duration is a time.Duration that is text ("2s") in JSON.
type Duration time.Duration

// D returns the duration as package time has it.
func (d Duration) D() time.Duration { return time.Duration(d) }

// String writes the duration as package time does.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes "2s".
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = Duration(v)
	return err
}
