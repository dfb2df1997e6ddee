package rules

import (
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
