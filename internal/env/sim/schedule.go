package sim

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// scheduler lets events happen one after the other in virtual time. It takes the calls and reports
// of clients, delivers messages, and passes the reports on.
type scheduler struct {
	zero     int64 // when the environment began, ns since 1970
	watchdog *watchdog
	inbox    inbox
	readers  readers
	queue    queue
	reports  []workloads.Report // in order
	taken    int                // number of reports that Next has returned
	ordering *ordering          // decides what happens next; if nil, messages have latencies
	// a client may run, because the scheduler has changed something since all were blocked
	stirred bool
	// held while a fault or an order ends several connections: a client sees all of them end at once
	ending sync.RWMutex
}

func newScheduler() *scheduler {
	s := &scheduler{zero: time.Now().UnixNano(), stirred: true}
	s.inbox.alarm = time.NewTimer(time.Hour)
	return s
}

// Now returns the virtual time, ns since the environment began.
func (s *scheduler) Now() int64 { return int64(s.elapsed()) }

// elapsed is faster than time.Since in a bubble, where times have no monotonic reading.
func (s *scheduler) elapsed() time.Duration {
	return time.Duration(time.Now().UnixNano() - s.zero)
}

// Next lets the environment go on until a client has something to report, and returns the report.
// It returns false if Now has reached deadline, or ctx has ended.
func (s *scheduler) Next(ctx context.Context, deadline int64) (workloads.Report, bool) {
	for {
		s.settle()
		if s.taken < len(s.reports) {
			s.taken++
			return s.reports[s.taken-1], true
		}
		s.reports, s.taken = s.reports[:0], 0
		if ctx.Err() != nil || s.Now() >= deadline {
			return workloads.Report{}, false
		}
		s.step(deadline)
	}
}

// endTogether calls f, which ends connections. A client that one of them wakes does nothing on the
// network before f has returned. Otherwise Go's scheduler would decide which others it finds open.
func (s *scheduler) endTogether(f func()) {
	s.ending.Lock()
	defer s.ending.Unlock()
	f()
}

// awaitEnds returns when endTogether has ended all its connections.
func (s *scheduler) awaitEnds() {
	s.ending.RLock()
	defer s.ending.RUnlock()
}

// Tell gives the loop that drives the environment a report that no client made. It is for a Picker,
// which then answers Again.
func (s *scheduler) Tell(r workloads.Report) { s.reports = append(s.reports, r) }

// rush lets all scheduled events happen at once. If there are none, time passes.
func (s *scheduler) rush(limit int64) {
	if !s.stirred && len(s.queue.events) == 0 {
		s.stepTimed(limit)
	}
	all := s.queue.events
	s.queue.events = nil
	for _, e := range all {
		e.happen()
	}
}

// inbox collects the calls and reports that the clients' goroutines hand to the scheduler.
// Everything else belongs to the scheduler alone.
type inbox struct {
	mu      sync.Mutex
	reports []workloads.Report
	calls   []call
	asleep  atomic.Bool  // the scheduler waits for alarm
	until   atomic.Int64 // when alarm fires, ns since 1970
	alarm   *time.Timer

	lastReports []workloads.Report // returned by the latest take; the next one reuses the memory
	lastCalls   []call
}

// call is something that a client did on the network: it dialled, wrote or closed.
type call struct {
	process   int    // the client; this and the next three fields sort calls of one moment
	link      string // name of the link
	conn, seq int    // number of the connection on the link, and of the call on the connection
	do        func()
	from      *conn // instead of do: the connection that sends data
	data      []byte
}

func (b *inbox) report(r workloads.Report) {
	b.mu.Lock()
	b.reports = append(b.reports, r)
	b.mu.Unlock()
	b.wake()
}

func (b *inbox) post(c call) {
	b.mu.Lock()
	b.calls = append(b.calls, c)
	b.mu.Unlock()
	b.wake()
}

// wake ends the scheduler's sleep. The scheduler starts to sleep while all clients are blocked, so
// no client can act between its check and its sleep.
func (b *inbox) wake() {
	if b.asleep.CompareAndSwap(true, false) {
		b.alarm.Reset(0)
	}
}

// doze lets time pass until the given time. It reports whether a client woke the scheduler earlier.
func (b *inbox) doze(now, until int64) (woken bool) {
	b.until.Store(until)
	b.alarm.Reset(time.Duration(until - now))
	b.asleep.Store(true)
	<-b.alarm.C
	return !b.asleep.Swap(false)
}

// any reports whether a client has done something.
func (b *inbox) any() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.reports) > 0 || len(b.calls) > 0
}

// settle waits until every client is blocked, and takes their calls and reports. Clients whose
// timers fired at the same moment ran in parallel. Settle sorts their calls and reports by client.
func (s *scheduler) settle() {
	if !s.stirred {
		return // all clients are still blocked
	}
	s.stirred = false
	s.waitBlocked()
	reports, calls := s.inbox.take()
	for _, r := range inOrder(reports) {
		if s.ordering != nil {
			s.ordering.see(r)
		}
		s.reports = append(s.reports, r)
	}
	if len(calls) > 1 {
		slices.SortStableFunc(calls, call.compare)
	}
	for _, c := range calls {
		if c.do != nil {
			c.do()
		} else {
			c.from.transmit(c.data)
		}
	}
}

