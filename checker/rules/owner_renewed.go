package rules

import (
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// renewedByOther finds a renewal that certainly hit another's key, by what makes a deletion
// certain. It also needs that the holder's own grant made the key, so that no key is shared, and
// gave it a lease: a client may set an end to a key that has none.
func (c ownerRule) renewedByOther(spans map[int][]record.Span, g *trace.Grants) (property, bool) {
	for _, m := range c.trace.Commands {
		if !c.trace.Renews(m) {
			continue
		}
		key, _ := g.LockOf(m)
		if h := c.victimOf(m, spans[key], g); h != nil && c.madeWithLease(c.trace.GrantOf(h)) {
			return c.foreign(m, h, verdict.Renewal, verdict.RenewedByNonOwner), true
		}
	}
	return property{}, false
}

// madeWithLease reports whether a command made its key, with a lease.
func (c ownerRule) madeWithLease(m *history.Command) bool {
	_, asked := c.trace.Asked(m)
	return asked && c.trace.TakesFree(m)
}
