package adapter

// The keys next to the lock's. A client asks for the lock between them, so that it takes one of
// them first, whether it goes by the order of the call or of the names.
const keyBefore, keyAfter = "lock:before", "lock:next"

// askSame checks that a lock keeps out a second call of the process that holds it, as another
// thread makes one. In a system other than Redis a lock may belong to the session, which both calls
// share.
func askSame(c *checker, holder *remote) {
	const first, second = 131, 132
	if d := c.use.Declares; d.Reentrant || d.Optimistic || d.Endless {
		return
	}
	if !c.wants(holder, take(first), false, "it acquires", isAcquired) {
		return
	}
	if !c.wants(holder, take(second), c.kind != nil, "a second call in the same process is refused",
		isRefused) {
		_, _ = c.perform(holder, Release(second))
	}
	_, _ = c.perform(holder, Release(first))
	outlastMinimum(c)
}

// askSeveral checks that a refused acquire of several keys leaves none of them taken.
func askSeveral(c *checker, holder, other *remote) {
	const first, refused, rest = 121, 122, 123
	if !c.wants(holder, take(first), false, "it acquires one of several keys", isAcquired) {
		return
	}
	all := Acquire(refused, []string{keyBefore, checkKey, keyAfter}, checkWait)
	if !c.wants(other, all, false, "another client is refused all of them", isRefused) {
		return
	}
	_, _ = c.perform(holder, Release(first))
	if c.wants(holder, Acquire(rest, []string{keyBefore, keyAfter}, checkTTL/2), false,
		"and leaves none behind: the others are free", isAcquired) {
		_, _ = c.perform(holder, Release(rest))
	}
}
