package checker

import (
	"time"

	"github.com/anishathalye/porcupine"
)

// stepReentrant is a re-entrant mutex. It belongs to a process, which may acquire it again, and is
// free after as many releases. Outcomes that nobody knows do what they can or come last, as in
// stepMutex.
func stepReentrant(s reentrantState, o *op) (bool, reentrantState) {
	mine := s.count > 0 && s.owner == o.process
	switch {
	case o.kind == acquire && o.outcome == refused:
		return true, s
	case o.kind == acquire && (mine || s.count == 0):
		return true, reentrantState{o.process, s.count + 1}
	case o.kind == acquire:
		return o.outcome == unsure, s
	case o.outcome == refused:
		return !mine, s
	case mine && s.count == 1:
		return true, reentrantState{}
	case mine:
		return true, reentrantState{s.owner, s.count - 1}
	}
	return o.outcome == unsure, s
}

type reentrantState struct {
	owner int32
	count int
}

func reentrantModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return reentrantState{} },
		Step: func(state, input, _ any) (bool, any) {
			ok, next := stepReentrant(state.(reentrantState), input.(*op))
			return ok, next
		},
		DescribeOperation: func(input, _ any) string { return input.(*op).String() },
	}
}

func dropRefused(ops []op) []op {
	var out []op
	for _, o := range ops {
		if o.kind != acquire || o.outcome != refused {
			out = append(out, o)
		}
	}
	return out
}

// outermost reduces operations of sequential processes to the outermost holds. bad is the first
// operation that its process' own count forbids, or -1. known is false if that cannot be told
// without search: an outcome is unknown, or a process called again at the very stamp at which its
// last call returned, so that the two count as concurrent.
func outermost(ops []op) (outer []op, bad int, known bool) {
	bad = -1
	count, first, last := map[int32]int{}, map[int32]int32{}, map[int32]int64{}
	for i, o := range ops {
		n := count[o.process]
		before, called := last[o.process]
		last[o.process] = o.ret
		if o.outcome == unsure || called && o.call <= before {
			return nil, -1, false
		}
		switch {
		case o.kind == acquire && o.outcome == refused:
			continue
		case o.kind == release && (n > 0) == (o.outcome == refused) && bad < 0:
			bad = i
		case o.outcome == refused:
			continue
		case o.kind == acquire:
			count[o.process]++
			if n == 0 {
				first[o.process] = o.token
				outer = append(outer, o)
			}
		default:
			count[o.process]--
			if n == 1 {
				o.token = first[o.process]
				outer = append(outer, o)
			}
		}
	}
	return outer, bad, true
}

// ruleReentrant lets porcupine decide on operations of a re-entrant mutex, with unknown outcomes.
func ruleReentrant(ops []op, timeout time.Duration) ruling {
	return ruleWhole(reentrantModel(), operations(dropRefused(ops)), timeout)
}
