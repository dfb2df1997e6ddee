package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/redis/go-redis/v9"
)

// askShared checks that two clients can hold the lock in shared mode at once, and that they keep an
// exclusive client out.
func (c *checker) askShared(holder, other *remote) {
	const first, second = 101, 102
	shared := func(n int) Order {
		o := take(n)
		o.Mode = history.Shared
		return o
	}
	c.wants(holder, shared(first), false, "the first client acquires a shared hold", isAcquired)
	c.wants(other, shared(second), false, "and the second one as well", isAcquired)
	c.wants(other, Release(second), false, "it releases its own", isReleased)
	c.wants(other, take(second+1), false,
		"an exclusive hold is refused while the other is left", isRefused)
	c.wants(holder, Release(first), false, "the first client releases", isReleased)
}

// askCancel checks that a waiting acquire ends when its client gives it up, and that it leaves
// nothing behind: the other client is granted the lock afterwards.
func (c *checker) askCancel(holder, other *remote) {
	const first, given, next = 111, 112, 113
	if !c.wants(holder, take(first), false, "it acquires", isAcquired) {
		return
	}
	err := c.giveUp(other, Acquire(given, []string{checkKey}, time.Minute))
	ended := c.say(false, "as declared, a waiting acquire ends when its client gives it up", err, "")
	_, _ = c.perform(holder, Release(first))
	time.Sleep(checkWait) // a call that goes on although it was given up takes the lock meanwhile
	if ended && c.wants(holder, Acquire(next, []string{checkKey}, checkTTL/2), false,
		"and leaves nothing behind: the lock is free", isAcquired) {
		_, _ = c.perform(holder, Release(next))
	}
}

// giveUp orders an acquire that has to wait, gives it up, and returns an error if it does not end
// without a grant within a second.
func (c *checker) giveUp(r *remote, o Order) error {
	k, err := r.child.begin(o)
	if err == nil {
		_, err = r.child.acts(k)
	}
	time.Sleep(checkWait / 4) // until it waits
	if err = cmp.Or(err, r.child.order(Order{Do: doCancel, N: o.N})); err != nil {
		return err
	}
	select {
	case a := <-k.done:
		if a.Is == isAcquired {
			return fmt.Errorf("it answered %q while another client has the lock", a.Is)
		}
		return nil
	case <-r.child.gone:
		return c.why(r.child)
	case <-time.After(time.Second):
		return errors.New("it has not ended for a second")
	}
}

// askOptimistic checks that a second client gets the lock while the holder of acquisition 1 has it,
// and that the lock refuses the later of two conflicting writes.
func (c *checker) askOptimistic(holder, other *remote) {
	if !c.wants(other, take(1), false, "as declared, another client is let in, too", isAcquired) {
		return
	}
	write := func(value int64) Order { return Order{Do: doWrite, N: 1, Value: &value} }
	c.wants(holder, Order{Do: doRead, N: 1}, false, "the holder reads", isRead)
	c.wants(other, Order{Do: doRead, N: 1}, false, "and so does the other", isRead)
	c.wants(other, write(1), false, "the other writes", isWritten)
	c.wants(holder, write(2), false, "the holder's write is refused: another was first", isConflict)
	a, err := c.perform(holder, Order{Do: doRead, N: 1})
	if err == nil && (a.Is != isRead || a.Value != 1) {
		err = fmt.Errorf("it answered %q with %d, not 1", a.Is, a.Value)
	}
	c.say(false, "a written value is read", err, "")
	c.wants(other, Release(1), false, "the other releases", isReleased)
}

// forget empties every Redis.
func (c *checker) forget() {
	for _, a := range c.admin {
		_ = a.Do(context.Background(), "flushall").Err()
	}
}

// longTake returns the order to acquire the lock after the check may have emptied the servers. A
// lock that has to make its token anew may need a lease for that.
func longTake(n int) Order { return Acquire(n, []string{checkKey}, checkTTL) }

