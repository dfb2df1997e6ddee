package linear

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// TestUnexplained compares the answer that is found by halving with the first that porcupine
// refuses. That answer is never a write.
func TestUnexplained(t *testing.T) {
	bad := 0
	for seed := range uint64(300) {
		ss := drawnSections(rand.New(rand.NewPCG(seed, 7)))
		slices.SortStableFunc(ss, func(a, b Section) int { return cmp.Compare(a.To, b.To) })
		var want *Section
		for i := range ss {
			if r := Register(upTo(ss, i), time.Minute); r.Illegal() {
				want = &ss[i]
				break
			}
		}
		got := Unexplained(ss, time.Minute)
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Fatalf("seed %d: got %v, want %v of %v", seed, got, want, ss)
		}
		if want == nil {
			continue
		}
		if bad++; want.Read == Anything {
			t.Errorf("seed %d: a write is not explained: %v", seed, want)
		}
	}
	if bad < 30 || bad > 270 {
		t.Errorf("%d of 300 histories are illegal, so that this shows little", bad)
	}
}

// drawnSections draws reads, writes and compare-and-sets of three values, some without an answer.
func drawnSections(r *rand.Rand) (ss []Section) {
	for process := range 3 {
		at := int64(0)
		for range 3 {
			s := Section{Process: process, From: at + r.Int64N(20), Read: r.Int64N(3),
				Outcome: history.Fail}
			s.To = s.From + 1 + r.Int64N(30)
			at = s.To + 1
			switch kind := r.IntN(5); {
			case kind < 2:
				s.Read, s.Wrote, s.Outcome = Anything, r.Int64N(3), history.OK
			case kind == 2:
				s.Wrote, s.Outcome = r.Int64N(3), history.OK
			}
			if s.Outcome == history.OK && r.IntN(5) == 0 {
				s.Outcome, s.To = history.Info, record.Forever
			}
			ss = append(ss, s)
		}
	}
	return ss
}
