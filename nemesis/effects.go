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

// On names the targets of an effect. Each effect uses only some of the fields.
type On struct {
	Client string           // a client by any name
	Links  string           // a link or a pattern of links
	Mode   string           // the direction of links, or "" for the effect's own
	Nodes  []string         // servers
	Copy   string           // the replica that takes over from the first of them
	For    history.Duration // the duration, or 0 for the effect's own
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

// effect returns the effect of a fault in its usual form. The fault must have one.
func (p Params) effect(fault string, on On) Effect {
	e, _ := p.Effect(fault, "", on)
	return e
}

// aimed sets whether the first step must hit a hold while another client waits.
func (e Effect) aimed(yes bool) Effect {
	e.Begin[0].Aimed = yes
	return e
}

// undone returns an effect with these steps, and with the steps that end them by the table of
// actions. A step that another one undoes needs no end.
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

// each returns the step once for each target.
func each(targets []string, s Step) (steps []Step) {
	for _, s.Target = range targets {
		steps = append(steps, s)
	}
	return steps
}

// Servers returns an On with the first n Redis that the lock uses.
func (p Params) Servers(n int) (on On) {
	for i := range n {
		on.Nodes = append(on.Nodes, node(i))
	}
	return on
}

// Every returns n: all of n servers.
func Every(n int) int { return n }

// Minority returns the largest number of n servers that leaves a majority of others.
func Minority(n int) int { return (n - 1) / 2 }

// Majority returns the smallest number of n servers that is more than half.
func Majority(n int) int { return n/2 + 1 }
