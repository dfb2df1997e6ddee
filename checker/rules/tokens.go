package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// Some locks are taken by a deletion: the key is a token, and a release puts it back.

// takesToken reports whether a command may take the lock by deleting its key: it gets what it
// deletes, or releases write that key.
func (c keyFacts) takesToken(m *history.Command) bool {
	return c.trace.Frees(m) && !c.takenOtherwise(m) &&
		(trace.Verb(m) == "GETDEL" || slices.ContainsFunc(c.trace.OfKey(trace.Key(m)),
			func(o *history.Command) bool { return c.trace.Releasing(o) && c.trace.Takes(o) }))
}

// tookToken reports whether the reply to such a command may mean that it found the key.
func (c keyFacts) tookToken(m *history.Command) bool {
	return c.takesToken(m) && trace.Answered(m) && m.Reply != "(nil)" && m.Reply != "0"
}

// takenOtherwise reports whether acquire calls take a key of the lock that was free.
func (c keyFacts) takenOtherwise(m *history.Command) bool {
	lock, _ := c.grants().LockOf(m)
	if otherwise, known := c.takesFree[lock]; known {
		return otherwise
	}
	if c.takesFree == nil {
		c.takesFree = map[int]bool{}
	}
	c.takesFree[lock] = slices.ContainsFunc(c.trace.OfLock(lock), func(o *history.Command) bool {
		return c.trace.CallOf(o) != nil && (c.trace.TakesFree(o) || c.trace.Denied(o))
	})
	return c.takesFree[lock]
}
