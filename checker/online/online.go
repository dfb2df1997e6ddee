// Package online judges a history while it is read. It keeps only the current calls and holds.
package online

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/rules"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// Judge judges a history as a mutex while it is read, in constant memory. It agrees with rules.Case
// but for three differences: it stops at the first violation, it does not ask porcupine, and it
// counts less evidence. It is not safe for concurrent use.
type Judge struct {
	header  history.Header
	mutex   *linear.MutexStream
	told    []history.Event // events of the harness, for the trust in the record
	shared  bool
	found   verdict.Evidence
	crowds  map[int]*crowd
	calls   map[int]*streamedCall
	granted map[int]int // lock -> the client that was granted it last
}

// crowd is the holder of a lock and the clients that ask for it.
type crowd struct {
	asking []*streamedCall
	holder *streamedCall // nil if unknown
}

// streamedCall is an acquire call and the hold that it got.
type streamedCall struct {
	process int
	at      int64
	met     bool // another client asked, too
}

// New returns a judge of a history with this header.
func New(h history.Header) *Judge {
	return &Judge{header: h, mutex: linear.NewMutexStream(), shared: h.Declares.Shared,
		crowds: map[int]*crowd{}, calls: map[int]*streamedCall{}, granted: map[int]int{}}
}

// Add takes the next event in the order of time, and does not keep it. It reports whether more may
// change the verdict.
func (s *Judge) Add(e *history.Event) bool {
	if e.Process < 0 || e.Type == history.Kill || e.Type == history.Exit {
		s.told = append(s.told, *e)
		s.leave(e)
		return true
	}
	s.shared = s.shared || e.Mode == history.Shared
	s.count(e)
	return !s.shared && s.mutex.Add(e)
}

// leave takes a client that is gone out of all crowds.
func (s *Judge) leave(e *history.Event) {
	if c := s.calls[e.Process]; e.Process >= 0 && c != nil {
		for _, k := range s.crowds {
			k.drop(c)
		}
		delete(s.calls, e.Process)
	}
}

func (k *crowd) drop(c *streamedCall) {
	k.asking = slices.DeleteFunc(k.asking, func(o *streamedCall) bool { return o == c })
}

// count counts the evidence.
func (s *Judge) count(e *history.Event) {
	switch {
	case e.F == history.Acquire && e.Type == history.Invoke:
		c := &streamedCall{process: e.Process, at: e.T}
		s.calls[e.Process] = c
		for _, key := range record.KeysOf(e) {
			k := s.contentionOf(key)
			k.asking = append(k.asking, c)
		}
	case e.F == history.Acquire && e.Type.Completes() && s.calls[e.Process] != nil:
		s.answer(s.calls[e.Process], e)
	case e.F == history.Release && e.Type == history.Invoke:
		for _, key := range record.KeysOf(e) {
			s.release(s.contentionOf(key), e)
		}
	}
	if e.Type == history.Info {
		s.found.Unknown++
	}
}

// release takes the call of a release.
func (s *Judge) release(k *crowd, e *history.Event) {
	if k.holder == nil || k.holder.process != e.Process {
		return
	}
	for _, c := range k.asking {
		s.contend(k.holder, c, e.T)
	}
	k.holder = nil
}

func (s *Judge) contentionOf(key int) *crowd {
	k := s.crowds[key]
	if k == nil {
		k = &crowd{}
		s.crowds[key] = k
	}
	return k
}

// answer takes the return of an acquire call.
func (s *Judge) answer(c *streamedCall, e *history.Event) {
	s.found.LongestWaitMS = max(s.found.LongestWaitMS, int((e.T-c.at)/int64(time.Millisecond)))
	for _, key := range record.KeysOf(e) {
		k := s.contentionOf(key)
		k.drop(c)
		for _, o := range k.asking {
			o.meet(c, e.T)
			c.meet(o, e.T)
		}
		s.contend(k.holder, c, e.T)
		if e.Type == history.OK {
			s.grant(key, k, *c)
		}
	}
}

// meet notes that two calls were under way at once, the one or the other until t.
func (c *streamedCall) meet(o *streamedCall, t int64) {
	c.met = c.met || c.process != o.process && max(c.at, o.at) < t
}

// contend counts a hold that another client wanted before t.
func (s *Judge) contend(h, c *streamedCall, t int64) {
	if h == nil || h.met {
		return
	}
	if h.meet(c, t); h.met {
		s.found.Contended++
	}
}

// grant takes a hold.
func (s *Judge) grant(key int, k *crowd, hold streamedCall) {
	k.holder = &hold
	s.found.Acquisitions++
	if hold.met {
		s.found.Contended++
	}
	if last, ok := s.granted[key]; ok && last != hold.process {
		s.found.Handovers++
	}
	s.granted[key] = hold.process
}

// Verdict returns the verdict on the added events, the evidence, and the record with its trust.
func (s *Judge) Verdict() (verdict.Property, verdict.Evidence, *record.Record) {
	s.mutex.End()
	r := record.Build(&history.History{Header: s.header, Events: s.told})
	s.found.Interrupted, s.found.Faults = r.Trust.Interrupted, len(r.Faults)
	return s.property(), s.found, r
}

// property returns the verdict on the model.
func (s *Judge) property() verdict.Property {
	m, p := s.mutex, verdict.Property{Verdict: verdict.Valid}
	switch {
	case s.shared:
		p = rules.Shared("mutex")
	case m.Found != linear.NoFlaw:
		p = rules.Flawed(&s.header, m.Key, m.Found, heldIn(m.A), heldIn(m.B))
	case m.Forgotten != nil:
		p = verdict.Property{Verdict: verdict.Unknown, Reason: explain.Forgotten(*m.Forgotten)}
	}
	p.Property = "mutex"
	return p
}

func heldIn(h linear.Held) verdict.Hold {
	return verdict.Hold{Process: h.Process, N: h.N, From: h.From, To: h.To}
}
