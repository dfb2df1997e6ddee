package linear_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockbench/lockbench/checker/linear/lineartest"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// severalOp is an operation on several mutexes at once.
type severalOp struct {
	linear.Op
	keys []int
}

// severalModel is several mutexes of which one operation takes or frees some, all in one instant.
// It cannot be partitioned by key.
func severalModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return [3]int32{} },
		Step: func(state, input, _ any) (bool, any) {
			s, o := state.([3]int32), input.(*severalOp)
			next := s
			for _, k := range o.keys {
				ok, to := linear.StepMutex(s[k], &o.Op)
				if !ok {
					return false, s
				}
				if to == s[k] && o.Outcome == linear.Unsure {
					return true, s // nothing at all happens
				}
				next[k] = to
			}
			return true, next
		},
	}
}

// someLocks makes processes that acquire some of three locks at once and release them. points says
// whether there is a token whose hold may be of no length, for which one instant must do for all
// its locks.
func someLocks(r *rand.Rand) (h *history.History, ops []severalOp, points bool) {
	h = &history.History{}
	span := 4 + r.Int64N(30)
	for p := range 1 + r.IntN(5) {
		keys := []int{r.IntN(3)}
		if r.IntN(3) > 0 {
			keys = append(keys, (keys[0]+1)%3)
		}
		a := linear.Op{Call: r.Int64N(span), Token: int32(p + 1), Process: int32(p)}
		a.Ret = a.Call + r.Int64N(6)
		rel := linear.Op{Call: a.Ret + 1 + r.Int64N(8), Token: a.Token, Process: a.Process,
			Kind: linear.Release}
		rel.Ret = rel.Call + r.Int64N(6)
		a.Outcome = []linear.Outcome{linear.Done, linear.Done, linear.Done, linear.Done, linear.Refused,
			linear.Unsure}[r.IntN(6)]
		rel.Outcome = []linear.Outcome{linear.Done, linear.Done, linear.Done, linear.Done, linear.Refused,
			linear.Unsure}[r.IntN(6)]
		points = points || a.Outcome == linear.Unsure && rel.Outcome == linear.Done
		for _, o := range []linear.Op{a, rel} {
			e := history.Event{Type: history.Invoke, T: o.Call, Process: p, F: history.Acquire, N: 1,
				Keys: keys}
			if o.Kind == linear.Release {
				e.F = history.Release
			}
			h.Events = append(h.Events, e)
			e.T, e.Type = o.Ret, [...]history.Type{history.OK, history.Fail, history.Info}[o.Outcome]
			h.Events = append(h.Events, e)
			if o.Outcome == linear.Unsure {
				o.Ret = record.Forever
			}
			ops = append(ops, severalOp{o, keys})
			if o.Kind == linear.Acquire && o.Outcome == linear.Refused {
				break
			}
		}
	}
	h.Sort()
	return h, ops, points
}

// TestSeveralLocksAgainstPorcupine compares the judgement lock by lock with a model that takes
// several locks in one instant. Lock by lock is never stricter, so it raises no false alarm; and it
// is the same unless some hold may be of no length.
func TestSeveralLocksAgainstPorcupine(t *testing.T) {
	legal, weaker := 0, 0
	n := lineartest.Rounds(4000, 100_000)
	for seed := range n {
		h, several, points := someLocks(rand.New(rand.NewPCG(uint64(seed), 41)))
		var ops []porcupine.Operation
		for i := range several {
			ops = append(ops, porcupine.Operation{ClientId: int(several[i].Process), Input: &several[i],
				Call: several[i].Call, Return: several[i].Ret})
		}
		want, got := porcupine.CheckOperations(severalModel(), ops), true
		for _, l := range linear.Logs(h) {
			f, _, _ := linear.FastMutex(l.Ops)
			got = got && f == linear.NoFlaw
		}
		switch {
		case want && !got, want != got && !points:
			t.Fatalf("seed %d: lock by lock %v, all at once %v\n%+v", seed, got, want, several)
		case want:
			legal++
		case got:
			weaker++
		}
		sure(t, seed, h, several)
	}
	t.Logf("%d histories, %d legal; in %d only all locks at once show that they are not", n, legal,
		weaker)
}

// sure compares S with the model on the holds that surely were.
func sure(t *testing.T, seed int, h *history.History, several []severalOp) {
	t.Helper()
	r := record.Build(h)
	overlapping := false
	for _, ss := range r.Spans(record.UntilRelease, record.Forever) {
		overlapping = overlapping || !record.Disjoint(ss)
	}
	var ops []porcupine.Operation
	for i := range several {
		o := several[i]
		granted := slices.ContainsFunc(several, func(a severalOp) bool {
			return a.Token == o.Token &&
				a.Kind == linear.Acquire && a.Outcome == linear.Done
		})
		if !granted {
			continue
		}
		// the client has left, whatever it was told; the lock may be free from then on
		if o.Kind == linear.Release {
			if o.Outcome == linear.Unsure {
				o.Ret = record.Forever
			}
			o.Outcome = linear.Done
		}
		ops = append(ops, porcupine.Operation{ClientId: int(o.Process), Input: &o, Call: o.Call,
			Return: o.Ret})
	}
	if legal := porcupine.CheckOperations(severalModel(), ops); legal == overlapping {
		t.Fatalf("seed %d: the sure holds overlap: %v, porcupine says legal: %v\n%+v", seed, overlapping,
			legal, several)
	}
}
