// Package history is the record of a run: the calls and results of every client, the faults and
// their times, and the end. The checker and the reports work from this record alone.
// docs/formats.md describes the format.
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
	OK     Type = "ok"     // the call took effect
	Fail   Type = "fail"   // the call certainly had no effect
	Info   Type = "info"   // the call may have had an effect
	Extend Type = "extend" // the lease of a hold was prolonged
	Lost   Type = "lost"   // the lock told its holder that the hold is over
	Kill   Type = "kill"   // the process is about to be killed on purpose
	Exit   Type = "exit"   // the process is known to be gone
	// the process did not run for Gap before T; of the harness with F and Target: its action took Gap;
	// with Target alone: that server did not answer for Gap; Planned: the client stood at a breakpoint
	Gap   Type = "gap"
	Fault Type = "fault" // an action of the nemesis starts or ends
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
	PhaseFrom = "begin"  // Phase of a fault that starts
	PhaseTo   = "end"    // Phase of a fault that ends
)

// NilValue represents the value nil of a register.
const NilValue = int64(-1) << 61

// Event is one line of a history after the header. Each Type uses only some of the fields;
// docs/formats.md describes them.
type Event struct {
	Type Type `json:"type"`
	// ns of CLOCK_MONOTONIC since the header's epoch, stamped in the process of the event
	T       int64  `json:"t"`
	Process int    `json:"process"`
	F       string `json:"f,omitempty"`
	N       int    `json:"n,omitempty"`    // number of the acquire call within its process, from 1
	Key     *int   `json:"key,omitempty"`  // number of the lock, from 0
	Keys    []int  `json:"keys,omitempty"` // instead of Key, if one acquire takes several
	// of an acquire: Shared if the requested hold may overlap other shared holds of the lock; of a
	// fault of a link: "requests" or "replies" if it hits only these
	Mode string `json:"mode,omitempty"`
	// how many holds of the same lock this process already had
	Depth   int      `json:"depth,omitempty"`
	Value   *int64   `json:"value,omitempty"` // read from or written to the guarded resource
	If      *int64   `json:"if,omitempty"`    // of a cas: the value that the write requires
	Grant   *Grant   `json:"grant,omitempty"`
	Err     string   `json:"err,omitempty"` // for people; Why and Lasted are for readers
	Why     Refusal  `json:"why,omitempty"` // of an acquire that failed, and NoLeader of a gap
	Gap     Duration `json:"gap,omitempty"`
	Planned bool     `json:"planned,omitempty"` // of an exit or a gap: the harness made it so
	Signal  string   `json:"signal,omitempty"`  // of an exit: the lock ended its process by it

	Phase  string `json:"phase,omitempty"`  // of a fault: begin or end
	ID     int    `json:"id,omitempty"`     // of a fault: joins begin and end
	Target string `json:"target,omitempty"` // of a fault: node, client or link
	Aimed  bool   `json:"aimed,omitempty"`  // of a fault: must fall into a contended hold
	// of a fault that sets a clock: by how much the clock is wrong from now on, until the fault ends;
	// nil if it is not known
	Offset *Duration `json:"offset,omitempty"`
	Rate   float64   `json:"rate,omitempty"` // of such a fault: seconds gained in each second
	// of a fault's end: the fault lasted until the end of the run, when the harness undid it
	Lasted bool `json:"lasted,omitempty"`
	By     *int `json:"by,omitempty"` // of a fault: the client at whose breakpoint it started
	// of the end: the step that the scenario missed and needs, or nil if nothing is missing
	Undone *Undone `json:"undone,omitempty"`
	// of the end: a signal stopped the run early
	Interrupted bool `json:"interrupted,omitempty"`
	// of the end: the servers' own numbers of removed keys
	Counters []Counters `json:"counters,omitempty"`
}

// Undone is the first step of a scenario that the run missed.
type Undone struct {
	Step int    `json:"step"` // from 1
	Of   int    `json:"of"`   // steps of the scenario
	What string `json:"what"` // for people
	// the run carried out every step, but no fault started and no client was met: this is the first
	// step
	Idle bool `json:"idle,omitempty"`
}

// Refusal is the reason why an acquire failed, or why a server answered late. The zero value is
// Taken.
type Refusal string

// The refusals.
const (
	Taken         Refusal = ""               // another client had the lock until the time was over
	GaveUp        Refusal = "gave-up"        // the same, but the client ended its wait early
	CalledOff     Refusal = "called-off"     // the same, but the harness ended the wait
	Unreachable   Refusal = "unreachable"    // the client could not connect to the server
	ServerRefused Refusal = "server-refused" // the server refused to execute the command
	NoLeader      Refusal = "no-leader"      // a server answered late, since it found no leader
)

// Denied reports whether the client learned that another client has the lock.
func (r Refusal) Denied() bool { return r == Taken || r == GaveUp || r == CalledOff }

// Grant is the lock's own description of a hold. A zero field means that the lock does not declare
// the property.
type Grant struct {
	// stamp: the client was about to send the granting command of the successful attempt; zero if no
	// one says, so that a lease began at some time between the call and its return
	Sent int64 `json:"sent,omitempty"`
	// the time that the server keeps the lock from then on; zero means for ever
	Lease Duration `json:"lease,omitempty"`
	// stamp: the lock itself promises the hold until then
	ValidUntil int64  `json:"valid_until,omitempty"`
	Token      int64  `json:"token,omitempty"` // fencing token
	Node       string `json:"node,omitempty"`  // the Redis that granted it
}

// KeyOf returns the number of an event's lock, or 0 if it names none.
func (e Event) KeyOf() int {
	if e.Key != nil {
		return *e.Key
	}
	if len(e.Keys) > 0 {
		return e.Keys[0]
	}
	return 0
}

// Ptr returns a pointer to v, for the optional fields of an Event.
func Ptr[T any](v T) *T { return &v }

// Duration is a time.Duration that is text ("2s") in JSON.
type Duration time.Duration

// D returns the duration in the type of package time.
func (d Duration) D() time.Duration { return time.Duration(d) }

// String returns the text of package time.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText returns a text such as "2s".
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the texts of time.ParseDuration.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = Duration(v)
	return err
}

// Counters are a server's own numbers of removed keys, read at the end of the run. They exist only
// for a server of the run that was a master and ran all the time.
type Counters struct {
	Node    string `json:"node"`
	Evicted int64  `json:"evicted"` // keys, for lack of memory
	Expired int64  `json:"expired"` // keys whose lease was over
	Deleted int64  `json:"deleted"` // calls of DEL and UNLINK, including calls by scripts
	Emptied int64  `json:"emptied"` // calls of FLUSHALL, FLUSHDB and SWAPDB
}

// Counters returns the numbers of the servers, or nil if they are unknown.
func (h *History) Counters() []Counters {
	if !h.Complete() {
		return nil
	}
	return h.Events[len(h.Events)-1].Counters
}
