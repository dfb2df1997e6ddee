package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/workloads"
)

// message is a message that is under way until the Picker picks it.
type message struct {
	option Option
	stream *int64 // identifies the stream; its messages arrive in order
	link   *link
	arrive func()
}

// ordering lets a Picker decide what happens next.
type ordering struct {
	environment *Environment
	scheduler   *scheduler
	picker      Picker
	pending     []message
	firsts      []int // see enabled
	lastActor   int
	sleepers    sleepers
	prunes      bool // the picker needs Fingerprint
}

func newOrdering(w *Environment, p Picker) *ordering {
	_, prunes := p.(Pruner)
	return &ordering{environment: w, scheduler: w.scheduler, picker: p, prunes: prunes}
}

// pend adds a message to the list that the Picker picks from.
func (o *ordering) pend(l *link, s *stream, last *int64, e event) {
	s.count++
	option := Option{Process: s.whose, Name: s.name + "." + strconv.Itoa(s.count), To: s.to,
		At: o.scheduler.Now()}
	if args, _, err := resp.Command(e.data); s == &l.up && err == nil && len(args) > 0 {
		option.Reads = engine.Reads(args[0])
	}
	o.pending = append(o.pending, message{option, last, l, e.happen})
}

// enabled returns the numbers of the messages that may arrive next, the first of each stream. The
// client that acted last comes first. The result is valid until the next call.
func (o *ordering) enabled() []int {
	o.firsts = o.firsts[:0]
	for i := range o.pending {
		if !slices.ContainsFunc(o.firsts, func(first int) bool {
			return o.pending[first].stream == o.pending[i].stream
		}) {
			o.firsts = append(o.firsts, i)
		}
	}
	slices.SortStableFunc(o.firsts, func(a, b int) int {
		return o.compare(&o.pending[a].option, &o.pending[b].option)
	})
	return o.firsts
}

func (o *ordering) compare(x, y *Option) int {
	switch {
	case x.Process == y.Process:
		return cmp.Compare(x.Name, y.Name)
	case x.Process == o.lastActor:
		return -1
	case y.Process == o.lastActor:
		return 1
	}
	return cmp.Compare(x.Process, y.Process)
}

const (
	// events that are due so soon need no pick: orders that arrive, connections that are made
	machinery = time.Millisecond
	tick      = time.Microsecond // time between two messages, so that their stamps differ
	// a sleep that ends so soon is an option of its own
	moment = 10 * time.Millisecond
)

// pick lets the Picker choose a message or time, and carries that out.
func (o *ordering) pick(limit int64) {
	o.sleepers.hook(o.environment)
	now := o.scheduler.Now()
	if q := o.scheduler.queue.events; len(q) > 0 && q[0].at <= now+int64(machinery) {
		o.scheduler.stepTimed(min(limit, q[0].at))
		return
	}
	injector, _ := o.picker.(Injector)
	injects := injector != nil && injector.CanInject()
	if len(o.pending) == 0 && !injects || limit <= now+int64(machinery) {
		o.scheduler.stepTimed(limit)
		return
	}
	options, firsts := o.options(now, limit)
	c := 0
	if len(options) > 1 || injects {
		c = o.picker.Pick(o.environment, options)
	}
	switch {
	case c < 0:
	case c >= len(options) || firsts[c] < 0:
		x := options[min(c, len(options)-1)]
		o.lastActor = x.Process
		o.pass(x.At, limit)
	default:
		o.arrive(firsts[c])
	}
}

// options returns the options, and for each the number of its message in pending, or -1 for time.
func (o *ordering) options(now, limit int64) (options []Option, messages []int) {
	messages = o.enabled()
	options = make([]Option, 0, len(messages)+1)
	for _, i := range messages {
		options = append(options, o.pending[i].option)
	}
	nap, soon := o.sleepers.soonest(now, now+int64(moment))
	if !soon {
		nap = Option{Process: -1, Name: Time, At: o.passes(now, limit)}
	}
	at := len(options)
	if soon && nap.Process == o.lastActor && (at == 0 || options[0].Process != o.lastActor) {
		at = 0
	}
	return slices.Insert(options, at, nap), slices.Insert(messages, at, -1)
}

// arrive delivers a message. It adds a reply to its client's part of the fingerprint.
func (o *ordering) arrive(i int) {
	m := o.pending[i]
	o.pending = slices.Delete(o.pending, i, i+1)
	o.lastActor = m.option.Process
	o.scheduler.sleep(tick)
	m.link.node.noteWaiting(m.option)
	if p := m.option.Process; o.prunes && p >= 0 && p < len(o.environment.clients.all) &&
		strings.Contains(m.option.Name, " reply") {
		c := o.environment.clients.all[p]
		c.seen = hash(c.seen, m.option.Name)
	}
	m.arrive()
}

// pass lets time pass until something happens that the scheduler sees, at most until the given
// time. Then it waits a moment, so that all clients that act at nearly the same time have acted. It
// never passes limit. A client that wakes and does nothing does not end it: therefore the Picker is
// told until when messages may wait.
func (o *ordering) pass(until, limit int64) {
	s := o.scheduler
	before := s.Now()
	s.stepTimed(min(max(until, before+1), limit))
	for end := s.Now() + int64(machinery); s.Now() > before && s.Now() < min(end, limit); {
		s.settle()
		s.stepTimed(min(end, limit))
	}
}

// passes returns the latest time until which time may pass: a client wakes then, a reader gives up,
// or another timer of a client ends.
func (o *ordering) passes(now, limit int64) int64 {
	if len(o.scheduler.queue.events) > 0 {
		limit = min(limit, o.scheduler.queue.events[0].at)
	}
	if due := o.scheduler.readers.soonest(); due < math.MaxInt64 {
		limit = min(limit, due-o.scheduler.zero)
	}
	o.sleepers.mu.Lock()
	defer o.sleepers.mu.Unlock()
	for _, n := range o.sleepers.naps {
		if n.until >= now {
			limit = min(limit, n.until)
		}
	}
	return limit
}

// see adds a report to its client's part of the fingerprint.
func (o *ordering) see(r workloads.Report) {
	if !o.prunes || r.Process < 0 || r.Process >= len(o.environment.clients.all) {
		return
	}
	c := o.environment.clients.all[r.Process]
	switch {
	case r.Command != nil:
		x := r.Command
		c.seen = hash(c.seen, fmt.Sprint(x.Seq, x.N, x.Sent/int64(grain), x.Recv/int64(grain), x.Args,
			x.Reply, x.Err))
	case r.Event != nil:
		x := r.Event
		c.seen = hash(c.seen, fmt.Sprint(x.Type, x.T/int64(grain), x.F, x.N, x.Err))
	default:
		c.seen = hash(c.seen, fmt.Sprint(r.Breakpoint != nil, r.Done != nil,
			o.scheduler.Now()/int64(grain)))
	}
}

func (o *ordering) underWay() []string {
	names := make([]string, len(o.pending))
	for i, m := range o.pending {
		names[i] = m.option.Name
	}
	return names
}
