package checker

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/lockbench/lockbench/checker/linear/lineartest"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// site simulates clients of a lock on one Redis, command by command, with a trace, several locks
// and nested acquires. It knows what really happened: who was inside when, whose key a release
// deleted, and who was denied a key that no client held any more. It is right unless a mistake is
// asked for.
type site struct {
	r       *rand.Rand
	queue   lineartest.Queue
	now     int64
	unit    int64 // delays are multiples of it
	ttl     int64 // 0: leases do not end
	until   int64 // no client begins a cycle after it
	lose    float64
	kill    float64
	overrun bool // clients stay longer than their lease
	nest    bool // clients acquire what they hold again
	several bool // one acquire takes several locks at once; without a trace
	late    bool // a message whose reply is not read may arrive long after its client gave up
	mistake mistake
	locks   []slot
	stays   []stay
	h       *history.History
	trace   []history.Command
	n       []int
	calling []bool // an acquire call is open
	dead    []bool
	facts   facts
}

// mistake is what is wrong with the lock.
type mistake uint8

const (
	noMistake      mistake = iota
	deletesBlindly         // a release deletes the key of any client
	freesAtInner           // the first of two releases frees the lock
	refusesHolder          // a nested acquire is refused
	getsStuck              // from some time on the server keeps the key for ever
	takesSome              // of several locks, those are granted that are held already
	// a release frees what its client holds, whichever of its acquisitions that is
	knowsClients
)

// slot is a lock at the server.
type slot struct {
	owner, n, count int // owner -1: free
	expiry          int64
}

// stay is a hold as it really was.
type stay struct {
	process, n, key   int
	from, to          int64 // inside
	gone              int64 // the release call is over
	leased, innerLeft int64
}

// facts count what really happened.
type facts struct {
	robbed   []robbed
	orphaned []int64 // when a client was denied a key that was free
	refused  int     // holders that were refused while their lease ran
	stuck    bool
}

// robbed is a deletion of another's key.
type robbed struct{ command, owner, n int }

func newSite(seed uint64, clients, locks int) *site {
	w := &site{r: rand.New(rand.NewPCG(seed, 31)), unit: 1, ttl: 400, until: 3000,
		locks: make([]slot, locks)}
	for i := range w.locks {
		w.locks[i].owner = -1
	}
	w.n, w.dead, w.calling = make([]int, clients), make([]bool, clients), make([]bool, clients)
	w.h = &history.History{Header: history.Header{Type: "header", Format: history.Format,
		Environment: "test", Clients: clients}}
	return w
}

func (w *site) run() *history.History {
	hd := &w.h.Header
	hd.TTL, hd.Poll, hd.Declares = history.Duration(w.ttl), history.Duration(30*w.unit),
		history.Declares{Lease: w.ttl > 0, Reentrant: w.nest}
	for p := range w.n {
		w.after(50, func() { w.cycle(p) })
	}
	w.queue.Run(&w.now)
	w.h.Sort()
	w.h.Events = append(w.h.Events, history.Event{Type: history.End, T: w.now + 1,
		Process: history.Harness})
	return w.h
}

func (w *site) after(mean int64, f func()) {
	w.queue.Put(w.now+w.unit*w.r.Int64N(2*mean), f)
}

func (w *site) note(typ history.Type, p int, f string, n int, keys []int, g *history.Grant) {
	e := history.Event{Type: typ, T: w.now, Process: p, F: f, N: n, Grant: g}
	if w.several {
		e.Keys = keys
	} else {
		e.Key = history.Ptr(keys[0])
	}
	w.h.Events = append(w.h.Events, e)
}

// cycle is acquire, stay, release, and again.
func (w *site) cycle(p int) {
	if w.dead[p] || w.now > w.until*w.unit {
		return
	}
	keys := []int{w.r.IntN(len(w.locks))}
	if w.several && w.r.IntN(2) == 0 {
		keys = append(keys, (keys[0]+1)%len(w.locks))
	}
	w.acquire(p, keys, func(sent int64) { w.enter(p, keys, sent) },
		func() { w.after(60, func() { w.cycle(p) }) })
}

