package explore

import (
	"github.com/lockbench/lockbench/internal/explore/counterexample"
	"github.com/lockbench/lockbench/internal/sim"
)

// randomChooser answers at random, and keeps in answers what it answered.
func randomChooser(schedule string, seed uint64) (c sim.Chooser, answers map[string]int) {
	answers = map[string]int{}
	if schedule == counterexample.Picked {
		return newPriorities(seed, answers), answers
	}
	return recording{sim.Seeded{Seed: seed}, answers}, answers
}

// recording keeps the answers of a chooser that are not 0.
type recording struct {
	sim.Chooser
	answers map[string]int
}

// Choose is sim.Chooser.
func (r recording) Choose(width int, label, key string) int {
	c := r.Chooser.Choose(width, label, key)
	if c > 0 {
		r.answers[key] = c
	}
	return c
}
