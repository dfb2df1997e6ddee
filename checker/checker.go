// Package checker says what follows from a history: which properties of a lock were violated, which
// held, and of which it cannot tell. It never raises a false alarm: every model is built on what
// certainly happened (see record.Of), and porcupine's answer is the verdict of record, with a fast
// exact check beside it that must agree.
//
// This file is its face; run.go and conclude.go are what happens between a history and its verdict,
// and everything else is behind them, where each room imports only rooms above it:
//
//	history, nemesis
//	      |
//	   record    which client held what, when; calls, faults, gaps, trust. Reports draw it.
//	      |
//	    trace    Redis commands: what they are meant to do, and what they did
//	      |
//	   linear    the models of locks and resources, the fast exact checks and porcupine
//	      |
//	   explain   every word that a verdict says; verdict is the document in which it stands
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
	Properties []string // "S", "L", ...; empty: those of the header
	// judge this model instead: mutex, lease, reentrant, register or fencing; for imported histories
	Model string
	// "valid", "violated", letters such as "S,L", or "exactly:S,L"; empty: that of the header, else
	// "valid"
	Expect string
	// lease of grants that do not name one, for the lease model; 0: that of the header
	TTL time.Duration
	// the history is a readable part of a damaged file: what it shows is judged, but it cannot be
	// valid
	Partial bool
	Timeout time.Duration // for porcupine, for each property; 0: one minute
}

// Check judges a history. The commands, those of trace.jsonl, only help to explain, and alone show
// O and R; they may be nil. Check never panics: a fault of its own becomes a verdict that is
// unknown, with exit code 255 and the reason.
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
	judge(v, c, asked(o, h.Header), reported(o, h.Header, expect),
		damage(c.Record, o.Partial), doubt(c.Record, o.Partial, v.Evidence, h.Header.Requires))
	conclude(v, c.Record)
	return v
}

// Models lists what Options.Model may be.
func Models() []string { return []string{"mutex", "lease", "reentrant", "register", "fencing"} }

// Untouched returns the keys of locks that were granted and that no command names.
func Untouched(h *history.History, commands []history.Command) []string {
	return trace.Untouched(h, commands)
}

// Knows returns an error if what Options say to judge does not know the operation of an event.
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
	Porcupine      = verdict.Porcupine
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

// The classes of a violation; Classes has their rows.
const (
	LeaseOverrun         = verdict.LeaseOverrun
	SessionLost          = verdict.SessionLost
	AfterNotice          = verdict.AfterNotice
	PromisedTooLong      = verdict.PromisedTooLong
	LostRenewal          = verdict.LostRenewal
	NoServer             = verdict.NoServer
	ReleasedByNonOwner   = verdict.ReleasedByNonOwner
	LateMessage          = verdict.LateMessage
	LostByFailover       = verdict.LostByFailover
	Vanished             = verdict.Vanished
	Clock                = verdict.Clock
	DoubleGrant          = verdict.DoubleGrant
	OldToken             = verdict.OldToken
	RefusedThoughGranted = verdict.RefusedThoughGranted
	KeptOwn              = verdict.KeptOwn
)

// Class is a row of the table of classes.
type Class = verdict.Class

// Classes returns the rows of all classes.
func Classes() []Class { return verdict.Classes() }

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
