package reports

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/history"
)

// node is what is known of one Redis.
type node struct {
	name    string
	roles   []span
	keys    []keySpan // what it held for a lock
	exact   bool      // keys follow its own command stream, not what clients were told
	offsets []offset  // how far its clock was from where it began
}

// span is a time in one role: master, replica, up, paused, down.
type span struct {
	from, to int64
	what     string
}

// keySpan is a time during which a node kept a lock's key for one owner.
type keySpan struct {
	from, to int64
	key      int
	owner    int    // client, or -1
	value    string // as the node saw it
	ended    string // expired, deleted, overwritten, node down, still there
}

var (
	lockKey = regexp.MustCompile(`^(?:.*:)?lock:([0-9]{1,6})$`)
	// ends of links and targets of faults that are no Redis
	noNode = regexp.MustCompile(`^(c[0-9]+\+?|struck|spare|\*|)$`)
)

// redis collects every Redis that the record speaks of. It costs a look at every command, so it
// is done once.
func (r *View) redis() []node {
	if r.nodes == nil {
		r.nodes = findNodes(r)
	}
	return r.nodes
}

func findNodes(r *View) []node {
	seen := map[string]bool{}
	for name := range r.Nodes {
		seen[name] = true
	}
	for i := range r.Trace {
		seen[r.Trace[i].Node] = true
	}
	for i := range r.holds {
		seen[r.holds[i].node] = true
	}
	for _, x := range r.faults {
		for _, name := range strings.Split(x.target, ">") {
			seen[name] = seen[name] || !noNode.MatchString(name)
		}
	}
	var ns []node
	for name, ok := range seen {
		if ok && name != "" {
			ns = append(ns, node{name: name})
		}
	}
	slices.SortFunc(ns, func(a, b node) int { return compareNames(a.name, b.name) })
	owners := ownersOf(r.Trace)
	for i := range ns {
		n := &ns[i]
		n.roles = rolesOf(n.name, i, r.History.Header.Topology, r)
		if stream := r.Nodes[n.name]; len(stream) > 0 {
			said := listen(stream, movesOf(n.name, r))
			n.keys, n.exact, n.offsets = keysOf(said, n.roles, owners, locksBy(r.History.Header.Names),
				r.end), true, said.offsets()
		} else {
			n.keys = keysFromGrants(n.name, r)
		}
	}
	return ns
}

// locksBy tells the number of the lock that a Redis key is. The header names the keys; an
// environment may put a prefix before them. A record from before it did so has lock:0, lock:1 and
// so on.
func locksBy(names []string) func(key string) (int, bool) {
	return func(key string) (int, bool) {
		for i, n := range names {
			if key == n || strings.HasSuffix(key, ":"+n) {
				return i, true
			}
		}
		m := lockKey.FindStringSubmatch(key)
		if m == nil || len(names) > 0 {
			return 0, false
		}
		i, _ := strconv.Atoi(m[1]) // at most six digits
		return i, true
	}
}

// compareNames orders n2 before n10.
func compareNames(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// rolesOf follows a node through kills, pauses, restarts and promotions. A failover topology starts
// with its first node as master.
func rolesOf(name string, index int, topology string, r *View) []span {
	role := "up"
	if topology == "failover" || topology == "sentinel" {
		role = "replica"
		if index == 0 {
			role = "master"
		}
	}
	spans := []span{{0, r.end, role}}
	enter := func(t int64, what string) {
		spans[len(spans)-1].to = t
		spans = append(spans, span{t, r.end, what})
	}
	for _, x := range r.faults {
		if x.target != name {
			continue
		}
		now := spans[len(spans)-1].what
		switch {
		case x.f == "kill" || strings.Contains(x.f, "crash"), strings.Contains(x.f, "pause"):
			what := "down"
			if strings.Contains(x.f, "pause") {
				what = "paused"
			}
			enter(x.from, what)
			if !x.open {
				enter(x.to, now)
			}
		case strings.Contains(x.f, "promote"):
			enter(x.to, "master")
		}
	}
	return spans
}

// ownersOf tells from the clients' own commands who wrote a value first.
func ownersOf(trace []history.Command) map[string]int {
	owners := map[string]int{}
	for i := range trace {
		c := &trace[i]
		if len(c.Args) < 3 {
			continue
		}
		for _, v := range c.Args[2:] {
			if _, ok := owners[v]; !ok && len(v) > 3 {
				owners[v] = c.Process
			}
		}
	}
	return owners
}

func keysFromGrants(name string, r *View) []keySpan {
	var ks []keySpan
	for i := range r.holds {
		h := &r.holds[i]
		if h.node != name || h.depth > 0 {
			continue
		}
		k := keySpan{from: h.sent, to: r.end, key: h.key, owner: h.process,
			ended: "still there, by the grant"}
		if h.lease > 0 && h.lease < k.to {
			k.to, k.ended = h.lease, "lease over, by the grant"
		}
		if h.ended == "released" && h.left < k.to {
			k.to, k.ended = h.left, "released"
		}
		ks = append(ks, k)
	}
	return ks
}
