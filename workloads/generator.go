package workloads

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// Shape holds the parts of a plan that the generator needs.
type Shape struct {
	Body    string
	Clients int
	Keys    int
	Hold    time.Duration
	Think   time.Duration
	TTL     time.Duration // of the lock; longwork and heed hold beyond it
	Seed    uint64
	Shared  bool // the lock has a shared mode
	// clients ask for several keys in any order, and not in ascending order
	AnyOrder bool
}

// Generator decides what each client does next. It is pure: the same shape gives every client the
// same cycles, in whatever order the clients ask. It is not safe for concurrent use.
type Generator struct {
	shape  Shape
	stream []*rand.Rand // one for each client
	n      []int
}

// NewGenerator returns a generator of the first cycles.
func NewGenerator(s Shape) *Generator {
	g := &Generator{shape: s, n: make([]int, s.Clients)}
	for i := range s.Clients {
		g.stream = append(g.stream, rand.New(rand.NewPCG(s.Seed, uint64(i)+1)))
	}
	return g
}

// Next returns the client's next cycle, and how long the client thinks before it. The numbers after
// a cycle's own number are reserved for its nested acquires.
func (g *Generator) Next(client int) (Order, time.Duration) {
	r := g.stream[client]
	o := Order{Do: DoCycle, N: g.n[client] + 1, Body: g.shape.Body,
		Hold: history.Duration(g.shape.Longest())}
	g.n[client] += acquires(g.shape.Body)
	switch {
	case g.shape.Body == Multi:
		o.Keys = g.pickKeys(client, o.N, r)
		o.Key = o.Keys[0]
	case g.shape.Keys > 1:
		o.Key = r.IntN(g.shape.Keys)
	}
	if g.shape.Shared && slices.Contains(shareable, g.shape.Body) && g.shares(client, o.N, r) {
		o.Mode = history.Shared
	}
	think := time.Duration(0)
	if g.shape.Think > 0 {
		think = time.Duration(r.Int64N(2 * int64(g.shape.Think)))
	}
	return o, think
}

// shares draws whether a cycle has a shared hold. In the first cycle, every other client has one.
// If a fault strikes the first hold, some client then has to wait for it.
func (g *Generator) shares(client, n int, r *rand.Rand) bool {
	drawn := r.IntN(2) == 0
	if n == 1 {
		return (uint64(client)+g.shape.Seed)%2 == 0
	}
	return drawn
}

// shareable lists the workloads whose clients may hold a lock together, because they write nothing.
var shareable = []string{Mutex, LongWork, Heed}

// Longest returns the time that a client spends inside. This is also the longest time that a client
// may be busy when it is told to stop. Long work lasts two leases unless the hold is longer.
func (s Shape) Longest() time.Duration {
	if slices.Contains([]string{LongWork, Heed, Extend}, s.Body) {
		return max(s.Hold, 2*s.TTL)
	}
	return s.Hold
}

// pickKeys draws two of the keys. With AnyOrder, a lock gets them in one call and must not deadlock
// if another client asks for them the other way round. In the first cycle, every other client does.
func (g *Generator) pickKeys(client, n int, r *rand.Rand) []int {
	all := r.Perm(max(g.shape.Keys, 1))
	all = all[:min(len(all), multiKeys)]
	if g.shape.AnyOrder && n > 1 {
		return all
	}
	slices.Sort(all)
	if g.shape.AnyOrder && (uint64(client)+g.shape.Seed)%2 == 0 {
		slices.Reverse(all)
	}
	return all
}