// acquire tries some times, and calls in or out.
func (w *site) acquire(p int, keys []int, in func(sent int64), out func()) {
	w.n[p]++
	n := w.n[p]
	w.note(history.Invoke, p, history.Acquire, n, keys, nil)
	w.calling[p] = true
	end := func(typ history.Type, g *history.Grant) {
		w.calling[p] = false
		w.note(typ, p, history.Acquire, n, keys, g)
	}
	var try func(left int)
	try = func(left int) {
		sent := w.now
		w.command(p, n, w.taking(keys[0], n), func() string { return w.take(p, n, keys) },
			func(reply string, known bool) {
				switch {
				case !known:
					end(history.Info, nil)
					out()
				case reply == "OK":
					g := &history.Grant{Sent: sent, Lease: history.Duration(w.ttl), Node: "n0"}
					end(history.OK, g)
					in(sent)
				case left > 0:
					w.after(30, func() { try(left - 1) })
				default:
					end(history.Fail, nil)
					out()
				}
			})
	}
	try(3)
}

func (w *site) taking(key, n int) []string {
	return []string{"SET", "lock:" + strconv.Itoa(key), strconv.Itoa(n), "NX", "PX", fmt.Sprint(w.ttl)}
}

// command sends something: it arrives, the reply comes back, and one of both may get lost. A
// process that dies reads nothing.
func (w *site) command(p, n int, args []string, serve func() string, back func(reply string,
	known bool)) {
	i := len(w.trace)
	w.trace = append(w.trace, history.Command{Process: p, Seq: i + 1, N: n, Node: "n0", Sent: w.now,
		Args: args})
	lost := w.r.Float64() < w.lose
	arrives := !lost || w.r.IntN(2) == 0
	if lost && arrives && w.late {
		arrives = false
		w.after(w.ttl/w.unit, func() { serve() })
	}
	w.after(10, func() {
		reply := ""
		if arrives {
			reply = serve()
		}
		w.after(10, func() {
			if !lost {
				w.trace[i].Recv, w.trace[i].Reply = w.now, reply
			}
			back(reply, !lost)
		})
	})
}

// enter is the time inside, with a nested acquire or without.
func (w *site) enter(p int, keys []int, sent int64) {
	first, n := len(w.stays), w.n[p]
	leased := int64(record.Forever)
	if w.ttl > 0 {
		leased = sent + w.ttl
	}
	for _, k := range keys {
		w.stays = append(w.stays, stay{process: p, n: n, key: k, from: w.now, to: record.Forever,
			gone:   record.Forever,
			leased: leased})
	}
	mine := func(f func(s *stay)) {
		for i := range keys {
			f(&w.stays[first+i])
		}
	}
	length := int64(40)
	if w.overrun && w.r.IntN(3) == 0 {
		length = max(1, 2*w.ttl/w.unit)
	}
	leave := func() {
		w.after(length, func() {
			mine(func(s *stay) { s.to = w.now })
			if w.r.Float64() < w.kill {
				w.die(p)
				return
			}
			w.release(p, n, keys, func() {
				mine(func(s *stay) { s.gone = w.now })
				w.after(60, func() { w.cycle(p) })
			})
		})
	}
	if !w.nest || w.r.IntN(2) == 0 {
		leave()
		return
	}
	w.after(10, func() {
		w.acquire(p, keys, func(again int64) {
			inner := w.n[p]
			mine(func(s *stay) {
				if again <= s.leased {
					s.leased = max(s.leased, again+w.ttl)
				}
			})
			w.after(20, func() {
				mine(func(s *stay) { s.innerLeft = w.now })
				w.release(p, inner, keys, leave)
			})
		}, leave)
	})
}

func (w *site) die(p int) {
	w.h.Events = append(w.h.Events, history.Event{Type: history.Kill, T: w.now, Process: p})
	w.dead[p] = true
	w.after(20, func() {
		w.h.Events = append(w.h.Events, history.Event{Type: history.Exit, T: w.now, Process: p,
			Planned: true})
	})
}

func (w *site) release(p, n int, keys []int, then func()) {
	w.note(history.Invoke, p, history.Release, n, keys, nil)
	args := []string{"EVAL", "compare", "1", "lock:" + strconv.Itoa(keys[0]), strconv.Itoa(n)}
	if w.mistake == deletesBlindly {
		args = []string{"DEL", "lock:" + strconv.Itoa(keys[0])}
	}
	i := len(w.trace)
	w.command(p, n, args, func() string { return w.free(i, p, n, keys) },
		func(reply string, known bool) {
			typ := history.OK
			if !known {
				typ = history.Info
			} else if reply == "(nil)" {
				typ = history.Fail
			}
			w.note(typ, p, history.Release, n, keys, nil)
			then()
		})
}
