package nemesis

import (
	"fmt"
	"path"
	"slices"
)

// Layout describes the servers and the clients of a scenario.
type Layout struct {
	Topology string
	Masters  int // of the topology Independent
	Replicas int // of each master; of the topology Failover, of its master, and there 0 means 1
	Clients  int
}

// MaxReplicas bounds the replicas of the topology Failover.
const MaxReplicas = 4

// The numbers of servers and of sentinels in the topology Sentinel.
const (
	SentinelNodes = 3
	Sentinels     = 3
)

// ClusterMasters is the number of masters in the topology Cluster. Each has one replica.
const ClusterMasters = 3

// EnsembleNodes is the number of servers in the topology Ensemble.
const EnsembleNodes = 3

// MasterNames returns the names of the servers that clients use at first.
func (g Layout) MasterNames() (names []string) {
	n := 1
	switch g.Topology {
	case Independent:
		n = g.Masters
	case Cluster:
		n = ClusterMasters
	case Ensemble:
		n = EnsembleNodes
	}
	for i := range n {
		names = append(names, node(i))
	}
	return names
}

// ReplicaPairs returns the names of the replicas, each with its master.
func (g Layout) ReplicaPairs() (pairs [][2]string) {
	switch {
	case g.Topology == Failover:
		for i := range max(g.Replicas, 1) {
			pairs = append(pairs, [2]string{node(1 + i), "n0"})
		}
	case g.Topology == Sentinel:
		return [][2]string{{"n1", "n0"}, {"n2", "n0"}}
	case g.Topology == Cluster:
		for i, m := range g.MasterNames() {
			pairs = append(pairs, [2]string{node(ClusterMasters + i), m})
		}
	case g.Topology == Independent && g.Replicas > 0:
		for i, m := range g.MasterNames() {
			pairs = append(pairs, [2]string{Replica(i), m})
		}
	}
	return pairs
}

// replicaNames returns the servers that may take over: the replicas, or the followers in an
// ensemble.
func (g Layout) replicaNames() (names []string) {
	if g.Topology == Ensemble {
		return g.MasterNames()[1:]
	}
	for _, r := range g.ReplicaPairs() {
		names = append(names, r[0])
	}
	return names
}

// Successions returns pairs of replicas of the topology Failover: one that may be promoted, and one
// that then follows it. It returns none if there is one replica.
func (g Layout) Successions() (pairs [][2]string) {
	if g.Topology != Failover {
		return nil
	}
	for _, to := range g.ReplicaPairs() {
		for _, of := range g.ReplicaPairs() {
			if of != to {
				pairs = append(pairs, [2]string{of[0], to[0]})
			}
		}
	}
	return pairs
}

// bus returns the pairs of nodes of a cluster or an ensemble that speak to each other.
func (g Layout) bus() (pairs [][2]string) {
	if g.Topology != Cluster && g.Topology != Ensemble {
		return nil
	}
	for _, from := range g.Nodes() {
		for _, to := range g.Nodes() {
			if from != to {
				pairs = append(pairs, [2]string{from, to})
			}
		}
	}
	return pairs
}

// Bus names the link between two nodes of a cluster or members of an ensemble. The pattern "b>*n0*"
// matches all such links from and to n0.
func Bus(from, to string) string { return OverBus + ">" + from + "," + to }

// OverBus is the first part of the names of these links.
const OverBus = "b"

func node(i int) string { return "n" + string(rune('0'+i)) }

// Replica names the replica of the i-th independent master.
func Replica(i int) string { return "r" + string(rune('0'+i)) }

// Nodes returns the names of all Redis servers.
func (g Layout) Nodes() []string {
	all := g.MasterNames()
	for _, r := range g.ReplicaPairs() {
		all = append(all, r[0])
	}
	return all
}

func (g Layout) sentinels() (names []string) {
	if g.Topology == Sentinel {
		for i := range Sentinels {
			names = append(names, fmt.Sprintf("s%d", i))
		}
	}
	return names
}

// links returns the names of all links: from each client to each node, by both of its ways; from a
// master to its replica, and from each replica that may be promoted to the others; with sentinels,
// from all servers ("s") to each sentinel, and from each client to each sentinel; in a cluster or
// an ensemble, from each node to each other over the bus ("b").
func (g Layout) links() (names []string) {
	for _, n := range g.Nodes() {
		for c := range g.Clients {
			names = append(names, fmt.Sprintf("c%d>%s", c, n), fmt.Sprintf("c%d+>%s", c, n))
		}
		if g.Topology == Sentinel {
			names = append(names, "s>"+n)
		}
	}
	for _, p := range g.bus() {
		names = append(names, Bus(p[0], p[1]))
	}
	for _, s := range g.sentinels() {
		names = append(names, "s>"+s)
		for c := range g.Clients {
			names = append(names, fmt.Sprintf("c%d>%s", c, s))
		}
	}
	for _, r := range g.ReplicaPairs() {
		if g.Topology != Sentinel {
			names = append(names, r[1]+">"+r[0])
		}
	}
	for _, s := range g.Successions() {
		names = append(names, s[0]+">"+s[1])
	}
	return names
}

func (g Layout) hasLink(pattern string) bool {
	return slices.ContainsFunc(g.links(), func(l string) bool {
		ok, _ := path.Match(pattern, l)
		return ok
	})
}
