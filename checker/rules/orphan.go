package rules

import (
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// orphan judges that no key stays set that no client holds: a client was told that the lock is
// taken while no client was inside and none had an acquire or release call open that may account
// for it. It rests on the trace, and ends at the first planned crash. Of independent servers so
// many must say so that the attempt could not have been granted.
func (c *Case) orphan() property {
	if len(c.trace.Commands) == 0 {
		return unknown("there is no trace of Redis commands, which alone shows whether a key is set")
	}
	if c.independent() && c.history.Header.Masters == 0 {
		return notApplicable("a key on one of several independent servers keeps no client out, and the " +
			"record does not say how many there are")
	}
	grants := c.trace.Grants()
	until := c.firstCrash()
	seen, slow := false, false
	var refusals []*history.Command
	for i := range c.trace.Commands {
		m := &c.trace.Commands[i]
		key, known := grants.LockOf(m)
		if !known || !c.trace.Denied(m) || m.Recv >= until {
			continue
		}
		seen = true
		if c.accounted(m, key) {
			continue
		}
		if c.controlled() && c.slow(m) {
			slow = true
			continue
		}
		if c.independent() {
			refusals = append(refusals, m)
			continue
		}
		return c.leftover(key, m)
	}
	if ms := c.outvoted(refusals); ms != nil {
		key, _ := grants.LockOf(ms[0])
		return c.leftover(key, ms...)
	}
	switch {
	case !seen:
		return notApplicable("no client was ever denied the lock")
	case slow:
		return stalled("a key was left behind by a command that timed out although no fault held it " +
			"back: the machine stalled")
	}
	return valid
}

// leftover is the violation that refusals show.
func (c *Case) leftover(key int, ms ...*history.Command) property {
	p := violated(key)
	for _, m := range ms {
		p.Witness.Commands = append(p.Witness.Commands, command{Command: *m,
			Kind: verdict.Denial, Effect: explain.Denied()})
	}
	writer, lost := c.leftBy(ms[0])
	if writer != nil {
		p.Witness.Commands = append(p.Witness.Commands, command{Command: *writer, Kind: verdict.Write,
			Effect: explain.Writes(writer.Process)})
		inOrder(p.Witness.Commands)
		if writer == lost && writer.Process == ms[0].Process && writer.N == ms[0].N {
			p.Class = verdict.RefusedThoughGranted
		}
	}
	p.Explanation = explain.LeftBehind(c.history.Header, key, ms, writer, lost)
	return p
}

// leftBy returns what a refusal found: the latest command before it that may have written the key
// on that node; and the latest one since by the same client that was never answered, nil if all
// were.
func (c *Case) leftBy(refusal *history.Command) (writer, lost *history.Command) {
	for i := range c.trace.Commands {
		m := &c.trace.Commands[i]
		if m.Node != refusal.Node || trace.Key(m) != trace.Key(refusal) || m.Sent >= refusal.Sent ||
			c.trace.Frees(m) {
			continue
		}
		mayWrite := !trace.Answered(m) && trace.EffectOf(m.Args).Kind.Writes()
		if (mayWrite || c.trace.Takes(m)) && (writer == nil || m.Sent >= writer.Sent) {
			writer = m
		}
	}
	for i := range c.trace.Commands {
		m := &c.trace.Commands[i]
		if writer != nil && m.Process == writer.Process && m.Node == writer.Node &&
			trace.Key(m) == trace.Key(writer) && m.Sent >= writer.Sent && m.Sent < refusal.Sent &&
			!trace.Answered(m) && (lost == nil || m.Sent >= lost.Sent) {
			lost = m
		}
	}
	return writer, lost
}

func (c *Case) firstCrash() int64 {
	t := c.trust.Cut
	for _, e := range c.Record.Marks {
		if e.Type == history.Kill || e.Type == history.Exit {
			t = min(t, e.T)
		}
	}
	return t
}

// accounted reports whether a client was inside, coming or leaving, at some time while the command
// was under way or less than arrivalSlack before.
func (c *Case) accounted(m *history.Command, key int) bool {
	since := m.Sent - c.arrivalSlack()
	for i := range c.Record.Holds {
		if h := &c.Record.Holds[i]; h.Key == key && c.hadKey(h, m, since) {
			return true
		}
	}
	for i := range c.Record.Calls {
		if mayHaveTaken(&c.Record.Calls[i], m, since) {
			return true
		}
	}
	return c.passing(m, since)
}

// hadKey reports whether a hold may be what a refusal found: its acquire had been called when the
// refusal came, and its client had not certainly left.
func (c *Case) hadKey(h *record.Hold, refusal *history.Command, since int64) bool {
	called, notLeft := h.Call <= refusal.Recv, since <= c.Record.Left(h)
	return called && notLeft && !c.refusedFirst(h, refusal)
}

// refusedFirst reports whether a hold was granted to the refused client itself, later in the same
// call: it had nothing when it was refused.
func (c *Case) refusedFirst(h *record.Hold, refusal *history.Command) bool {
	own, later := h.Process == refusal.Process, h.Granting > refusal.Recv
	return own && later && !c.takesOver(refusal)
}

// mayHaveTaken reports whether another client's acquire call of unknown outcome was open.
func mayHaveTaken(k *record.Call, refusal *history.Command, since int64) bool {
	return k.Unsure() && k.Process != refusal.Process && k.From <= refusal.Recv && since <= k.To
}

// takesOver reports whether a refused SETNX was but the beginning of an attempt: its client looked
// whose lease it is, found that it had ended, and took it away.
func (c *Case) takesOver(m *history.Command) bool {
	if trace.Verb(m) != "SETNX" {
		return false
	}
	for _, w := range c.trace.Sent[m.Process] {
		if w.Sent >= m.Recv && trace.Verb(w) != "GET" && trace.Key(w) == trace.Key(m) {
			return trace.Verb(w) != "SETNX"
		}
	}
	return true
}

// passing reports whether a client had the key for a moment in an attempt that was given back: of a
// lock of several keys or servers, a call takes some, is refused another, and frees what it took.
func (c *Case) passing(m *history.Command, since int64) bool {
	for i := range c.trace.Commands {
		w := &c.trace.Commands[i]
		if w.Sent <= m.Recv && w.Node == m.Node && c.trace.TakesFree(w) &&
			trace.Key(w) == trace.Key(m) && since <= c.givenBack(w) {
			return true
		}
	}
	return false
}

// givenBack returns when what a command took was freed again, for all that its client knows: at the
// latest when the call is over.
func (c *Case) givenBack(w *history.Command) int64 {
	t := w.Recv
	for _, k := range c.Record.Calls {
		if k.Process == w.Process && k.From <= w.Sent && w.Sent <= k.To {
			t = k.To
		}
	}
	for _, m := range c.trace.Sent[w.Process] {
		if m.Sent >= w.Recv && m.Recv != 0 && m.Err == "" && m.Node == w.Node && c.trace.Frees(m) &&
			trace.Key(m) == trace.Key(w) {
			return min(t, m.Recv)
		}
	}
	return t
}
