package nemesis

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// StepError reports a fault in one step of a scenario.
type StepError struct {
	Step int // from 0
	Err  error
}

// Error names the step by its number, from 1.
func (e *StepError) Error() string { return fmt.Sprintf("step %d: %v", e.Step+1, e.Err) }

// Unwrap returns the underlying error.
func (e *StepError) Unwrap() error { return e.Err }

// script is the state of a scenario after the steps that were checked.
type script struct {
	stage Layout
	named map[string]bool
	dead  map[string]int // step that killed each dead node or client
	late  []string       // clients that a later step launches
	blind int            // step that killed a client whose number is unknown, or -1
	links []linkFault    // in force
	spare map[string]int // clients on their second way → step that redirected them
}

// Check returns a *StepError for the first step that is invalid in the layout, or nil if all are
// valid.
func Check(steps []Step, g Layout) error {
	c := script{stage: g, named: map[string]bool{}, dead: map[string]int{}, spare: map[string]int{},
		blind: -1, late: Launched(steps)}
	for i, s := range steps {
		if err := c.step(s, i); err != nil {
			return &StepError{i, err}
		}
	}
	return nil
}

// Launched returns the clients that the steps launch: these are not there at the start.
func Launched(steps []Step) (clients []string) {
	for _, s := range steps {
		if s.Do == Launch {
			clients = append(clients, s.Target)
		}
	}
	return clients
}

// launch returns an error if a client cannot be launched: its name must be its number, and no
// client starts twice.
func (c *script) launch(name string) error {
	if _, err := Client(name); err != nil {
		return fmt.Errorf("launch names its client by its number, as c1, not %q", name)
	}
	i := slices.Index(c.late, name)
	c.late = slices.Delete(c.late, i, i+1)
	if slices.Contains(c.late, name) {
		return fmt.Errorf("%s is launched twice", name)
	}
	return nil
}

func (c *script) step(s Step, number int) error {
	if s.Await != nil {
		return c.await(s)
	}
	a, ok := ActionOf(s.Do)
	if !ok {
		return fmt.Errorf("%q is not a step; the steps are: %s, or an await", s.Do, actionNames())
	}
	if err := a.fields(s); err != nil {
		return err
	}
	if s.Do == Launch {
		if err := c.launch(s.Target); err != nil {
			return err
		}
	}
	if err := c.aims(a.Target, s); err != nil {
		return fmt.Errorf("%s: %w", s.Do, err)
	}
	if err := c.connects(s, number); err != nil {
		return err
	}
	return c.lives(a, s, number)
}

// fields returns an error if a field of the step is missing, forbidden or out of range.
func (a Action) fields(s Step) error {
	has := map[string]bool{
		"node": s.Node != "", "mode": s.Mode != "", "for": s.For != 0, "until": s.Until != 0,
		"offset": s.Offset != 0, "rate": s.Rate != 0, "aimed": s.Aimed,
	}
	for _, f := range slices.Sorted(maps.Keys(has)) {
		may, must := listed(a.may, f), listed(a.must, f)
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
			"%s: with a rate of %v the clock would stop or run back; it must be above -1", s.Do,
			s.Rate)
	case s.Mode != Both && s.Mode != Requests && s.Mode != Replies:
		return fmt.Errorf("%s has the mode %q; there are: %s, %s, or none for both", s.Do, s.Mode,
			Requests, Replies)
	}
	return nil
}

// aims returns an error if the step has no valid target.
func (c *script) aims(kind TargetKind, s Step) error {
	t := s.Target
	switch kind {
	case None:
		if s.Do == Lead {
			return fmt.Errorf("%s cannot be a step: servers do it by themselves", s.Do)
		}
		if t != "" {
			return fmt.Errorf("it has no target, but %q is given", t)
		}
	case Node:
		err := among("node", t, c.stage.Nodes())
		if err != nil && s.Do == KillNode && c.client(t) == nil {
			return fmt.Errorf("%s is a client, and %s is for nodes; write `%s %s`", t,
				KillNode, Crash, t)
		}
		return err
	case Copy:
		return among("replica", t, c.stage.replicaNames())
	case Link:
		return c.link(t)
	case ClientOrNone, ClientOrAll:
		if kind == ClientOrNone && t == "" || kind == ClientOrAll && t == "*" {
			break
		}
		fallthrough
	case OneClient:
		if err := c.client(t); err != nil {
			return err
		}
	}
	if s.Node != "" && s.Node != Spare {
		return among("node", s.Node, c.stage.Nodes())
	}
	return nil
}