// take empties the inbox. Its results are valid until the next call.
func (b *inbox) take() ([]workloads.Report, []call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	reports, calls := b.reports, b.calls
	clear(b.lastReports)
	clear(b.lastCalls)
	b.reports, b.calls = b.lastReports[:0], b.lastCalls[:0]
	b.lastReports, b.lastCalls = reports, calls
	return reports, calls
}

func (c call) compare(o call) int {
	return cmp.Or(cmp.Compare(c.process, o.process), cmp.Compare(c.link, o.link),
		cmp.Compare(c.conn, o.conn), cmp.Compare(c.seq, o.seq))
}

// inOrder sorts the reports of one moment by client. Reports of one client keep their order, except
// that commands that ended together are sorted by number.
func inOrder(rs []workloads.Report) []workloads.Report {
	if len(rs) < 2 {
		return rs
	}
	slices.SortStableFunc(rs, func(a, b workloads.Report) int {
		return cmp.Compare(a.Process, b.Process)
	})
	for from := 0; from < len(rs); from++ {
		to := from
		for to < len(rs) && ended(rs[to]) && rs[to].Process == rs[from].Process {
			to++
		}
		slices.SortStableFunc(rs[from:to], func(a, b workloads.Report) int {
			return cmp.Compare(a.Command.Seq, b.Command.Seq)
		})
		from = max(from, to-1)
	}
	return rs
}

func ended(r workloads.Report) bool { return r.Command != nil && r.Command.Recv != 0 }

// event is something that will happen.
type event struct {
	at     int64   // environment's clock
	link   *link   // the link of the message, or nil
	stream *stream // the direction of the link, or nil; it may hold the message
	drops  bool    // it is lost if the stream is cut
	cargo
}

// happen lets a message arrive, unless its stream drops or holds it, or calls the event's function.
func (e event) happen() {
	switch s := e.stream; {
	case s == nil:
		e.arrive()
	case s.cut && e.drops:
	case s.hold:
		s.held = append(s.held, e.cargo)
	default:
		e.arrive()
	}
}

// queue holds the events, sorted by time.
type queue struct{ events []event }

// add schedules do at a time that no other event has: at, or the next free nanosecond. It returns
// that time.
func (q *queue) add(at int64, do func()) int64 { return q.put(event{at: at, cargo: cargo{do: do}}) }

// put schedules an event as add does.
func (q *queue) put(e event) int64 {
	i, taken := slices.BinarySearchFunc(q.events, e.at, func(e event, at int64) int {
		return cmp.Compare(e.at, at)
	})
	for ; taken; i++ {
		e.at++
		taken = i+1 < len(q.events) && q.events[i+1].at == e.at
	}
	q.events = slices.Insert(q.events, i, e)
	return e.at
}

func (q *queue) next() event {
	e := q.events[0]
	q.events = slices.Delete(q.events, 0, 1)
	return e
}

// step lets one event happen, or time pass.
func (s *scheduler) step(limit int64) {
	if s.ordering != nil {
		s.ordering.pick(limit)
	} else {
		s.stepTimed(limit)
	}
}

// stepTimed lets the next event happen if it is due. Otherwise time passes until it is due, until
// the limit, or until a client acts.
func (s *scheduler) stepTimed(limit int64) {
	now, at := s.Now(), limit
	if len(s.queue.events) > 0 {
		at = min(at, s.queue.events[0].at)
	}
	if at > now {
		s.sleep(time.Duration(at - now))
		return
	}
	if len(s.queue.events) > 0 && s.queue.events[0].at <= now {
		s.queue.next().happen()
	}
}

// sleep lets virtual time pass. It ends early when a client acts.
func (s *scheduler) sleep(d time.Duration) {
	s.stirred = true
	now := time.Now().UnixNano()
	for end := now + int64(d); now < end; {
		woken := s.inbox.doze(now, min(end, s.readers.soonest()))
		now = time.Now().UnixNano()
		expired := s.readers.expire(now)
		if expired && !woken {
			s.waitBlocked()
			woken = s.inbox.any()
		}
		if woken {
			return
		}
	}
}

func (s *scheduler) waitBlocked() {
	s.watchdog.waits.Add(1)
	s.watchdog.waiting.Store(true)
	synctest.Wait()
	s.watchdog.waiting.Store(false)
}

func (s *scheduler) schedule(d time.Duration, f func()) { s.queue.add(s.Now()+int64(d), f) }

// RunUntil runs the environment until done returns true, for at most d of virtual time, and reports
// whether it was done. It calls done while all clients are blocked, and keeps their reports.
func (s *scheduler) RunUntil(d time.Duration, done func() bool) bool {
	s.stirred = true // the caller may have done something of its own
	limit := s.Now() + int64(d)
	for {
		s.settle()
		if done() {
			return true
		}
		if s.Now() >= limit {
			return false
		}
		s.step(limit)
	}
}
