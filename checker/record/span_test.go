package record

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEveryWayToJudgeSharedSpansAgrees compares the sweep, the joined spans and all pairs, on small
// random sets of spans.
func TestEveryWayToJudgeSharedSpansAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	conflicts := 0
	for range 20_000 {
		ss := make([]Span, 1+r.IntN(6))
		for i := range ss {
			from := r.Int64N(20) - 5
			ss[i] = Span{From: from, End: from + 1 + r.Int64N(6), Hold: int32(i), Shared: r.IntN(3) > 0}
		}
		slices.SortStableFunc(ss, func(a, b Span) int { return int(a.From - b.From) })
		want := false
		for i := range ss {
			want = want || slices.ContainsFunc(ss[:i], ss[i].Conflict)
		}
		joined := Together(ss)
		disjoint := true
		for i := 1; i < len(joined); i++ {
			disjoint = disjoint && joined[i-1].End <= joined[i].From
		}
		for a, b := range Overlaps(ss) {
			if !a.Conflict(b) {
				t.Fatalf("%+v: %+v and %+v do not conflict", ss, a, b)
			}
		}
		if Disjoint(ss) == want || disjoint == want {
			t.Fatalf("%+v: conflict %v, sweep %v, joined disjoint %v", ss, want, !Disjoint(ss), disjoint)
		}
		if want {
			conflicts++
		}
	}
	if conflicts < 2_000 || conflicts > 18_000 {
		t.Errorf("%d of 20,000 have a conflict: the sets are too much alike", conflicts)
	}
}
