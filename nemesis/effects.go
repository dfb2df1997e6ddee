package nemesis

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// Effect is a change to an environment, and the steps that undo it. A fault is an effect at a
// certain moment. Scenarios choose the moments that are known to hurt a lock; random and explore
// draw them.
type Effect struct {
	Begin []Step
	End   []Step // empty if the effect is over at once or lasts
}

// On is what an effect is done to. Which fields count depends on the effect.
type On struct {
	Client string           // a client by any name
	Links  string           // a link or a pattern of links
	Mode   string           // the direction of links, if it is not the effect's own
	Nodes  []string         // servers
	Copy   string           // the replica that takes over from the first of them
	For    history.Duration // how long, if it is not the effect's own time
}

// Effect returns the effect of the fault with this name. It returns false if the fault has no
// effect of its own.
func (p Params) Effect(fault, variant string, on On) (Effect, bool) {
	entry, _, err := Find(fault)
	variant = cmp.Or(variant, entry.Default())
	a := assembly{Params: p, form: entry.form(variant), variant: variant, on: on}
	if err != nil || len(a.form.Effect) == 0 {
		return Effect{}, false
	}
	e, err := a.effect()
	return e, err == nil
}

// effect is Effect of a fault that has one, in its usual form.
func (p Params) effect(fault string, on On) Effect {
	e, _ := p.Effect(fault, "", on)
	return e
}

// aimed marks the first step as the one that must hit a hold with another client waiting.
func (e Effect) aimed(yes bool) Effect {
	e.Begin[0].Aimed = yes
	return e
}

// undone is an effect with what ends it by the table of actions, unless that is among its steps.
func undone(begin ...Step) Effect {
	e := Effect{Begin: begin}
	for _, s := range begin {
		switch a := s.action(); {
		case slices.ContainsFunc(begin, func(u Step) bool {
			return u.Undoes(s.Do) && u.Target == s.Target
		}):
		case a.Again:
			e.End = append(e.End, Step{Do: s.Do, Target: s.Target})
		case len(a.Undo) > 0:
			e.End = append(e.End, Step{Do: a.Undo[0], Target: s.Target})
		}
	}
	return e
}

// each is one step for each of the targets.
func each(targets []string, s Step) (steps []Step) {
	for _, s.Target = range targets {
		steps = append(steps, s)
	}
	return steps
}

// Servers is what an effect on the first n Redis that the lock uses is done to.
func (p Params) Servers(n int) (on On) {
	for i := range n {
		on.Nodes = append(on.Nodes, node(i))
	}
	return on
}

// Every is how many of n servers are all of them.
func Every(n int) int { return n }

// Minority is how many of n servers a majority can do without.
func Minority(n int) int { return (n - 1) / 2 }

// Majority is how many of n servers are more than half.
func Majority(n int) int { return n/2 + 1 }
