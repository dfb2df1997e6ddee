package trace

import (
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// GrantOf returns the command that granted a hold. It compares the commands of the acquire call
// that may have taken a key and were answered before the call returned. It returns the likeliest,
// and the last if several are equally likely. It returns nil if there is none.
func (t *Trace) GrantOf(h *record.Hold) *history.Command {
	return likeliestOf(candidatesOf(t, h), "").by
}

// KeysOf returns the keys on a server that may be the lock's: that of the likeliest command of a
// hold's acquire call, and each that is as likely. The lock's key has the same name on all servers
// that the call asked for it.
func KeysOf(t *Trace, h *record.Hold, node string) (keys []string) {
	all := candidatesOf(t, h)
	if grant := likeliestOf(all, "").by; grant != nil && asks(t, h, Place{node, Key(grant)}) {
		node = grant.Node
	}
	best, taken := likeliestOf(all, node), map[string]bool{}
	for _, c := range all {
		if c.by.Node == node {
			if taken[Key(c.by)] = true; c.rivals(best) && !slices.Contains(keys, Key(c.by)) {
				keys = append(keys, Key(c.by))
			}
		}
	}
	if best.by != nil && IsNamed(t, best.by) {
		return keys
	}
	for _, m := range t.Tries(h) { // the call may have taken it in a way that no rule knows
		if m.Node == node && !taken[Key(m)] && AsksEnd(t, m) && best.leavesOpen(t, m) &&
			!slices.Contains(keys, Key(m)) {
			keys = append(keys, Key(m))
		}
	}
	return keys
}

// asks reports whether the call of a hold sent a command about a place.
func asks(t *Trace, h *record.Hold, at Place) bool {
	return slices.ContainsFunc(t.Tries(h), func(m *history.Command) bool { return PlaceOf(m) == at })
}

// AsksEnd reports whether a command asked for an end of its key.
func AsksEnd(t *Trace, m *history.Command) bool {
	return slices.ContainsFunc(t.did(m), func(args []string) bool {
		e := EffectOf(args)
		return e.Key == Key(m) && e.Expiry != Expiry{}
	})
}

// candidate is a command that may have granted a hold.
type candidate struct {
	by     *history.Command
	likely likelihood
}

// rivals reports whether a command may have granted the hold although another is the likeliest. A
// counter or a note that has the lock's name may, and a script with unknown effects, unless that
// one can be refused. A take that releases give back may, if the likeliest writes whatever is
// there.
func (c candidate) rivals(best candidate) bool {
	return c.likely == best.likely ||
		c.likely == isReturned+isTake && best.likely%isReturned == isNote ||
		c.likely%isReturned == isNamesake && best.likely%isReturned == isTake ||
		c.likely%isReturned == isScript && best.likely%isReturned < isTake
}

// leavesOpen reports whether, beside the likeliest candidate, a key that got an end may be the
// lock's. If releases give the candidate's key back, they also do something to the lock's.
func (c candidate) leavesOpen(t *Trace, m *history.Command) bool {
	given, touched := t.returned()
	likelier := c.by != nil && given[Key(c.by)] && !touched[Key(m)]
	return IsNamed(t, m) || !likelier && c.likely < isReturned+isTake
}

// likeliestOf returns the likeliest candidate on a server, or on any; the first if several are.
func likeliestOf(all []candidate, node string) (best candidate) {
	for _, c := range all {
		if c.likely > best.likely && (node == "" || c.by.Node == node) {
			best = c
		}
	}
	return best
}

// candidatesOf returns the candidates of a hold, the last first. If the call also wrote the key
// that it counts up, the command that counts stands for both.
func candidatesOf(t *Trace, h *record.Hold) (all []candidate) {
	freed, counted := map[Place]bool{}, map[Place]bool{}
	for _, m := range slices.Backward(t.SentWithin(h.Process, h.Call, h.From)) {
		if m.Recv <= h.From && t.Deleted(m) {
			freed[PlaceOf(m)] = true
		}
		if m.Recv > h.From || m.N != 0 && m.N != h.N || !t.Takes(m) || !t.MayBeOf(m, h.Key) ||
			counted[PlaceOf(m)] {
			continue
		}
		c := candidate{m, likelihoodOf(t, m)}
		if counted[PlaceOf(m)] = IsCounting(t, m); freed[PlaceOf(m)] {
			c.likely = isGuard
		}
		if all = append(all, c); c.likely == likeliest {
			break // no other key can be as likely
		}
	}
	return all
}

// likelihood says how likely it is that a command granted a hold.
type likelihood int

// From a command whose key its call deleted again to one that may be refused. A key that clients
// give back is likelier than any other.
const (
	unlikely   likelihood       = iota
	isGuard                     // the call deleted its key again, or a script names another first
	isScript                    // the header does not describe it
	isCounter                   // many locks count a fencing token
	isNote                      // it writes, whatever is there
	isNamesake                  // a counter or a note that has the lock's name, and that stays
	isTake                      // it may be refused, or its client looked before
	isReturned                  // added if releases free the key, or count it down
	isNamed    = 2 * isReturned // added to a take or a script that has the lock's name
	likeliest  = isNamed + isReturned + isTake
)

// likelihoodOf returns how likely it is that a command granted a hold.
func likelihoodOf(t *Trace, m *history.Command) (l likelihood) {
	switch {
	case t.Undeclared(m) && m.About > 0:
		l = isGuard
	case t.Undeclared(m):
		l = isScript
	case IsCounting(t, m):
		l = isCounter
	case t.WritesUnasked(m) && !lookedFree(t, m):
		l = isNote
	default:
		l = isTake
	}
	returned := IsGiven(t, m)
	leased := l == isCounter && t.everEnds(Key(m))
	switch named := IsNamed(t, m); {
	case named && (l == isCounter || l == isNote) && !returned && !leased:
		l = isNamesake
	case named:
		l += isNamed
	}
	if returned {
		l += isReturned
	}
	return l
}

// lookedFree reports whether the call of a command read its key as free before.
func lookedFree(t *Trace, m *history.Command) bool {
	return slices.ContainsFunc(t.OfKey(Key(m)), func(k *history.Command) bool {
		return k.Process == m.Process && k.N == m.N && k.Node == m.Node && k.Sent < m.Sent &&
			Silent(k) && t.FindsNone(k)
	})
}
