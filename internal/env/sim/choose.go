package sim

// Chooser decides everything that a plan leaves open. Chance enters a run only through it and
// through the streams that the plan's seed gives to the clients. Choose returns a number in [0, n).
// Zero is always the default answer: the shortest way, no preemption.
//
// Label and key name the question. The label is its kind ("latency", "next"), and the key names
// this one ("c2>n0.17", the 17th message of that client to that node). A chooser that answers by
// key keeps its other answers when one of them changes. Shrinking needs that.
type Chooser interface {
	Choose(n int, label, key string) int
}

// Seeded answers by hashing the seed and the key, so that the order of the questions does not
// matter.
type Seeded struct{ Seed uint64 }

// Choose returns 0 in half of all cases.
func (s Seeded) Choose(n int, _, key string) int { return s.pick(n, hash(s.Seed, key)) }

func (Seeded) pick(n int, h uint64) int {
	if n <= 1 || h&1 == 0 {
		return 0
	}
	return 1 + int((h>>1)%uint64(n-1))
}

// Recorded answers from a map, and 0 if the map has no answer. So the map describes a run by its
// deviations from the default run.
type Recorded map[string]int

// Choose returns the recorded answer.
func (r Recorded) Choose(n int, _, key string) int { return min(r[key], n-1) }

// hash is FNV-1a over the key, mixed with the seed as splitmix64 does.
func hash[K string | []byte](seed uint64, key K) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h += seed * 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
