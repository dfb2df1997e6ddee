package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// reader reads the commands that a client sent in one call, one by one. It stops reading after a
// departure, and at the end of the record of a call that never ended.
type reader struct {
	*client
	f        string
	n        int
	keys     []string
	from, to int64              // stamps
	ended    history.Type       // how the call ended, or "" if it never did
	then     *call              // the client's next call
	sent     []*history.Command // commands not read yet

	last     *history.Command // the latest command that was read
	before   int64            // stamp of the reply to the command before last
	cut      bool             // the record ends within the call
	departed *Departure
}

// call is one call of a client. Its specification reads it command by command.
type call struct {
	reader
	// extensions of the lease that the lock reported after the start of this call
	extensions []history.Event
	aside      []*history.Command // commands of the watchdog during the call
	grant      *history.Grant
}

// validate reads the call as the lock's page says, and returns the first departure, or nil.
func (c *call) validate(p page) *Departure {
	c.aside = c.takeBeside(p)
	read := map[string]func(*call){history.Acquire: p.acquire, history.Release: p.release,
		history.ExtendOp: p.extend}[c.f]
	if read == nil {
		c.depart(c.from, "it has no call %q", c.f)
	} else {
		read(c)
	}
	c.passOn()
	if m := c.next(); m != nil {
		c.depart(m.Sent, "sent %s, where its %s sends nothing more", format(m), c.f)
	}
	for _, m := range c.aside {
		if err := p.beside(c.client, m); err != nil {
			c.depart(m.Sent, "%v", err)
		}
	}
	if p.beside != nil && c.departed == nil {
		c.departed = c.extended()
	}
	return c.departed
}

// passOn moves commands that were sent in the last nanosecond of this call to the next call, if
// that started in the same nanosecond.
func (c *reader) passOn() {
	if i := slices.IndexFunc(c.sent, c.passes); i >= 0 && c.departed == nil {
		c.then.sent = append(slices.Clone(c.sent[i:]), c.then.sent...)
		c.sent = c.sent[:i]
	}
}

// passes reports whether a command may belong to the next call.
func (c *reader) passes(m *history.Command) bool {
	return c.then != nil && c.ended != "" && c.then.from == c.to && m.Sent == c.to && m.N == c.then.n
}

// takeBeside removes a watchdog's commands from the commands of the call, and returns them.
func (c *reader) takeBeside(p page) (aside []*history.Command) {
	if p.beside == nil {
		return nil
	}
	c.sent = slices.DeleteFunc(c.sent, func(m *history.Command) bool {
		is := runs(m, renewScript)
		if is {
			aside = append(aside, m)
		}
		return is
	})
	return aside
}

func (c *reader) depart(t int64, format string, args ...any) {
	if c.departed == nil {
		c.departed = &Departure{Process: c.process, T: t, What: fmt.Sprintf(format, args...)}
	}
}

// isOver reports whether reading has stopped.
func (c *reader) isOver() bool { return c.cut || c.departed != nil }

func (c *reader) next() *history.Command {
	if c.isOver() || len(c.sent) == 0 {
		return nil
	}
	return c.sent[0]
}

// more reports whether the call sent another command before it returned.
func (c *reader) more() bool {
	m := c.next()
	return m != nil && (c.ended == "" || m.Sent <= c.to)
}

// sees reports whether the next command has these words. It does not read the command.
func (c *reader) sees(words ...any) bool { return c.more() && like(c.next(), words) }

// sends reads the next command and departs unless it has these words. A word is a text, a script,
// or a *string that matches any text and is set to it.
func (c *reader) sends(words ...any) reply {
	m := c.next()
	switch {
	case c.isOver():
		return reply{}
	case m == nil && c.ended == "":
		c.cut = true
		return reply{}
	case m == nil:
		c.depart(c.to, "its %s returned %s, where it sends %s", c.f, c.ended, shown(words))
		return reply{}
	case !like(m, words):
		c.depart(m.Sent, "sent %s, where its %s sends %s", format(m), c.f, shown(words))
		return reply{}
	}
	if c.last != nil {
		c.before = max(c.before, c.last.Recv)
	}
	c.sent, c.last = c.sent[1:], m
	return reply{Command: m}
}

