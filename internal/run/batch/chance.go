package batch

import "math"

// NoAccident is the chance below which a difference between two groups of runs is considered real.
const NoAccident = 1e-4

// Chance returns the chance of none in n runs and k in m if both groups have the same rate
// (Fisher).
func Chance(n, k, m int) float64 {
	log := 0.0
	for i := range k {
		log += math.Log(float64(m-i)) - math.Log(float64(n+m-i))
	}
	return math.Exp(log)
}
