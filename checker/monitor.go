package checker

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// Monitor watches a run and reports its first certain violations of S and L. Events must come in
// order within each process. Those of several processes may interleave with some delay: Monitor
// judges a pair of holds only when both have ended, or when one has ended and the other client's
// own later event shows that it was still inside. Check confirms every report, unless it learns
// afterwards that the record cannot be trusted (a stall, an exit that was not planned). It is not
// safe for concurrent use.
type Monitor struct {
	c      *record.Collector
	judged []record.ExclusionRule
	// spans of holds that have ended, by beginning; no two conflict until the first violation
	over  map[monitorKey][]record.Span
	found []string
	kills map[int]history.Event // of processes that are not known to be gone
}

type monitorKey struct {
	rule record.ExclusionRule
	key  int
}

// NewMonitor returns a monitor for a run with this header. It judges S and L if the header lists
// them, or both if it lists none. For a lock that decides on each write it judges neither.
func NewMonitor(h history.Header) *Monitor {
	m := &Monitor{
		c:    record.NewCollector(h),
		over: map[monitorKey][]record.Span{}, kills: map[int]history.Event{},
	}
	for b, letter := range ruleLetters {
		if !h.Declares.ChecksWrites() && !(h.Outstays && b == record.UntilRelease) &&
			(len(h.Properties) == 0 || slices.Contains(h.Properties, letter)) {
			m.judged = append(m.judged, b)
		}
	}
	slices.Sort(m.judged)
	return m
}

var ruleLetters = map[record.ExclusionRule]string{record.UntilRelease: MutualExclusion,
	record.WhileLeased: LeaseExclusion}

// Violated returns the properties that were found violated, in the order of discovery.
func (m *Monitor) Violated() []string { return m.found }

// Add takes the next event. It reports whether a property is now known to be violated that was not
// before.
func (m *Monitor) Add(e history.Event) (violation bool) {
	before := len(m.found)
	if e.Process < 0 {
		return false
	}
	p := m.c.Client(e.Process)
	switch e.Type {
	case history.Kill:
		// what the process said before it died may still be on its way: its holds end when it is known to
		// be gone
		p.Dead = min(p.Dead, e.T)
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
func (m *Monitor) take(p *record.Client, e history.Event) {
	watched := slices.Clone(p.Inside)
	fresh := len(m.c.Holds)
	m.c.Add(&e)
	for i := fresh; i < len(m.c.Holds); i++ {
		watched = append(watched, i)
	}
	for _, i := range watched {
		if !slices.Contains(p.Inside, i) {
			m.end(i, &m.c.Holds[i])
		}
	}
}

// end compares a hold that has ended with the earlier ended ones and with the holds of clients that
// were inside later.
func (m *Monitor) end(i int, h *record.Hold) {
	for _, b := range m.judged {
		if slices.Contains(m.found, ruleLetters[b]) {
			continue
		}
		for _, s := range h.Spans(i, b, record.Forever) {
			if m.meetsOver(monitorKey{b, h.Key}, s) || m.meetsInside(b, h, s) {
				m.found = append(m.found, ruleLetters[b])
				break
			}
		}
	}
}

// meetsOver reports whether a span overlaps one of the ended spans, and adds it to them.
func (m *Monitor) meetsOver(k monitorKey, s record.Span) bool {
	ss := m.over[k]
	at, _ := slices.BinarySearchFunc(ss, s.From, func(o record.Span, t int64) int {
		return cmp.Compare(o.From, t)
	})
	if m.c.Shared { // shared spans overlap, so that comparing neighbours does not suffice
		if slices.ContainsFunc(ss, s.Conflict) {
			return true
		}
	} else if at > 0 && ss[at-1].End > s.From || at < len(ss) && ss[at].From < s.End {
		return true
	}
	m.over[k] = slices.Insert(ss, at, s)
	return false
}

// meetsInside reports whether another client, not out yet, is known to have been inside during the
// span.
func (m *Monitor) meetsInside(b record.ExclusionRule, h *record.Hold, s record.Span) bool {
	for _, p := range m.c.Running {
		if p.Process == h.Process {
			continue
		}
		for _, i := range p.Inside {
			if o := &m.c.Holds[i]; o.Key == h.Key && slices.ContainsFunc(o.Spans(i, b, p.Last),
				s.Conflict) {
				return true
			}
		}
	}
	return false
}
