package online

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// Plain judges S and L of a plain history while it is read, in constant memory. A history is plain
// if its verdict is valid and needs no more than the evidence: it has no fault, no kill and no
// inner holds, no client was inside with another one, and no lease ended before its hold. Plain
// cannot judge any other history. For a plain one it agrees with rules.Case, with the same
// evidence. It is not safe for concurrent use.
type Plain struct {
	header history.Header
	leased bool // L is judged
	record *record.Collector
	asked  *linear.Sequence
	found  verdict.Evidence
	crowds map[int]*company
	calls  map[int]*history.Event // the latest invocation, by process
	last   history.Event
	inside []int
	odd    bool // it is not plain
}

// mostHolds is how many holds, or gaps, are kept until it is known how they ended.
const mostHolds = 100_000

// someHolds is how many holds come before it is asked which of them are over.
const someHolds = 1024

// stampLimit is at most the checker's limit, so that no multiple of a stamp overflows an int64.
const stampLimit = int64(1) << 60

// NewPlain returns a judge of a history with this header. If leased, it also judges L.
func NewPlain(h history.Header, leased bool, timeout time.Duration) *Plain {
	return &Plain{header: h, leased: leased, record: record.NewCollector(h),
		asked: linear.NewSequence(timeout), crowds: map[int]*company{},
		calls: map[int]*history.Event{}, odd: h.Declares.ChecksWrites()}
}

// Add takes the next event in the order of time, and does not keep it. It reports whether the
// history is still plain.
func (s *Plain) Add(e *history.Event) bool {
	s.last = *e
	switch {
	case e.T > stampLimit || e.T < -stampLimit,
		e.Type == history.Fault || e.Type == history.Kill:
		s.odd = true
	case e.Type == history.Invoke:
		s.invoke(e)
	case e.Type == history.Exit && e.Process >= 0 && !s.record.Client(e.Process).Idle():
		s.odd = true
	default:
		s.record.Add(e)
	}
	for i := range s.record.Calls {
		s.answer(&s.record.Calls[i])
	}
	r := s.record
	r.Calls = r.Calls[:0]
	if len(r.Holds) >= someHolds && len(r.Holds)%someHolds == 0 && e.Type == history.OK {
		r.Settle(s.settle)
	}
	s.odd = s.odd || len(r.Inner) > 0 || len(r.Holds) > mostHolds || len(r.Gaps) > mostHolds ||
		s.leased && r.WithoutLease > 0 || r.Trust.Failure.Kind != record.NoFailure
	return !s.odd
}

// invoke takes a call, and the holds that it ends.
func (s *Plain) invoke(e *history.Event) {
	call := s.calls[e.Process]
	if call == nil {
		call = new(history.Event)
		s.calls[e.Process] = call
	}
	*call = *e
	p := s.record.Client(e.Process)
	s.inside = append(s.inside[:0], p.Inside...)
	s.record.Add(call)
	for _, i := range s.inside {
		if !slices.Contains(p.Inside, i) {
			s.end(&s.record.Holds[i], e.T)
		}
	}
	if e.F != history.Acquire {
		return
	}
	for _, key := range record.KeysOf(call) {
		k := s.contentionOf(key)
		k.asking = append(k.asking, record.Interval{From: e.T, Process: e.Process})
	}
}

// answer takes an acquire call that is over.
func (s *Plain) answer(c *record.Call) {
	s.found.LongestWaitMS = max(s.found.LongestWaitMS, int((c.To-c.From)/int64(time.Millisecond)))
	s.odd = s.odd || !slices.Equal(c.Keys, record.KeysOf(s.calls[c.Process]))
	for _, key := range c.Keys {
		s.contentionOf(key).answered(record.Interval{From: c.From, To: c.To, Process: c.Process})
	}
}

func (s *Plain) contentionOf(key int) *company {
	k := s.crowds[key]
	if k == nil {
		k = &company{ends: record.NoEnds(), granted: -1, end: -record.Forever}
		s.crowds[key] = k
	}
	return k
}

// end takes the end of a hold, at t. Of one that ends as its acquire is called it is not known yet
// whether the calls of others go on.
func (s *Plain) end(h *record.Hold, t int64) {
	s.odd = s.odd || h.Call >= t
	if s.contentionOf(h.Key).contended(h, t) {
		s.found.Contended++
	}
}

// settle judges a completed hold, in the order of the grants. It looks only at the first lease,
// because a second one was requested after the first had ended.
func (s *Plain) settle(h *record.Hold) {
	k := s.contentionOf(h.Key)
	s.found.Acquisitions++
	if k.granted >= 0 && k.granted != h.Process {
		s.found.Handovers++
	}
	k.granted = h.Process
	if h.From >= h.End {
		return
	}
	s.odd = s.odd || h.From < k.end || h.Lost <= h.From ||
		s.leased && min(h.Leases[0].To, h.Lost, h.Valid) < h.End
	k.end = h.End
	if !s.odd {
		s.asked.Add(h)
	}
}

// Verdict returns the evidence, porcupine's answer for one letter, and the record with its trust.
// Plain is false if the history is not plain.
func (s *Plain) Verdict() (e verdict.Evidence, q verdict.Porcupine, r *record.Record,
	plain bool) {
	if s.odd {
		return e, q, nil, false
	}
	c := s.record
	for _, p := range c.Running {
		for _, i := range p.Inside {
			s.end(&c.Holds[i], c.End)
		}
	}
	r = c.Finish(&history.History{Header: s.header, Events: []history.Event{s.last}})
	for i := range r.Calls {
		s.answer(&r.Calls[i])
	}
	for i := range r.Holds {
		s.settle(&r.Holds[i])
	}
	e = s.found
	e.Aimed, e.Unknown = s.header.Requires.Hits, r.Unknown
	e.Gaps, e.Interrupted, e.Undone = len(r.Trust.Stalls), r.Trust.Interrupted, r.Trust.Undone
	e.LongestGapMS = int(r.WorstStall().Length() / int64(time.Millisecond))
	legal := s.asked.End()
	q = verdict.Porcupine{Version: linear.PorcupineVersion(), Result: string(s.asked.Result),
		Operations: s.asked.Operations, Slices: s.asked.Slices, Took: history.Duration(s.asked.Took)}
	return e, q, r, legal && !s.odd && q.Operations > 0
}

// company is who asks for a lock, and who asked for it until when.
type company struct {
	asking  []record.Interval
	instant []record.Interval // calls that began and ended at the latest stamp
	ends    record.Ends       // of the other calls that are over
	granted int               // the client that was granted it last
	end     int64             // of its hold
}

// answered takes a call that is over.
func (k *company) answered(c record.Interval) {
	k.asking = slices.DeleteFunc(k.asking, func(o record.Interval) bool {
		return o.Process == c.Process
	})
	k.pass(c.To)
	if c.From == c.To {
		k.instant = append(k.instant, c)
		return
	}
	k.ends.Add(c)
}

// pass counts the calls at an instant that is over: until then a hold may end before they begin.
func (k *company) pass(t int64) {
	if len(k.instant) > 0 && k.instant[0].To < t {
		for _, c := range k.instant {
			k.ends.Add(c)
		}
		k.instant = k.instant[:0]
	}
}

// contended reports whether another client asked for the lock between the call of a hold's acquire
// and its end, now. It follows the rule of record.Contended.
func (k *company) contended(h *record.Hold, now int64) bool {
	k.pass(now)
	other := func(o record.Interval) bool { return o.Process != h.Process && o.From < now }
	return k.ends.Other(h.Process) > h.Call || slices.ContainsFunc(k.asking, other)
}
