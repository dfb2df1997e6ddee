package view

import (
	"cmp"
	"maps"
	"slices"

	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/nemesis"
)

// Node is one Redis, as the record shows it.
type Node struct {
	Name    string
	Roles   []Role
	Keys    []trace.KeySpan // keys that it held for locks
	Exact   bool            // Keys follow its own command stream instead of the replies to clients
	Offsets []trace.Offset  // of its clock; none if its stream was not recorded
}

// Role is a time in one role: master, replica, up, paused, down.
type Role struct {
	From, To int64
	Name     string
}

// Redis returns the nodes in the record, by name. It looks at every command, so it keeps its
// result.
func (v *View) Redis() []Node {
	if v.nodes == nil {
		v.nodes = v.findNodes()
	}
	return v.nodes
}

func (v *View) findNodes() []Node {
	var nodes []Node
	for _, name := range v.nodeNames() {
		role := firstRole(v.History.Header.Topology, len(nodes) == 0)
		nodes = append(nodes, Node{Name: name, Roles: roles(v.Faults, name, role, v.End)})
	}
	writers := trace.Writers(v.Trace)
	told := trace.New(v.History.Header, v.Record, v.Trace)
	grants := told.Grants()
	for i := range nodes {
		n := &nodes[i]
		shown := v.Run.Nodes[n.Name]
		if len(shown) == 0 {
			n.Keys = told.KnownSpans(n.Name, writers, &grants, orders(v.Faults, n.Name),
				downs(n.Roles), v.End)
			continue
		}
		stream := trace.Listen(shown, moves(v.Faults, n.Name))
		n.Keys = stream.Keys(writers, &grants, downs(n.Roles), v.End)
		n.Exact, n.Offsets = true, stream.Offsets()
	}
	return nodes
}

// nodeNames returns the names of all nodes, n2 before n10.
func (v *View) nodeNames() []string {
	seen := map[string]bool{}
	for name := range v.Run.Nodes {
		seen[name] = true
	}
	for i := range v.Trace {
		seen[v.Trace[i].Node] = true
	}
	for i := range v.Holds {
		seen[v.Holds[i].Node] = true
	}
	for _, f := range v.Faults {
		for _, name := range f.Servers() {
			seen[name] = true
		}
	}
	delete(seen, "")
	return slices.SortedFunc(maps.Keys(seen), CompareNames)
}

// CompareNames orders n2 before n10.
func CompareNames(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// firstRole returns the role in which a node starts. A failover topology starts with its first node
// as master.
func firstRole(topology string, first bool) string {
	switch {
	case topology != "failover" && topology != "sentinel":
		return "up"
	case first:
		return "master"
	}
	return "replica"
}

// roles follows a node from its first role through kills, pauses, restarts and promotions.
func roles(faults []Fault, name, role string, end int64) []Role {
	roles := []Role{{0, end, role}}
	enter := func(t int64, what string) {
		roles[len(roles)-1].To = t
		roles = append(roles, Role{t, end, what})
	}
	for _, f := range faults {
		if f.Target != name {
			continue
		}
		now, row := roles[len(roles)-1].Name, f.Row()
		switch {
		case row.Kills, row.Stops:
			what := "down"
			if row.Stops {
				what = "paused"
			}
			enter(f.From, what)
			if !f.Lasting {
				enter(f.To, now)
			}
		case f.Promotes():
			enter(min(f.To, end), "master")
		}
	}
	return roles
}

// downs returns the stamps at which a node lost its keys.
func downs(roles []Role) (at []int64) {
	for _, r := range roles {
		if r.Name == "down" {
			at = append(at, r.From)
		}
	}
	return at
}

// orders returns the offsets that the nemesis gave to a node's clock, for a node without a recorded
// stream.
func orders(faults []Fault, name string) (moves []trace.Offset) {
	for _, f := range faults {
		if f.MovesClock() && (f.Target == name || f.Target == "*") {
			moves = append(moves, trace.Offset{T: f.From, By: f.Offset.Seconds()})
		}
	}
	slices.SortStableFunc(moves, func(a, b trace.Offset) int { return cmp.Compare(a.T, b.T) })
	return moves
}

// moves returns the stamps at which the nemesis moved a node's clock.
func moves(faults []Fault, name string) (moves []int64) {
	for _, f := range faults {
		if slices.Contains([]string{nemesis.NodeClock, nemesis.StopClock}, f.Action) &&
			(f.Target == name || f.Target == "*") {
			moves = append(moves, f.From)
		}
	}
	slices.Sort(moves)
	return moves
}
