package explore

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/sim"
	"github.com/lockbench/lockbench/nemesis"
)

// turn is a step of the record as it is replayed.
type turn struct {
	Step
	number int // in the file, from 0
}

// turns puts the steps in the order in which they took effect: an order to a client is written down
// when it is given, and comes a little later. Tries in the last millisecond of a lease are left
// out.
func turns(steps []Step) []turn {
	var all []turn
	for i, s := range steps {
		if s.Kind == Fault && (s.Fault.Do == nemesis.Redirect || s.Fault.Do == nemesis.ClientClock) {
			if c, err := nemesis.Client(s.Fault.Target); err == nil {
				s.At += history.Duration(sim.OrderTime(c))
			}
		}
		all = append(all, turn{s, i})
	}
	slices.SortStableFunc(all, func(a, b turn) int { return int(a.At - b.At) })
	joined(all)
	return patientTries(all)
}

// joined finds for each command that a node executes the one that a client has sent. Of several
// that are the same the record may name one whose client had given it up: that one was lost, unless
// none of the others is left.
func joined(all []turn) {
	over := map[[2]int]bool{}  // client and seq: it has been executed
	given := map[[2]int]bool{} // its client has given it up
	for i, t := range all {
		switch {
		case t.Seq == 0:
		case t.Kind == Recv:
			given[[2]int{t.Client, t.Seq}] = true
		case t.Kind == Exec:
			best := 0
			for _, s := range all[:i] {
				key := [2]int{s.Client, s.Seq}
				if s.Kind != Send || s.Client != t.Client || s.Node != t.Node || s.Command != t.Command ||
					over[key] {
					continue
				}
				if best == 0 || given[[2]int{t.Client, best}] && !given[key] {
					best = s.Seq
				}
			}
			if best > 0 {
				all[i].Seq = best
			}
			over[[2]int{t.Client, all[i].Seq}] = true
		}
	}
}

// patientTries leaves out every try whose reply says that the lease has 0 ms left, and after which
// its client tried the same at once. Redis counts whole milliseconds: for less than one a lease is
// over by the clock and not yet in Redis, and a simulated client tries some ten times in it. How
// often a real one does nobody can arrange, so that it tries once, when the simulated one tried
// last.
func patientTries(all []turn) (left []turn) {
	skip := map[[2]int]bool{} // client and seq
	for i, t := range all {
		if t.Kind == Recv && t.Reply == "0" && strings.HasPrefix(lower(t.Command), "eval ") {
			if next, ok := nextOf(all[i+1:], t.Client); ok && next.Kind == Send &&
				next.Command == t.Command && next.Node == t.Node &&
				next.At-t.At < history.Duration(time.Millisecond) {
				skip[[2]int{t.Client, t.Seq}] = true
			}
		}
	}
	for _, t := range all {
		if t.Seq == 0 || !skip[[2]int{t.Client, t.Seq}] {
			left = append(left, t)
		}
	}
	return left
}

// nextOf is what a client does next.
func nextOf(all []turn, client int) (turn, bool) {
	for _, t := range all {
		if t.Kind != Fault && t.Client == client {
			return t, true
		}
	}
	return turn{}, false
}
