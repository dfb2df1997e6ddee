package checker

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/history"
)

// Monitor watches a run and tells its first certain violations of S and L. Events must come in
// order within each process; those of several may interleave with some delay, since a pair of holds
// is judged only when both have ended, or when one has and the other's client was still inside by
// its own later word. What it reports, Check finds too, unless Check learns afterwards that the
// record cannot be trusted (a stall, an exit that nobody planned). It is not safe for concurrent
// use.
type Monitor struct {
	c      *collector
	judged []belief
	// spans of holds that have ended, by beginning; disjoint until the first violation
	over  map[monitorKey][]span
	found []string
	kills map[int]history.Event // of processes that are not known to be gone
}

type monitorKey struct {
	belief belief
	key    int
}

// NewMonitor returns a monitor for a run with this header. It judges S and L, those of them that
// the header lists, or both if it lists none.
func NewMonitor(h history.Header) *Monitor {
	m := &Monitor{
		c:    &collector{declares: h.Declares, drift: h.Drift, clients: map[int]*client{}},
		over: map[monitorKey][]span{}, kills: map[int]history.Event{},
	}
	for b, letter := range beliefLetters {
		if len(h.Properties) == 0 || slices.Contains(h.Properties, letter) {
			m.judged = append(m.judged, b)
		}
	}
	slices.Sort(m.judged)
	return m
}

var beliefLetters = map[belief]string{untilRelease: MutualExclusion, whileLeased: LeaseExclusion}

// Violated returns the properties that are known to be violated, in the order in which they were
// found.
func (m *Monitor) Violated() []string { return m.found }

// Add takes the next event. It reports whether a property is now known to be violated that was not
// before.
func (m *Monitor) Add(e history.Event) (violation bool) {
	before := len(m.found)
	if e.Process < 0 {
		return false
	}
	p := m.c.client(e.Process)
	switch e.Type {
	case history.Kill:
		// what the process said before it died may still be on its way: its holds end when it is known to
		// be gone
		p.dead = min(p.dead, e.T)
		m.kills[e.Process] = e
		return false
	case history.Exit:
		if kill, ok := m.kills[e.Process]; ok {
			m.take(p, kill)
		}
	}
	m.take(p, e)
	return len(m.found) > before
}

// take hands an event to the collector and judges the holds that it ended.
func (m *Monitor) take(p *client, e history.Event) {
	watched := slices.Clone(p.inside)
	fresh := len(m.c.holds)
	m.c.add(&e)
	for i := fresh; i < len(m.c.holds); i++ {
		watched = append(watched, i)
	}
	for _, i := range watched {
		if !slices.Contains(p.inside, i) {
			m.end(i, &m.c.holds[i])
		}
	}
}

// end judges a hold that has ended against those that ended before and those whose clients are
// known to have been inside later.
func (m *Monitor) end(i int, h *hold) {
	for _, b := range m.judged {
		if slices.Contains(m.found, beliefLetters[b]) {
			continue
		}
		for _, s := range spansOf(h, i, b, forever) {
			if m.meetsOver(monitorKey{b, h.key}, s) || m.meetsInside(b, h, s) {
				m.found = append(m.found, beliefLetters[b])
				break
			}
		}
	}
}

// meetsOver adds a span to those that are over and reports whether it overlaps one of them.
func (m *Monitor) meetsOver(k monitorKey, s span) bool {
	ss := m.over[k]
	at, _ := slices.BinarySearchFunc(ss, s.from, func(o span, t int64) int {
		return cmp.Compare(o.from, t)
	})
	if at > 0 && ss[at-1].end > s.from || at < len(ss) && ss[at].from < s.end {
		return true
	}
	m.over[k] = slices.Insert(ss, at, s)
	return false
}

// meetsInside reports whether another client, which has not left yet, is known to have been inside
// during the span.
func (m *Monitor) meetsInside(b belief, h *hold, s span) bool {
	for _, p := range m.c.clients {
		if p.process == h.process {
			continue
		}
		for _, i := range p.inside {
			if o := &m.c.holds[i]; o.key == h.key && slices.ContainsFunc(spansOf(o, i, b, p.last),
				func(x span) bool { return x.from < s.end && s.from < x.end }) {
				return true
			}
		}
	}
	return false
}
