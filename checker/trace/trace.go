// Package trace is the one interpretation of Redis commands: the purpose of a command for the key
// of a lock, its effect according to its reply, and the command that granted each hold.
package trace

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// Trace combines the commands of a run with its record.
type Trace struct {
	Reader
	Commands []history.Command
	Sent     map[int][]*history.Command // by process, in the order of sending
	names    Names
	record   *record.Record
	header   history.Header

	// made when they are asked for
	calls    map[int][]*record.Call // by process, by beginning
	byKey    map[string][]*history.Command
	byLock   map[int][]*history.Command
	lost     []*history.Command
	answered []answer
	given    map[string]bool // by key: see returned
}

// New returns the trace of a run with this header and record. Commands may be none.
func New(h history.Header, r *record.Record, commands []history.Command) *Trace {
	t := &Trace{Reader: NewReader(h), Sent: map[int][]*history.Command{},
		names: NamesOf(h.Names), record: r, header: h}
	commands = t.onePerKey(onePerKey(commands))
	t.Commands = commands
	t.learn(commands)
	for i := range commands {
		m := &commands[i]
		t.Sent[m.Process] = append(t.Sent[m.Process], m)
	}
	for _, ms := range t.Sent {
		slices.SortStableFunc(ms, bySent)
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

// GrantOf returns the command that granted a hold. It compares the commands of the acquire call
// that may have taken a key and were answered before the call returned. It returns the likeliest,
// and the last if several are equally likely: see likely. It returns nil if there is none. If the
// call also wrote the key that it counts up, it returns the command that counts.
func (t *Trace) GrantOf(h *record.Hold) *history.Command {
	var grant, counter *history.Command
	best, freed := unlikely, map[Place]bool{}
	sent := t.Sent[h.Process]
	last := sort.Search(len(sent), func(i int) bool { return sent[i].Sent > h.From })
	for i := last - 1; i >= 0 && sent[i].Sent >= h.Call && best < likeliest; i-- {
		m := sent[i]
		if m.Recv <= h.From && t.Deleted(m) {
			freed[PlaceOf(m)] = true
		}
		if m.Recv == 0 || m.Recv > h.From || m.N != 0 && m.N != h.N || !t.Takes(m) ||
			!t.MayBeOf(m, h.Key) {
			continue
		}
		l := t.likely(m)
		switch {
		case freed[PlaceOf(m)]:
			l = isGuard
		case l%isReturned == isCounter:
			counter = cmp.Or(counter, m)
		case l%isReturned != isScript && counter != nil && Key(counter) == Key(m):
			m = counter
		}
		if l > best {
			grant, best = m, l
		}
	}
	return grant
}

// likelihood says how likely it is that a command granted a hold.
type likelihood int

// From a command whose key its call deleted again to one that may be refused. A key that clients
// give back is likelier than any other.
const (
	unlikely   likelihood       = iota
	isGuard                     // the call deleted its key again
	isScript                    // the header does not describe it
	isCounter                   // many locks count a fencing token
	isNote                      // it writes, whatever is there
	isTake                      // it may be refused, or its client looked before
	isReturned                  // added if releases free the key, or count it down
	isNamed    = 2 * isReturned // added if it is the lock's name, without another word
	likeliest  = isNamed + isReturned + isTake
)

// likely returns how likely it is that a command granted a hold.
func (t *Trace) likely(m *history.Command) (l likelihood) {
	kind := EffectOf(m.Args).Kind
	if e, ok := t.observed(m); ok {
		kind = e.Kind
	}
	switch {
	case t.Undeclared(m):
		l = isScript
	case kind == Count && !countsField(m):
		l = isCounter
	case kind == Write && !t.lookedFree(m):
		l = isNote
	default:
		l = isTake
	}
	if t.returned()[Key(m)] {
		l += isReturned
	}
	if _, exact := t.names[strings.Trim(Key(m), "{}")]; exact {
		l += isNamed
	}
	return l
}

// lookedFree reports whether the call of a command read its key as free before.
func (t *Trace) lookedFree(m *history.Command) bool {
	return slices.ContainsFunc(t.OfKey(Key(m)), func(k *history.Command) bool {
		return k.Process == m.Process && k.N == m.N && k.Node == m.Node && k.Sent < m.Sent &&
			Silent(k) && t.FindsNone(k)
	})
}

// returned returns the keys that clients free, or count down, in their releases.
func (t *Trace) returned() map[string]bool {
	if t.given != nil {
		return t.given
	}
	t.given = map[string]bool{}
	for i := range t.Commands {
		m := &t.Commands[i]
		down := strings.HasPrefix(Verb(m), "DECR") || countsDown(m.Args)
		if (t.Frees(m) || down || t.Undeclared(m)) && t.Releasing(m) {
			t.given[Key(m)] = true
		}
	}
	return t.given
}

// Tries returns the commands of a hold's acquire call about its lock, in the order of sending,
// answered or not.
func (t *Trace) Tries(h *record.Hold) (tries []*history.Command) {
	sent := t.Sent[h.Process]
	first := sort.Search(len(sent), func(i int) bool { return sent[i].Sent >= h.Call })
	for _, m := range sent[first:] {
		if m.Sent > h.From {
			break
		}
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
		ByHold: make([]*history.Command, len(t.record.Holds)), Possible: map[Place]record.Reach{}}
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
	for i := range t.Commands {
		m := &t.Commands[i]
		switch {
		case noted[m], t.Frees(m):
		case m.Recv == 0 || m.Err != "":
			note(m, record.Forever)
		case t.Takes(m) && (t.Declared(m) || len(m.Effects) > 0 || unsure[[2]int{m.Process, m.N}]),
			t.TakesFree(m) && t.mayGiveBack(m):
			note(m, m.Recv)
		}
	}
	for place, ts := range possible {
		g.Possible[place] = record.NewReach(ts)
	}
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

// countsField reports whether a command counts a field of a hash, as re-entrant locks do.
func countsField(m *history.Command) bool {
	return Verb(m) == "HINCRBY" || slices.ContainsFunc(m.Effects, func(args []string) bool {
		return verb(args) == "HINCRBY" && EffectOf(args).Key == Key(m)
	})
}
