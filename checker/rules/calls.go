package rules

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// openCalls returns the calls that outlived their own time-outs: an acquire twice the time that it
// was given, a release what its client waits for answers. An acquire without a time-out has none. A
// lock that ignores the time-out is overdue only if no other client was inside for so long. A
// release whose time-outs are unknown is over when all of its commands have been answered.
func (c waits) openCalls() (out []explain.OpenCall) {
	h := c.history.Header
	if limit := 2 * int64(h.AcquireTimeout); limit > 0 {
		for i := range c.Record.Calls {
			k := &c.Record.Calls[i]
			if k.To-k.From <= limit {
				continue
			}
			overdue := !h.Declares.Endless || k.To-max(k.From, c.Record.LastLeft(k)) > limit
			out = append(out, explain.OpenCall{Keys: k.Keys, Key: k.Keys[0], Process: k.Process, N: k.N,
				F: history.Acquire, From: k.From, To: k.To, Limit: limit,
				Open: overdue && k.Outcome == history.Invoke && k.To == c.Record.End})
		}
	}
	return append(out, c.openReleases(int64(h.ClientTimeout)*int64(max(1, h.Masters)))...)
}

// openReleases returns the releases of holds that took longer than a time. If that is zero, they
// took longer than a usual time, and than the commands of the hold.
func (c waits) openReleases(limit int64) (out []explain.OpenCall) {
	for i := range c.Record.Holds {
		h := &c.Record.Holds[i]
		if h.Ended != record.Released {
			continue
		}
		to := min(c.Record.LeftAt(h), c.endOf(h.Process), c.Record.End)
		late := to-h.End > cmp.Or(limit, int64(usualTimeout))
		if late && (limit > 0 || c.trace.AllAnswered(h.Process, h.Call, to)) {
			out = append(out, explain.OpenCall{Key: h.Key, Process: h.Process, N: h.N,
				F: history.Release, From: h.End, To: to, Limit: limit, Open: c.Record.LeftAt(h) > to &&
					to == c.Record.End})
		}
	}
	return out
}

// endOf returns when a client was killed or had ended, or Forever.
func (c waits) endOf(process int) int64 {
	for _, e := range c.Record.Marks {
		if e.Process == process && (e.Type == history.Kill || e.Type == history.Exit) {
			return e.T
		}
	}
	return record.Forever
}

// hanging returns a call that outlived its time-outs by the bound although no fault was under way
// and servers answered, or nil. That others are granted the lock excuses only a lock that ignores
// its time-out.
func (c waits) hanging(calls []explain.OpenCall, bound int64) *explain.OpenCall {
	for i := range calls {
		k := &calls[i]
		for _, q := range c.undisturbed(k) {
			if k.Bound = bound; c.served(k, q) && c.ran(k, q) >= k.Limit+bound {
				if ignoresTimeout(c.history.Header, k) {
					k.Since = q.From
				}
				return k
			}
		}
	}
	return nil
}

// ignoresTimeout reports whether a call waits for as long as other clients have the lock.
func ignoresTimeout(h history.Header, k *explain.OpenCall) bool {
	return k.F == history.Acquire && h.Declares.Endless
}

// overdue returns a call that was open when the record ended and does not certainly hang, or nil.
func (c waits) overdue(calls []explain.OpenCall, bound int64) *explain.OpenCall {
	for i := range calls {
		if k := &calls[i]; k.Open {
			k.Bound = bound
			return k
		}
	}
	return nil
}

// undisturbed returns the parts of a call during which no fault was under way. Of an acquire of a
// lock that ignores its time-out, no other client was inside then, either, and no command was lost
// whose key may have kept the client out.
func (c waits) undisturbed(k *explain.OpenCall) (out []record.Interval) {
	busy := slices.Clone(c.faultTimes().everywhere())
	if ignoresTimeout(c.history.Header, k) {
		for i := range c.Record.Holds {
			if h := &c.Record.Holds[i]; h.Process != k.Process && slices.Contains(k.Keys, h.Key) {
				busy = append(busy, record.Interval{From: h.Call, To: c.Record.LeftAt(h)})
			}
		}
		for _, key := range k.Keys {
			lost, _ := c.excuses().strikes(c.lock(key))
			busy = append(busy, lost...)
		}
	}
	record.SortIntervals(busy)
	at := k.From
	for _, b := range busy {
		if b.From == b.To || b.To <= at || b.From >= k.To {
			continue
		}
		if b.From > at {
			out = append(out, record.Interval{From: at, To: b.From})
		}
		at = b.To
	}
	if at < k.To {
		out = append(out, record.Interval{From: at, To: k.To})
	}
	return out
}

// served reports whether a server answered within the part of a call that came after its time-outs,
// or whether the client waits for no answer, as one does whose pool of connections is empty. If no
// command is known, another call must have returned then.
func (c waits) served(k *explain.OpenCall, q record.Interval) bool {
	from, to := k.From, q.To
	if ignoresTimeout(c.history.Header, k) { // no other client may ask in that time
		from, to = q.From, k.To
	}
	after := max(q.From, min(from+k.Limit, q.To))
	if len(c.trace.Commands) > 0 {
		return c.trace.AnsweredWithin(after, to) ||
			c.history.Header.WholeTrace && c.trace.AllAnswered(k.Process, 0, q.To)
	}
	return slices.ContainsFunc(c.Record.Holds, func(h record.Hold) bool {
		return h.Call > after && h.From < q.To && h.Process != k.Process
	})
}

// ran returns for how long of a quiet time a client ran and lost none of its commands.
func (c waits) ran(k *explain.OpenCall, q record.Interval) int64 {
	ns := q.To - q.From
	for _, x := range c.excuses().lostTime(k.Process) {
		ns -= max(0, min(x.To, q.To)-max(x.From, q.From))
	}
	return ns
}
