package sim

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// inbox is what the clients' goroutines hand to the scheduler. All else belongs to the scheduler
// alone.
type inbox struct {
	mu      sync.Mutex
	reports []workloads.Report
	calls   []call
	asleep  atomic.Bool  // the scheduler waits for alarm
	until   atomic.Int64 // which is to come then, ns since 1970
	alarm   *time.Timer

	lastReports []workloads.Report // taken the time before last: memory to use again
	lastCalls   []call
}

// call is something that a client did on the network: it dialled, wrote or closed.
type call struct {
	process   int    // who; this and what follows put calls of one moment in order
	link      string // where to
	conn, seq int    // on which of its connections there, and which of its calls on that
	do        func()
	from      *conn // or instead: it wrote data to this
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

// wake ends the scheduler's sleep. The scheduler falls asleep while all clients are blocked, so
// that none can come in between.
func (b *inbox) wake() {
	if b.asleep.CompareAndSwap(true, false) {
		b.alarm.Reset(0)
	}
}

// doze lets time pass until then. It reports whether a client ended it.
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

// settle waits until every client is blocked, and takes what they did meanwhile. Clients whose
// timers fired at the same moment ran side by side: what they did is put in the order of their
// numbers.
func (w *Environment) settle() {
	if !w.stirred {
		return // all are blocked as they were
	}
	w.stirred = false
	w.rest()
	reports, calls := w.inbox.take()
	for _, r := range inOrder(reports) {
		w.see(r)
		w.reports = append(w.reports, r)
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

// take empties the inbox. What it returns is valid until it is called again.
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

// inOrder sorts the reports of one moment by client. Within a client they stay as they came, except
// for commands that ended side by side.
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
	link   *link   // whose message it is; nil: none
	stream *stream // of the link, which may hold it
	drops  bool    // it is lost if the stream is cut
	cargo
}

// happen is the end of a message's way, or whatever else was to happen.
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

// queue holds the events in the order in which they happen.
type queue struct{ events []event }

// add makes something happen at a time that no other event has: at or a little later. It returns
// that time.
func (q *queue) add(at int64, do func()) int64 { return q.put(event{at: at, cargo: cargo{do: do}}) }

// put is add for an event.
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

// next takes the first event out.
func (q *queue) next() event {
	e := q.events[0]
	q.events = slices.Delete(q.events, 0, 1)
	return e
}

// step lets one thing happen, or time pass.
func (w *Environment) step(limit int64) {
	if w.picker != nil {
		w.pick(limit)
	} else {
		w.stepTimed(limit)
	}
}

// stepTimed lets the next event happen, or time pass until it is due, until the limit, or until a
// client does something.
func (w *Environment) stepTimed(limit int64) {
	now, at := w.Now(), limit
	if len(w.queue.events) > 0 {
		at = min(at, w.queue.events[0].at)
	}
	if at > now {
		w.sleep(time.Duration(at - now))
		return
	}
	if len(w.queue.events) > 0 && w.queue.events[0].at <= now {
		w.queue.next().happen()
	}
}

// sleep lets virtual time pass. It ends early when a client does something.
func (w *Environment) sleep(d time.Duration) {
	w.stirred = true
	now := time.Now().UnixNano()
	for end := now + int64(d); now < end; {
		woken := w.inbox.doze(now, min(end, w.readers.soonest()))
		now = time.Now().UnixNano()
		expired := w.readers.expire(now)
		if expired && !woken {
			w.rest()
			woken = w.inbox.any()
		}
		if woken {
			return
		}
	}
}

// rest waits until every client is blocked.
func (w *Environment) rest() {
	w.hands.waits.Add(1)
	w.hands.waiting.Store(true)
	synctest.Wait()
	w.hands.waiting.Store(false)
}

// after makes f happen in d.
func (w *Environment) after(d time.Duration, f func()) { w.queue.add(w.Now()+int64(d), f) }

// pump runs the environment until done or for so long; it reports whether it was done. What clients
// report meanwhile is kept.
func (w *Environment) pump(d time.Duration, done func() bool) bool {
	w.stirred = true // the caller may have done something of its own
	limit := w.Now() + int64(d)
	for {
		w.settle()
		if done() {
			return true
		}
		if w.Now() >= limit {
			return false
		}
		w.step(limit)
	}
}
