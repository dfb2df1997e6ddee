package rules

import (
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules/progress"
	"github.com/lockbench/lockbench/internal/history"
)

// This file finds clients of a re-entrant lock that keep all others out without meaning to. A
// client whose release was lost finds its own key and enters again, and its next release only
// counts down to where the count stood.

// lockedOut looks for a time when one client alone was let in, by its own leftover, while others
// wanted the lock for longer than the bound. Such holds are no excuse: the key is there before,
// between and after them.
func (c deadlockRule) lockedOut(l *record.Lock) (property, bool) {
	again := c.reentered(l)
	if len(again) == 0 {
		return property{}, false
	}
	lost, _ := c.excuses().strikes(l)
	busy := slices.Concat(c.faultTimes().disturbances(without(l, again)), lost)
	for _, q := range progress.QuietTimes(busy, c.waits().boundFor(0)) {
		bound, known := c.waits().boundWithin(l.Key, q)
		in := within(again, q)
		if !known || len(in) == 0 {
			continue
		}
		wanted := c.wantedBeside(l, in[0].Process).Clip(q)
		if from, to, ok := wanted.Lasts(bound, c.excuses().lostBehind(l)); ok {
			if m := c.lostBefore(l, in[0]); m != nil {
				return stalled("no other client than client %d was granted the lock for too long, but %s",
					m.Process, explain.Unanswered(m)), true
			}
			return c.alone(l, explain.Wait{Key: l.Key, Process: wanted.Process(from), From: from, To: to,
				Bound: bound}, again), true
		}
	}
	return property{}, false
}

// alone returns the violation by a client that alone was let in while another one waited.
func (c deadlockRule) alone(l *record.Lock, w explain.Wait, again []*record.Hold) property {
	in := within(again, record.Interval{From: w.From, To: w.To})
	r := explain.Reentries{Process: in[0].Process, Times: len(in), Release: lostRelease(l, in[0])}
	p := violated(l.Key, hold{Process: w.Process, From: w.From, To: w.To})
	p.Explanation, p.Cause = explain.LockedOut(w, r), explain.LockedOutCause(r)
	return p
}

// reentered returns the holds of a lock that began and ended in a key which their own client had
// left behind: the same client held the lock last and had not freed it, and the answer to the
// release says that the key stays.
func (c deadlockRule) reentered(l *record.Lock) (out []*record.Hold) {
	for i, h := range l.Holds {
		if i > 0 && c.staysTaken(h) && c.leaves(l.Holds[i-1], h) {
			out = append(out, h)
		}
	}
	return out
}

// leaves reports whether a hold left its key to the next one of its client: the answer to its
// release says so, or there was none, and the next acquire cannot have counted twice.
func (c deadlockRule) leaves(h, next *record.Hold) bool {
	if h.Process != next.Process {
		return false
	}
	m := c.trace.GrantOf(next)
	return c.staysTaken(h) ||
		h.Answer != history.OK && m != nil && m.Again == 0 && !c.mayComeTwice(m)
}

// staysTaken reports whether the server said to the release of a hold that it counted down and kept
// the key, although the client had acquired the lock once.
func (c deadlockRule) staysTaken(h *record.Hold) bool {
	reentrant := c.history.Header.Declares.Reentrant && !c.Record.Shared
	if !reentrant || h.Answer != history.OK || h.InnerReleased != 0 {
		return false
	}
	stays := false
	for _, m := range c.quorums().sentWithin(h.Process, h.End, h.Returned) {
		switch {
		case !c.trace.MayBeOf(m, h.Key):
		case c.trace.Kept(m):
			stays = true
		case c.trace.MayHaveDeleted(m):
			return false
		}
	}
	return stays
}

// wantedBeside returns when other clients than one wanted the lock. A call that was refused counts
// whole: the releases of the one say that the key was there all the time.
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

// without returns a lock without some of its holds, and without the calls that were granted them.
func without(l *record.Lock, holds []*record.Hold) *record.Lock {
	rest := *l
	rest.Holds = slices.DeleteFunc(slices.Clone(l.Holds), func(h *record.Hold) bool {
		return slices.Contains(holds, h)
	})
	rest.Calls = slices.DeleteFunc(slices.Clone(l.Calls), func(k *record.Call) bool {
		return slices.ContainsFunc(holds, func(h *record.Hold) bool { return h.Call == k.From })
	})
	return &rest
}

// within returns the holds during a time.
func within(holds []*record.Hold, t record.Interval) (out []*record.Hold) {
	for _, h := range holds {
		if t.From <= h.End && h.Granting <= t.To {
			out = append(out, h)
		}
	}
	return out
}

// lostBefore returns a command about a lock that the client of a hold had sent before it and that
// was not answered although no fault held it back, or nil: it may be what left the key behind.
func (c deadlockRule) lostBefore(l *record.Lock, h *record.Hold) *history.Command {
	for _, m := range c.quorums().sentWithin(h.Process, 0, h.Granting) {
		if c.trace.MayBeOf(m, l.Key) && c.excuses().unexplained(m) {
			return m
		}
	}
	return nil
}

// lostRelease returns when the client of a hold last called a release of the lock, before it, that
// had no certain answer, or zero.
func lostRelease(l *record.Lock, h *record.Hold) (at int64) {
	for _, before := range l.Holds[:slices.Index(l.Holds, h)] {
		if before.Process == h.Process && before.Answer != history.OK {
			at = before.End
		}
	}
	return at
}
