package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
)

// whoHad names the client that may have had a lock since a stamp, while others waited for it.
func (c faultTimes) whoHad(l *record.Lock, since int64) string {
	for _, k := range l.Calls {
		if k.To > since && !c.waits().definite(k) {
			return explain.Say("a call whose outcome is unknown may have had it")
		}
	}
	for _, h := range l.Holds {
		if c.Record.LeftAt(h) > since {
			return explain.Say("client %d was inside for a part of that time", h.Process)
		}
	}
	return explain.Say("no client asked for it for so long")
}

// heldTogether returns when clients had a lock that a call for this one also wanted. Such a call
// waits for the holder of the other lock, and may have this one meanwhile.
func heldTogether(c *Case, l *record.Lock) (all []record.Interval) {
	for _, other := range c.waits().locks() {
		wanted := slices.ContainsFunc(l.Calls, func(k *record.Call) bool {
			return slices.Contains(k.Keys, other.Key)
		})
		for _, h := range other.Holds {
			if wanted {
				all = append(all, record.Interval{From: h.Granting, To: c.Record.LeftAt(h)})
			}
		}
	}
	return record.Union(all)
}
