package checker

import (
	"container/heap"
	"math/rand/v2"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
)

// arbitrary makes n operations with any windows, outcomes and ties, most of which no lock can
// produce.
func arbitrary(r *rand.Rand, n int) []op {
	ops := make([]op, n)
	span := 2 + r.Int64N(40)
	tokens := 1 + r.IntN(n)
	acquired := make([]bool, tokens+1)
	for i := range ops {
		o := &ops[i]
		o.call = r.Int64N(span)
		o.ret = o.call + r.Int64N(8)
		o.token = int32(1 + r.IntN(tokens))
		o.process = o.token
		o.kind, o.outcome = kind(r.IntN(2)), outcome(r.IntN(3))
		if acquired[o.token] {
			o.kind = release
		}
		if o.kind == acquire {
			acquired[o.token] = true
		}
		if o.outcome == unsure {
			o.ret = record.Forever
		}
	}
	return ops
}

// consistent makes histories in which each token is right by itself, so that only the interplay of
// tokens can be wrong.
func consistent(r *rand.Rand, tokens int) []op {
	var ops []op
	span := 5 + r.Int64N(int64(8*tokens))
	for t := int32(1); t <= int32(tokens); t++ {
		a := op{call: r.Int64N(span), token: t, process: t}
		a.ret = a.call + r.Int64N(6)
		rel := op{call: a.ret + r.Int64N(6), token: t, process: t, kind: release}
		rel.ret = rel.call + r.Int64N(6)
		switch r.IntN(8) {
		case 0:
			a.outcome, a.ret = unsure, record.Forever
		case 1:
			a.outcome = refused
		}
		if r.IntN(5) == 0 {
			rel.outcome, rel.ret = unsure, record.Forever
		}
		ops = append(ops, a)
		if a.outcome == refused {
			continue
		}
		ops = append(ops, rel)
		if rel.outcome == unsure && r.IntN(2) == 0 { // tried again
			again := op{call: rel.call + 1 + r.Int64N(5), token: t, process: t, kind: release}
			again.ret = again.call + r.Int64N(5)
			ops = append(ops, again)
		}
	}
	return ops
}

// service simulates clients of a correct lock on a network, with lost replies; plant > 0 makes it
// grant twice once, after so many operations.
type service struct {
	r       *rand.Rand
	queue   events
	now     int64
	seq     int
	holder  int32
	tokens  int32
	ops     []op
	want    int
	unknown float64
	refused int // refused acquires that were recorded
	plant   int
	twice   map[int32]bool
	block   bool // an acquire waits in a queue instead of being refused
	waiting []func()
}

type event struct {
	t   int64
	seq int
	f   func()
}

type events []event

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	return q[i].t < q[j].t || q[i].t == q[j].t && q[i].seq < q[j].seq
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(x any)   { *q = append(*q, x.(event)) }
func (q *events) Pop() any     { o := *q; x := o[len(o)-1]; *q = o[:len(o)-1]; return x }

// simulate returns about n operations of so many clients; a share of replies is lost.
func simulate(seed uint64, n, clients int, unknown float64, plant int) []op {
	s := &service{r: rand.New(rand.NewPCG(seed, 1)), want: n, unknown: unknown, plant: plant,
		twice: map[int32]bool{}}
	return s.run(clients)
}

func (s *service) run(clients int) []op {
	for i := range clients {
		s.after(1000, func() { s.acquire(int32(i)) })
	}
	for len(s.queue) > 0 {
		e := heap.Pop(&s.queue).(event)
		s.now = e.t
		e.f()
	}
	return s.numbered()
}

func (s *service) after(mean float64, f func()) {
	s.seq++
	heap.Push(&s.queue, event{s.now + 1 + int64(s.r.ExpFloat64()*mean), s.seq, f})
}

// lost decides whether a reply gets lost.
func (s *service) lost() bool {
	if s.plant > 0 && len(s.twice) == 0 || s.plant == 0 {
		return s.r.Float64() < s.unknown
	}
	return false
}

func (s *service) acquire(client int32) {
	if len(s.ops) >= s.want {
		return
	}
	s.tokens++
	o := op{call: s.now, token: s.tokens, process: client}
	lost := s.lost()
	s.after(300, func() { s.grant(o, lost) })
}

func (s *service) grant(o op, lost bool) {
	twice := s.plant > 0 && len(s.ops) >= s.plant && len(s.twice) == 0 && s.holder != free && !lost
	switch {
	case s.holder == free:
		s.holder = o.token
	case twice: // the server keeps the first holder and tells the second that it has the lock
		s.twice[s.holder], s.twice[o.token] = true, true
	case s.block:
		s.waiting = append(s.waiting, func() { s.grant(o, lost) })
		return
	default:
		o.outcome = refused
	}
	s.after(300, func() {
		o.ret = s.now
		got := o.outcome == done
		if lost {
			o.outcome, o.ret = unsure, record.Forever
		}
		// three of ten at most, so that there is something to decide
		if o.outcome != refused || s.refused*10 < 3*len(s.ops) {
			s.ops = append(s.ops, o)
			if o.outcome == refused {
				s.refused++
			}
		}
		if !got {
			s.after(3000, func() { s.acquire(o.process) })
			return
		}
		s.after(3000, func() { s.release(o) })
	})
}

func (s *service) release(a op) {
	o := op{call: s.now, token: a.token, process: a.process, kind: release}
	lost := s.lost()
	arrives := !lost || s.r.IntN(2) == 0
	s.after(300, func() {
		if arrives {
			switch {
			case s.holder == a.token:
				s.holder = free
				s.wake()
			case s.twice[a.token]:
			default:
				o.outcome = refused
			}
		}
		s.after(300, func() {
			o.ret = s.now
			if lost {
				o.outcome, o.ret = unsure, record.Forever
				s.ops = append(s.ops, o)
				s.after(1000, func() { s.release(a) })
				return
			}
			s.ops = append(s.ops, o)
			s.after(1000, func() { s.acquire(a.process) })
		})
	})
}

func (s *service) wake() {
	if len(s.waiting) == 0 {
		return
	}
	i := s.r.IntN(len(s.waiting))
	next := s.waiting[i]
	s.waiting = slices.Delete(s.waiting, i, i+1)
	next()
}

// numbered gives tokens numbers in the order in which their acquires returned, as the checker's own
// reader does.
func (s *service) numbered() []op {
	number := map[int32]int32{}
	for i := range s.ops {
		o := &s.ops[i]
		n, ok := number[o.token]
		if !ok {
			n = int32(len(number) + 1)
			number[o.token] = n
		}
		o.token = n
	}
	return s.ops
}
