// Package record is the one reading of a history: the holds of each client, the requests and
// refusals, the actions of the nemesis and their ends, the stalls and ends of processes, and how
// far to trust all of this. The checker judges it and the reports draw it, so that a picture cannot
// disagree with its verdict. All stamps are stamps of the history (ns).
package record

import (
	"math"
	"sort"

	"github.com/lockbench/lockbench/internal/history"
)

// Forever is the stamp of an event that did not happen: a release that no client called, the end of
// a lease without end.
const Forever = math.MaxInt64

// Record is a history in the form that the rules judge and the reports draw. No code changes it
// after it is made.
type Record struct {
	Holds   []Hold  // the outermost holds, by the stamp of the grant
	Inner   []Hold  // acquisitions by a client that was inside already, by the stamp of the grant
	Calls   []Call  // acquire calls, by the stamp of the completion, open ones last
	Faults  []Fault // by begin
	Gaps    []Gap   // slow actions of the harness, by end
	Slow    []Slow  // what the harness took long for, by end
	Clients []int   // the numbers of the processes that the record speaks of, sorted
	// kills, exits, losses, gaps and extensions of leases, in the order of their stamps
	Marks    []*history.Event
	Releases map[int][]Interval // release calls, by process, in order

	End             int64         // the latest stamp
	Operations      int           // operations that were invoked
	Unknown         int           // operations whose outcome is unknown
	RefusedReleases int           // releases that were refused
	Shared          bool          // some holds are shared
	WithoutLease    int           // grants without a known lease although the lock declares one
	SelfRefused     []SelfRefusal // calls of clients that were inside already and were refused

	Trust Trust // how far the history can be trusted
}

// Ending says how a hold came to its end.
type Ending uint8

// The endings of a hold.
const (
	Open     Ending = iota // the record ended first
	Released               // its client called release
	Killed                 // the harness killed its process
	Vanished               // its process was gone without a kill; its last sign of life is the end
	Again                  // its client acquired anew without a release
)

// Hold is one granted acquisition of one key. Its identity is (Process, N, Key).
type Hold struct {
	Process, N, Key int
	Call, From      int64 // acquire invoked and returned
	Granting        int64 // the granting command was about to be sent
	Sent            int64 // the granting command, or the latest extension, was about to be sent
	End             int64 // the client was surely inside until then: release invoked, killed, ...
	Ended           Ending
	Returned        int64        // the release call came back; Forever if it never did
	Answer          history.Type // of the release, if it is Released: OK, Fail or Info
	Lost            int64        // the client was told that the hold is over
	Valid           int64        // the lock itself promised the hold until then
	Promised        int64        // so too, as the grant said it, before any extension
	Granted         int64        // the lease of the grant; zero if it does not end
	Leases          []Lease      // never empty
	Later           int64        // the lease of the grant may end this much later than Leases says
	Length          int64        // of the latest lease, as the lock named it; zero if endless
	Node            string       // the server that granted it
	Token           int64        // fencing token; zero if none
	Depth           int          // holds of the key that its client had already
	Shared          bool         // other shared holds of the key may overlap it
	InnerReleased   int64        // invocation of the latest release of an inner acquisition, or zero
	// InnerUnsure is the invocation of the first release of an inner acquisition that may have failed,
	// or zero.
	InnerUnsure int64
}

// Lease is a time during which the server certainly keeps the key for a hold, unless another client
// takes it away.
type Lease struct {
	Call, From, To int64
	Inner          int     // the N of the inner acquisition that took the key anew, or 0
	asked          []asked // the parts of a lease that was prolonged, in the order of their stamps
}

// asked is a part of a lease: what the client asked for at a stamp.
type asked struct{ at, to int64 }

// prolong moves the end of a lease, as its client asked for at a stamp.
func (l *Lease) prolong(at, to int64) {
	if l.asked == nil {
		l.asked = []asked{{l.Call, l.To}}
	}
	l.asked, l.To = append(l.asked, asked{at, to}), to
}

// cut ends a lease at a stamp.
func (l *Lease) cut(t int64) {
	l.To = min(l.To, t)
	for i := range l.asked {
		l.asked[i].to = min(l.asked[i].to, t)
	}
}

// endAt returns the end of a lease as it had been asked for at a stamp.
func (l *Lease) endAt(t int64) int64 {
	if len(l.asked) == 0 {
		return l.To
	}
	end := l.asked[0].to
	for _, a := range l.asked {
		if a.at <= t {
			end = a.to
		}
	}
	return end
}

// LeaseEnd returns the end of the last lease.
func (h *Hold) LeaseEnd() int64 { return h.Leases[len(h.Leases)-1].To }

