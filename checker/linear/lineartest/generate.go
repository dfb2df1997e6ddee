// Package lineartest makes operations on a mutex, legal and not, for the tests of the checker.
package lineartest

import (
	"cmp"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
)

// Arbitrary makes n operations with any windows, outcomes and ties. Most of them cannot come from a
// lock.
func Arbitrary(r *rand.Rand, n int) []linear.Op {
	ops := make([]linear.Op, n)
	span := 2 + r.Int64N(40)
	tokens := 1 + r.IntN(n)
	acquired := make([]bool, tokens+1)
	for i := range ops {
		o := &ops[i]
		o.Call = r.Int64N(span)
		o.Ret = o.Call + r.Int64N(8)
		o.Token = int32(1 + r.IntN(tokens))
		o.Process = o.Token
		o.Kind, o.Outcome = linear.Kind(r.IntN(2)), linear.Outcome(r.IntN(3))
		if acquired[o.Token] {
			o.Kind = linear.Release
		}
		if o.Kind == linear.Acquire {
			acquired[o.Token] = true
		}
		if o.Outcome == linear.Unsure {
			o.Ret = record.Forever
		}
	}
	return ops
}

// Consistent makes histories in which each token is right by itself, so that only the interplay of
// tokens can be wrong.
func Consistent(r *rand.Rand, tokens int) []linear.Op {
	var ops []linear.Op
	span := 5 + r.Int64N(int64(8*tokens))
	for t := int32(1); t <= int32(tokens); t++ {
		a := linear.Op{Call: r.Int64N(span), Token: t, Process: t}
		a.Ret = a.Call + r.Int64N(6)
		rel := linear.Op{Call: a.Ret + r.Int64N(6), Token: t, Process: t, Kind: linear.Release}
		rel.Ret = rel.Call + r.Int64N(6)
		switch r.IntN(8) {
		case 0:
			a.Outcome, a.Ret = linear.Unsure, record.Forever
		case 1:
			a.Outcome = linear.Refused
		}
		if r.IntN(5) == 0 {
			rel.Outcome, rel.Ret = linear.Unsure, record.Forever
		}
		ops = append(ops, a)
		if a.Outcome == linear.Refused {
			continue
		}
		ops = append(ops, rel)
		if rel.Outcome == linear.Unsure && r.IntN(2) == 0 { // tried again
			again := linear.Op{Call: rel.Call + 1 + r.Int64N(5), Token: t, Process: t, Kind: linear.Release}
			again.Ret = again.Call + r.Int64N(5)
			ops = append(ops, again)
		}
	}
	return ops
}

// service simulates clients of a correct lock on a network, with lost replies; plant > 0 makes it
// grant twice once, after so many operations.
type service struct {
	r       *rand.Rand
	queue   Queue
	now     int64
	holder  int32
	tokens  int32
	ops     []linear.Op
	want    int
	unknown float64
	refused int // refused acquires that were recorded
	plant   int
	twice   map[int32]bool
	block   bool // an acquire waits in a queue instead of being refused
	waiting []func()
}

// Simulate returns about n operations of so many clients; a share of replies is lost.
func Simulate(seed uint64, n, clients int, unknown float64, plant int) []linear.Op {
	s := &service{r: rand.New(rand.NewPCG(seed, 1)), want: n, unknown: unknown, plant: plant,
		twice: map[int32]bool{}}
	return s.run(clients)
}

func (s *service) run(clients int) []linear.Op {
	for i := range clients {
		s.schedule(1000, func() { s.acquire(int32(i)) })
	}
	s.queue.Run(&s.now)
	return s.numbered()
}

func (s *service) schedule(mean float64, f func()) {
	s.queue.Put(s.now+1+int64(s.r.ExpFloat64()*mean), f)
}

// losesReply decides whether a reply gets lost.
func (s *service) losesReply() bool {
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
	o := linear.Op{Call: s.now, Token: s.tokens, Process: client}
	lost := s.losesReply()
	s.schedule(300, func() { s.grant(o, lost) })
}

func (s *service) grant(o linear.Op, lost bool) {
	twice := s.plant > 0 && len(s.ops) >= s.plant && len(s.twice) == 0 && s.holder != linear.Free &&
		!lost
	switch {
	case s.holder == linear.Free:
		s.holder = o.Token
	case twice: // the server keeps the first holder and tells the second that it has the lock
		s.twice[s.holder], s.twice[o.Token] = true, true
	case s.block:
		s.waiting = append(s.waiting, func() { s.grant(o, lost) })
		return
	default:
		o.Outcome = linear.Refused
	}
	s.schedule(300, func() {
		o.Ret = s.now
		got := o.Outcome == linear.Done
		if lost {
			o.Outcome, o.Ret = linear.Unsure, record.Forever
		}
		// three of ten at most, so that there is something to decide
		if o.Outcome != linear.Refused || s.refused*10 < 3*len(s.ops) {
			s.ops = append(s.ops, o)
			if o.Outcome == linear.Refused {
				s.refused++
			}
		}
		if !got {
			s.schedule(3000, func() { s.acquire(o.Process) })
			return
		}
		s.schedule(3000, func() { s.release(o) })
	})
}

func (s *service) release(a linear.Op) {
	o := linear.Op{Call: s.now, Token: a.Token, Process: a.Process, Kind: linear.Release}
	lost := s.losesReply()
	arrives := !lost || s.r.IntN(2) == 0
	s.schedule(300, func() {
		if arrives {
			switch {
			case s.holder == a.Token:
				s.holder = linear.Free
				s.wake()
			case s.twice[a.Token]:
			default:
				o.Outcome = linear.Refused
			}
		}
		s.schedule(300, func() {
			o.Ret = s.now
			if lost {
				o.Outcome, o.Ret = linear.Unsure, record.Forever
				s.ops = append(s.ops, o)
				s.schedule(1000, func() { s.release(a) })
				return
			}
			s.ops = append(s.ops, o)
			s.schedule(1000, func() { s.acquire(a.Process) })
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

// numbered numbers tokens in the order of the returns of their acquires, as the checker's own
// reader does.
func (s *service) numbered() []linear.Op {
	number := map[int32]int32{}
	for i := range s.ops {
		o := &s.ops[i]
		n, ok := number[o.Token]
		if !ok {
			n = int32(len(number) + 1)
			number[o.Token] = n
		}
		o.Token = n
	}
	return s.ops
}

// Recorded makes a valid history of about n operations in the order of their returns, as a recorder
// has them.
func Recorded(n, clients int, unknown float64, plant int) []linear.Op {
	return recorded(n, clients, &service{unknown: unknown, plant: plant})
}

func recorded(n, clients int, s *service) []linear.Op {
	s.r, s.want, s.twice = rand.New(rand.NewPCG(uint64(n), 5)), n, map[int32]bool{}
	ops := s.run(clients)
	noted := func(o linear.Op) int64 {
		if o.Outcome == linear.Unsure {
			return o.Call + 2000
		}
		return o.Ret
	}
	slices.SortStableFunc(ops, func(a, b linear.Op) int { return cmp.Compare(noted(a), noted(b)) })
	return (&service{ops: ops}).numbered()
}

// Queued is Recorded with acquires that wait in a queue instead of being refused.
func Queued(n, clients int, unknown float64) []linear.Op {
	return recorded(n, clients, &service{unknown: unknown, block: true})
}

// Rounds returns the number of random histories of a test: few by default, many with LOCKBENCH_SOAK
// set.
func Rounds(normal, soak int) int {
	switch {
	case os.Getenv("LOCKBENCH_SOAK") != "":
		return soak
	case testing.Short():
		return normal / 10
	}
	return normal
}
