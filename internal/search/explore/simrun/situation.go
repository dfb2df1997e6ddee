package simrun

import (
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// situation is the state of a run as a search sees it: the phase of each client with its latest
// command and whether that wrote something, the last writer and the number of keys of each node,
// and the progress of the fault. It leaves out values and times, because two runs that differ only
// in these have shown the same.
type situation struct {
	seen    map[uint64]bool // hashes of the states that the run has reached; nil if no one asks
	states  []uint64        // the same, in order
	clients []clientSituation
	names   []string // of the nodes, sorted
	nodes   []nodeSituation
	faults  int
	text    []byte // of the latest state
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
	if phase := counterexample.PhaseOf(e); s.seen != nil && phase != "" {
		c := s.client(e.Process)
		*c = clientSituation{phase: phase}
		s.visit()
	}
}

func (s *situation) executed(x sim.Execution) {
	if s.seen == nil || x.Client < 0 || counterexample.Greets(x.Args[0]) {
		return
	}
	c := s.client(x.Client)
	c.command, c.wrote = x.Args[0], x.Wrote
	n := s.node(x.Node)
	if n.keys = x.Keys; x.Wrote {
		n.writer = x.Client + 1
	}
	s.visit()
}

func (s *situation) fault() {
	if s.seen != nil && s.faults < mostFaults {
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

func (s *situation) node(name string) *nodeSituation {
	i, found := slices.BinarySearch(s.names, name)
	if !found {
		s.names = slices.Insert(s.names, i, name)
		s.nodes = slices.Insert(s.nodes, i, nodeSituation{})
	}
	return &s.nodes[i]
}

// visit records the state that the run has reached.
func (s *situation) visit() {
	b := strconv.AppendInt(s.text[:0], int64(s.faults), 10)
	for _, c := range s.clients {
		b = append(append(append(append(b, ' '), c.phase...), ' '), c.command...)
		b = strconv.AppendBool(append(b, ' '), c.wrote)
	}
	for i, name := range s.names {
		b = append(append(b, ' '), name...)
		b = strconv.AppendInt(append(b, ' '), int64(s.nodes[i].writer), 10)
		b = strconv.AppendInt(append(b, ' '), int64(s.nodes[i].keys), 10)
	}
	s.text = b
	h := fnv.New64a()
	h.Write(b)
	if state := h.Sum64(); !s.seen[state] {
		s.seen[state] = true
		s.states = append(s.states, state)
	}
}
