package sim

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/workloads"
)

// Picker is a Chooser that also decides what happens next. A world with one has no latencies: a message arrives when it is picked, and time
// passes when nothing is under way or when that is picked. This is how all orders of messages are gone through.
type Picker interface {
	Chooser
	// Pick returns the number of the option that happens next. Option 0 goes on with the client that acted last, if it can; the last
	// one is that time passes. It is asked only if there are at least two.
	Pick(w *World, options []Option) int
}

// Option is one thing that may happen next.
type Option struct {
	Process int    // whose message it is; -1: a replica's, or time
	Name    string // "c0>n0.12", the 12th message on this way; "c0>n0 reply.12"; "time"
}

// Time is the name of the option that time passes until a client does something.
const Time = "time"

// message is under way until it is picked.
type message struct {
	option Option
	stream *int64 // messages of one stream arrive in their order
	link   *link
	arrive func()
}

// pend puts a message where the Picker finds it.
func (l *link) pend(name string, last *int64, arrive func()) {
	l.w.counts[name]++
	option := Option{Process: -1, Name: fmt.Sprintf("%s.%d", name, l.w.counts[name])}
	if strings.HasPrefix(name, "c") {
		fmt.Sscanf(name, "c%d", &option.Process)
	}
	l.w.pending = append(l.w.pending, message{option, last, l, arrive})
}

// enabled are the numbers of the messages that may arrive next: of each stream the first. The client that acted last comes first.
func (w *World) enabled() []int {
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
		return cmp.Or(cmp.Compare(w.other(x), w.other(y)), cmp.Compare(x.Process, y.Process), cmp.Compare(x.Name, y.Name))
	})
	return firsts
}

func (w *World) other(o Option) int {
	if o.Process == w.lastActor {
		return 0
	}
	return 1
}

// machinery is what happens without being picked: orders that arrive, connections that are made.
const machinery = time.Millisecond

// pick is step for a world with a Picker.
func (w *World) pick(limit int64) {
	now := w.Now()
	if q := w.queue.events; len(q) > 0 && q[0].at <= now+int64(machinery) {
		w.stepTimed(min(limit, q[0].at))
		return
	}
	firsts := w.enabled()
	if len(firsts) == 0 {
		w.stepTimed(limit)
		return
	}
	options := make([]Option, 0, len(firsts)+1)
	for _, i := range firsts {
		options = append(options, w.pending[i].option)
	}
	options = append(options, Option{Process: -1, Name: Time})
	c := w.picker.Pick(w, options)
	if c < 0 || c >= len(firsts) {
		w.stepTimed(limit)
		return
	}
	m := w.pending[firsts[c]]
	w.pending = slices.Delete(w.pending, firsts[c], firsts[c]+1)
	w.lastActor = m.option.Process
	m.arrive()
}

// Fingerprint is a hash of all that the rest of the run depends on: what the nodes hold, what each client has seen so far, what is under way,
// and the time. Two equal ones are the same state, but for a collision of 64 bits.
func (w *World) Fingerprint() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d|", w.Now(), w.lastActor)
	for _, n := range w.nodes {
		fmt.Fprintf(h, "%v %v %d %d %v|", n.down, n.paused, n.busy, n.offset, n.engine.Replica)
		io.WriteString(h, n.engine.Contents())
	}
	for _, c := range w.clients {
		fmt.Fprintf(h, "%d|", c.seen)
	}
	for _, m := range w.pending {
		io.WriteString(h, m.option.Name)
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
func (w *World) see(r workloads.Report) {
	if w.picker == nil || r.Process < 0 || r.Process >= len(w.clients) {
		return
	}
	c := w.clients[r.Process]
	switch {
	case r.Command != nil:
		x := r.Command
		c.seen = hash(c.seen, fmt.Sprint(x.Seq, x.N, x.Sent, x.Recv, x.Args, x.Reply, x.Err))
	case r.Event != nil:
		x := r.Event
		c.seen = hash(c.seen, fmt.Sprint(x.Type, x.T, x.F, x.N, x.Err))
	default:
		c.seen = hash(c.seen, fmt.Sprint(r.Gate != nil, r.Done != nil, w.Now()))
	}
}