// Numbers of the acquisitions for the declared properties.
const (
	overrunning = 201 + iota
	telling     // of both clients
	vanishing
	extending
	releasing
	outliving // of both clients
	renewing  // of both clients
	inner     // of the other client
	// of the other client; each try takes the next number
	trying
)

// askDeclared checks the declared properties of a library.
func (c *checker) askDeclared(holder, other *remote) {
	if c.kind != nil {
		askUnseen(c, holder, other)
		return
	}
	switch {
	case c.use.OwnLease:
		c.say(true, "its lease ends, or is renewed, as declared",
			fmt.Errorf("not asked: this variant has the library's own lease"), "")
	case c.use.Declares.Watchdog:
		c.askWatchdog(holder, other)
	case c.use.Declares.Lease:
		c.askLease(holder, other)
	}
	if c.keyless {
		c.say(true, "a holder is told when its key vanishes", notAsked("the lock keeps no key"), "")
		return
	}
	if c.use.Declares.Loss {
		c.askLoss(holder)
	}
	if c.use.Declares.Extends {
		c.askVanished(holder, extending, doExtend, "extend", "an extension")
	}
	c.askVanished(holder, releasing, doRelease, "release", "a release")
	c.askForeign(holder, other)
	if d := c.use.Declares; d.Extends || d.Watchdog && !c.use.OwnLease {
		askRenewal(c, holder, other)
	}
}

// askUnseen checks the lease of a library whose commands are not seen.
func askUnseen(c *checker, holder, other *remote) {
	if d := c.use.Declares; !d.Lease || d.Watchdog {
		c.say(true, "how its holds end is as declared", fmt.Errorf("not asked of %s", c.use.System), "")
		return
	}
	askBounds(c, holder, other)
	if !c.use.OwnLease {
		c.askLease(holder, other)
	}
}

// askBounds checks that the start of a granted lease is known: the answer says it, or the call
// does not wait.
func askBounds(c *checker, holder, other *remote) {
	granted, err := c.perform(holder, take(telling))
	if err != nil || granted.Is != isAcquired {
		return // other findings tell
	}
	refused, err := c.perform(other, take(telling))
	if err == nil {
		err = checkStart(granted, refused)
	}
	var not notAsked
	c.say(errors.As(err, &not), "the start of a granted lease is known", err, "")
	if refused.Is == isAcquired {
		_, _ = c.perform(other, Release(telling))
	}
	_, _ = c.perform(holder, Release(telling))
}

// checkStart returns an error if a grant does not say when its command was sent, although an
// acquire waits, as the refusal of another one shows. It returns a notAsked if the other answer
// does not show whether an acquire waits.
func checkStart(granted, refused Answer) error {
	switch {
	case granted.Sent > 0 || refused.Is == isRefused && refusal(refused.Why) == history.Taken:
		return nil
	case refused.Is == isRefused && refused.Why == whyGaveUp:
		return errors.New("an acquire waits and does not say when it sent the command that was " +
			"granted: overlaps (S) may stay unknown; answer `sent` (Sent of Go's Grant), or make one " +
			"try and refuse as `taken`")
	}
	return notAsked(strings.TrimSpace("the second client was answered " + refused.Is + " " +
		refused.Why))
}

// askWatchdog checks that a watchdog keeps a hold for longer than a lease, and for its holder.
func (c *checker) askWatchdog(holder, other *remote) {
	if !c.wants(holder, take(overrunning), false, "the first client acquires", isAcquired) {
		return
	}
	time.Sleep(checkTTL + checkTTL/4)
	if c.wants(other, take(trying), false,
		"as declared, its watchdog keeps the lock for longer than the lease", isRefused) {
		c.wants(holder, Release(overrunning), false, "and the holder releases it", isReleased)
		return
	}
	_, _ = c.perform(holder, Release(overrunning))
}

