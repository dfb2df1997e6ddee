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

// situation is the state of a run as a search sees it: the phase of each client with its latest
// command and whether that wrote something, the last writer and the number of keys of each node,
// and the progress of the fault. It leaves out values and times, because two runs that differ only
// in these have shown the same.
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

// mostFaults is how many steps of a fault are distinguished. Later steps usually repeat the same
// fault.
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

// visit reports the state that the run has reached.
func (s *situation) visit() {
	h := fnv.New64a()
	fmt.Fprint(h, s.faults, s.clients)
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		fmt.Fprint(h, name, s.nodes[name])
	}
	s.visited(h.Sum64())
}