// listed reports whether a list, separated by blanks, contains a name.
func listed(list, name string) bool { return slices.Contains(strings.Fields(list), name) }

func among(what, name string, all []string) error {
	switch {
	case slices.Contains(all, name):
		return nil
	case len(all) == 0:
		return fmt.Errorf("this topology has no %s", what)
	}
	return fmt.Errorf("unknown %s %q; there are: %s", what, name, strings.Join(all, ", "))
}

// client returns an error if no living client has this name.
func (c *script) client(name string) error {
	if name == Hit || name == Waiter || c.named[name] {
		return nil
	}
	n, err := Client(name)
	switch {
	case err != nil:
		return fmt.Errorf(
			"%q is not a client: a client is c0, c1, …, %s, %s, or has been given the name by an earlier "+
				"await",
			name, Hit, Waiter)
	case n < 0 || n >= c.stage.Clients:
		return fmt.Errorf("client %s does not exist; there are c0 to c%d", name, c.stage.Clients-1)
	case c.blind >= 0:
		return fmt.Errorf(
			"whether %s still lives is unknown: step %d kills the client that it hits; put that last", name,
			c.blind+1)
	}
	return c.alive(name)
}

func (c *script) alive(who string) error {
	if slices.Contains(c.late, who) {
		return fmt.Errorf("%s is launched by a later step", who)
	}
	if by, ok := c.dead[who]; ok {
		return fmt.Errorf("%s was killed by step %d", who, by+1)
	}
	return nil
}

// lives records which nodes and clients are alive. It returns an error if a fault hits a dead node.
func (c *script) lives(a Action, s Step, number int) error {
	server := a.Target == Node || a.Target == Copy
	switch {
	case a.Dead:
		if _, down := c.dead[s.Target]; !down {
			return fmt.Errorf("%s must have been killed before it can %s", s.Target, s.Do)
		}
	case server && s.Fault():
		if err := c.alive(s.Target); err != nil {
			return err
		}
	case s.Undoes(KillNode):
		if _, down := c.dead[s.Target]; !down {
			return fmt.Errorf("%s was not killed", s.Target)
		}
		delete(c.dead, s.Target)
	}
	if !a.Kills {
		return nil
	}
	if _, err := Client(s.Target); err != nil && !server {
		c.blind = number
	} else {
		c.dead[s.Target] = number
	}
	return nil
}

var phases = []string{Acquiring, Sent, Replied, Granted, Releasing, Released, Lost}

var means = []string{FirstOfAcquire, CreatesKey, AfterCreation, FirstOfRelease, WithinRelease,
	LastOfRelease, OnKey, ReadsKey, TakesOver}

// await returns an error if the step is not a valid Await.
func (c *script) await(s Step) error {
	a := s.Await
	_, isClient := Client(a.As)
	switch {
	case s.Do != "" || s.Target != "":
		return fmt.Errorf("a step does something or awaits a client, not both")
	case (a.Phase == "") == (a.Command == "" && a.Means == ""):
		return fmt.Errorf("an await needs one of the fields %q and %q, or %q", "phase", "command",
			"means")
	case a.Means != "" && !slices.Contains(means, a.Means):
		return fmt.Errorf("no command means %q; there are: %s", a.Means, strings.Join(means, ", "))
	case a.Phase != "" && !slices.Contains(phases, a.Phase):
		return fmt.Errorf("unknown phase %q; the phases are: %s", a.Phase, strings.Join(phases, ", "))
	case a.Phase != "" && a.At != "":
		return fmt.Errorf(`"at" goes with "command" and "means"`)
	case a.Phase == "" && a.At != Before && a.At != After && a.At != JustSent:
		return fmt.Errorf(`"at" is %q; write %s, %s or %s`, a.At, Before, JustSent, After)
	case s.For < 0 || a.Nth < 0:
		return fmt.Errorf(`"for" and "nth" must not be below zero`)
	case a.As != "" && (isClient == nil || slices.Contains([]string{Hit, Waiter, Other, "*"},
		a.As)):
		return fmt.Errorf("the name %q has a meaning already; give the client another one", a.As)
	}
	if _, err := regexp.Compile(a.Command); err != nil {
		return fmt.Errorf("the command is not a regular expression: %w", err)
	}
	if a.Client != "" && a.Client != Other {
		if err := c.client(strings.TrimPrefix(a.Client, But)); err != nil {
			return err
		}
	}
	if a.As != "" {
		c.named[a.As] = true
	}
	return nil
}
