package sim

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/sim/engine"
	"github.com/lockbench/lockbench/workloads"
)

// Picker is a Chooser that also decides what happens next. An environment with one has no
// latencies: a message arrives when it is picked, and time passes when nothing is under way or when
// that is picked. This is how all orders of messages are gone through.
type Picker interface {
	Chooser
	// Pick returns the number of the option that happens next, or Again. Option 0 goes on with the
	// client that acted last, if it can; that time passes is the last. It is asked only if a message
	// is under way and there are at least two options, but see Injector.
	Pick(w *Environment, options []Option) int
}

// Injector is a Picker that injects a fault, so that it also wants to be asked when no message is
// under way: the only option is then that time passes.
type Injector interface {
	// CanInject reports whether there is a fault to inject.
	CanInject() bool
}

// Again as an answer to Pick: nothing happens, because the picker has told the environment
// something (see Tell).
const Again = -1

// Option is one thing that may happen next.
type Option struct {
	Process int // whose message it is; -1: a replica's, or time
	// "c0>n0.12", the 12th message on this way; "c0>n0 reply.12"; "c0 wakes.3", from its third sleep,
	// which is a short one; "time"
	Name string
	// where the message arrives: "n0", "c0"; of a sleep its client; "": nowhere, since time passes
	To    string
	Reads bool // a request that changes nothing
	// since when a message is under way; of Time, until when it passes at most; the environment's
	// clock in ns
	At int64
}

// Races reports whether it may make a difference which of two happens first.
func (o Option) Races(other Option) bool { return o.To == other.To && !(o.Reads && other.Reads) }

// Time is the name of the option that time passes until a client does something. It is not there
// while a client sleeps for a moment only, such as inside: that it wakes is an option of its own.
const Time = "time"

// message is under way until it is picked.
type message struct {
	option Option
	stream *int64 // messages of one stream arrive in their order
	link   *link
	arrive func()
}

// pend puts a message where the Picker finds it.
func (l *link) pend(s *stream, last *int64, e event) {
	s.count++
	option := Option{Process: -1, Name: fmt.Sprintf("%s.%d", s.name, s.count), To: l.node.name,
		At: l.w.Now()}
	if args, _, err := resp.Command(e.data); s == &l.up && err == nil && len(args) > 0 {
		option.Reads = engine.Reads(args[0])
	}
	if s == &l.down {
		option.To, _, _ = strings.Cut(strings.Replace(l.name, "+", "", 1), ">")
	}
	if strings.HasPrefix(s.name, "c") {
		fmt.Sscanf(s.name, "c%d", &option.Process)
	}
	l.w.pending = append(l.w.pending, message{option, last, l, e.happen})
}

// enabled are the numbers of the messages that may arrive next: of each stream the first. The
// client that acted last comes first.
func (w *Environment) enabled() []int {
	var firsts []int
	seen := map[*int64]bool{}
	for i, m := range w.pending {
		if !seen[m.stream] {
			firsts = append(firsts, i)
		}
		seen[m.stream] = true
	}
	slices.SortStableFunc(firsts, func(a, b int) int {
		x, y := w.pending[a].option, w.pending[b].option
		return cmp.Or(cmp.Compare(w.other(x), w.other(y)), cmp.Compare(x.Process, y.Process),
			cmp.Compare(x.Name, y.Name))
	})
	return firsts
}

func (w *Environment) other(o Option) int {
	if o.Process == w.lastActor {
		return 0
	}
	return 1
}

const (
	// what happens so soon is not picked: orders that arrive, connections that are made
	machinery = time.Millisecond
	tick      = time.Microsecond // between two messages, so that stamps tell them apart
	// a sleep that ends so soon is a step of its client, not time that passes
	moment = 10 * time.Millisecond
)

// pick is step for an environment with a Picker.
func (w *Environment) pick(limit int64) {
	w.asleep.hook(w)
	now := w.Now()
	if q := w.queue.events; len(q) > 0 && q[0].at <= now+int64(machinery) {
		w.stepTimed(min(limit, q[0].at))
		return
	}
	injector, _ := w.picker.(Injector)
	injects := injector != nil && injector.CanInject()
	if len(w.pending) == 0 && !injects || limit <= now+int64(machinery) {
		w.stepTimed(limit)
		return
	}
	options, firsts := w.options(now, limit)
	c := 0
	if len(options) > 1 || injects {
		c = w.picker.Pick(w, options)
	}
	switch {
	case c < 0:
	case c >= len(options) || firsts[c] < 0:
		w.lastActor = options[min(c, len(options)-1)].Process
		w.pass(limit)
	default:
		w.arrive(firsts[c])
	}
}

// options are what may happen next, and for each the number of the message in pending, or -1: time
// passes.
func (w *Environment) options(now, limit int64) (options []Option, messages []int) {
	messages = w.enabled()
	for _, i := range messages {
		options = append(options, w.pending[i].option)
	}
	nap, soon := w.asleep.soonest(now, now+int64(moment))
	if !soon {
		nap = Option{Process: -1, Name: Time, At: w.passes(now, limit)}
	}
	at := len(options)
	if soon && nap.Process == w.lastActor && (at == 0 || options[0].Process != w.lastActor) {
		at = 0
	}
	return slices.Insert(options, at, nap), slices.Insert(messages, at, -1)
}

