package rules

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// mostChance is how probable it may at most be that a starving client was passed over by chance.
const mostChance = 1e-6

// mostClients is up to how many clients starvation is looked for.
const mostClients = 64

// leastChance replaces all smaller chances.
const leastChance = 1e-300

// starved returns the client that was passed over most improbably, or nil. Each grant while it
// waited counts as a fair draw among the clients that waited then. Grants under a fault, or in time
// that the client lost or could not use, do not count.
func starved(c *Case) (worst *verdict.Starvation) {
	if !drawsFairly(c) {
		return nil
	}
	for i := range c.waits().locks() {
		for _, s := range passedOver(c, &c.waits().locks()[i]) {
			if s.Chance < mostChance && (worst == nil || s.Chance < worst.Chance) {
				worst = s
			}
		}
	}
	if worst != nil {
		worst.Explanation = explain.Starved(worst)
	}
	return worst
}

// MayShowStarvation reports whether so many grants can pass over one of the clients more often than
// chance explains.
func MayShowStarvation(clients, grants int) bool {
	return math.Pow(float64(clients-1)/float64(clients), float64(grants)) < mostChance
}

// drawsFairly reports whether each of the waiting clients should be granted the lock as often: the
// lock declares no preference, and servers are known to have answered the clients.
func drawsFairly(c *Case) bool {
	h := &c.history.Header
	answered := len(c.trace.Commands) > 0 || h.System != ""
	return answered && h.Environment != "" && len(c.Record.Clients) <= mostClients &&
		!c.Record.Shared && !h.Declares.Preference && !h.Declares.Optimistic
}

// passedOver returns for each client the rows of grants to others while it waited. A row ends when
// the client is granted the lock.
func passedOver(c *Case, l *record.Lock) (all []*verdict.Starvation) {
	now, w := map[int]*verdict.Starvation{}, newWaiting(c, l)
	counted := map[*record.Call]bool{}
	for _, h := range l.Holds {
		delete(now, h.Process)
		if underFault(c, h.From) {
			continue
		}
		passed := w.openAt(h)
		for _, k := range passed {
			s := now[k.Process]
			if s == nil {
				s = &verdict.Starvation{Client: k.Process, Key: l.Key, Chance: 1}
				now[k.Process], all = s, append(all, s)
			}
			if !counted[k] {
				counted[k] = true
				s.Tries++
			}
			s.Others++
			s.Chance = max(leastChance, s.Chance*float64(len(passed))/float64(len(passed)+1))
		}
	}
	return all
}

// waiting finds which clients wait for a lock. Its stamps only grow.
type waiting struct {
	last  int64          // the last grant: a call that ends later was waiting until the run ended
	calls []*record.Call // by beginning
	next  int
	open  map[int]*record.Call // the latest call of each client
	lost  map[int][]record.Interval
}

func newWaiting(c *Case, l *record.Lock) *waiting {
	w := &waiting{calls: slices.Clone(l.Calls), open: map[int]*record.Call{},
		lost: map[int][]record.Interval{}}
	slices.SortStableFunc(w.calls, func(a, b *record.Call) int { return cmp.Compare(a.From, b.From) })
	for _, h := range l.Holds {
		w.last = max(w.last, h.From)
	}
	for _, k := range w.calls {
		if _, known := w.lost[k.Process]; !known {
			w.lost[k.Process] = slices.Concat(c.excuses().lostTime(k.Process), c.stood(k.Process))
		}
	}
	return w
}

// openAt returns the calls of other clients that were open when a hold was granted and were told
// that the lock is taken, or were still waiting.
func (w *waiting) openAt(h *record.Hold) (calls []*record.Call) {
	for ; w.next < len(w.calls) && w.calls[w.next].From < h.Granting; w.next++ {
		w.open[w.calls[w.next].Process] = w.calls[w.next]
	}
	for _, p := range slices.Sorted(maps.Keys(w.open)) {
		k := w.open[p]
		answered := k.Denied() || k.Outcome == history.OK || k.Unsure() && k.To > w.last
		if p != h.Process && h.From < k.To && k.Depth == 0 && answered && !w.lostAt(p, h) {
			calls = append(calls, k)
		}
	}
	return calls
}

// lostAt reports whether a client lost time while a hold was granted.
func (w *waiting) lostAt(process int, h *record.Hold) bool {
	return slices.ContainsFunc(w.lost[process], func(x record.Interval) bool {
		return x.From <= h.From && h.Granting <= x.To
	})
}

// underFault reports whether a fault was under way at a stamp, or its effect lasted.
func underFault(c *Case, t int64) bool {
	return slices.ContainsFunc(c.faults, func(f record.Fault) bool {
		return f.From <= t && (t <= f.To || f.MovesClock())
	})
}
