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
	name  string
	roles []span
	keys  []keySpan // what it held for a lock
	exact bool      // keys follow its own command stream, not what clients were told
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
	lockKey    = regexp.MustCompile(`^lock:([0-9]{1,6})$`)
	clientName = regexp.MustCompile(`^(c[0-9]+|struck|)$`)
)

// nodesOf collects every Redis that the record speaks of.
func nodesOf(r Run, f *facts) []node {
	seen := map[string]bool{}
	for name := range r.Nodes {
		seen[name] = true
	}
	for i := range r.Trace {
		seen[r.Trace[i].Node] = true
	}
	for i := range f.holds {
		seen[f.holds[i].node] = true
	}
	for _, x := range f.faults {
		for _, name := range strings.Split(x.target, ">") {
			seen[name] = seen[name] || !clientName.MatchString(name)
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
		n.roles = rolesOf(n.name, i, r.History.Header.Topology, f)
		if stream := r.Nodes[n.name]; len(stream) > 0 {
			n.keys, n.exact = keysOf(stream, n.roles, owners, f.end), true
		} else {
			n.keys = keysFromGrants(n.name, f)
		}
	}
	return ns
}

// compareNames orders n2 before n10.
func compareNames(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// rolesOf follows a node through kills, pauses, restarts and promotions. A failover topology starts with its first node as master.
func rolesOf(name string, index int, topology string, f *facts) []span {
	role := "up"
	if topology == "failover" || topology == "sentinel" {
		role = "replica"
		if index == 0 {
			role = "master"
		}
	}
	spans := []span{{0, f.end, role}}
	enter := func(t int64, what string) {
		spans[len(spans)-1].to = t
		spans = append(spans, span{t, f.end, what})
	}
	for _, x := range f.faults {
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

func keysFromGrants(name string, f *facts) []keySpan {
	var ks []keySpan
	for i := range f.holds {
		h := &f.holds[i]
		if h.node != name || h.depth > 0 {
			continue
		}
		k := keySpan{from: h.sent, to: f.end, key: h.key, owner: h.process, ended: "still there, by the grant"}
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

// keyspace plays a command stream on the lock keys of one node. MONITOR shows no replies, but what a command does to these
// keys follows from their state. It tells the story; it never decides a verdict.
type keyspace struct {
	out    []keySpan
	now    map[int]*keySpan
	expiry map[int]int64
	owners map[string]int
	offset float64 // seconds of wall clock at the start of the run
}

func keysOf(stream []history.NodeCommand, roles []span, owners map[string]int, end int64) []keySpan {
	s := keyspace{now: map[int]*keySpan{}, expiry: map[int]int64{}, owners: owners, offset: wallOffset(stream)}
	for i := range stream {
		wall, args, ok := parseMonitor(stream[i].Line)
		if !ok || len(args) < 2 {
			continue
		}
		// The node's own stamp is finer than the time of reading, unless its clock was moved.
		t := int64((wall - s.offset) * 1e9)
		if t > stream[i].T || stream[i].T-t > 5e8 {
			t = stream[i].T
		}
		s.expire(t)
		s.command(t, strings.ToUpper(args[0]), args[1:])
	}
	s.expire(end)
	for _, role := range roles {
		if role.what == "down" {
			s.cut(role.from)
		}
	}
	for key := range s.now {
		s.drop(key, end, "still there")
	}
	slices.SortFunc(s.out, func(a, b keySpan) int { return int(min(1, max(-1, a.from-b.from))) })
	return s.out
}

// wallOffset is the wall clock at stamp 0: a line is read after it was written, so the smallest difference is the best.
func wallOffset(stream []history.NodeCommand) float64 {
	best, found := 0.0, false
	for i := range stream {
		if wall, _, ok := parseMonitor(stream[i].Line); ok {
			if d := wall - float64(stream[i].T)/1e9; !found || d > best {
				best, found = d, true
			}
		}
	}
	return best
}

// parseMonitor reads a line like 1792000000.123456 [0 127.77.3.1:40112] "SETNX" "lock:0" "1792".
func parseMonitor(line string) (wall float64, args []string, ok bool) {
	stamp, rest, ok := strings.Cut(line, " [")
	if !ok {
		return 0, nil, false
	}
	wall, err := strconv.ParseFloat(stamp, 64)
	_, rest, ok = strings.Cut(rest, "] ")
	if err != nil || !ok {
		return 0, nil, false
	}
	for rest != "" {
		q, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return 0, nil, false
		}
		a, err := strconv.Unquote(q)
		if err != nil {
			return 0, nil, false
		}
		args, rest = append(args, a), strings.TrimPrefix(rest[len(q):], " ")
	}
	return wall, args, true
}

func (s *keyspace) command(t int64, name string, args []string) {
	m := lockKey.FindStringSubmatch(args[0])
	if m == nil {
		return
	}
	key, _ := strconv.Atoi(m[1]) // at most six digits
	held := s.now[key] != nil
	value := ""
	if len(args) > 1 {
		value = args[1]
	}
	switch name {
	case "SETNX":
		if !held {
			s.set(key, t, value)
		}
	case "GETSET":
		s.set(key, t, value)
	case "SET":
		s.setWith(key, t, value, args)
	case "HSET", "HINCRBY", "HSETNX":
		if !held {
			s.set(key, t, value)
		}
	case "DEL", "UNLINK", "GETDEL":
		s.drop(key, t, "deleted")
	case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT":
		if held {
			s.lease(key, t, name, value)
		}
	case "PERSIST":
		delete(s.expiry, key)
	}
}

// setWith is SET with its options.
func (s *keyspace) setWith(key int, t int64, value string, args []string) {
	held := s.now[key] != nil
	var unit, n string
	for i := 2; i < len(args); i++ {
		switch o := strings.ToUpper(args[i]); o {
		case "NX":
			if held {
				return
			}
		case "XX":
			if !held {
				return
			}
		case "EX", "PX", "EXAT", "PXAT":
			if i+1 < len(args) {
				unit, n = o, args[i+1]
			}
		}
	}
	s.set(key, t, value)
	name := map[string]string{"EX": "EXPIRE", "PX": "PEXPIRE", "EXAT": "EXPIREAT", "PXAT": "PEXPIREAT"}[unit]
	if name != "" {
		s.lease(key, t, name, n)
	}
}

func (s *keyspace) lease(key int, t int64, name, value string) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return
	}
	if strings.HasPrefix(name, "P") {
		n /= 1000
	}
	if strings.HasSuffix(name, "AT") {
		s.expiry[key] = int64((n - s.offset) * 1e9)
		return
	}
	s.expiry[key] = t + int64(n*1e9)
}

func (s *keyspace) set(key int, t int64, value string) {
	s.drop(key, t, "overwritten")
	owner, ok := s.owners[value]
	if !ok {
		owner = -1
	}
	s.now[key] = &keySpan{from: t, key: key, owner: owner, value: value}
}

func (s *keyspace) drop(key int, t int64, how string) {
	if k := s.now[key]; k != nil {
		k.to, k.ended = t, how
		s.out = append(s.out, *k)
		delete(s.now, key)
	}
	delete(s.expiry, key)
}

func (s *keyspace) expire(t int64) {
	for key, at := range s.expiry {
		if at <= t {
			s.drop(key, max(at, s.now[key].from), "expired")
		}
	}
}

// cut ends at t what a dead node can no longer hold.
func (s *keyspace) cut(t int64) {
	for key, k := range s.now {
		if k.from <= t {
			s.drop(key, t, "node down")
		}
	}
	for i := range s.out {
		if k := &s.out[i]; k.from <= t && k.to > t {
			k.to, k.ended = t, "node down"
		}
	}
}
