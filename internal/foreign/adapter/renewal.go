package adapter

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
)

// The question about a late renewal, and the finding if the renewal is wrong.
const (
	askedRenewal   = "a late renewal leaves the lock to the client that has it now"
	foreignRenewed = "it gave a lock that was another client's a new lease"
)

// askRenewal checks that no renewal after the end of the hold changes the lock of the next client.
// The first client is paused until its lease is over and the other has the lock. Then it extends
// its hold, or its watchdog has half a lease for it.
func askRenewal(c *checker, holder, other *remote) {
	if !c.wants(holder, longTake(renewing), false, "it acquires", isAcquired) {
		return
	}
	err := holder.child.pause()
	if err == nil {
		err = takeOver(c, other)
	}
	if err == nil {
		err = c.leaves(other, func(before map[server.Admin]string) error {
			return renewLate(c, holder, before)
		})
		_, _ = c.perform(other, Release(renewing))
	}
	err = cmp.Or(err, holder.child.resume())
	_, _ = c.perform(holder, Release(renewing))
	var not notAsked
	c.say(errors.As(err, &not), askedRenewal, err, "")
}

// takeOver lets a client take the lock of a client that is paused, when its lease is over.
func takeOver(c *checker, other *remote) error {
	time.Sleep(checkTTL) // some libraries wait no longer than a lease
	a, err := c.perform(other, longTake(renewing))
	return cmp.Or(err, answered(a))
}

// renewLate lets a client that was paused renew its hold, and returns an error if the key of the
// next client, which never expires, has a lease then.
func renewLate(c *checker, holder *remote, keys map[server.Admin]string) error {
	err := holder.child.resume()
	switch {
	case err != nil:
	case c.use.Declares.Extends:
		_, err = c.perform(holder, Extend(renewing))
	default:
		time.Sleep(checkTTL / 2)
	}
	for a := range keys {
		ms, failed := a.Do(context.Background(), "pttl", c.key()).Int64()
		if err = cmp.Or(err, failed); err == nil && ms >= 0 {
			err = errors.New(foreignRenewed)
		}
	}
	return err
}
