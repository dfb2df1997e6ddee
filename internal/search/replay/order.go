package replay

import (
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
)

// turn is a step of the record as it is replayed.
type turn struct {
	counterexample.Step
	number int // in the file, from 0
}

// turns puts the steps in the order in which they took effect: the file has an order to a client at
// the time when it was given, and the client gets it a little later. Trials in the last millisecond
// of a lease are left out, and what clients did because they were told to give up.
func turns(steps []counterexample.Step) []turn {
	var all []turn
	for i, s := range steps {
		if c := ordered(s); c >= 0 {
			s.At += history.Duration(sim.OrderTime(c))
		}
		all = append(all, turn{s, i})
	}
	slices.SortStableFunc(all, func(a, b turn) int { return int(a.At - b.At) })
	joinSent(all)
	return withoutHastyTries(withoutGivenUp(all))
}

// withoutGivenUp leaves out what a client did from where it was told to give up waiting. The
// harness says so when the run is over or the violation was seen: nothing after that is a part of
// it, and the clients of a replay are told at its end.
func withoutGivenUp(all []turn) []turn {
	never := map[[2]int]bool{} // client and seq: the command did not leave any more
	over := map[int]bool{}     // clients
	for _, t := range all {
		if t.Kind == counterexample.Recv && t.Loss == history.Canceled {
			never[[2]int{t.Client, t.Seq}] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(t turn) bool {
		if t.Kind == counterexample.Fault || t.Kind == counterexample.Exec {
			return false
		}
		over[t.Client] = over[t.Client] || never[[2]int{t.Client, t.Seq}] ||
			t.CalledOff
		return over[t.Client]
	})
}

// ordered is the client to which a step is an order; -1: it is none.
func ordered(s counterexample.Step) int {
	if s.Kind != counterexample.Fault ||
		s.Fault.Do != nemesis.Redirect && s.Fault.Do != nemesis.ClientClock {
		return -1
	}
	c, err := nemesis.Client(s.Fault.Target)
	if err != nil {
		return -1
	}
	return c
}

// joinSent gives each command that a node executes the number of the command that its client has
// sent. Of several equal commands the record may name one that its client had given up. Such a
// command was lost; it is taken only if none of the others is left.
func joinSent(all []turn) {
	over := map[[2]int]bool{}  // client and seq: it has been executed
	given := map[[2]int]bool{} // its client has given it up
	for i, t := range all {
		switch {
		case t.Seq == 0:
		case t.Kind == counterexample.Recv:
			given[[2]int{t.Client, t.Seq}] = true
		case t.Kind == counterexample.Exec:
			best := 0
			for _, s := range all[:i] {
				key := [2]int{s.Client, s.Seq}
				if s.Kind != counterexample.Send || s.Client != t.Client || s.Node != t.Node ||
					s.Command != t.Command || over[key] {
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

// withoutHastyTries leaves out each try whose reply says that the lease has 0 ms left, if its
// client tried the same again at once.
//
// Redis counts whole milliseconds: for less than one, a lease is over by the clock and not yet in
// Redis. A simulated client tries some ten times in that time. A real client tries as often as its
// machine lets it, and a replay cannot arrange that; so the real client tries once, at the time of
// the simulated client's last try that is executed.
func withoutHastyTries(all []turn) (left []turn) {
	hasty := map[[2]int]bool{} // client and seq
	for i, t := range all {
		if t.Kind == counterexample.Recv && tellsNothingLeft(t.Reply) &&
			strings.HasPrefix(strings.ToLower(t.Command), "eval ") {
			if next, ok := nextOf(all[i+1:], t.Client); ok && next.Kind == counterexample.Send &&
				next.Command == t.Command && next.Node == t.Node &&
				next.At-t.At < history.Duration(time.Millisecond) && arrives(all[i+1:], next) {
				hasty[[2]int{t.Client, t.Seq}] = true
			}
		}
	}
	for _, t := range all {
		if t.Seq == 0 || !hasty[[2]int{t.Client, t.Seq}] {
			left = append(left, t)
		}
	}
	return left
}

// arrives reports whether a node executes what was sent: if not, the try before was the last one,
// and may be what the record is about.
func arrives(all []turn, sent turn) bool {
	return slices.ContainsFunc(all, func(t turn) bool {
		return t.Kind == counterexample.Exec && t.Client == sent.Client && t.Seq == sent.Seq
	})
}

// nextOf is the next step of a client.
func nextOf(all []turn, client int) (turn, bool) {
	for _, t := range all {
		if t.Kind != counterexample.Fault && t.Client == client {
			return t, true
		}
	}
	return turn{}, false
}