// takes reads a command that may take the lock, as sends does. If replicas have to confirm a grant,
// a WAIT follows the command on the same connection.
func (c *reader) takes(words ...any) reply {
	r := c.sends(words...)
	r.acks = c.waits(r)
	return r
}

// waits reads the WAIT after a command, and returns how many replicas confirmed it.
func (c *reader) waits(r reply) (acks int) {
	if c.options.WaitReplicas == 0 || r.Command == nil {
		return 0
	}
	i := slices.IndexFunc(c.sent, func(m *history.Command) bool { return m.Node == r.Node })
	if i < 0 || c.sent[i].Args[0] != "WAIT" {
		c.depart(r.Sent, "sent %s without a WAIT behind it", format(r.Command))
		return 0
	}
	acks, _ = strconv.Atoi(c.sent[i].Reply)
	c.sent = slices.Delete(c.sent, i, i+1)
	return acks
}

// returns departs unless the call ends here in one of the given ways.
func (c *call) returns(types ...history.Type) {
	if c.isOver() || c.ended == "" {
		c.cut = true
		return
	}
	if m := c.next(); m != nil && m.Sent < c.to {
		c.depart(m.Sent, "sent %s, where its %s returns", format(m), c.f)
	} else if !slices.Contains(types, c.ended) && !(c.ended == history.Info && c.unsure()) {
		c.depart(c.to, "its %s returned %s, where it returns %s", c.f, c.ended, anyOf(types))
	}
}

// unsure reports whether another command was left without a reply during the call. It may be a
// command of the watchdog, or the second copy of a command that a fault doubled. The worker cannot
// tell it from a command of the call, and reports an unknown outcome.
func (c *call) unsure() bool {
	return c.doubles || slices.ContainsFunc(slices.Concat(c.renewals, c.aside),
		func(m *history.Command) bool {
			return reply{Command: m}.failed() && (m.Recv == 0 || c.from <= m.Recv && m.Recv <= c.to)
		})
}

// fails ends the call with the error of a reply. Left says that the call has changed something
// before, so that its outcome is unknown. Otherwise package impls decides whether the error proves
// that nothing has changed.
func (c *call) fails(left bool) {
	if left {
		c.returns(history.Info)
		return
	}
	c.returns(history.Info, history.Fail)
}

// grants ends an acquire with a hold. The hold starts with the latest command, or with the first
// one if several commands grant it.
func (c *call) grants(h hold, lease int64) *hold {
	c.returns(history.OK)
	if c.isOver() {
		return nil
	}
	h.keys = c.keys
	c.holds[c.n] = &h
	g := c.grant
	switch {
	case g == nil:
		c.depart(c.to, "its acquire returned ok without a grant")
	case g.Sent > h.sent || g.Sent < h.after:
		c.depart(c.to, "its hold is said to begin at %d, and the command that granted it was sent at "+
			"%d, after %d", g.Sent, h.sent, h.after)
	case int64(g.Lease) != lease:
		c.depart(c.to, "its hold is said to have a lease of %s, where it is %d ns", g.Lease, lease)
	}
	return &h
}

// held returns the hold that a call releases or extends.
func (c *call) held() *hold {
	h := c.holds[c.n]
	if h == nil {
		c.depart(c.from, "its %s is about hold %d, which it was not granted", c.f, c.n)
		return &hold{}
	}
	return h
}

// checkFresh departs if a client of the run has written the value before.
func (c *call) checkFresh(value string) {
	if !c.isOver() && c.used[value] {
		c.depart(c.last.Sent, "wrote the owner value %s a second time", value)
	}
	c.used[value] = true
}

func anyOf(types []history.Type) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = string(t)
	}
	return strings.Join(words, " or ")
}