// arrive delivers a message. What a client is told is a part of its state, beside what it reports.
func (w *Environment) arrive(i int) {
	m := w.pending[i]
	w.pending = slices.Delete(w.pending, i, i+1)
	w.lastActor = m.option.Process
	w.sleep(tick)
	m.link.node.noteWaiting(m.option)
	if p := m.option.Process; p >= 0 && p < len(w.clients) &&
		strings.Contains(m.option.Name, " reply") {
		c := w.clients[p]
		c.seen = hash(c.seen, m.option.Name)
	}
	m.arrive()
}

// pass lets time pass until something happens, and a little longer: what clients do at nearly the
// same time they have all done then.
func (w *Environment) pass(limit int64) {
	before := w.Now()
	w.stepTimed(limit)
	for end := w.Now() + int64(machinery); w.Now() > before && w.Now() < min(end, limit); {
		w.settle()
		w.stepTimed(min(end, limit))
	}
}

// Tell gives the loop that drives the environment a report that no client made. It is for a Picker,
// which answers Again then.
func (w *Environment) Tell(r workloads.Report) { w.reports = append(w.reports, r) }

// sleepers are the sleeps of clients that have not ended.
type sleepers struct {
	hooked bool
	mu     sync.Mutex
	naps   []nap
	count  map[int]int // by client
}

type nap struct {
	option Option
	until  int64
}

// hook makes the clients' sleeps known, once.
func (s *sleepers) hook(w *Environment) {
	if s.hooked {
		return
	}
	s.hooked, s.count = true, map[int]int{}
	for _, c := range w.clients {
		c.env.HookSleep(func(d time.Duration) func() { return s.sleep(c.number, w.Now()+int64(d)) })
	}
}

func (s *sleepers) sleep(client int, until int64) (awake func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[client]++
	n := nap{Option{client, fmt.Sprintf("c%d wakes.%d", client, s.count[client]),
		clientName(client), false, 0}, until}
	s.naps = append(s.naps, n)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.naps = slices.DeleteFunc(s.naps, func(o nap) bool { return o == n })
	}
}

// passes is until when time passes if it does: until a client wakes or a reader gives up, or
// another timer of a client ends sooner.
func (w *Environment) passes(now, limit int64) int64 {
	if len(w.queue.events) > 0 {
		limit = min(limit, w.queue.events[0].at)
	}
	if due := w.readers.soonest(); due < math.MaxInt64 {
		limit = min(limit, due-w.zero)
	}
	w.asleep.mu.Lock()
	defer w.asleep.mu.Unlock()
	for _, n := range w.asleep.naps {
		if n.until >= now {
			limit = min(limit, n.until)
		}
	}
	return limit
}

// soonest is the sleep that ends first, if that is not after a moment. A client that should be
// awake already was stopped.
func (s *sleepers) soonest(now, by int64) (Option, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := nap{until: by + 1}
	for _, n := range s.naps {
		if n.until >= now && n.until < first.until || n.until == first.until &&
			n.option.Name < first.option.Name {
			first = n
		}
	}
	return first.option, first.until <= by
}

// grain is the finest time that a fingerprint tells apart: what comes of an order of messages
// differs by microseconds in its times.
const grain = time.Millisecond

// Fingerprint is a hash of all that the rest of the run depends on: the contents of the nodes, all
// that each client has seen so far, the messages under way, and the time to a millisecond. Two
// equal ones are the same state, but for a collision of 64 bits, for a lock that tells times below
// a millisecond apart, and for what a Picker that prunes adds: the contents of replies under way
// (Config.Executed), and who acted last, if it counts that.
func (w *Environment) Fingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d|", w.Now()/int64(grain))
	for _, n := range w.nodes {
		fmt.Fprintf(h, "%v %v %d %d %d %v %d|", n.down, n.paused, n.busy, n.offset, n.stands,
			n.engine.Replica, n.waiting)
		io.WriteString(h, n.engine.Contents())
	}
	for _, c := range w.clients {
		fmt.Fprintf(h, "%d|", c.seen)
	}
	names := make([]string, len(w.pending)) // in which order they were sent makes no difference
	for i, m := range w.pending {
		names[i] = m.option.Name
	}
	slices.Sort(names)
	for _, name := range names {
		io.WriteString(h, name)
	}
	for _, l := range w.links {
		if !l.whole() {
			fmt.Fprintf(h, "%s %v %v %d", l.name, l.up.cut, l.down.cut, len(l.up.held)+len(l.down.held))
		}
	}
	return h.Sum64()
}

func (l *link) whole() bool {
	return !l.up.cut && !l.down.cut && !l.up.hold && !l.down.hold && !l.refused && !l.reset
}

// see adds what a client has done or seen to its part of the fingerprint.
func (w *Environment) see(r workloads.Report) {
	if w.picker == nil || r.Process < 0 || r.Process >= len(w.clients) {
		return
	}
	c := w.clients[r.Process]
	switch {
	case r.Command != nil:
		x := r.Command
		c.seen = hash(c.seen, fmt.Sprint(x.Seq, x.N, x.Sent/int64(grain), x.Recv/int64(grain), x.Args,
			x.Reply, x.Err))
	case r.Event != nil:
		x := r.Event
		c.seen = hash(c.seen, fmt.Sprint(x.Type, x.T/int64(grain), x.F, x.N, x.Err))
	default:
		c.seen = hash(c.seen, fmt.Sprint(r.Breakpoint != nil, r.Done != nil, w.Now()/int64(grain)))
	}
}
