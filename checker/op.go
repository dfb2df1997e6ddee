package checker

import (
	"fmt"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
)

// kind is what an operation does to a mutex.
type kind uint8

const (
	acquire kind = iota
	release
	// in front of a slice of a history: the mutex is taken by the token that holds it where the slice
	// begins
	assumeHeld
	assertHeld // behind a slice: the mutex is held by the token that holds it where the slice ends
)

// outcome is what the client was told.
type outcome uint8

const (
	done outcome = iota // it did happen
	// it did not happen: an acquire that was denied, a release by somebody who is not the owner
	refused
	unsure // nobody knows; it may happen at any time after its call
)

// op is one operation on a mutex. token is the acquisition that it is about: nobody else uses the
// same.
type op struct {
	call, ret int64 // ret is forever where the outcome is unsure
	token     int32
	process   int32
	kind      kind
	outcome   outcome
}

var kindNames = [...]string{"acquire", "release", "held here by", "still held by"}
var outcomeNames = [...]string{"", ", refused", ", outcome unknown"}

func (o *op) String() string {
	return fmt.Sprintf("%s %d%s", kindNames[o.kind], o.token, outcomeNames[o.outcome])
}

// free is the state of a mutex that nobody holds; other states are the token of the holder. Tokens
// count from 1.
const free = int32(0)

// stepMutex is the mutex of the checker: it knows its owner. An acquire needs it free and a release
// needs it held by its own token; a refused release needs it not to be its own. A refused acquire
// is always legal (a try-lock may fail for any reason).
//
// An operation whose outcome nobody knows does what it can, or nothing. One form is enough for
// both: it returns at forever, so that "it never happened" is the same as "it comes last". Hence no
// history that a correct lock can produce is refused.
func stepMutex(state int32, o *op) (bool, int32) {
	switch {
	case o.kind == assumeHeld:
		return state == free, o.token
	case o.kind == assertHeld:
		return state == o.token, state
	case o.kind == acquire && o.outcome == refused:
		return true, state
	case o.kind == acquire && state == free:
		return true, o.token
	case o.kind == acquire:
		return o.outcome == unsure, state
	case o.outcome == refused:
		return state != o.token, state
	case state == o.token:
		return true, free
	default:
		return o.outcome == unsure, state
	}
}

// mutexModel is stepMutex for porcupine. Inputs are *op.
func mutexModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return free },
		Step: func(state, input, _ any) (bool, any) {
			ok, next := stepMutex(state.(int32), input.(*op))
			return ok, next
		},
		Hash:              func(state any) uint64 { return uint64(state.(int32)) * 0x9E3779B97F4A7C15 },
		DescribeOperation: func(input, _ any) string { return input.(*op).String() },
		DescribeState: func(state any) string {
			if state.(int32) == free {
				return "free"
			}
			return fmt.Sprintf("held by %d", state)
		},
	}
}

// operations turns operations on a mutex into porcupine's.
func operations(ops []op) []porcupine.Operation {
	out := make([]porcupine.Operation, len(ops))
	for i := range ops {
		out[i] = porcupine.Operation{ClientId: max(0, int(ops[i].process)), Input: &ops[i],
			Call: ops[i].call, Return: ops[i].ret}
	}
	return out
}

// claims turns the sure spans of one key into operations on a mutex: the acquire with the window of
// its call, and the end of the hold, which may take effect from its stamp on until the release
// returned, or at any time later if it never did. Acquires with another outcome than "ok" are left
// out: their clients do not enter.
func claims(r *record.Record, ss []record.Span) []op {
	ops := make([]op, 0, 2*len(ss))
	for i, s := range ss {
		h := &r.Holds[s.Hold]
		back := int64(record.Forever)
		if s.End == h.End && h.Ended == record.Released && h.Answer != history.Info {
			back = h.Returned
		}
		token, process := int32(i+1), int32(h.Process)
		ops = append(ops,
			op{call: h.Leases[s.Lease].Call, ret: s.From, token: token, process: process, kind: acquire},
			op{call: s.End, ret: back, token: token, process: process, kind: release})
	}
	return ops
}
