package rules

import "github.com/lockbench/lockbench/checker/record"

// pause is the time between two tries of one acquire call.
type pause struct {
	record.Interval
	blocked bool // in a command that waits, such as BLPOP
}

type pauses []pause

// longest returns the length of the longest pause, or 0. It omits pauses in a command that waits,
// because a fault may have kept that command waiting.
func (ps pauses) longest() (ns int64) {
	for _, p := range ps {
		if !p.blocked {
			ns = max(ns, p.To-p.From)
		}
	}
	return ns
}

// longestOutside returns the length of the longest pause, except the longest one in a quiet time: a
// client that sleeps although the lock is free must not excuse itself.
func (ps pauses) longestOutside(q record.Interval) (ns int64) {
	worst := int64(0)
	for _, p := range ps {
		length := p.To - p.From
		if p.From < q.To && q.From < p.To {
			worst, length = max(worst, length), min(worst, length)
		}
		ns = max(ns, length)
	}
	return ns
}
