package rules

import (
	"math/rand/v2"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/lockbench/lockbench/checker/linear/lineartest"
	"github.com/lockbench/lockbench/checker/record"
)

// TestFencingAgainstPorcupine compares the order of tokens with a model in which each grant needs a
// larger token than the one before.
func TestFencingAgainstPorcupine(t *testing.T) {
	model := porcupine.Model{
		Init: func() any { return int64(0) },
		Step: func(s, in, _ any) (bool, any) { return in.(int64) > s.(int64), in },
	}
	legal := 0
	n := lineartest.Rounds(4000, 100_000)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 17))
		var holds []tokened
		var ops []porcupine.Operation
		for i := range 1 + r.IntN(7) {
			h := &record.Hold{Process: i, Call: r.Int64N(30), Token: 1 + r.Int64N(12)}
			h.From = h.Call + r.Int64N(8)
			holds = append(holds, tokened{h, h.Call, h.From, false})
			ops = append(ops, porcupine.Operation{ClientId: i, Input: h.Token, Call: h.Call, Return: h.From})
		}
		a, b := outOfOrder(holds, true)
		if want := porcupine.CheckOperations(model, ops); want != (a == nil) {
			t.Fatalf("seed %d: fast %v, porcupine %v", seed, a == nil, want)
		} else if want {
			legal++
		} else if two := []porcupine.Operation{ops[a.Process], ops[b.Process]}; porcupine.CheckOperations(
			model, two) {
			t.Fatalf("seed %d: the witness is no violation by itself", seed)
		}
	}
	t.Logf("%d histories, %d legal", n, legal)
}
