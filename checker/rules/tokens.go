package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// Some locks are taken by a deletion: the key is a token, and a release puts it back.

// takesToken reports whether a command may take the lock by deleting its key. Such a command gets
// the value that it deletes, or a release writes the key again.
func (c keyFacts) takesToken(m *history.Command) bool {
	return c.trace.Frees(m) && !c.trace.Releasing(m) && !c.takenOtherwise(m) &&
		(trace.Verb(m) == "GETDEL" || slices.ContainsFunc(c.trace.OfKey(trace.Key(m)),
			func(o *history.Command) bool { return c.trace.Releasing(o) && c.trace.Takes(o) }))
}

// tookToken reports whether the reply to such a command may mean that it found the key.
func (c keyFacts) tookToken(m *history.Command) bool {
	return c.takesToken(m) && trace.Answered(m) && m.Reply != "(nil)" && m.Reply != "0"
}

// takenOtherwise reports whether acquire calls take a key that is likelier the lock's than that of
// a deletion.
func (c keyFacts) takenOtherwise(m *history.Command) bool {
	return c.takesFree.get(trace.Key(m), func(string) bool {
		lock, _ := c.grants().LockOf(m)
		return slices.ContainsFunc(c.trace.OfLock(lock), func(o *history.Command) bool {
			return c.trace.CallOf(o) != nil && c.otherwise(o, m)
		})
	})
}

// otherwise reports whether a command takes the lock in another way than a deletion does. If the
// deleted key has the lock's name, the command takes a free key of that name. Else it may write a
// key of that name, or takes a free one that releases give back.
func (c keyFacts) otherwise(o, m *history.Command) bool {
	takes := c.trace.TakesFree(o) || c.trace.Denied(o)
	switch {
	case trace.IsNamed(c.trace, m):
		return takes && trace.IsNamed(c.trace, o)
	case trace.IsNamed(c.trace, o):
		return c.trace.MayGrant(o) || c.trace.Undeclared(o)
	}
	return takes && trace.IsGiven(c.trace, o)
}
