package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/env/sim"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/nemesis"
)

// turn is a step of the record with its number.
type turn struct {
	counterexample.Step
	number int // in the file, from 0
}

// turnsOf returns the steps that a replay follows.
func turnsOf(c *counterexample.Counterexample) []turn {
	all := orderTurns(c.Steps)
	if c.Plan.Adapter == nil {
		return all
	}
	sent := map[[2]int]bool{} // client and seq
	return slices.DeleteFunc(all, func(t turn) bool {
		k := [2]int{t.Client, t.Seq}
		sent[k] = sent[k] || t.Kind == counterexample.Send
		return t.Kind == counterexample.Exec && !sent[k] // no trace has it, and the relay passes it
	})
}

// orderTurns sorts the steps by the times of their effects. The file records an order to a client
// when it was given, but the client gets it a little later. The result omits attempts in the last
// millisecond of a lease, and everything that clients did because they were told to give up.
func orderTurns(steps []counterexample.Step) []turn {
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

// withoutGivenUp removes the steps of each client from the point where it was told to give up. The
// harness does that when the run is over or the violation was seen, so these steps are not part of
// the violation. The clients of a replay are told at its end.
func withoutGivenUp(all []turn) []turn {
	never := map[[2]int]bool{} // client and seq of commands that were never sent
	over := map[int]bool{}     // clients
	gaveUp := cancelled(all)
	for _, t := range all {
		if t.Kind == counterexample.Recv && t.Loss == history.Canceled && !gaveUp(t) {
			never[[2]int{t.Client, t.Seq}] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(t turn) bool {
		if t.Kind == counterexample.Fault || t.Kind == counterexample.Exec {
			return false
		}
		over[t.Client] = over[t.Client] || never[[2]int{t.Client, t.Seq}] ||
			t.CalledOff && !gaveUp(t)
		return over[t.Client]
	})
}

// cancelled returns a function that reports whether a client has given up a call before a step,
// although the run went on. Its call ends within a hundredth of a second.
func cancelled(all []turn) func(turn) bool {
	return func(t turn) bool {
		return slices.ContainsFunc(all, func(f turn) bool {
			return f.Kind == counterexample.Fault && f.Fault.Do == nemesis.Cancel &&
				f.Fault.Target == fmt.Sprintf("c%d", t.Client) && f.At <= t.At &&
				t.At < f.At+history.Duration(hearsay)
		})
	}
}

// ordered returns the client that gets a step as an order, or -1.
func ordered(s counterexample.Step) int {
	if s.Kind != counterexample.Fault ||
		!slices.Contains([]string{nemesis.Redirect, nemesis.ClientClock, nemesis.Cancel}, s.Fault.Do) {
		return -1
	}
	c, err := nemesis.Client(s.Fault.Target)
	if err != nil {
		return -1
	}
	return c
}

// joinSent assigns to each executed command the number of the sent command. If there are several
// equal commands, the record may name one that its client had given up. That command was lost, and
// joinSent uses it only if no other is left.
func joinSent(all []turn) {
	over := map[[2]int]bool{}  // client and seq of executed commands
	given := map[[2]int]bool{} // client and seq of commands that were given up
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

// withoutHastyTries removes each attempt whose reply says that the lease has 0 ms left, if its
// client retried immediately.
//
// Redis counts whole milliseconds. For less than one, a lease is over by the clock but not yet in
// Redis, and a simulated client retries some ten times. A real client retries as fast as its
// machine allows, which a replay cannot control. Therefore the real client tries only once, at the
// time of the simulated client's last executed attempt.
func withoutHastyTries(all []turn) []turn {
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
	return slices.DeleteFunc(all, func(t turn) bool {
		return t.Seq != 0 && hasty[[2]int{t.Client, t.Seq}]
	})
}

// arrives reports whether a node executes a sent command. If not, the attempt before it was the
// last one, and the record may be about that.
func arrives(all []turn, sent turn) bool {
	return slices.ContainsFunc(all, func(t turn) bool {
		return t.Kind == counterexample.Exec && t.Client == sent.Client && t.Seq == sent.Seq
	})
}

func nextOf(all []turn, client int) (turn, bool) {
	for _, t := range all {
		if t.Kind != counterexample.Fault && t.Client == client {
			return t, true
		}
	}
	return turn{}, false
}