// LeaseIn returns the lease that is in force at t, or the last one before.
func (h *Hold) LeaseIn(t int64) *Lease {
	in := 0
	for i := range h.Leases {
		if h.Leases[i].From <= t {
			in = i
		}
	}
	return &h.Leases[in]
}

// ShortenLease ends the lease of a grant earlier: its length from the granting command is lease, in
// ns, and end is the stamp at which a server may drop the key. A lease that was extended keeps its
// end.
func (h *Hold) ShortenLease(lease, end int64) {
	if h.Sent == h.Granting { // not extended
		h.Length = lease
	}
	h.Granted = lease
	if l := &h.Leases[0]; l.asked == nil {
		l.cut(end)
	}
}

// CameLate reports whether the client got inside when the lease of its grant was over.
func (h *Hold) CameLate() bool { return h.From >= h.Leases[0].To+h.Later }

// LeaseAt returns the end of the lease that is in force at t, or of the last one before. What the
// client asked for after t does not count.
func (h *Hold) LeaseAt(t int64) int64 { return h.LeaseIn(t).endAt(t) }

// LatestEnd returns when the lease that LeaseAt speaks of is surely over if the grant does not say
// when it was sent. The lease then began between the call and its return, and the server's clock
// may be slow by the drift. Otherwise, and after an extension, it returns what LeaseAt does.
func (h *Hold) LatestEnd(t int64) int64 {
	end := h.LeaseAt(t)
	if end > h.Granting+h.Granted { // it was extended, or has no end
		return end
	}
	return end + h.Later
}

// BelievedEnd returns until when the client may take the lock to be its own: the lock's own
// promise, or the latest lease counted from its sending, without regard to drift; Forever if there
// is neither.
func (h *Hold) BelievedEnd() int64 {
	switch {
	case h.Valid != Forever:
		return h.Valid
	case h.Length <= 0:
		return Forever
	}
	return h.Sent + h.Length
}

// Call is one acquire call with any outcome.
type Call struct {
	Process, N int
	Keys       []int
	From, To   int64           // invoked; returned, or the client was gone, or the record ended
	Outcome    history.Type    // OK, Fail, Info; Invoke: it never returned
	Why        history.Refusal // of one that failed
	Err        string          // of one that did not succeed, for people
	Depth      int
	Shared     bool // it asked for a shared hold
}

// Unsure reports whether the outcome is unknown.
func (c *Call) Unsure() bool { return c.Outcome != history.OK && c.Outcome != history.Fail }

// Denied reports whether the client was told that the lock is another's. A server that cannot be
// reached says nothing of the kind.
func (c *Call) Denied() bool { return c.Outcome == history.Fail && c.Why.Denied() }

// SelfRefusal is an acquire call that was refused although its client held the lock.
type SelfRefusal struct {
	Hold     int // index into Record.Holds
	From, To int64
}

// Gap is a time during which a process did not run, or a server did not answer the harness.
type Gap struct {
	Process  int    // history.Harness, or a client
	Node     string // the server; then Process is history.Harness
	From, To int64
	Planned  bool // the nemesis had its hands on the client or on servers meanwhile
	NoLeader bool // the server answered at last that it had found no leader
}

// Length returns how long the gap was, in ns.
func (g Gap) Length() int64 { return g.To - g.From }

// Slow is the time of a slow action of the harness, longer than a quarter of the lease. The
// scenario waited for it, and paused clients stayed paused as long.
type Slow struct {
	Action, Target string
	Interval
}

// LeftAt returns when a client has certainly left a hold: its release call is over, answered or
// not.
func (r *Record) LeftAt(h *Hold) int64 {
	if h.Ended == Open {
		return Forever
	}
	t := h.End
	if h.Ended != Released {
		return t
	}
	calls := r.Releases[h.Process]
	i := sort.Search(len(calls), func(i int) bool { return calls[i].From >= h.End })
	if i < len(calls) {
		return max(t, calls[i].To)
	}
	return t
}

// Releasing reports whether a process had a release call open at t.
func (r *Record) Releasing(process int, t int64) bool {
	calls := r.Releases[process] // a process has one call at a time
	i := sort.Search(len(calls), func(i int) bool { return calls[i].From > t }) - 1
	return i >= 0 && t <= calls[i].To
}

// KeysOf returns the numbers of all locks that an event is about. The caller must not change them.
func KeysOf(e *history.Event) []int {
	switch key := e.KeyOf(); {
	case len(e.Keys) > 0:
		return e.Keys
	case key >= 0 && key < len(single):
		return single[key : key+1 : key+1]
	default:
		return []int{key}
	}
}

// single are the numbers of the first locks, so that a million events share a thousand slices.
var single = func() (numbers [1000]int) {
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}()
