// Package campaign says what many cells cost on many machines: a matrix of all locks and libraries,
// on several servers and with several seeds, dealt to the pods of a scheduler. It simulates the
// scheduler with the times that the records of docs have of each cell; docs/campaign.md is its
// page.
package campaign

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lockbench/lockbench/docs"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Cell is one cell of a matrix: a lock or library under a fault.
type Cell struct {
	Runs int
	// Took is the time of a machine that runs nothing else: that of all its runs, divided by how many
	// ran at once where they were measured
	Took time.Duration
}

// Recorded are the cells of the records of the matrix and of the libraries, and how long both took
// together where they were measured.
func Recorded() (cells []Cell, took time.Duration, err error) {
	for _, name := range []string{"matrix.json", "libraries.json"} {
		b, err := fs.ReadFile(docs.Records, name)
		if err != nil {
			return nil, 0, err
		}
		m, err := matrix.Read(bytes.NewReader(b))
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
		cells = append(cells, cellsOf(m)...)
		took += m.Took.D()
	}
	return cells, took, nil
}

// cellsOf spreads the time of a matrix over its cells, as long as each one's runs were.
func cellsOf(m *matrix.Matrix) (cells []Cell) {
	var all time.Duration
	for _, c := range m.Cells {
		for _, r := range c.Runs {
			all += r.Took.D()
		}
	}
	for _, c := range m.Cells {
		var own time.Duration
		for _, r := range c.Runs {
			own += r.Took.D()
		}
		if len(c.Runs) > 0 && all > 0 {
			share := float64(own) / float64(all) * float64(m.Took.D())
			cells = append(cells, Cell{len(c.Runs), time.Duration(share)})
		}
	}
	return cells
}

// Plan is a campaign: each cell on each server with each seed.
type Plan struct {
	Servers, Seeds int
	Shards         int // of each server and seed: a pod runs one
	Machines       int // pods at the same time
	// Evicted is how often a pod is evicted, each hour; it goes on where it was, after Restart, and
	// gives up when that happened more often than Retries
	Evicted float64
	Retries int
	Start   time.Duration // of a pod
}

// Pods is how many there are.
func (p Plan) Pods() int { return p.Servers * p.Seeds * p.Shards }

// Outcome is how a campaign went.
type Outcome struct {
	Wall     time.Duration // until the last pod has ended
	Machines time.Duration // of all machines, in sum
	Evicted  int           // pods, each as often as it was
	Lost     int           // shards that gave up
}

// deal deals cells to the shards as the matrix does.
func (p Plan) deal(cells []Cell) [][]Cell {
	shards := make([][]Cell, p.Shards)
	for i := range shards {
		shards[i] = batch.Deal(batch.Shard{Index: i + 1, Of: p.Shards}, cells,
			func(c Cell) int { return c.Runs })
	}
	return shards
}

// simulate runs a campaign once. It starts pods in their order, each where a machine is free first,
// as an indexed job does.
func (p Plan) simulate(shards [][]Cell, seed uint64) Outcome {
	r := rand.New(rand.NewPCG(seed, 1))
	free := make([]time.Duration, p.Machines)
	var o Outcome
	for pod := range p.Pods() {
		m := slices.Index(free, slices.Min(free))
		took := p.pod(shards[pod%p.Shards], r, &o)
		free[m] += took
		o.Machines += took
	}
	o.Wall = slices.Max(free)
	return o
}

// pod is how long a pod with these cells takes, its evictions included. A cell that was under way
// is begun again.
func (p Plan) pod(cells []Cell, r *rand.Rand, o *Outcome) time.Duration {
	took, next, evictions := p.Start, p.eviction(r), 0
	for i := 0; i < len(cells); {
		if took+cells[i].Took <= next {
			took += cells[i].Took
			i++
			continue
		}
		o.Evicted++
		if evictions++; evictions > p.Retries {
			o.Lost++
			return next
		}
		took = max(next, took) + p.Start
		next = took + p.eviction(r)
	}
	return took
}

// eviction is how long a pod lives until it is evicted.
func (p Plan) eviction(r *rand.Rand) time.Duration {
	if p.Evicted == 0 {
		return math.MaxInt64
	}
	return time.Duration(r.ExpFloat64() / p.Evicted * float64(time.Hour))
}

// Simulate runs a campaign n times and returns its outcomes, sorted by their walls.
func (p Plan) Simulate(cells []Cell, n int) []Outcome {
	shards, out := p.deal(cells), make([]Outcome, n)
	for i := range out {
		out[i] = p.simulate(shards, uint64(i)+1)
	}
	slices.SortFunc(out, func(a, b Outcome) int { return int(a.Wall - b.Wall) })
	return out
}
