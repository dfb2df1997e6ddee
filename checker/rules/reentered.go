package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules/progress"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/internal/history"
)

// This file finds clients of a re-entrant lock that keep all others out without meaning to. A
// client whose release was lost finds its own key and enters again, and its next release undoes
// only that entry.

// lockedOut looks for a time when one client alone was let in, by its own leftover, while others
// wanted the lock for longer than the bound. Such holds do not excuse it, because the key is there
// before, between and after them. The result is unknown if a command that was lost without a fault
// may have left the key.
func (c deadlockRule) lockedOut(l *record.Lock) (doubt property, found bool) {
	again := c.reentered(l)
	if len(again) == 0 {
		return property{}, false
	}
	lost, _ := c.excuses().strikes(l)
	busy := slices.Concat(c.faultTimes().disturbances(exclude(l, again)), lost)
	for _, q := range progress.QuietTimes(busy, c.waits().boundFor(0, 0)) {
		bound, known := c.waits().boundWithin(l.Key, q)
		in := holdsIn(again, q)
		if !known || len(in) == 0 {
			continue
		}
		wanted := c.wantedBeside(l, in[0].Process).Clip(q)
		from, to, ok := wanted.Subtract(c.excuses().lostBehind(l)).Lasts(bound)
		in = holdsIn(again, record.Interval{From: from, To: to})
		if !ok || len(in) == 0 {
			continue
		}
		if m := c.lostBefore(l, in[0]); m != nil {
			doubt, found = stalled("no other client than client %d was granted the lock for too long, "+
				"but %s", m.Process, explain.Unanswered(m)), true
			continue
		}
		return c.letInAlone(l, explain.Wait{Key: l.Key, Process: wanted.Process(from), From: from, To: to,
			Bound: bound}, in), true
	}
	return doubt, found
}

// letInAlone returns the violation of a client that was let in alone while another one waited.
func (c deadlockRule) letInAlone(l *record.Lock, w explain.Wait, in []*record.Hold) property {
	r := explain.Reentries{Process: in[0].Process, Times: len(in)}
	p := violated(l.Key, hold{Process: w.Process, From: w.From, To: w.To})
	if before := lostRelease(l, in[0]); before != nil {
		r.Release = before.End
		p.Witness.Commands = c.releasing(before, trace.Unsure, explain.LeavesUnsure())
		if ms := p.Witness.Commands; len(ms) > 0 {
			r.Failed = &ms[0].Command
		}
	}
	for _, h := range in {
		p.Witness.Commands = append(p.Witness.Commands, grantedBy(c.trace.GrantOf(h), h))
		p.Witness.Commands = append(p.Witness.Commands, c.releasing(h, c.trace.LeavesKey,
			explain.Leaves())...)
	}
	p.Witness.Commands = p.Witness.Commands[:min(len(p.Witness.Commands), maxCommands)]
	p.Explanation = explain.LockedOut(w, r)
	p.Cause = explain.LockedOutCause(r, c.faultTimes().promotedWithout(l, in[0].Call))
	return p
}

// releasing returns the last command of a kind of the release of a hold, with its effect.
func (c deadlockRule) releasing(h *record.Hold, kind func(*history.Command) bool,
	effect string) []command {
	for _, m := range slices.Backward(c.trace.SentWithin(h.Process, h.End, h.Returned)) {
		if c.trace.MayBeOf(m, h.Key) && kind(m) {
			return []command{{Command: *m, Effect: effect}}
		}
	}
	return nil
}

// reentered returns the holds that began and ended in a key which their own client had left behind:
// the release of the hold before, and their own release, were both told that the key stays. Nothing
// deleted the key between, and their own acquire counted once.
func (c deadlockRule) reentered(l *record.Lock) (out []*record.Hold) {
	for i, h := range l.Holds {
		if i > 0 && c.staysTaken(h) && c.leaves(l.Holds[i-1], h) {
			out = append(out, h)
		}
	}
	return out
}

// leaves reports whether a hold left its key to the next one of its client.
func (c deadlockRule) leaves(h, next *record.Hold) bool {
	by := c.trace.GrantOf(next)
	return h.Process == next.Process && c.staysTaken(h) && by != nil &&
		!slices.ContainsFunc(c.trace.Tries(next), func(m *history.Command) bool {
			return trace.Unsure(m) || m.Again > 0 || c.mayComeTwice(m)
		}) &&
		!slices.ContainsFunc(c.trace.OfKey(trace.Key(by)), func(m *history.Command) bool {
			return m.Sent >= h.Returned && m.Sent < next.Granting && c.trace.MayHaveDeleted(m)
		})
}