// livesFor checks that the lock's key has the lease that was asked for. The lock wrote the key
// after the given time.
func livesFor(c *checker, since time.Time) error {
	there := false
	for _, a := range c.admin {
		ms, err := a.Do(context.Background(), "pttl", c.key()).Int64()
		if err = cmp.Or(err, tooShort(ms, time.Since(since))); err != nil {
			return err
		}
		there = there || ms != noKey
	}
	if there || c.keyless {
		return nil
	}
	return whyGone(c.key(), time.Since(since), expired(c.admin))
}

// noKey is the reply to PTTL if there is no key.
const noKey = -2

// whyGone returns why there is no key of a lock that was acquired at most age ago, if so many keys
// have expired since the servers started.
func whyGone(key string, age time.Duration, expired int64) error {
	switch {
	case expired == 0:
		return notAsked(fmt.Sprintf("no key %q is seen", key))
	case age >= checkTTL:
		return notAsked("this machine is slow, and the lease was over")
	}
	return fmt.Errorf("no key %q is left %v after the call began, and a key has expired: the "+
		"lock was asked for a lease of %v (PX and PEXPIRE count milliseconds, EX and EXPIRE seconds)",
		key, age.Round(10*time.Millisecond), checkTTL)
}

// expired returns how many keys have ended by themselves, on the servers that tell.
func expired(servers []server.Admin) (n int64) {
	for _, a := range servers {
		counted, _ := a.Counters()
		n += counted.Expired
	}
	return n
}

// tooShort returns an error if a key that is not older than age, and has so many milliseconds left,
// had a shorter lease than was asked for. A negative number is a key that does not end.
func tooShort(ms int64, age time.Duration) error {
	const slack = 2 * time.Millisecond // Redis rounds both ends of a lease
	lease := time.Duration(ms)*time.Millisecond + age
	if ms < 0 || lease+slack >= checkTTL {
		return nil
	}
	return fmt.Errorf("it has a lease of at most %v, and the lock was asked for %v: if the library "+
		"has whole seconds, round up", lease.Round(10*time.Millisecond), checkTTL)
}

// askInner checks that an inner release, whose outer hold began after a time, frees nothing.
func askInner(c *checker, other *remote, since time.Time) {
	a, err := c.perform(other, take(inner))
	if a.Is == isAcquired {
		err = errors.New("another client acquired it after the first of two releases")
		if c.use.Declares.Lease && time.Since(since) >= checkTTL {
			err = notAsked("this machine is slow, and the lease was over")
		}
		_, _ = c.perform(other, Release(inner))
	}
	var not notAsked
	c.say(errors.As(err, &not), "and the lock stays taken until the last release", err, a.Is)
}

// askLease lets the other client try until the lease must be over.
func (c *checker) askLease(holder, other *remote) {
	began := time.Now()
	if !c.wants(holder, take(overrunning), false, "the first client acquires", isAcquired) {
		return
	}
	const patience = 2 * checkTTL
	n := trying
	a, err := c.perform(other, take(n))
	for ; err == nil && a.Is == isRefused && time.Since(began) < patience; n++ {
		time.Sleep(checkWait / 4)
		a, err = c.perform(other, take(n+1))
	}
	if err == nil && a.Is != isAcquired {
		err = fmt.Errorf("it answered %q for %v, and the lease is %v (adapter.yaml declares a watchdog)",
			a.Is, patience, checkTTL)
	}
	if err == nil {
		err = tooShort(0, time.Since(began))
	}
	c.say(false, "as declared, the lock is free again when the lease is over", err,
		fmt.Sprintf("after %.1f s", time.Since(began).Seconds()))
	if err == nil {
		_, _ = c.perform(other, Release(n))
	}
	_, _ = c.perform(holder, Release(overrunning))
	outlastMinimum(c)
}

// askLoss deletes the key, and waits until the library tells its holder.
func (c *checker) askLoss(holder *remote) {
	if !c.wants(holder, take(vanishing), false, "the first client acquires", isAcquired) {
		return
	}
	c.forget()
	began := time.Now()
	late := time.After(2 * checkTTL)
	var err error
	for told := false; !told && err == nil; {
		select {
		case a := <-c.lost[slices.Index(c.peers, holder)]:
			told = a.Is == isLost && a.N == vanishing
		case <-holder.child.gone:
			err = c.why(holder.child)
		case <-late:
			err = fmt.Errorf("nothing came for %v", 2*checkTTL)
		}
	}
	c.say(false, "as declared, the holder is told when its key vanishes", err,
		fmt.Sprintf("after %d ms", time.Since(began).Milliseconds()))
	_, _ = c.perform(holder, Release(vanishing))
}

