package trace

import (
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// Orders holds the possible orders of execution of the commands about one key. Two commands that
// were under way at once may have arrived in either order. Their replies, and those of others,
// often leave only one order. A fact that holds in all orders is certain.
type Orders struct {
	// Hits has, by deletion, the writers of all values that it may have deleted: nil among them is a
	// value from before the first command.
	Hits  map[*history.Command]map[*history.Command]bool
	Ends  map[*history.Command]map[Ending]bool // by writer: the possible ends of its value
	later map[[2]*history.Command]bool
}

// Ending is how the value that a command wrote was gone.
type Ending struct {
	How Loss
	By  *history.Command // nil: no command
}

// Loss is the way by which a key loses a value.
type Loss uint8

// The ways.
const (
	ByDeletion Loss = iota
	ByWrite
	ByExpiry
	ByFault
)

// Question selects the commands to order.
type Question struct {
	// Commands are about one key on one server, in the order of sending.
	Commands []*history.Command
	First    []*history.Command // the commands whose relative order is wanted
	// Lease returns the lease that a command gave the key, in ns, or 0 if the key does not expire.
	Lease func(*history.Command) int64
	Drift float64 // of the server's clock
	// Grants reports whether a client came in by a command.
	Grants func(*history.Command) bool
	// Lost reports whether a fault between two stamps may have removed the key, or restored another,
	// and from when on the key can then be written.
	Lost func(from, to int64) (lost, back bool, after int64)
	// Empty says that the key did not exist before the first command.
	Empty bool
}

// Bounds of a search. If they do not suffice, nothing is certain.
const (
	mostStates = 20_000
	mostOpen   = 64 // commands that are under way at once, or were never answered
)

// Orders returns the orders of a question, or nil if there are too many, or none: then the reader
// does not know what the commands do.
func (r *Reader) Orders(q Question) *Orders {
	s := &ordering{Reader: r, Question: q, known: map[moment]bool{}, out: &Orders{
		Hits:  map[*history.Command]map[*history.Command]bool{},
		Ends:  map[*history.Command]map[Ending]bool{},
		later: map[[2]*history.Command]bool{}}}
	for _, m := range q.Commands {
		switch {
		case m.Again > 0:
			return nil // which of its executions came when is not known
		case m.Recv == 0 || m.Err != "":
			s.optional = append(s.optional, m)
		default:
			s.answered = append(s.answered, m)
		}
		s.rewritten = s.rewritten || EffectOf(m.Args).Kind == Rewrite
	}
	if len(s.optional) > mostOpen {
		return nil
	}
	possible := s.visit(moment{}, value{older: !q.Empty})
	if !q.Empty {
		possible = s.visit(moment{}, value{}) || possible
	}
	if !possible || s.exceeded {
		return nil
	}
	return s.out
}

// Precedes reports whether one of two commands came before the other in all orders.
func (o *Orders) Precedes(a, b *history.Command) bool { return !o.later[[2]*history.Command{a, b}] }

// ordering is a search through all orders. It is depth first and visits each state once.
type ordering struct {
	*Reader
	Question
	answered, optional []*history.Command
	known              map[moment]bool // whether the end can be reached from a state
	rewritten          bool            // some command may have changed a value that it left in place
	exceeded           bool
	out                *Orders
}

// moment is a state: which commands were executed, and what the key holds.
type moment struct {
	front int    // all answered commands before this one were executed
	ahead uint64 // and these after it
	lost  uint64 // and these of the optional ones
	value
}

// value is what a key holds.
type value struct {
	by    *history.Command // its writer, or nil
	lease *history.Command // the command that set its lease
	text  *history.Command // the writer of the readable text; nil if unknown
	older bool             // it is there, from before the first command
	from  int64            // the key has held this since then, or since later
}

func (v value) there() bool { return v.by != nil || v.older }

// prolonged returns a value that a command gave another lease.
func (v value) prolonged(m *history.Command) value { v.lease = m; return v }

// reading returns a value whose text a command wrote; m is nil if the text is unknown.
func (v value) reading(m *history.Command) value { v.text = m; return v }

// visit reports whether all remaining answered commands can be executed from a state, and notes the
// events of the successful orders.
func (s *ordering) visit(at moment, v value) bool {
	at.value = v
	if can, seen := s.known[at]; seen {
		return can
	}
	if s.exceeded = s.exceeded || len(s.known) > mostStates; s.exceeded {
		return false
	}
	s.known[at] = false // no order comes back to where it was
	can := at.front >= len(s.answered)
	due := s.deadline(at)
	for i := at.front; i < len(s.answered) && i < at.front+mostOpen; i++ {
		m := s.answered[i]
		if m.Sent > due {
			break
		}
		if at.ahead&(1<<(i-at.front)) != 0 || s.waits(at, m) {
			continue
		}
		if s.reads(v, m, due) {
			s.known[at] = s.visit(at.with(i), v)
			return s.known[at]
		}
		can = s.execute(at, at.with(i), m, due) || can
	}
	for i, m := range s.optional {
		if at.lost&(1<<i) == 0 && m.Sent <= due {
			next := at
			next.lost |= 1 << i
			can = s.execute(at, next, m, due) || can
		}
	}
	s.known[at] = can
	return can
}

// reads reports whether a command can only have found the present value, and left it unchanged. Any
// order that begins with another command can then begin with this one, and shows the same. A key
// without a value does not count: a later command may show how the value was lost. Nor does a
// command of First, whose place is asked for.
func (s *ordering) reads(v value, m *history.Command, by int64) bool {
	if !v.there() || slices.Contains(s.First, m) {
		return false
	}
	all := s.outcomes(v, m, by)
	return len(all) == 1 && all[0] == way{after: v}
}

// deadline returns when the first of the remaining commands must have been executed.
func (s *ordering) deadline(at moment) int64 {
	due := int64(record.Forever)
	for i := at.front; i < len(s.answered) && s.answered[i].Sent <= due; i++ {
		if i-at.front >= mostOpen || at.ahead&(1<<(i-at.front)) == 0 {
			due = min(due, s.answered[i].Recv)
		}
	}
	return due
}

// waits reports whether a command of the same client must come before: a client sends the next one
// when it has the reply.
func (s *ordering) waits(at moment, m *history.Command) bool {
	for i := at.front; i < len(s.answered) && i < at.front+mostOpen; i++ {
		k := s.answered[i]
		if k.Sent > m.Sent {
			break
		}
		if k != m && k.Process == m.Process && k.Recv <= m.Sent && k.Seq < m.Seq &&
			at.ahead&(1<<(i-at.front)) == 0 {
			return true
		}
	}
	return false
}

// with returns the moment after the execution of an answered command.
func (p moment) with(i int) moment {
	p.ahead |= 1 << (i - p.front)
	for p.ahead&1 != 0 {
		p.ahead >>= 1
		p.front++
	}
	return p
}

// execute tries a command in all ways that its reply allows, and notes those that lead to the end.
func (s *ordering) execute(at, next moment, m *history.Command, by int64) (can bool) {
	for _, w := range s.outcomes(at.value, m, by) {
		idle := next.lost != at.lost && w.after == at.value && !w.deletes
		if idle || !s.visit(next, w.after) {
			continue
		}
		can = true
		s.note(at, m, w)
	}
	return can
}

func (s *ordering) note(at moment, m *history.Command, w way) {
	if w.ended != nil {
		s.put(w.ended, Ending{w.how, w.with})
	}
	if w.deletes {
		if s.out.Hits[m] == nil {
			s.out.Hits[m] = map[*history.Command]bool{}
		}
		s.out.Hits[m][w.victim] = true
	}
	if !slices.Contains(s.First, m) {
		return
	}
	for _, k := range s.First {
		if k != m && !s.done(at, k) {
			s.out.later[[2]*history.Command{k, m}] = true
		}
	}
}

func (s *ordering) put(m *history.Command, e Ending) {
	if s.out.Ends[m] == nil {
		s.out.Ends[m] = map[Ending]bool{}
	}
	s.out.Ends[m][e] = true
}

// done reports whether an answered command was executed in a state.
func (s *ordering) done(at moment, m *history.Command) bool {
	i := slices.Index(s.answered, m)
	return i >= 0 && (i < at.front || i < at.front+mostOpen && at.ahead&(1<<(i-at.front)) != 0)
}
