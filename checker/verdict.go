package checker

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/lockbench/lockbench/history"
)

// Format is the version of verdict.json that this package writes, and the only one that it reads.
const Format = 1

// Result is what is known about one property, or about a whole run. The zero value is Unknown, and
// unknown never passes.
type Result string

// The results. NA is for a property that the lock does not promise or that the workload did not
// exercise.
const (
	Violated Result = "violated"
	Valid    Result = "valid"
	Unknown  Result = "unknown"
	NA       Result = "n.a."
)

// String returns the result as it is written in JSON.
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
		return fmt.Errorf("%q is no result; results are n.a., valid, violated and unknown", b)
	}
	return nil
}

// The properties that Check can judge. A model of an imported history is judged under its own name
// (see Options.Model).
const (
	MutualExclusion = "S" // two clients are never inside at once
	LeaseExclusion  = "L" // nor while both leases are valid
	OwnerRelease    = "O" // only the owner releases
	Orphan          = "R" // no key stays set that nobody holds
	Deadlock        = "D" // a live client that tries is granted in time
	Fencing         = "F" // fencing tokens grow
	LostUpdate      = "U" // no update of the guarded resource is lost
	// a holder can acquire again, and its lock is free only after as many releases
	Reentry = "re-entry"
	// two clients are never inside while the lock itself tells both that they are
	Validity = "validity"
)

// The classes of a violation: what kind of thing went wrong.
const (
	LeaseOverrun       = "lease overrun"
	LostByFailover     = "lost by failover"
	ReleasedByNonOwner = "released by a non-owner"
	LateMessage        = "late message accepted"
	Clock              = "clock"
	DoubleGrant        = "double grant"
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
	HarnessError string     `json:"broke,omitempty"`
	Properties   []Property `json:"properties"`
	Evidence     Evidence   `json:"evidence"`
	Porcupine    Porcupine  `json:"porcupine"`

	visual func() ([]byte, error) // draws the failing slice; nil if there is none
}

// Property is the verdict on one property.
type Property struct {
	Property string `json:"property"`
	Verdict  Result `json:"verdict"`
	Class    string `json:"class,omitempty"` // of a violation
	// the assumption that a fault broke: durability, server clock, client clock
	Assumption  string   `json:"assumption,omitempty"`
	Explanation string   `json:"words,omitempty"`    // the violation, told for people
	Reason      string   `json:"because,omitempty"`  // why it is unknown or n.a.
	Reported    bool     `json:"reported,omitempty"` // for information: it does not decide the run
	Witness     *Witness `json:"witness,omitempty"`
}

// Witness is the smallest part of a history that is a violation by itself.
type Witness struct {
	Key     int              `json:"key"`
	Holds   []Hold           `json:"holds"`
	Overlap history.Duration `json:"overlap,omitempty"` // how long both were surely inside
	// along the key's versions, in the order in which they were sent
	Commands []WitnessCommand `json:"commands,omitempty"`
}

// HoldBack is one hold of a witness. Stamps are those of the history.
type Hold struct {
	Process  int   `json:"process"`
	N        int   `json:"n"`
	From     int64 `json:"from"`                // the acquire returned
	To       int64 `json:"to"`                  // the holder was surely inside until then
	LeaseEnd int64 `json:"lease_end,omitempty"` // 0: it has no lease
	Token    int64 `json:"token,omitempty"`
}

// WitnessCommand is a Redis command of a witness, or, with no Args, something that happened by
// itself: an expiry, a fault.
type WitnessCommand struct {
	history.Command
	Effect string `json:"effect,omitempty"` // what it did to the key
}

// Evidence says what a history exercised. A "valid" is worth no more than this.
type Evidence struct {
	Acquisitions int `json:"acquisitions"`
	// acquisitions that another live client wanted at the same time
	Contended int `json:"contended"`
	Aimed     int `json:"strikes"` // strikes that the plan asks for
	// strikes that fell into a sure hold with a contender waiting
	Hits          int `json:"struck"`
	AfterFailover int `json:"grants_after_failover"`
	Unknown       int `json:"unknown,omitempty"` // operations whose outcome nobody knows
	// unplanned stalls above a quarter of the TTL
	Gaps int `json:"gaps,omitempty"`
	// the longest unplanned stall, of any length that the record tells of
	LongestGapMS int `json:"longest_gap_ms,omitempty"`
	// commands that timed out although no fault held them back
	TimedOut    int  `json:"timed_out,omitempty"`
	Faults      int  `json:"faults,omitempty"`      // faults that began
	Interrupted bool `json:"interrupted,omitempty"` // the record has no end
	// writes to the guarded resource with a token
	FencedWrites int `json:"fenced_writes,omitempty"`
	// critical sections that read and wrote the guarded resource
	Sections int `json:"sections,omitempty"`
	// acquisitions by a client that was inside already
	NestedAcquires int `json:"nested_acquires,omitempty"`
}

// Porcupine says what the verdict of record rests on.
type Porcupine struct {
	Version string `json:"version"`
	// Ok, Illegal or Unknown; empty: porcupine was not asked
	Result     string           `json:"result"`
	Operations int              `json:"operations"`
	Slices     int              `json:"slices,omitempty"`
	Took       history.Duration `json:"took"`
}

// Property returns the verdict on one property. The zero Property, which is unknown, is returned
// for one that was not judged.
func (v *Verdict) Property(name string) Property {
	for _, p := range v.Properties {
		if p.Property == name {
			return p
		}
	}
	return Property{Property: name}
}

// Visual returns porcupine's own picture of the slice of the history in which a violation lies, as
// an HTML page, and whether there is one. A verdict that was read from a file has none.
func (v *Verdict) Visual() ([]byte, bool) {
	if v.visual == nil {
		return nil, false
	}
	b, err := v.visual()
	return b, err == nil
}

// Write writes the verdict as verdict.json has it.
func (v *Verdict) Write(w io.Writer) error {
	return history.WriteDocument(w, v)
}

// Read reads what Write wrote. It refuses an unknown format.
func Read(r io.Reader) (*Verdict, error) {
	v := &Verdict{}
	if err := json.NewDecoder(r).Decode(v); err != nil {
		return nil, fmt.Errorf("not a verdict: %w", err)
	}
	if v.Format != Format {
		return nil, fmt.Errorf("verdict has format %d; this lockbench reads format %d", v.Format, Format)
	}
	return v, nil
}
