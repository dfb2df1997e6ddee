package trace

import (
	"maps"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// habits are what a script was seen to do to its key in some of its runs.
type habits struct{ takes, frees bool }

// part is what a script does to one of the keys that it names.
type part struct {
	id    string // history.ScriptID
	about int    // see history.Command
}

// learn reads what scripts did in all runs that a node showed.
func (k *scripts) learn(commands []history.Command) {
	k.learned = map[part]*habits{}
	for i := range commands {
		m := &commands[i]
		e, ok := k.observed(m)
		if !ok {
			continue
		}
		h := k.learned[k.part(m)]
		if h == nil {
			h = &habits{}
			k.learned[k.part(m)] = h
		}
		h.takes = h.takes || e.Kind.Writes()
		h.frees = h.frees || e.Kind == Free
	}
}

// observed returns what a script did to its key, by its node's word: the last write or deletion, or
// else None, or Expire. False: it is not known, or the header says it. Of commands that write only
// where the key is free the reply of the script tells what became of them.
func (k *scripts) observed(m *history.Command) (sum Effect, ok bool) {
	if len(m.Effects) == 0 || !scripted(m) || k.declared(m) != nil {
		return Effect{}, false
	}
	for _, args := range m.Effects {
		e := EffectOf(args)
		if e.Kind == Free && slices.Contains(args[1:], Key(m)) {
			e.Key = Key(m) // it may delete several
		}
		if e.Key != Key(m) || CountsDown(args) {
			continue
		}
		switch {
		case e.Kind == Expire || e.Kind == Persist:
			if sum.Kind == None {
				sum = e
			}
		case e.Kind != None:
			sum = e
		}
	}
	return sum, true
}

// effectOf returns what a command does to its key: a script does what its node showed.
func (k *scripts) effectOf(m *history.Command) Effect {
	if e, ok := k.observed(m); ok {
		return e
	}
	return EffectOf(m.Args)
}

// CountsDown reports whether a command takes one acquisition of several away.
func CountsDown(args []string) bool {
	last := args[len(args)-1]
	return commands[verb(args)].kind == Count && len(last) > 0 && last[0] == '-'
}

// habit returns the effects that the script of a command showed so far.
func (k *scripts) habit(m *history.Command) habits {
	if !scripted(m) || len(m.Args) < 2 || k.learned[k.part(m)] == nil {
		return habits{}
	}
	return *k.learned[k.part(m)]
}

func (k *scripts) part(m *history.Command) part { return part{k.id(m), max(firstKey, m.About)} }

// changedNothing reports whether a script that was seen certainly left its key as it was.
func (k *scripts) changedNothing(m *history.Command) bool {
	e, _ := k.observed(m)
	return Answered(m) && (e.Kind == None || e.Kind == Take && !yes(m.Reply))
}

// Prolonged returns a history without the extensions that prolong nothing for certain. A node
// refutes one if the client took the reply of its script for a yes, and the script left the key as
// it was. What a reply means is the script's own affair: 1 is often yes, and in python-redis-lock
// "not acquired". A renewal that compares nothing may have prolonged the key of another client.
func Prolonged(h *history.History, commands []history.Command) *history.History {
	named := func(e history.Event) bool { return e.Type == history.Extend && e.Grant != nil }
	if !slices.ContainsFunc(h.Events, named) {
		return h
	}
	r := NewReader(h.Header)
	commands = r.onePerKey(commands)
	idle := idleOnes(&r, commands)
	if h.Header.Topology != "independent" {
		maps.Copy(idle, strays(&r, commands, h.Header.Drift))
	}
	refuted := func(e history.Event) bool {
		return named(e) && idle[sending{e.Process, e.Grant.Sent}]
	}
	if !slices.ContainsFunc(h.Events, refuted) {
		return h
	}
	return &history.History{Header: h.Header,
		Events: slices.DeleteFunc(slices.Clone(h.Events), refuted)}
}

// idleOnes returns what left all of its keys as they were.
func idleOnes(r *Reader, commands []history.Command) map[sending]bool {
	idle := map[sending]bool{}
	for i := range commands {
		m := &commands[i]
		at := sending{m.Process, m.Sent}
		e, seen := r.observed(m)
		before, known := idle[at]
		idle[at] = seen && e.Kind == None && (before || !known)
	}
	return idle
}
