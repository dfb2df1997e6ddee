package reports

import (
	"slices"
	"strconv"
	"strings"
)

// keyspace plays a command stream on the lock keys of one node. MONITOR shows no replies, but what
// a command does to these keys follows from their state. It tells the story; it never decides a
// verdict.
type keyspace struct {
	out    []keySpan
	now    map[int]*keySpan
	expiry map[int]float64 // the deadline, on the node's own clock
	wall   float64         // of the command that is played
	owners map[string]int
	lock   func(key string) (int, bool)
}

func keysOf(said heard, roles []span, owners map[string]int, lock func(string) (int, bool),
	end int64) []keySpan {
	s := keyspace{now: map[int]*keySpan{}, expiry: map[int]float64{}, owners: owners, lock: lock}
	for _, c := range said.commands {
		seg := said.segments[c.segment]
		s.wall = c.wall
		s.expire(c.wall, seg)
		s.command(c.t, strings.ToUpper(c.args[0]), c.args[1:])
	}
	if n := len(said.segments); n > 0 {
		last := said.segments[n-1]
		s.expire(last.wall(end), last)
	}
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

func (s *keyspace) command(t int64, name string, args []string) {
	key, ok := s.lock(args[0])
	if !ok {
		return
	}
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
			s.lease(key, name, value)
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
	name := map[string]string{"EX": "EXPIRE", "PX": "PEXPIRE", "EXAT": "EXPIREAT",
		"PXAT": "PEXPIREAT"}[unit]
	if name != "" {
		s.lease(key, name, n)
	}
}

func (s *keyspace) lease(key int, name, value string) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return
	}
	if strings.HasPrefix(name, "P") {
		n /= 1000
	}
	if strings.HasSuffix(name, "AT") {
		s.expiry[key] = n
		return
	}
	s.expiry[key] = s.wall + n
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

// expire ends what the node's own clock says is over. Where that clock was moved past a deadline,
// it was over at the move.
func (s *keyspace) expire(wall float64, seg segment) {
	for key, deadline := range s.expiry {
		if deadline <= wall {
			at := max(seg.at(deadline), seg.from)
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
