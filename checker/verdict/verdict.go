// Package verdict is the document verdict.json: what follows from a history, property by property,
// with the witness of each violation and the evidence that a clean result rests on.
package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
)

// Format is the version of verdict.json that this package writes.
const Format = 2

// Result is the verdict on one property, or on a whole run. The zero value is Unknown, and unknown
// never passes.
type Result string

// The results. NA is for a property that the lock does not promise or that the workload did not
// exercise.
const (
	Violated Result = "violated"
	Valid    Result = "valid"
	Unknown  Result = "unknown"
	NA       Result = "n.a."
)

// String returns the result in the form of the JSON file.
func (r Result) String() string {
	if r == "" {
		return string(Unknown)
	}
	return string(r)
}

// MarshalText writes the zero value as "unknown".
func (r Result) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText writes and refuses anything else.
func (r *Result) UnmarshalText(b []byte) error {
	*r = Result(b)
	if !slices.Contains([]Result{Violated, Valid, Unknown, NA}, *r) {
		return fmt.Errorf("%q is not a result; results are n.a., valid, violated and unknown", b)
	}
	return nil
}

// Severity orders results for the verdict on several keys, properties or runs: a larger one is
// worse.
func (r Result) Severity() int {
	return slices.Index([]Result{NA, Valid, "", Unknown, Violated}, r)
}

// Worse returns the property with the worse result; of two alike, the first.
func Worse(a, b Property) Property {
	if b.Verdict.Severity() > a.Verdict.Severity() {
		return b
	}
	return a
}

// The properties that Check can judge; history says what they mean. A model of an imported history
// is judged under its own name (see Options.Model).
const (
	MutualExclusion = history.MutualExclusion
	LeaseExclusion  = history.LeaseExclusion
	OwnerRelease    = history.OwnerRelease
	Orphan          = history.Orphan
	Deadlock        = history.Deadlock
	Outage          = history.Outage
	Fencing         = history.Fencing
	LostUpdate      = history.LostUpdate
	Reentry         = history.Reentry
	Validity        = history.Validity
	Notice          = history.Notice
)

// The exit codes that a verdict asks for.
const (
	ExitExpected   = 0
	ExitUnexpected = 1
	ExitUnknown    = 2
	ExitBroken     = 255
)

// Verdict is what follows from a history: the document verdict.json.
type Verdict struct {
	Format     int    `json:"format"`
	Verdict    Result `json:"verdict"`
	Summary    string `json:"summary"` // one sentence that a person gets at once
	Expect     string `json:"expect"`
	AsExpected bool   `json:"as_expected"`
	Exit       int    `json:"exit"`
	// why the harness or the checker could not do its work
	HarnessError string     `json:"harness_error,omitempty"`
	Properties   []Property `json:"properties"`
	Evidence     Evidence   `json:"evidence"`
	Porcupine    Porcupine  `json:"porcupine"`

	// Draw draws the failing slice; nil if there is none. A verdict that was read from a file has
	// none.
	Draw func() ([]byte, error) `json:"-"`
}

// Property is the verdict on one property.
type Property struct {
	Property string `json:"property"`
	Verdict  Result `json:"verdict"`
	Class    string `json:"class,omitempty"` // of a violation
	// the assumption that a fault broke: durability, server clock, client clock
	Assumption  string `json:"assumption,omitempty"`
	Explanation string `json:"explanation,omitempty"` // the violation, for people
	// the cause of a violation, for people, or "" if its class says all that is known
	Cause  string `json:"cause,omitempty"`
	Reason string `json:"reason,omitempty"` // why it is unknown or n.a., for people
	// it is unknown only because the machine stalled: another run may tell
	Stalled  bool `json:"stalled,omitempty"`
	Reported bool `json:"reported,omitempty"` // for information: it does not decide the run
	// the value that several clients wrote, so that the lock took one for the other
	OneValue string `json:"one_value,omitempty"`
	// of a violation of R: it decides the run also where R is reported only
	Decides bool `json:"decides,omitempty"`
	// of a violation of R: nothing that was answered gave the key a time to live
	Stays bool `json:"stays,omitempty"`
	// Seconds, for A, is the longest time under a fault during which no client was granted the lock.
	Seconds float64  `json:"seconds,omitempty"`
	Witness *Witness `json:"witness,omitempty"`
}

// CameLate reports whether the violation is a grant that was believed although its lease was over
// when the reply came.
func (p Property) CameLate() bool {
	return p.Class == LateMessage && p.Witness != nil && len(p.Witness.Commands) > 0 &&
		!slices.ContainsFunc(p.Witness.Commands, func(m WitnessCommand) bool {
			return m.Kind.Deletes()
		})
}

