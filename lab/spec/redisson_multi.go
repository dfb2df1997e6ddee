package spec

import "github.com/lockbench/lockbench/internal/history"

// redissonMulti: takes one lock after the other, in the order of the keys, each as redisson does.
// If one is not granted, it releases all of them and starts again (D001 line 603).
func redissonMulti(c *call) {
	left := false
	for round := 0; c.more() && (round == 0 || !c.passes(c.next())); round++ {
		h := &hold{}
		got := c.takesAll(h)
		if got == granted {
			c.grants(*h, c.lease())
			return
		}
		left = left || got != refused
		for c.more() && !c.seesTake() {
			left = c.unlocksOne(h.value).failed() || left
		}
	}
	if left {
		c.returns(history.Info, history.Fail)
		return
	}
	c.returns(history.Fail)
}

// takesAll reads one round. If the caller named a lease, the client first takes each lock for twice
// the waiting time, and gives all of them the named lease when it has them all.
func (c *call) takesAll(h *hold) outcome {
	for _, key := range c.keys {
		got := refused
		for got == refused {
			r := c.takes("EVAL", redissonScript, "1", key, c.multiLease(), &h.value)
			got = c.redissonTook(h, key, r)
			if got == granted && r.acks < c.options.WaitReplicas {
				return lost
			}
			if got == refused && !c.sees("EVAL", redissonScript, "1", key, c.multiLease(), h.value) {
				return refused
			}
		}
		if got != granted {
			return got
		}
	}
	if !c.options.NoWatchdog {
		return granted
	}
	out := granted
	for i, key := range c.keys {
		r := c.sends("PEXPIRE", key, ms(c.options.TTL))
		if i == 0 {
			c.began(h, r)
		}
		if r.failed() {
			out = broken
		}
	}
	return out
}

func (c *reader) seesTake() bool {
	m := c.next()
	return m != nil && runs(m, redissonScript)
}

// unlocksOne reads the release of one lock. The release names the lease of the latest attempt to
// take the lock, even if that attempt was refused.
func (c *call) unlocksOne(owner string) reply {
	var key, tag, lease string
	r := c.sends("EVAL", unlockScript, "2", &key, &tag, "0", &lease, owner)
	if !c.isOver() && (tag != channel(key) || lease != c.multiLease() && lease != ms(c.options.TTL)) {
		c.depart(r.Sent, "sent %s, where it gives back %s", format(r.Command), key)
	}
	return r
}

// multiLease returns the lease with which the client takes each lock.
func (c *call) multiLease() string {
	if c.options.NoWatchdog && c.options.AcquireTimeout > 0 {
		return ms(2 * c.options.AcquireTimeout)
	}
	return ms(c.options.TTL)
}

// multiRelease: releases all locks at the same time.
func multiRelease(c *call) {
	h := c.held()
	h.ended = true
	free, failing := 0, 0
	for range c.keys {
		switch r := c.unlocksOne(h.value); {
		case r.failed():
			failing++
		case !r.null():
			free++
		}
	}
	switch {
	case free == len(c.keys):
		c.returns(history.OK)
	case failing > 0:
		c.fails(false)
	case free > 0:
		c.returns(history.Info)
	default:
		c.returns(history.Fail)
	}
}
