package record

import (
	"math/rand/v2"
	"testing"
)

// TestContendedAgainstBruteForce compares the counting of contention with the comparison of all
// pairs.
func TestContendedAgainstBruteForce(t *testing.T) {
	for seed := range 3000 {
		r := rand.New(rand.NewPCG(uint64(seed), 43))
		turns := func(n int) []Interval {
			ts := make([]Interval, r.IntN(n))
			for i := range ts {
				ts[i].From = 1 + r.Int64N(20)
				ts[i].To, ts[i].Process = ts[i].From+r.Int64N(8), r.IntN(3)
			}
			return ts
		}
		as, bs := turns(5), turns(6)
		want := 0
		for _, a := range as {
			for _, b := range bs {
				if a.Process != b.Process && b.From < a.To && a.From < b.To {
					want++
					break
				}
			}
		}
		if got := meet(as, bs); got != want {
			t.Fatalf("seed %d: %d, want %d\n%v\n%v", seed, got, want, as, bs)
		}
	}
}
