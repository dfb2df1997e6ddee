package spec

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// redisson: a script takes the lock for the owner "uuid:thread", or replies how long the holder's
// lease still lasts. The caller tries again after a message or the end of that lease, until its
// time is over (D001 lines 360 to 511). The specification reads commands only, not messages.
func redisson(c *call) { c.redisson(0) }

// redissonSpin: as redisson, with a pause of at least a millisecond instead of a message.
func redissonSpin(c *call) { c.redisson(time.Millisecond) }

func (c *call) redisson(pause time.Duration) {
	c.poll(pause, func(h *hold) outcome {
		r := c.takes("EVAL", redissonScript, "1", c.key(), ms(c.options.TTL), &h.value)
		return c.redissonTook(h, c.key(), r)
	})
}

// redissonFenced: as redisson, and the script draws a growing token in the same step (RFencedLock).
func redissonFenced(c *call) {
	var token string
	c.poll(0, func(h *hold) outcome {
		r := c.takes("EVAL", fencedScript, "2", c.key(), tagged("redisson_lock_token", c.key()),
			ms(c.options.TTL), &h.value)
		got := c.redissonTook(h, c.key(), r)
		if got == granted {
			token = r.Reply
		}
		return got
	})
	if g := c.grant; c.ended == history.OK && g != nil && !strings.Contains(token,
		strconv.FormatInt(g.Token, 10)) {
		c.depart(c.to, "its token is %d, and the script replied %s", g.Token, token)
	}
}

func (c *call) redissonTook(h *hold, key string, r reply) outcome {
	c.expects(h.value, c.owner(h.value))
	if key == c.key() {
		c.began(h, r) // if there are several locks, the hold starts with the first
	}
	switch {
	case r.null(), strings.HasPrefix(r.text(), "[-1 "):
		if _, ok := c.taken[key]; !ok {
			c.taken[key] = r.Sent
		}
		return granted
	case r.failed():
		return failed
	}
	return refused
}

// redissonRelease: a script counts one hold less. After the last one it sends waiting clients a
// message (D001 lines 720 to 750). It replies nil to a client that is not the owner.
func redissonRelease(c *call) {
	h := c.held()
	c.unlocked(c.sends("EVAL", unlockScript, "2", c.key(), channel(c.key()), "0",
		ms(c.options.TTL), h.value), h)
}

// spinRelease: as redissonRelease, without a message (RedissonSpinLock).
func spinRelease(c *call) {
	h := c.held()
	c.unlocked(c.sends("EVAL", spinScript, "1", c.key(), ms(c.options.TTL), h.value), h)
}

func (c *call) unlocked(r reply, h *hold) {
	h.ended = true
	if r.null() {
		c.returns(history.Fail)
		return
	}
	c.answers(r)
}

// renews: the watchdog gives a lock a new lease each time a third of the lease is over
// (D001 lines 634 to 692), unless the caller named a lease.
func renews(c *client, m *history.Command) error {
	var key, owner string
	like := like(m, []any{"EVAL", renewScript, "1", &key, ms(c.options.TTL), &owner})
	first, taken := c.taken[key]
	third := int64(c.options.TTL / 3)
	switch {
	case !like || !c.owns(owner):
		return fmt.Errorf("sent %s, where its watchdog renews for its own owner and %s ms", format(m),
			ms(c.options.TTL))
	case c.options.NoWatchdog:
		return errors.New("renewed a lease that its caller has named")
	case !taken || m.Sent-first < third || c.renewed[key] > 0 && m.Sent-c.renewed[key] < third:
		return fmt.Errorf("renewed %s before a third of its lease was over", key)
	}
	c.renewed[key] = m.Sent
	return nil
}

// owns reports whether an owner is one of this client's.
func (c *client) owns(owner string) bool {
	for _, mine := range c.owners {
		if mine == owner {
			return true
		}
	}
	return false
}

// tagged returns a name that belongs to a key. Braces keep both on one node of a cluster.
func tagged(prefix, key string) string {
	if strings.Contains(key, "{") {
		return prefix + ":" + key
	}
	return prefix + ":{" + key + "}"
}

func channel(key string) string { return tagged("redisson_lock__channel", key) }

// extended returns a departure if the lock reported an extension without a renewal. The renewal
// must have been sent after the start of the new lease, and answered before the report.
func (c *call) extended() *Departure {
	c.renewals = append(c.renewals, c.aside...)
	for _, e := range c.extensions {
		if e.Grant == nil || !slices.ContainsFunc(c.renewals, func(m *history.Command) bool {
			return m.Reply == "1" && m.Recv <= e.T && m.Sent >= e.Grant.Sent
		}) {
			return &Departure{c.process, e.T, "said that its lease was renewed, and no renewal was answered"}
		}
	}
	return nil
}