// CountedEarly reports whether the violation is a grant whose lease the lock counted from before an
// earlier try.
func (p Property) CountedEarly() bool { return p.Class == OverWhenDelivered && p.Cause != "" }

// Witness is the smallest part of a history that is a violation by itself.
type Witness struct {
	Key     int              `json:"key"`
	Holds   []Hold           `json:"holds"`
	Overlap history.Duration `json:"overlap,omitempty"` // how long both were surely inside
	// More counts further overlapping pairs of holds of this lock, up to MostMore.
	More int `json:"more,omitempty"`
	// Commands are in the order of sending.
	Commands []WitnessCommand `json:"commands,omitempty"`
}

// MostMore is where further overlaps are no longer counted.
const MostMore = 100

// Hold is one hold of a witness. Stamps are stamps of the history.
type Hold struct {
	Process  int   `json:"process"`
	N        int   `json:"n"`
	From     int64 `json:"from"`                // the acquire returned
	To       int64 `json:"to"`                  // the holder was surely inside until then
	LeaseEnd int64 `json:"lease_end,omitempty"` // zero if the hold has no lease
	Token    int64 `json:"token,omitempty"`
}

// WitnessCommand is a Redis command of a witness, or, with no Args, something that happened by
// itself: an expiry, a fault.
type WitnessCommand struct {
	history.Command
	Kind   Kind   `json:"kind,omitempty"`
	Effect string `json:"effect,omitempty"` // its effect on the key, for people
	Of     int    `json:"-"`                // for the end of a lease: its client
	Until  int64  `json:"-"`                // for a renewal: the end of the lease
	Free   bool   `json:"-"`                // for a write: it takes the key only if it is free
	Over   bool   `json:"-"`                // for a write: it ended the value of the first holder
	OneOf  bool   `json:"-"`                // for a deletion: it or another one certainly did it
	Unsure bool   `json:"-"`                // for the owner's deletion: it may not have done it
	First  int64  `json:"-"`                // for a deletion: when the same was sent before it
	Copy   bool   `json:"-"`                // for a deletion: the network delivered it twice
	Trying bool   `json:"-"`                // for a deletion: its client was acquiring the lock
}

// Kind is the part that a command has in a violation.
type Kind string

// The kinds of commands. The owner is the first holder of a witness.
const (
	Grant          Kind = "grant"           // it granted a hold of the witness
	Look           Kind = "look"            // it told a client of the witness that the key is free
	Write          Kind = "write"           // it wrote the key for another client
	Renewal        Kind = "renewal"         // it gave the key of the first holder its last lease
	OwnDelete      Kind = "own-delete"      // the owner's own, or it may have been
	ForeignDelete  Kind = "foreign-delete"  // it deleted the key of another client
	PossibleDelete Kind = "possible-delete" // it may have deleted the key of another client
	LateDelete     Kind = "late-delete"     // it was sent before the grant whose key it deleted
	Emptying       Kind = "emptying"        // it deletes keys without their names
	Denial         Kind = "denial"          // it was told that the lock is taken
	LeaseEnd       Kind = "lease-end"
	Fault          Kind = "fault"
)

// Deletes reports whether the command deleted the key of another client, or may have.
func (k Kind) Deletes() bool { return k == ForeignDelete || k == PossibleDelete || k == LateDelete }

// Evidence says what a history exercised. A "valid" is worth no more than this.
type Evidence struct {
	Acquisitions int `json:"acquisitions"`
	// acquisitions that another live client wanted at the same time
	Contended int `json:"contended"`
	// grants to another client than the one that was granted the lock before
	Handovers int `json:"handovers,omitempty"`
	// the longest time that an acquire call was open
	LongestWaitMS int `json:"longest_wait_ms,omitempty"`
	Aimed         int `json:"aimed"` // faults that the plan aims at a hold
	// aimed faults that fell into a sure hold with a contender waiting
	Hits int `json:"hits"`
	// Withheld counts the grants of a server that no client entered on before an aimed fault killed
	// the server, because too few replicas had them. Such a fault is a hit, too.
	Withheld int `json:"withheld,omitempty"`
	// the aimed faults that did not, with their targets; for people
	Missed []string `json:"missed,omitempty"`
	// aimed faults that did, and the holder left before the server that took over had answered
	// another client; for people
	Untested      []string `json:"untested,omitempty"`
	AfterFailover int      `json:"grants_after_failover"`
	Unknown       int      `json:"unknown,omitempty"` // operations whose outcome is unknown
	// unplanned stalls above a quarter of the TTL
	Gaps int `json:"gaps,omitempty"`
	// LongestGapMS is the longest recorded stall that was not planned.
	LongestGapMS int `json:"longest_gap_ms,omitempty"`
	// commands that timed out although no fault held them back
	TimedOut    int  `json:"timed_out,omitempty"`
	Faults      int  `json:"faults,omitempty"`      // faults that began
	Interrupted bool `json:"interrupted,omitempty"` // the run was stopped before it was over
	// the first step of the scenario that was not done, if nothing is proved without it
	Undone *history.Undone `json:"undone,omitempty"`
	// writes to the guarded resource with a token
	FencedWrites int `json:"fenced_writes,omitempty"`
	// OldWrites counts the writes that the resource refused, because it had seen a newer token.
	OldWrites int `json:"old_writes,omitempty"`
	// holds of such a resource's lock that surely began while another client was inside
	Together int `json:"together,omitempty"`
	// critical sections that read and wrote the guarded resource
	Sections int `json:"sections,omitempty"`
	// keys of locks that were granted, and that no command of the trace names
	Untouched []string `json:"untouched,omitempty"`
	// reads and compare-and-sets that said what a register held
	Observed int `json:"observed,omitempty"`
	// writes of an optimistic lock that were refused since another client was first
	Conflicts int `json:"conflicts,omitempty"`
	// acquisitions by a client that was inside already
	NestedAcquires int `json:"nested_acquires,omitempty"`
	// a client that was passed over more often than chance explains; it decides nothing
	Starved *Starvation `json:"starved,omitempty"`
}

