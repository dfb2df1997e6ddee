// Package linear holds the models of locks and of guarded resources, and decides whether a model
// can have produced some operations. porcupine decides by search; exact checks decide without. No
// other package of the module imports porcupine. The functions are pure and may be used by several
// goroutines.
package linear

import (
	"fmt"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// Kind is the effect of an operation on a mutex.
type Kind uint8

// The kinds of operations. The last two enclose a slice of a history: before it, the token that
// holds the mutex where the slice starts takes it; after it, a token still holds it.
const (
	Acquire Kind = iota
	Release
	assumeHeld
	assertHeld
)

// Outcome is the answer to the client.
type Outcome uint8

// The outcomes of an operation. A refused one did not happen: an acquire that was denied, a release
// by a client that is not the owner. One with an unknown outcome may happen at any time after its
// call.
const (
	Done Outcome = iota
	Refused
	Unsure
)

// Op is one operation on a mutex. Token is the acquisition that it is about; each has its own.
type Op struct {
	Call, Ret int64 // Ret is forever where the outcome is unsure
	Token     int32
	Process   int32
	Kind      Kind
	Outcome   Outcome
}

var kindNames = [...]string{"acquire", "release", "held here by", "still held by"}
var outcomeNames = [...]string{"", ", refused", ", outcome unknown"}

// String names the operation for porcupine\'s picture.
func (o *Op) String() string {
	return fmt.Sprintf("%s %d%s", kindNames[o.Kind], o.Token, outcomeNames[o.Outcome])
}

// Free is the state of a mutex that no token holds; other states are the token of the holder.
// Tokens count from 1.
const Free = int32(0)

// StepMutex is the mutex of the checker, which knows its owner. An acquire needs it free, a release
// needs it held by its own token, and a refused release needs it not held by its own token. A
// refused acquire is always legal, since a try-lock may fail for any reason.
//
// An operation with an unknown outcome takes effect if it can, or never. One form is enough for
// both: it returns at forever, so that "it never happened" is the same as "it comes last". Hence
// the model refuses no history that a correct lock can produce.
func StepMutex(state int32, o *Op) (bool, int32) {
	switch {
	case o.Kind == assumeHeld:
		return state == Free, o.Token
	case o.Kind == assertHeld:
		return state == o.Token, state
	case o.Kind == Acquire && o.Outcome == Refused:
		return true, state
	case o.Kind == Acquire && state == Free:
		return true, o.Token
	case o.Kind == Acquire:
		return o.Outcome == Unsure, state
	case o.Outcome == Refused:
		return state != o.Token, state
	case state == o.Token:
		return true, Free
	default:
		return o.Outcome == Unsure, state
	}
}

// modelOf returns a model for porcupine, whose inputs are *I, by its first state and its step.
func modelOf[S, I any](first S, step func(S, *I) (bool, S), describe func(*I) string,
) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return first },
		Step: func(state, input, _ any) (bool, any) {
			ok, next := step(state.(S), input.(*I))
			return ok, next
		},
		DescribeOperation: func(input, _ any) string { return describe(input.(*I)) },
	}
}

// MutexModel returns the model of StepMutex for porcupine. Inputs are *Op.
func MutexModel() porcupine.Model {
	m := modelOf(Free, StepMutex, (*Op).String)
	m.Hash = func(state any) uint64 { return uint64(state.(int32)) * 0x9E3779B97F4A7C15 }
	m.DescribeState = func(state any) string {
		if state.(int32) == Free {
			return "free"
		}
		return fmt.Sprintf("held by %d", state)
	}
	return m
}

// Operations turns operations on a mutex into porcupine's.
func Operations(ops []Op) []porcupine.Operation {
	out := make([]porcupine.Operation, len(ops))
	for i := range ops {
		out[i] = porcupine.Operation{ClientId: max(0, int(ops[i].Process)), Input: &ops[i],
			Call: ops[i].Call, Return: ops[i].Ret}
	}
	return out
}

// SpanOps turns the sure spans of one key into operations on a mutex: the acquire with the window
// of its call, and the end of the hold. The end may take effect from its stamp on until the release
// returned, or at any later time if it never returned. SpanOps leaves out acquires with another
// outcome than "ok", since their clients do not enter.
func SpanOps(r *record.Record, ss []record.Span) []Op {
	ops := make([]Op, 0, 2*len(ss))
	for i, s := range ss {
		h := &r.Holds[s.Hold]
		back := int64(record.Forever)
		if s.End == h.End && h.Ended == record.Released && h.Answer != history.Info {
			back = h.Returned
		}
		token, process := int32(i+1), int32(h.Process)
		ops = append(ops,
			Op{Call: h.Leases[s.Lease].Call, Ret: s.From, Token: token, Process: process, Kind: Acquire},
			Op{Call: s.End, Ret: back, Token: token, Process: process, Kind: Release})
	}
	return ops
}
