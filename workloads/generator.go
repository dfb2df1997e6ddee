package workloads

import (
	"math/rand/v2"
	"time"

	"github.com/lockbench/lockbench/history"
)

// Shape is what the generator needs to know of a plan.
type Shape struct {
	Body    string
	Clients int
	Keys    int
	Hold    time.Duration
	Think   time.Duration
	Seed    uint64
}

// Generator decides what each client does next. It is pure: the same shape gives every client the same cycles, in
// whatever order the clients ask. It is not safe for concurrent use.
type Generator struct {
	shape  Shape
	stream []*rand.Rand // one for each client
	n      []int
}

// NewGenerator returns a generator at its beginning.
func NewGenerator(s Shape) *Generator {
	g := &Generator{shape: s, n: make([]int, s.Clients)}
	for i := range s.Clients {
		g.stream = append(g.stream, rand.New(rand.NewPCG(s.Seed, uint64(i)+1)))
	}
	return g
}

// Next returns the client's next cycle, and how long it thinks before it.
func (g *Generator) Next(client int) (Order, time.Duration) {
	g.n[client]++
	r := g.stream[client]
	o := Order{Do: DoCycle, N: g.n[client], Body: g.shape.Body, Hold: history.Duration(g.shape.Hold)}
	if g.shape.Keys > 1 {
		o.Key = r.IntN(g.shape.Keys)
	}
	think := time.Duration(0)
	if g.shape.Think > 0 {
		think = time.Duration(r.Int64N(2 * int64(g.shape.Think)))
	}
	return o, think
}
