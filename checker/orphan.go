package checker

import (
	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/history"
)

// orphan judges that no key stays set that no client holds: a client was told that the lock is
// taken while no client was inside and none had an acquire or release call open that may account
// for it. It rests on the trace, and ends at the first planned crash. Of independent servers so
// many must say so that the attempt could not have been granted.
func (c *check) orphan() Property {
	if len(c.trace.Commands) == 0 {
		return Property{
			Reason: explain.Say(
				"there is no trace of Redis commands, which alone shows whether a key is set")}
	}
	if c.independent() && c.history.Header.Masters == 0 {
		return Property{
			Verdict: NA,
			Reason: explain.Say(
				"a key on one of several independent servers keeps no client out, and the record does not " +
					"say how many there are")}
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
		if c.accounted(m, key, c.arrivalSlack()) {
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
		return Property{Verdict: NA, Reason: explain.Say("no client was ever denied the lock")}
	case slow:
		return Property{Stalled: true,
			Reason: explain.Say(
				"a key was left behind by a command that timed out although no fault held it back: the " +
					"machine stalled")}
	}
	return Property{Verdict: Valid}
}

// leftover is the violation that refusals show.
func (c *check) leftover(key int, ms ...*history.Command) Property {
	p := Property{Verdict: Violated, Witness: &Witness{Key: key}}
	for _, m := range ms {
		p.Witness.Commands = append(p.Witness.Commands, WitnessCommand{
			Command: *m, Kind: verdict.Denial,
			Effect: explain.Say("is denied although no client is inside")})
	}
	where := ""
	if len(ms) > 1 {
		where = explain.Say(" by %d independent servers", len(ms))
	}
	p.Explanation = explain.Say(
		"At %s client %d was told%s that lock %d is taken (%q, reply %q), but no client was inside and "+
			"none was acquiring or releasing it: the key was left behind.",
		at(ms[0].Sent), ms[0].Process, where, key, c.commandText(ms[0]), ms[0].Reply)
	return p
}

func (c *check) firstCrash() int64 {
	t := c.trust.Cut
	for _, e := range c.record.Marks {
		if e.Type == history.Kill || e.Type == history.Exit {
			t = min(t, e.T)
		}
	}
	return t
}

// accounted reports whether a client was inside, coming or leaving, at some time while the command
// was under way or less than arrivalSlack before. A client that is refused first and granted the
// lock later in the same call has had nothing when it was refused.
func (c *check) accounted(m *history.Command, key int, arrivalSlack int64) bool {
	since := m.Sent - arrivalSlack
	for i := range c.record.Holds {
		if h := &c.record.Holds[i]; h.Key == key && h.Call <= m.Recv && since <= c.record.Left(h) &&
			(h.Process != m.Process || h.Granting <= m.Recv || c.takesOver(m)) {
			return true
		}
	}
	for _, k := range c.record.Calls {
		unsure := k.Unsure()
		if unsure && k.Process != m.Process && k.From <= m.Recv && since <= k.To {
			return true
		}
	}
	return c.passing(m, since)
}

// takesOver reports whether a refused SETNX was but the beginning of an attempt: its client looked
// whose lease it is, found that it had ended, and took it away.
func (c *check) takesOver(m *history.Command) bool {
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
func (c *check) passing(m *history.Command, since int64) bool {
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
func (c *check) givenBack(w *history.Command) int64 {
	t := w.Recv
	for _, k := range c.record.Calls {
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
