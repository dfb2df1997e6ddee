package linear

import (
	"cmp"
	"math"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// A MutexStream answers the question of FastMutex for all keys while events arrive. Its memory
// grows with processes, keys and held locks, not with the history. It is not safe for concurrent
// use.
//
// A core ends when its successful release is called. That is known only when the release has
// returned, so the stream keeps conditions on ends as limits: the core before another one ends by
// the return of that one's acquire, a core with a refused release ends by the return of the
// refusal, and a core that would cover a point ends by the point. The earliest end that is still
// possible is the call of a release that is under way or of unknown outcome. If that is later than
// the limit, or if there is none and time has gone on, a mutex cannot have produced the history.
type MutexStream struct {
	// Found is the first flaw, NoFlaw if there is none so far, of A, or of A and B, on Key.
	Found Flaw
	A, B  Held
	Key   int
	// Forgotten is the first acquisition that was released although too many of its process were in
	// doubt since to remember it; with one, nothing is known.
	Forgotten *Name

	processes map[int]*streamed
	last      map[int][]*streamedHold // the cores that began last, at one stamp, by key
	fresh     []*streamedHold         // cores that begin now
	due       []*streamedHold         // whose limits are to be looked at when time has gone on
	now       int64
}

// Held is an acquisition with the time during which it surely held.
type Held struct {
	Name
	From, To int64
}

// streamed is a process.
type streamed struct {
	open      bool // a call is under way
	call      int64
	f         string
	n         int
	keys      []int
	holds     []*streamedHold // not released with success
	given     []Name          // released with success, the last few
	forgotten bool            // some are not remembered
}

// streamedHold is one acquisition of one key.
type streamedHold struct {
	Name
	key     int
	from    int64 // the acquire returned; forever if its outcome is unknown
	pending int64 // the call of a release that is under way; forever if there is none
	end     int64 // the call of its successful release, or of its first unknown one, or forever
	limit   int64 // it must end by then, or
	why     Flaw  // this is a flaw,
	other   Held  // of it and of this one
	// of an unknown acquire, at the call of its release: the cores that may cover it
	before []*streamedHold
	peers  *peers // the cores that started at the same stamp, or nil
}

// peers are cores of one key that started at the same stamp. All but one of them also end there.
type peers struct{ lasting *streamedHold }

// mostDoubtful bounds the doubtful acquisitions that the stream remembers for each process. A
// client that gives up on one and takes the next does not come back to it.
const mostDoubtful = 16

// NewMutexStream returns a stream that nothing was added to.
func NewMutexStream() *MutexStream {
	return &MutexStream{processes: map[int]*streamed{}, last: map[int][]*streamedHold{},
		now: math.MinInt64}
}

// Add takes the next event in the order of time, and does not keep it. It reports whether later
// events may change the result.
func (m *MutexStream) Add(e *history.Event) bool {
	if e.Process < 0 || e.F != history.Acquire && e.F != history.Release {
		return m.open()
	}
	m.advance(e.T)
	p := m.processes[e.Process]
	if p == nil {
		p = &streamed{}
		m.processes[e.Process] = p
	}
	switch {
	case e.Type == history.Invoke:
		p.open, p.call, p.f, p.n, p.keys = true, e.T, e.F, e.N, record.KeysOf(e)
		if e.F == history.Release {
			m.releasing(p)
		}
	case e.Type.Completes() && p.open:
		p.open = false
		for _, key := range p.keys {
			if n := (Name{e.Process, p.n}); p.f == history.Acquire {
				m.acquired(p, n, key, e)
			} else {
				m.released(p, n, key, e)
			}
		}
	}
	return m.open()
}

// End ends the history: operations that are under way have an unknown outcome.
func (m *MutexStream) End() { m.advance(math.MaxInt64) }

func (m *MutexStream) open() bool { return m.Found == NoFlaw && m.Forgotten == nil }

// advance looks at all that had to wait until time goes on: at one stamp, a hold may begin and end.
func (m *MutexStream) advance(t int64) {
	if t == m.now {
		return
	}
	m.now = t
	slices.SortStableFunc(m.fresh, func(a, b *streamedHold) int { return cmp.Compare(a.key, b.key) })
	for fresh := m.fresh; len(fresh) > 0; {
		n := slices.IndexFunc(fresh, func(h *streamedHold) bool { return h.key != fresh[0].key })
		if n < 0 {
			n = len(fresh)
		}
		m.begin(fresh[:n])
		fresh = fresh[n:]
	}
	for _, h := range m.due {
		m.settle(h)
	}
	m.fresh, m.due = m.fresh[:0], m.due[:0]
}

// begin takes the cores of one key that began at one stamp.
func (m *MutexStream) begin(hs []*streamedHold) {
	key := hs[0].key
	for _, before := range m.last[key] {
		before.by(hs[0].from, Overlap, hs[0].held())
		m.settle(before)
	}
	m.last[key] = append(m.last[key][:0], hs...)
	if len(hs) == 1 {
		return
	}
	all := &peers{}
	for _, h := range hs {
		h.peers = all
		m.settle(h)
	}
}

// settle looks whether a core can have ended in time. Time has gone on since it began.
func (m *MutexStream) settle(h *streamedHold) {
	if h.soonest() > h.limit {
		m.flaw(h.why, h.key, h.held(), h.other)
	}
	if h.peers == nil || h.soonest() == h.from {
		return
	}
	if o := h.peers.lasting; o != nil && o != h {
		m.flaw(Overlap, h.key, o.held(), h.held())
	}
	h.peers.lasting = h
}

// flaw keeps the first one. A point that is covered comes before the core that covers it.
func (m *MutexStream) flaw(f Flaw, key int, a, b Held) {
	if m.Found != NoFlaw {
		return
	}
	if f == CoveredPoint {
		a, b = b, a
	}
	m.Found, m.Key, m.A, m.B = f, key, a, b
}

// held returns the facts that are known by now.
func (h *streamedHold) held() Held { return Held{h.Name, h.from, h.soonest()} }

// soonest returns the earliest end that is possible by now.
func (h *streamedHold) soonest() int64 {
	if h.end != record.Forever {
		return h.end
	}
	return h.pending
}

// by limits the end of a core.
func (h *streamedHold) by(t int64, why Flaw, other Held) {
	if t < h.limit {
		h.limit, h.why, h.other = t, why, other
	}
}

// find returns the remembered acquisition of the process, or nil.
func (p *streamed) find(n, key int) *streamedHold {
	for _, h := range p.holds {
		if h.N == n && h.key == key {
			return h
		}
	}
	return nil
}

// acquired takes the answer of an acquire.
func (m *MutexStream) acquired(p *streamed, n Name, key int, e *history.Event) {
	if e.Type == history.Fail {
		return
	}
	h := &streamedHold{Name: n, key: key, from: e.T, pending: record.Forever, end: record.Forever,
		limit: record.Forever}
	if e.Type == history.OK {
		m.fresh = append(m.fresh, h)
	} else {
		h.from = record.Forever
	}
	p.holds = append(p.holds, h)
	p.forget()
}

// forget drops the oldest of too many acquisitions that are in doubt.
func (p *streamed) forget() {
	doubtful := func(h *streamedHold) bool {
		return h.from == record.Forever || h.end != record.Forever
	}
	n := 0
	for _, h := range p.holds {
		if doubtful(h) {
			n++
		}
	}
	if n > mostDoubtful {
		i := slices.IndexFunc(p.holds, doubtful)
		p.holds = slices.Delete(p.holds, i, i+1)
		p.forgotten = true
	}
}

// releasing takes the call of a release.
func (m *MutexStream) releasing(p *streamed) {
	for _, key := range p.keys {
		if h := p.find(p.n, key); h != nil {
			h.pending = p.call
			if h.from == record.Forever {
				h.before = slices.Clone(m.last[key])
			}
		}
	}
}

// released takes the answer of a release.
func (m *MutexStream) released(p *streamed, n Name, key int, e *history.Event) {
	h := p.find(n.N, key)
	switch {
	case h == nil && e.Type != history.OK:
	case h == nil && p.forgotten:
		if m.Forgotten == nil {
			m.Forgotten = &n
		}
	case h == nil && slices.Contains(p.given, n):
		m.flaw(DoubleRelease, key, Held{Name: n}, Held{})
	case h == nil:
		m.flaw(PhantomRelease, key, Held{Name: n}, Held{})
	case e.Type == history.OK:
		m.release(p, h, e.T)
	case e.Type == history.Fail:
		h.pending = record.Forever
		if h.from < p.call {
			h.by(e.T, LostLock, Held{})
		}
		m.due = append(m.due, h)
	default:
		h.pending, h.end = record.Forever, min(h.end, p.call)
	}
}

// release takes a release that was successful.
func (m *MutexStream) release(p *streamed, h *streamedHold, t int64) {
	h.pending, h.end = record.Forever, p.call
	m.settle(h)
	p.holds = slices.DeleteFunc(p.holds, func(o *streamedHold) bool { return o == h })
	p.given = append(p.given[max(0, len(p.given)-mostDoubtful):], h.Name)
	for _, k := range h.before {
		k.by(t, CoveredPoint, h.held())
		m.due = append(m.due, k)
	}
	h.before = nil
}
