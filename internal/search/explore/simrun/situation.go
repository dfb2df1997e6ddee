package simrun

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// situation is what a search takes for the state of a run: the phase of each client with its latest
// command and whether that did something, who wrote last on each node and how many keys it holds,
// and how far the fault has come. It leaves out values and times: two runs that differ in nothing
// else have shown the same.
type situation struct {
	visited func(state uint64)
	clients []clientSituation
	nodes   map[string]nodeSituation
	faults  int
}

type clientSituation struct {
	phase, command string
	wrote          bool
}

type nodeSituation struct{ writer, keys int }

// most steps of a fault that are told apart: what comes later is the same fault once more.
const mostFaults = 8

func (s *situation) event(e history.Event) {
	if phase := counterexample.PhaseOf(e); s.visited != nil && phase != "" {
		c := s.client(e.Process)
		*c = clientSituation{phase: phase}
		s.visit()
	}
}

func (s *situation) executed(x sim.Execution) {
	if s.visited == nil || x.Client < 0 || counterexample.Greets(x.Args[0]) {
		return
	}
	c := s.client(x.Client)
	c.command, c.wrote = x.Args[0], x.Wrote
	n := s.nodes[x.Node]
	if n.keys = x.Keys; x.Wrote {
		n.writer = x.Client + 1
	}
	if s.nodes == nil {
		s.nodes = map[string]nodeSituation{}
	}
	s.nodes[x.Node] = n
	s.visit()
}

func (s *situation) fault() {
	if s.visited != nil && s.faults < mostFaults {
		s.faults++
		s.visit()
	}
}

func (s *situation) client(i int) *clientSituation {
	for len(s.clients) <= i {
		s.clients = append(s.clients, clientSituation{})
	}
	return &s.clients[i]
}

// visit tells of the state that the run has come to.
func (s *situation) visit() {
	h := fnv.New64a()
	fmt.Fprint(h, s.faults, s.clients)
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		fmt.Fprint(h, name, s.nodes[name])
	}
	s.visited(h.Sum64())
}
