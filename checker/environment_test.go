package checker

import (
	"math/rand/v2"

	"github.com/lockbench/lockbench/checker/linear/lineartest"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// environment simulates clients of a lock server with leases, and knows the truth: when each client
// was really inside. The server is correct unless plant is set; clients overrun their leases,
// replies get lost, clients are killed.
type environment struct {
	r       *rand.Rand
	queue   lineartest.Queue
	now     int64
	ttl     int64 // 0: leases do not end
	overrun bool  // clients stay longer than their lease
	lose    float64
	kill    float64
	plant   int // this grant is given although the lock is held; 0: none
	grants  int
	planted bool
	owner   int // process that holds at the server, -1: none
	expiry  int64
	h       *history.History
	n       []int
	dead    []bool
	inside  []inner // true intervals
	want    int
}

// inner is a time in which a client was really inside; leased: until when its lease surely ran.
type inner struct {
	process          int
	from, to, leased int64
}

func newEnvironment(seed uint64, clients, want int) *environment {
	w := &environment{r: rand.New(rand.NewPCG(seed, 3)), ttl: 400, owner: -1, want: want,
		n: make([]int, clients), dead: make([]bool, clients)}
	w.h = &history.History{Header: history.Header{Type: "header", Format: history.Format,
		Environment: "test", Clients: clients, TTL: history.Duration(w.ttl), Declares: history.Declares{
			Lease: true}}}
	return w
}

func (w *environment) run() *history.History {
	w.h.Header.TTL, w.h.Header.Declares.Lease = history.Duration(w.ttl), w.ttl > 0
	for p := range w.n {
		w.after(50, func() { w.acquire(p) })
	}
	w.queue.Run(&w.now)
	w.h.Sort()
	w.h.Events = append(w.h.Events, history.Event{Type: history.End, T: w.now + 1,
		Process: history.Harness})
	return w.h
}

// after runs f later. Delays are short and coarse, so that stamps are often equal.
func (w *environment) after(mean int64, f func()) {
	w.queue.Put(w.now+w.r.Int64N(2*mean), f)
}

func (w *environment) event(typ history.Type, p int, f string, g *history.Grant) {
	w.h.Events = append(w.h.Events, history.Event{Type: typ, T: w.now, Process: p, F: f, N: w.n[p],
		Grant: g})
}

func (w *environment) acquire(p int) {
	if w.dead[p] || w.grants >= w.want || w.now > 20_000 { // an orphan without lease is never freed
		return
	}
	w.n[p]++
	w.event(history.Invoke, p, history.Acquire, nil)
	w.try(p, 3)
}

// try sends one granting command; a call tries several times.
func (w *environment) try(p, left int) {
	if w.dead[p] {
		return
	}
	sent := w.now
	w.after(10, func() {
		granted, twice := w.serve(p)
		lost := w.r.Float64() < w.lose && !twice && !w.planted
		w.after(10, func() {
			switch {
			case w.dead[p]:
			case lost:
				w.event(history.Info, p, history.Acquire, nil)
				w.after(60, func() { w.acquire(p) })
			case granted:
				w.event(history.OK, p, history.Acquire, &history.Grant{
					Sent: sent, Lease: history.Duration(w.ttl)})
				w.hold(p, sent, twice)
			case left > 0:
				w.after(30, func() { w.try(p, left-1) })
			default:
				w.event(history.Fail, p, history.Acquire, nil)
				w.after(30, func() { w.acquire(p) })
			}
		})
	})
}

func (w *environment) serve(p int) (granted, twice bool) {
	if w.owner >= 0 && w.ttl > 0 && w.now >= w.expiry {
		w.owner = -1
	}
	if w.owner >= 0 {
		inside := len(w.inside) > 0 && w.inside[len(w.inside)-1].process == w.owner &&
			w.inside[len(w.inside)-1].to == record.Forever
		if w.plant == 0 || w.planted || w.grants < w.plant || w.owner == p || !inside {
			return false, false
		}
		w.planted, twice = true, true
	}
	w.grants++
	w.owner, w.expiry = p, w.now+w.ttl
	return true, twice
}

func (w *environment) hold(p int, sent int64, twice bool) {
	leased := int64(record.Forever)
	if w.ttl > 0 {
		leased = sent + w.ttl
	}
	i := len(w.inside)
	w.inside = append(w.inside, inner{p, w.now, record.Forever, leased})
	stay := int64(40)
	if w.overrun && w.r.IntN(4) == 0 {
		stay = 2 * w.ttl
	}
	w.after(stay, func() {
		w.inside[i].to = w.now
		if w.r.Float64() < w.kill && !twice {
			w.h.Events = append(w.h.Events, history.Event{Type: history.Kill, T: w.now, Process: p})
			w.dead[p] = true
			w.after(20, func() {
				w.h.Events = append(w.h.Events, history.Event{Type: history.Exit, T: w.now, Process: p,
					Planned: true})
			})
			return
		}
		w.release(p)
	})
}

func (w *environment) release(p int) {
	w.event(history.Invoke, p, history.Release, nil)
	lost := w.r.Float64() < w.lose
	w.after(10, func() {
		mine := w.owner == p && (w.ttl == 0 || w.now < w.expiry)
		if mine {
			w.owner = -1
		}
		w.after(10, func() {
			switch {
			case lost:
				w.event(history.Info, p, history.Release, nil)
			case mine:
				w.event(history.OK, p, history.Release, nil)
			default:
				w.event(history.Fail, p, history.Release, nil)
			}
			w.after(60, func() { w.acquire(p) })
		})
	})
}

// truth says whether two clients were really inside at once, and whether so while both leases
// surely ran.
func (w *environment) truth() (s, l bool) {
	for i, a := range w.inside {
		for _, b := range w.inside[:i] {
			if a.process == b.process {
				continue
			}
			s = s || max(a.from, b.from) < min(a.to, b.to)
			l = l || max(a.from, b.from) < min(a.to, b.to, a.leased, b.leased)
		}
	}
	return s, l
}
