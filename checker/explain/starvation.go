package explain

import (
	"math"

	"github.com/lockbench/lockbench/checker/verdict"
)

// Starved describes a client that others passed over.
func Starved(s *verdict.Starvation) string {
	return Say("client %d was not granted lock %d in %s, while it was granted to others %s: if each "+
		"grant is a fair draw among waiting clients, that happens once in 10^%d times", s.Client, s.Key,
		plural(s.Tries, "call"), plural(s.Others, "time"), int(-math.Log10(s.Chance)))
}
