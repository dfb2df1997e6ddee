package sim

// Picker is a Chooser that also decides what happens next. An environment with a Picker has no
// latencies: a message arrives when the Picker picks it. Time passes when the Picker picks that, or
// when nothing is under way. A search goes through all orders of messages with one.
type Picker interface {
	Chooser
	// Pick returns the number of the option that happens next, or Again. Option 0 goes on with the
	// client that acted last, if it can. The last option is Time. Pick is called only if a message is
	// under way and there are at least two options, but see Injector.
	Pick(w *Environment, options []Option) int
}

// Injector is a Picker that injects a fault. Pick is also called when no message is under way, and
// the only option is then Time.
type Injector interface {
	// CanInject reports whether there is a fault to inject.
	CanInject() bool
}

// Pruner is a Picker that calls Environment.Fingerprint. Only for a Pruner an environment keeps
// what each client has seen.
type Pruner interface {
	Picker
	Prunes() // does nothing
}

// Again is an answer to Pick: nothing happens, because the Picker has told the environment
// something (see Tell).
const Again = -1

// Option is one thing that may happen next.
type Option struct {
	Process int // client of the message, or -1 for a replica's and for time
	// "c0>n0.12", the 12th message on this way; "c0>n0 reply.12"; "c0 wakes.3", the end of the
	// client's third sleep, if that ends soon; "time"
	Name string
	// node or client at which the message arrives, client that sleeps, or "" for time
	To    string
	Reads bool // a request that changes nothing
	// when a message was sent, or the latest time until which time passes or the client sleeps;
	// environment's clock, ns
	At int64
}

// Races reports whether the order of two options may make a difference.
func (o Option) Races(other Option) bool { return o.To == other.To && !(o.Reads && other.Reads) }

// Time is the name of the option that time passes until a client acts. If a client's sleep ends
// soon, the end of that sleep is the option instead.
const Time = "time"

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
