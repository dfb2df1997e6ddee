package explore

import "testing"

// counted are the turns that each member gets in so many runs of a plan.
func counted(t *turns, plan, runs int) map[string]int {
	n := map[string]int{}
	for range runs {
		n[t.take(plan)]++
	}
	return n
}

// TestTurnsFollowWhatIsNew: all have the same share at first; then who finds more has more, and
// none falls below a quarter.
func TestTurnsFollowWhatIsNew(t *testing.T) {
	t.Parallel()
	s := &turns{members: members}
	for plan := range 2 {
		if n := counted(s, plan, 300); n[Random] != 100 || n[POS] != 100 || n[Walk] != 100 {
			t.Errorf("plan %d: %v", plan, n)
		}
	}
	for range 9 {
		s.found(Walk, 5)
		s.found(Random, 0)
		s.found(POS, 0)
		s.adapt()
	}
	if n := counted(s, 0, 400); n[Walk] != 200 || n[Random] < 99 || n[POS] < 99 {
		t.Errorf("%v", n)
	}
	for range 99 {
		s.found(Walk, 0)
		s.found(Random, 1)
		s.adapt()
	}
	if n := counted(s, 0, 400); n[Random] < 195 || n[Walk] < 99 {
		t.Errorf("%v after a time in which nothing was new for a walk", n)
	}
}
