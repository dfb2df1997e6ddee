package linear

import (
	"time"

	"github.com/anishathalye/porcupine"
)

// stepReentrant is a re-entrant mutex. It belongs to a process. That process may acquire it again,
// and must release it as often. Operations with unknown outcomes take effect if they can, or come
// last, as in stepMutex.
func stepReentrant(s reentrantState, o *Op) (bool, reentrantState) {
	mine := s.count > 0 && s.owner == o.Process
	switch {
	case o.Kind == Acquire && o.Outcome == Refused:
		return true, s
	case o.Kind == Acquire && (mine || s.count == 0):
		return true, reentrantState{o.Process, s.count + 1}
	case o.Kind == Acquire:
		return o.Outcome == Unsure, s
	case o.Outcome == Refused:
		return !mine, s
	case mine && s.count == 1:
		return true, reentrantState{}
	case mine:
		return true, reentrantState{s.owner, s.count - 1}
	}
	return o.Outcome == Unsure, s
}

type reentrantState struct {
	owner int32
	count int
}

// ReentrantModel returns the model of stepReentrant for porcupine. Inputs are *Op.
func ReentrantModel() porcupine.Model {
	return modelOf(reentrantState{}, stepReentrant, (*Op).String)
}

func dropRefused(ops []Op) []Op {
	var out []Op
	for _, o := range ops {
		if o.Kind != Acquire || o.Outcome != Refused {
			out = append(out, o)
		}
	}
	return out
}

// Outermost reduces operations of sequential processes to the outermost holds. bad is the first
// operation that its process' own count forbids, or -1. known is false if that cannot be told
// without search: an outcome is unknown, or a process called again at the very stamp at which its
// last call returned, so that the two count as concurrent.
func Outermost(ops []Op) (outer []Op, bad int, known bool) {
	bad = -1
	count, first, last := map[int32]int{}, map[int32]int32{}, map[int32]int64{}
	for i, o := range ops {
		n := count[o.Process]
		before, called := last[o.Process]
		last[o.Process] = o.Ret
		if o.Outcome == Unsure || called && o.Call <= before {
			return nil, -1, false
		}
		switch {
		case o.Kind == Acquire && o.Outcome == Refused:
			continue
		case o.Kind == Release && (n > 0) == (o.Outcome == Refused) && bad < 0:
			bad = i
		case o.Outcome == Refused:
			continue
		case o.Kind == Acquire:
			count[o.Process]++
			if n == 0 {
				first[o.Process] = o.Token
				outer = append(outer, o)
			}
		default:
			count[o.Process]--
			if n == 1 {
				o.Token = first[o.Process]
				outer = append(outer, o)
			}
		}
	}
	return outer, bad, true
}

// Reentrant lets porcupine decide on operations of a re-entrant mutex, with unknown outcomes.
func Reentrant(ops []Op, timeout time.Duration) Ruling {
	return ruleWhole(ReentrantModel(), Operations(dropRefused(ops)), timeout)
}
