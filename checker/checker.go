// Package checker decides from a history for each property of a lock whether it was violated,
// whether it held, or that the history cannot tell. It never raises a false alarm: every model
// rests on events that certainly happened (see record.Of). Porcupine's answer is the verdict of
// record, and a fast exact check must agree with it.
//
// This file is the entrance. run.go and conclude.go turn a history into a verdict with the help of
// the packages below. Each of them imports only packages above it:
//
//	history, nemesis
//	      |
//	   record    the holds of each client; calls, faults, gaps, trust. Reports draw it.
//	      |
//	    trace    Redis commands: their purpose and their effects
//	      |
//	   linear    the models of locks and resources, the fast exact checks and porcupine
//	      |
//	   explain   all words of a verdict; verdict is the document that contains them
//	      |
//	    rules    one file for each property: when it is violated, and why that is certain; the
//	      |      class and the witness of a violation
//	   online    a history that is judged while it is read
//	      |
//	   checker   which properties are judged, and the verdict on the whole
package checker

import (
	"cmp"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/lockbench/lockbench/checker/rules"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// Options say what to judge and how.
type Options struct {
	Properties []string // "S", "L", ...; empty: the header's
	// judge this model instead: mutex, lease, reentrant, register or fencing; for imported histories
	Model string
	// Expect is "valid", "violated", letters such as "S,L", or "exactly:S,L". If empty, the header's
	// expectation is used, or else "valid".
	Expect string
	// TTL is the lease of grants that do not name one, for the lease model. If zero, the header's is
	// used.
	TTL time.Duration
	// Partial says that the history is the readable part of a damaged file. It can be violated, but
	// not valid.
	Partial bool
	Timeout time.Duration // porcupine's limit for each property; one minute if zero
}

// Check judges a history. The commands come from trace.jsonl and may be nil. They help to explain
// violations, and O and R depend on them. Check never panics: if it fails itself, it returns an
// unknown verdict with exit code 255 and the reason.
func Check(h *history.History, commands []history.Command, o Options) (v *Verdict) {
	expect := cmp.Or(o.Expect, h.Header.Expect, string(Valid))
	defer func() {
		if p := recover(); p != nil {
			v = panicked(expect, p, debug.Stack())
		}
	}()
	h = inOrder(h)
	v = &Verdict{Format: verdict.Format, Expect: expect}
	c := rules.Open(h, commands, v, rules.Limits{TTL: o.TTL, Timeout: cmp.Or(o.Timeout, time.Minute)})
	judge(v, c, asked(o, h), reported(o, h.Header, expect),
		damage(c.Record, o.Partial), doubt(c.Record, o.Partial, v.Evidence, h.Header.Requires))
	conclude(v, c.Record)
	return v
}

// Models lists the values of Options.Model.
func Models() []string { return []string{"mutex", "lease", "reentrant", "register", "fencing"} }

// UntracedKeys returns the keys of locks that were granted and that no command names.
func UntracedKeys(h *history.History, commands []history.Command) []string {
	return trace.UntracedKeys(h, commands)
}

// Knows returns an error if the model or property to judge does not know the operation of an event.
func (o *Options) Knows(e *history.Event) error {
	if e.F != history.CasOp || o.Model == "register" {
		return nil
	}
	return fmt.Errorf("process %d: a lock has no operation cas; --model register judges reads, "+
		"writes and cas", e.Process)
}

// Read reads a verdict.json, of this version or of the first.
func Read(r io.Reader) (*Verdict, error) { return verdict.Read(r) }

// ReadHead is Read without explanations, witnesses and evidence.
func ReadHead(b []byte) (*Verdict, error) { return verdict.ReadHead(b) }

// The parts of a verdict; see package verdict.
type (
	Verdict        = verdict.Verdict
	Result         = verdict.Result
	Property       = verdict.Property
	Witness        = verdict.Witness
	Hold           = verdict.Hold
	WitnessCommand = verdict.WitnessCommand
	Evidence       = verdict.Evidence
)

// The results of a property and of a whole run.
const (
	Violated = verdict.Violated
	Valid    = verdict.Valid
	Unknown  = verdict.Unknown
	NA       = verdict.NA
)

// The properties that Check can judge. A model of an imported history is judged under its own name
// (see Options.Model).
const (
	MutualExclusion = verdict.MutualExclusion
	LeaseExclusion  = verdict.LeaseExclusion
	OwnerRelease    = verdict.OwnerRelease
	Orphan          = verdict.Orphan
	Deadlock        = verdict.Deadlock
	Outage          = verdict.Outage
	Fencing         = verdict.Fencing
	LostUpdate      = verdict.LostUpdate
	Reentry         = verdict.Reentry
	Validity        = verdict.Validity
	Notice          = verdict.Notice
)

// The classes of a violation.
const (
	LeaseOverrun         = verdict.LeaseOverrun
	SessionLost          = verdict.SessionLost
	AfterNotice          = verdict.AfterNotice
	OverWhenDelivered    = verdict.OverWhenDelivered
	PromisedTooLong      = verdict.PromisedTooLong
	LostRenewal          = verdict.LostRenewal
	NoServer             = verdict.NoServer
	ReleasedByNonOwner   = verdict.ReleasedByNonOwner
	RenewedByNonOwner    = verdict.RenewedByNonOwner
	LateMessage          = verdict.LateMessage
	LostByServer         = verdict.LostByServer
	Vanished             = verdict.Vanished
	Clock                = verdict.Clock
	CheckThenSet         = verdict.CheckThenSet
	DoubleGrant          = verdict.DoubleGrant
	OldToken             = verdict.OldToken
	RefusedThoughGranted = verdict.RefusedThoughGranted
	KeptOwn              = verdict.KeptOwn
	RenewedOn            = verdict.RenewedOn
	ForgottenScript      = verdict.ForgottenScript
	MissedWake           = verdict.MissedWake
	EndlessCall          = verdict.EndlessCall
)

// Class is a row of the table of classes.
type Class = verdict.Class

// Rank returns the place of a violation in a headline; the worst is 0.
func Rank(property, class string, reported bool) int {
	return verdict.Rank(property, class, reported)
}

// FindClass returns the row of a class. The zero Class is returned for a name that is none.
func FindClass(name string) Class { return verdict.FindClass(name) }

// The exit codes that a verdict asks for.
const (
	ExitExpected   = verdict.ExitExpected
	ExitUnexpected = verdict.ExitUnexpected
	ExitUnknown    = verdict.ExitUnknown
	ExitBroken     = verdict.ExitBroken
)

// MostMore is where further overlaps are no longer counted.
const MostMore = verdict.MostMore

// Format is the version of verdict.json.
const Format = verdict.Format
