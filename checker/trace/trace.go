// Package trace is the one interpretation of Redis commands: the purpose of a command for the key
// of a lock, its effect according to its reply, and the command that granted each hold.
package trace

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// Trace combines the commands of a run with its record.
type Trace struct {
	Reader
	Commands []*history.Command
	Sent     map[int][]*history.Command // by process, in the order of sending
	inOrder  []*history.Command         // all of them, in the order of sending
	names    Names
	record   *record.Record
	header   history.Header

	// made when they are asked for
	calls   map[int][]*record.Call // by process, by beginning
	byKey   map[string][]*history.Command
	byLock  map[int][]*history.Command
	lost    []*history.Command
	given   map[string]bool // by key: see returned
	touched map[string]bool // by key: see returned
	ends    map[string]bool // by key: see everEnds
}

// New returns the trace of a run with this header and record. Commands may be none.
func New(h history.Header, r *record.Record, commands []history.Command) *Trace {
	t := &Trace{Reader: NewReader(h), Sent: map[int][]*history.Command{},
		names: NamesOf(h.Names), record: r, header: h}
	commands = t.onePerKey(onePerKey(commands))
	t.learn(commands)
	for i := range commands {
		t.Commands = append(t.Commands, &commands[i])
	}
	t.inOrder = slices.SortedStableFunc(slices.Values(t.Commands),
		func(a, b *history.Command) int { return cmp.Compare(a.Sent, b.Sent) })
	for _, m := range t.inOrder {
		t.Sent[m.Process] = append(t.Sent[m.Process], m)
	}
	return t
}

// Named reports whether the header says which keys are locks.
func (t *Trace) Named() bool { return len(t.names) > 0 }

// Mentions reports whether a word of a command is a key of a lock, according to the header.
func (t *Trace) Mentions(m *history.Command, lock int) bool {
	return slices.ContainsFunc(m.Args, func(word string) bool {
		i, known := t.names.Lock(word)
		return known && i == lock
	})
}

// Releasing reports whether a command was sent by a release call.
func (t *Trace) Releasing(m *history.Command) bool { return t.record.Releasing(m.Process, m.Sent) }

// Tries returns the commands of a hold's acquire call about its lock, in the order of sending,
// answered or not.
func (t *Trace) Tries(h *record.Hold) (tries []*history.Command) {
	for _, m := range t.SentWithin(h.Process, h.Call, h.From) {
		if (m.N == 0 || m.N == h.N) && t.MayBeOf(m, h.Key) {
			tries = append(tries, m)
		}
	}
	return tries
}

// MayBeOf reports whether a command may be about a lock, as far as the header describes its key's
// name.
func (t *Trace) MayBeOf(m *history.Command, lock int) bool {
	if len(t.names) == 0 {
		return true
	}
	i, ok := t.names.Lock(Key(m))
	return ok && i == lock
}

// Grants relates grants to commands and their places, as the trace shows them.
type Grants struct {
	ByHold []*history.Command // commands that granted Record.Holds; nil if unknown
	Known  bool               // ByHold has a command
	// Possible holds the times when commands that granted a lock, or may have, were under way.
	Possible map[Place]record.Reach

	names Names
	keys  map[string]int // Redis key -> lock, if the header does not name them
}

// Grants finds the command that granted each hold, and all others that may have granted a lock.
func (t *Trace) Grants() Grants {
	g := Grants{names: t.names, keys: map[string]int{},
		ByHold: make([]*history.Command, len(t.record.Holds))}
	possible := map[Place][]record.Interval{}
	note := func(m *history.Command, over int64) {
		possible[PlaceOf(m)] = append(possible[PlaceOf(m)], record.Interval{From: m.Sent, To: over,
			Process: m.Process})
	}
	for i := range t.record.Holds {
		if m := t.GrantOf(&t.record.Holds[i]); m != nil {
			g.ByHold[i], g.Known = m, true
			g.keys[Key(m)] = t.record.Holds[i].Key
			note(m, m.Recv)
		}
	}
	unsure, noted := t.unsureCalls(), map[*history.Command]bool{}
	for _, m := range g.ByHold {
		noted[m] = true
	}
	for _, m := range t.Commands {
		switch {
		case noted[m], t.Frees(m):
		case m.Recv == 0 || m.Err != "":
			note(m, record.Forever)
		case t.Takes(m) && (t.Declared(m) || len(m.Effects) > 0 || unsure[[2]int{m.Process, m.N}]),
			t.TakesFree(m) && t.mayGiveBack(m):
			note(m, m.Recv)
		}
	}
	g.Possible = record.ReachBy(possible)
	return g
}

// mayGiveBack reports whether a command is of an attempt that may have been given back: its acquire
// call failed, or was granted after the answer to this command.
func (t *Trace) mayGiveBack(m *history.Command) bool {
	k := t.CallOf(m)
	return k != nil && (k.Outcome != history.OK || m.Recv <= k.To)
}

// unsureCalls returns the acquire calls with an unknown outcome, by process and n.
func (t *Trace) unsureCalls() map[[2]int]bool {
	out := map[[2]int]bool{}
	for _, k := range t.record.Calls {
		if k.Unsure() {
			out[[2]int{k.Process, k.N}] = true
		}
	}
	return out
}

// LockOf returns the number of the lock that a command is about, and whether it is known.
func (g *Grants) LockOf(m *history.Command) (int, bool) {
	if len(g.names) > 0 {
		return g.names.Lock(Key(m))
	}
	i, ok := g.keys[Key(m)]
	return i, ok
}