// Starvation is a client that waited for a lock and was not granted it, while others were.
type Starvation struct {
	Client int `json:"client"`
	Key    int `json:"key"`
	Tries  int `json:"tries"`  // calls that were told that the lock is taken, or waited
	Others int `json:"others"` // grants to other clients while it waited
	// of being passed over so often, if each grant went to one of the waiting clients by chance
	Chance      float64 `json:"chance"`
	Explanation string  `json:"explanation"` // for people
}

// Porcupine says what the verdict of record rests on.
type Porcupine struct {
	Version string `json:"version"`
	// Result is Ok, Illegal or Unknown. It is empty if porcupine was not asked.
	Result     string           `json:"result"`
	Operations int              `json:"operations"`
	Slices     int              `json:"slices,omitempty"`
	Took       history.Duration `json:"took"`
}

// Property returns the verdict on one property. If the property was not judged, it returns the zero
// Property, an unknown one.
func (v *Verdict) Property(name string) Property {
	for _, p := range v.Properties {
		if p.Property == name {
			return p
		}
	}
	return Property{Property: name}
}

// Violated returns the violated properties. If reported, it includes properties that do not decide
// the verdict.
func (v *Verdict) Violated(reported bool) (out []string) {
	for _, p := range v.Properties {
		if p.Verdict == Violated && (reported || !p.Reported) {
			out = append(out, p.Property)
		}
	}
	return out
}

// Visual returns porcupine's own picture of the violating slice of the history as an HTML page, and
// whether there is one. A verdict from a file has none.
func (v *Verdict) Visual() ([]byte, bool) {
	if v.Draw == nil {
		return nil, false
	}
	b, err := v.Draw()
	return b, err == nil
}

// Write writes the verdict as verdict.json has it.
func (v *Verdict) Write(w io.Writer) error {
	return history.WriteDocument(w, v)
}

// Read reads what Write wrote. It refuses any other format.
func Read(r io.Reader) (*Verdict, error) {
	b, err := units.ReadAll(r, units.MaxDocument)
	if err != nil {
		return nil, err
	}
	v := &Verdict{}
	if err := json.Unmarshal(b, v); err != nil {
		return nil, fmt.Errorf("not a verdict: %w", err)
	}
	if err := units.CheckFormat(v.Format, Format); err != nil {
		return nil, err
	}
	for i := range v.Properties {
		v.Properties[i].UsePresentNames()
	}
	return v, nil
}

// ReadHead is Read for a list of many runs. It reads only the verdicts of the properties, and skips
// the evidence, the largest part of a verdict.
func ReadHead(b []byte) (*Verdict, error) {
	type ignored struct{}
	head := struct {
		*Verdict
		Properties []struct {
			Property string `json:"property"`
			Verdict  Result `json:"verdict"`
		} `json:"properties"`
		Evidence  ignored `json:"evidence"`
		Porcupine ignored `json:"porcupine"`
	}{Verdict: &Verdict{}}
	if err := json.Unmarshal(b, &head); err != nil || head.Format != Format {
		return Read(bytes.NewReader(b))
	}
	for _, p := range head.Properties {
		head.Verdict.Properties = append(head.Verdict.Properties,
			Property{Property: p.Property, Verdict: p.Verdict})
	}
	return head.Verdict, nil
}

// AimedFaults returns the number of faults aimed at a hold: what the plan requires, or all that
// struck if it requires fewer.
func (e Evidence) AimedFaults() int { return max(e.Aimed, e.Hits+len(e.Missed)) }
