package adapter

import (
	"fmt"
	"time"
)

// Some locks keep their key on purpose after a release. The check asks whether they do. Then it
// empties the servers of Redis, since it cannot wait as long as a lock may declare. In another
// system it waits, and asks nothing more if that takes too long.

// askMinimum checks that the released key of a lock that was acquired after a time is still there,
// if the lock declares that it keeps it.
func askMinimum(c *checker, since time.Time) {
	least := time.Duration(c.use.Declares.MinimumHold)
	if least == 0 || c.keyless {
		return
	}
	c.sayOfKeys("as declared, the key outlives a release", func() error {
		keys, err := c.names("keys", c.key())
		switch {
		case err != nil || len(keys) > 0:
			return err
		case time.Since(since) >= min(least, checkTTL):
			return notAsked("this machine is slow, and the minimum hold was over")
		}
		return fmt.Errorf("no key %q is left, and minimum_hold says %v", c.key(), least)
	})
}

// keptFor returns a reason to ask nothing more of a lock that keeps its key for longer than the
// check waits, and whose servers the check cannot empty. Otherwise it returns nil.
func keptFor(c *checker) error {
	if least := time.Duration(c.use.Declares.MinimumHold); c.kind != nil && least > checkTTL {
		return notAsked(fmt.Sprintf("minimum_hold is %v, and the check waits for %v at most", least,
			checkTTL))
	}
	return nil
}

// outlastMinimum empties each Redis after the release of a lock that keeps its key. In another
// system it waits until the key must be gone.
func outlastMinimum(c *checker) {
	if least := time.Duration(c.use.Declares.MinimumHold); least > 0 {
		c.forget()
		if c.kind != nil {
			time.Sleep(least)
		}
	}
}

// nameMinimum adds to the last finding how a lock declares that it keeps its key after a release,
// if a key is still there.
func nameMinimum(c *checker) {
	keys, err := c.names("keys", c.key())
	if err == nil && len(keys) > 0 && c.use.Declares.MinimumHold == 0 {
		c.found[len(c.found)-1].Found += "; the key is still there: a lock that keeps it on purpose " +
			"says minimum_hold in adapter.yaml"
	}
}

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
