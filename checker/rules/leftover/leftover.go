// Package leftover finds the command that left the key of a lock behind. It finds words for a
// certain violation, and decides nothing.
package leftover

import (
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// Find returns the commands behind a refusal on its node. Writer is the latest command before the
// refusal that wrote, or may have written, the key there and was not undone. Lost is the latest
// unanswered command by the same client since it began to write: a lock that counts its holds may
// count an unanswered write, too. Each is nil if there is none. If the client's library sent a
// command twice, and only the first copy can have refused the second, that command is both. Find
// passes over a write that a fault can have kept from its server.
func Find(t *trace.Trace, faults []record.Fault, refusal *history.Command) (writer,
	lost *history.Command) {
	commands := t.OfKey(trace.Key(refusal))
	for i, m := range commands {
		if m.Node != refusal.Node {
			continue
		}
		if m.Sent >= refusal.Sent {
			break
		}
		switch {
		case t.Deleted(m) || trace.DeletedSome(m):
			if writer != nil && !outlives(t, writer, commands[i:]) {
				writer, lost = nil, nil
			}
		case t.Frees(m):
		case keptAway(faults, m, refusal.Sent):
			if writer != nil && !stays(writer, m, refusal.Sent) {
				writer, lost = nil, nil
			}
			continue
		case Writes(t, m):
			if lost != nil && (lost.Process != m.Process || t.Frees(lost) || !mayWrite(lost)) {
				lost = nil
			}
			writer = m
		}
		if writer != nil && m.Process == writer.Process && !trace.Answered(m) {
			lost = m
		}
	}
	if writer == nil && refusal.Again > 0 {
		return refusal, refusal
	}
	return writer, lost
}

// NeverFreed reports whether no command of a trace is known to delete a key, or may do so.
func NeverFreed(t *trace.Trace) bool {
	return !slices.ContainsFunc(t.Commands, func(m *history.Command) bool {
		return t.Frees(m) || t.Undeclared(m)
	})
}

// Writes reports whether a command wrote its key, or may have.
func Writes(t *trace.Trace, m *history.Command) bool {
	return t.Takes(m) || mayWrite(m)
}

// mayWrite reports whether a command without an answer may have written its key.
func mayWrite(m *history.Command) bool {
	return trace.Unsure(m) && trace.EffectOf(m.Args).Kind.Writes()
}

// keptAway reports whether a command would have written its key, and may not have reached its
// server before a stamp.
func keptAway(faults []record.Fault, m *history.Command, before int64) bool {
	return mayWrite(m) && (m.Why == history.NotSent ||
		slices.ContainsFunc(faults, func(f record.Fault) bool { return f.MayKeepAway(m, before) }))
}

// stays reports whether a writer is still the last one at a stamp, even if a later command arrived:
// that was never sent, or it overwrites no key and the writer's lease still runs.
func stays(writer, later *history.Command, at int64) bool {
	if later.Why == history.NotSent {
		return true
	}
	overwrites := []trace.Kind{trace.Write, trace.Swap, trace.Rewrite}
	e := trace.EffectOf(writer.Args)
	return !slices.Contains(overwrites, trace.EffectOf(later.Args).Kind) &&
		(e.Expiry == trace.Expiry{} || at < writer.Sent+nanoseconds(e))
}

// LastWriter returns the last of some commands, in the order of sending, that wrote, or may have
// written, the key of a lock on its one server before a stamp and was not undone. It returns nil if
// there is none. Of the client it returns only the command. It passes over a write that a fault can
// have kept from the server.
func LastWriter(t *trace.Trace, faults []record.Fault, commands []*history.Command,
	before int64) *explain.Leftover {
	var left *explain.Leftover
	for i, m := range commands {
		if m.Sent >= before {
			break
		}
		e := trace.EffectOf(m.Args)
		switch {
		case t.Deleted(m) || trace.DeletedSome(m):
			if left != nil && !outlives(t, left.Command, commands[i:]) {
				left = nil
			}
		case t.Frees(m):
		case keptAway(faults, m, before):
			if left != nil && !stays(left.Command, m, before) {
				left = nil
			}
		case Writes(t, m):
			left = &explain.Leftover{Command: m, Expiry: nanoseconds(e), LifeUnknown: e.Kind == trace.Script}
		case e.Kind == trace.Expire && left != nil && e.Expiry.Seconds <= 0: // that deletes it
			if trace.Answered(m) && !outlives(t, left.Command, commands[i:]) {
				left = nil
			}
		case e.Kind == trace.Expire && left != nil && !t.Unchanged(m) &&
			trace.Key(m) == trace.Key(left.Command):
			had := left.Unleased == nil && (left.Expiry > 0 || left.LifeUnknown)
			left.Expiry, left.LifeUnknown, left.Unleased = nanoseconds(e), !trace.Answered(m), nil
			if left.LifeUnknown && !had && m.Process == left.Command.Process {
				left.Unleased = m
			}
		}
	}
	return left
}

// outlives reports whether the key of a writer was there after a deletion, the first of some
// commands, that was sent before the writer's answer. The first later command that tells was
// refused, and sent after that answer.
func outlives(t *trace.Trace, writer *history.Command, commands []*history.Command) bool {
	if commands[0].Sent >= writer.Recv {
		return false
	}
	for _, m := range commands[1:] {
		switch {
		case m.Node != writer.Node:
		case t.Denied(m) && m.Sent > writer.Recv:
			return true
		case t.Deleted(m) || trace.DeletedSome(m) || Writes(t, m) || t.FindsNone(m):
			return false
		}
	}
	return false
}

// Renewal returns the last command that was sent between two stamps and gave the key of a lock
// another lease, or nil.
func Renewal(t *trace.Trace, lock int, from, to int64) (last *history.Command) {
	for _, m := range t.OfLock(lock) {
		if m.Sent > from && m.Sent < to && t.Renews(m) {
			last = m
		}
	}
	return last
}

// nanoseconds returns the time to live that a command gives its key.
func nanoseconds(e trace.Effect) int64 { return int64(e.Expiry.Seconds * 1e9) }

// Fate records the fate of the client that left a key behind: how its hold ended, and whether it
// was killed.
func Fate(r *record.Record, holds []*record.Hold, left *explain.Leftover) {
	m := left.Command
	for _, h := range holds {
		if h.Process == m.Process && (h.N == m.N || m.N == 0) && h.Granting <= m.Sent {
			left.Ended, left.At, left.Answer, left.Held = h.Ended, h.End, h.Answer, true
		}
	}
	for _, e := range r.Marks {
		if e.Type == history.Kill && e.Process == m.Process {
			left.Ended, left.At = record.Killed, e.T
		}
	}
}