// askVanished checks whether a call reports that the key has gone. The call must report it if the
// adapter declares this under tells.
func (c *checker) askVanished(holder *remote, n int, do, way, call string) {
	if !c.wants(holder, longTake(n), false, "it acquires", isAcquired) {
		return
	}
	c.forget()
	asked := call + " is told that the hold was over, after its key has vanished"
	if c.wants(holder, Order{Do: do, N: n}, !slices.Contains(c.use.Tells, way), asked, isNotOwner) &&
		!slices.Contains(c.use.Tells, way) {
		c.say(true, "adapter.yaml says so", fmt.Errorf("%q is not under tells", way), "")
	}
	if do != doRelease {
		_, _ = c.perform(holder, Release(n))
	}
}

// The question about a late release, and the finding if the release is wrong.
const (
	askedForeign    = "a late release leaves the lock to the client that has it now"
	foreignReleased = "it released a lock that was another client's"
)

// askForeign checks that a release after the end of the hold does not remove the lock of the next
// client.
func (c *checker) askForeign(holder, other *remote) {
	if !c.wants(holder, longTake(outliving), false, "it acquires", isAcquired) {
		return
	}
	c.forget()
	a, err := c.perform(other, longTake(outliving))
	if err = cmp.Or(err, answered(a)); err == nil {
		err = c.leaves(other, func(map[server.Admin]string) error {
			_, err := c.perform(holder, Release(outliving))
			return err
		})
		_, _ = c.perform(other, Release(outliving))
	}
	var not notAsked
	c.say(errors.As(err, &not), askedForeign, err, "")
}

// answered returns why a question has no answer if the next client did not acquire the lock:
// something else than the key keeps it out.
func answered(a Answer) error {
	if a.Is == isAcquired {
		return nil
	}
	return notAsked(fmt.Sprintf("the next client was answered %q", a.Is))
}

// notAsked is the reason why a question could not be asked.
type notAsked string

// Error returns the reason.
func (e notAsked) Error() string { return "not asked: " + string(e) }

// leaves returns an error if what the former holder does changes the key of the other client. That
// client is paused and its key never expires, so that neither it nor the end of its lease can be
// the cause.
func (c *checker) leaves(other *remote, act func(keys map[server.Admin]string) error) error {
	if err := other.child.pause(); err != nil {
		return err
	}
	before, err := c.persisted()
	if err == nil {
		err = act(before)
	}
	if err := cmp.Or(err, other.child.resume()); err != nil {
		return err
	}
	for a, was := range before {
		switch is, err := dump(a, c.key()); {
		case err != nil:
			return err
		case is == "":
			return errors.New(foreignReleased)
		case is != was:
			return errors.New("it changed the key of a lock that was another client's")
		}
	}
	return nil
}

// persisted returns the value of the lock's key on each Redis that has it, and makes the key
// permanent.
func (c *checker) persisted() (map[server.Admin]string, error) {
	has := map[server.Admin]string{}
	for _, a := range c.admin {
		if err := a.Do(context.Background(), "persist", c.key()).Err(); err != nil {
			return nil, err
		}
		text, err := dump(a, c.key())
		if err != nil {
			return nil, err
		}
		if text != "" {
			has[a] = text
		}
	}
	if len(has) == 0 {
		return nil, notAsked(fmt.Sprintf("no key %q is seen", c.key()))
	}
	return has, nil
}

// dump returns the value of a key in Redis' own serialization, or "" if the key does not exist.
func dump(a server.Admin, key string) (string, error) {
	text, err := a.Do(context.Background(), "dump", key).Text()
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	return text, err
}