// lastReentry returns the last hold of any lock that began in its own client's leftover, or nil.
func (c orphanRule) lastReentry() (last *record.Hold) {
	for i := range c.waits().locks() {
		for _, h := range deadlockRule(c).reentered(&c.waits().locks()[i]) {
			last = h
		}
	}
	return last
}

// staysTaken reports whether the release of a hold was told that the key stays, although the client
// acquired the lock only once.
func (c deadlockRule) staysTaken(h *record.Hold) bool {
	reentrant := c.history.Header.Declares.Reentrant && !c.Record.Shared
	if !reentrant || h.Answer != history.OK || c.nested(h) {
		return false
	}
	stays := false
	for _, m := range c.trace.SentWithin(h.Process, h.End, h.Returned) {
		switch {
		case !c.trace.MayBeOf(m, h.Key):
		case c.trace.LeavesKey(m):
			stays = true
		case c.trace.MayHaveDeleted(m):
			return false
		}
	}
	return stays
}

// nested reports whether a client tried to acquire a lock once more inside of a hold.
func (c deadlockRule) nested(h *record.Hold) bool {
	return slices.ContainsFunc(c.waits().lock(h.Key).Calls, func(k *record.Call) bool {
		return k.Process == h.Process && k.Depth > 0 && k.From < h.Returned && h.Call < k.To
	})
}

// wantedBeside returns when clients other than process wanted the lock. A refused call counts from
// its begin to its end, not only between its answers: the releases of process show that the key
// was there all the time.
func (c deadlockRule) wantedBeside(l *record.Lock, process int) progress.Wants {
	var out []progress.Want
	for _, k := range l.Calls {
		if k.Process == process {
			continue
		}
		from, to, ok := c.waits().wantedBy(k, map[[2]int]int64{{k.Process, k.N}: k.To})
		if k.Denied() {
			from, to = k.From, k.To
		}
		if ok {
			out = append(out, progress.Want{From: from, To: to, Process: k.Process, Whole: k.Denied()})
		}
	}
	return progress.Sort(out)
}

// exclude returns a lock without some of its holds, and without the calls that were granted them.
func exclude(l *record.Lock, holds []*record.Hold) *record.Lock {
	rest := *l
	rest.Holds = slices.DeleteFunc(slices.Clone(l.Holds), func(h *record.Hold) bool {
		return slices.Contains(holds, h)
	})
	rest.Calls = slices.DeleteFunc(slices.Clone(l.Calls), func(k *record.Call) bool {
		return slices.ContainsFunc(holds, func(h *record.Hold) bool { return h.Call == k.From })
	})
	return &rest
}

// holdsIn returns the holds that overlap a time.
func holdsIn(holds []*record.Hold, t record.Interval) (out []*record.Hold) {
	for _, h := range holds {
		if t.From <= h.End && h.Granting <= t.To {
			out = append(out, h)
		}
	}
	return out
}

// lostBefore returns a command about a lock that was lost without a fault and may have left the key
// behind, or nil. The client of the hold h sent it after the last hold of another client began, and
// before h was granted.
func (c deadlockRule) lostBefore(l *record.Lock, h *record.Hold) *history.Command {
	since := int64(0)
	for _, before := range l.Holds[:slices.Index(l.Holds, h)] {
		if before.Process != h.Process {
			since = before.From
		}
	}
	for _, m := range c.trace.SentWithin(h.Process, since, h.Granting) {
		if c.trace.MayBeOf(m, l.Key) && c.excuses().unexplained(m) {
			return m
		}
	}
	return nil
}

// lostRelease returns the latest hold whose release had an unknown outcome, of the client of a hold
// before it, with no hold of another client in between, or nil.
func lostRelease(l *record.Lock, h *record.Hold) *record.Hold {
	for _, before := range slices.Backward(l.Holds[:slices.Index(l.Holds, h)]) {
		if before.Process != h.Process {
			break
		}
		if before.Answer == history.Info {
			return before
		}
	}
	return nil
}
