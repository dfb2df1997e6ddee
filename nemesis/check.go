package nemesis

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// StepError says what is wrong with a step of a scenario.
type StepError struct {
	Step int // from 0
	Err  error
}

// Error names the step as people count.
func (e *StepError) Error() string { return fmt.Sprintf("step %d: %v", e.Step+1, e.Err) }

// Unwrap returns what is wrong.
func (e *StepError) Unwrap() error { return e.Err }

// target is what a step is done to.
type target int

const (
	nobody    target = iota
	aNode            // one Redis
	aReplica         // one that can be promoted
	aLink            // or several, by a pattern
	aClient          // by number, by a name that an Await gave, struck or waiter
	oneOrNone        // a client, or nobody
	oneOrAll         // a client, or "*"
)

// rule says what a step's target is, which other fields it may have, and which it must have.
type rule struct {
	target    target
	may, must string
}

// grammar is the closed list of steps. An Await is checked by itself.
var grammar = map[string]rule{
	Quiesce: {}, Warm: {}, Barrier: {}, Wait: {may: "for until"}, Elected: {must: "for"},
	Resume: {target: oneOrNone}, Go: {target: oneOrNone}, Redirect: {target: oneOrAll, must: "node"},
	KillNode: {aNode, "strike", ""}, Start: {target: aNode}, Revive: {target: aNode}, Promote: {
		aReplica, "strike", ""},
	PauseNode: {aNode, "strike", ""}, ResumeNode: {target: aNode}, NodeClock: {aNode, "offset strike",
		""},
	Busy: {aNode, "strike", ""}, Stall: {aNode, "strike", "for"}, Free: {target: aNode},
	Cut: {aLink, "mode strike", ""}, HoldBack: {aLink, "mode strike", ""}, Delay: {aLink, "strike",
		"for"},
	Refuse: {aLink, "strike", ""}, Reset: {aLink, "strike", ""}, Heal: {target: aLink},
	Crash: {aClient, "strike", ""}, Pause: {aClient, "strike", ""}, Unpause: {target: aClient},
	ClientClock: {oneOrAll, "offset rate strike", ""},
}

// script is how far a scenario has been read.
type script struct {
	stage Layout
	named map[string]bool
	dead  map[string]int // nodes and clients that were killed, and by which step
	blind int            // the step that killed a client of whom nobody knows the number; -1: none
	links []linkFault    // in force
	spare map[string]int // clients that take their second way, and since which step
}

// Check says what is wrong with a scenario that somebody wrote: a *StepError with the first step
// that means nothing there.
func Check(steps []Step, g Layout) error {
	c := script{stage: g, named: map[string]bool{}, dead: map[string]int{}, spare: map[string]int{},
		blind: -1}
	for i, s := range steps {
		if err := c.step(s, i); err != nil {
			return &StepError{i, err}
		}
	}
	return nil
}

func (c *script) step(s Step, number int) error {
	if s.Await != nil {
		return c.await(s)
	}
	r, ok := grammar[s.Do]
	if !ok {
		return fmt.Errorf("%q is no step; there are: %s, or an await", s.Do,
			strings.Join(slices.Sorted(maps.Keys(grammar)), ", "))
	}
	if err := r.fields(s); err != nil {
		return err
	}
	if err := c.aims(r.target, s); err != nil {
		return fmt.Errorf("%s: %w", s.Do, err)
	}
	if err := c.connects(s, number); err != nil {
		return err
	}
	return c.lives(s, number)
}

// fields says which field is missing or too many.
func (r rule) fields(s Step) error {
	has := map[string]bool{
		"node": s.Node != "", "mode": s.Mode != "", "for": s.For != 0, "until": s.Until != 0,
		"offset": s.Offset != 0, "rate": s.Rate != 0, "strike": s.Aimed,
	}
	for _, f := range slices.Sorted(maps.Keys(has)) {
		may, must := slices.Contains(strings.Fields(r.may), f), slices.Contains(strings.Fields(r.must), f)
		switch {
		case must && !has[f]:
			return fmt.Errorf("%s needs the field %q", s.Do, f)
		case has[f] && !may && !must:
			return fmt.Errorf("%s has no field %q", s.Do, f)
		}
	}
	switch {
	case s.Do == Wait && (s.For > 0) == (s.Until > 0):
		return fmt.Errorf("%s needs one of the fields %q and %q", s.Do, "for", "until")
	case s.For < 0 || s.Until < 0:
		return fmt.Errorf("%s: a time is below zero", s.Do)
	case s.Rate <= -1:
		return fmt.Errorf(
			"%s: with a rate of %v the clock would stand still or run back; it must be above -1", s.Do,
			s.Rate)
	case s.Mode != Both && s.Mode != Requests && s.Mode != Replies:
		return fmt.Errorf("%s has the mode %q; there are: %s, %s, or none for both", s.Do, s.Mode,
			Requests, Replies)
	}
	return nil
}

// aims says why a target is none.
func (c *script) aims(kind target, s Step) error {
	t := s.Target
	switch kind {
	case nobody:
		if t != "" {
			return fmt.Errorf("it has no target, but %q is given", t)
		}
	case aNode:
		return among("node", t, c.stage.nodes())
	case aReplica:
		var all []string
		for _, r := range c.stage.replicas() {
			all = append(all, r[0])
		}
		return among("replica", t, all)
	case aLink:
		return c.link(t)
	case oneOrNone, oneOrAll:
		if kind == oneOrNone && t == "" || kind == oneOrAll && t == "*" {
			break
		}
		fallthrough
	case aClient:
		if err := c.client(t); err != nil {
			return err
		}
	}
	if s.Node != "" && s.Node != "spare" {
		return among("node", s.Node, c.stage.nodes())
	}
	return nil
}

func among(what, name string, all []string) error {
	switch {
	case slices.Contains(all, name):
		return nil
	case len(all) == 0:
		return fmt.Errorf("there is no %s in this topology", what)
	}
	return fmt.Errorf("there is no %s %q; there are: %s", what, name, strings.Join(all, ", "))
}

// client says why nobody has this name.
func (c *script) client(name string) error {
	if name == Hit || name == Waiter || c.named[name] {
		return nil
	}
	n, err := Client(name)
	switch {
	case err != nil:
		return fmt.Errorf(
			"%q is nobody: a client is c0, c1, …, %s, %s, or has been given the name by an earlier await",
			name, Hit, Waiter)
	case n < 0 || n >= c.stage.Clients:
		return fmt.Errorf("there is no client %s; there are c0 to c%d", name, c.stage.Clients-1)
	case c.blind >= 0:
		return fmt.Errorf(
			"nobody knows whether %s still lives: step %d kills whoever it strikes; put that last", name,
			c.blind+1)
	}
	return c.alive(name)
}

func (c *script) alive(who string) error {
	if by, ok := c.dead[who]; ok {
		return fmt.Errorf("%s was killed by step %d", who, by+1)
	}
	return nil
}

// lives follows who is alive. Nothing is done to a node that is not.
func (c *script) lives(s Step, number int) error {
	switch s.Do {
	case KillNode, Promote, PauseNode, NodeClock, Busy, Stall:
		if err := c.alive(s.Target); err != nil {
			return err
		}
	case Start, Revive:
		if _, down := c.dead[s.Target]; !down {
			return fmt.Errorf("%s was not killed", s.Target)
		}
		delete(c.dead, s.Target)
	case Crash:
		if _, err := Client(s.Target); err != nil {
			c.blind = number
		} else {
			c.dead[s.Target] = number
		}
	}
	if s.Do == KillNode {
		c.dead[s.Target] = number
	}
	return nil
}
