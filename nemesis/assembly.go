package nemesis

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// assembly makes a scenario for a plan. It translates the words of faults.yaml into steps.
type assembly struct {
	Params
	form    Form
	variant string
	on      On
}

// Scenario prepares the fault for a plan. It returns an error if the fault does not suit the lock.
func (e Entry) Scenario(variant string, p Params) (Scenario, error) {
	return e.scenario(variant, p, 0)
}

// scenario is Scenario with patient clients. If the fault needs a time-out of its own and patience
// is above zero, patience replaces that time-out.
func (e Entry) scenario(variant string, p Params, patience time.Duration) (Scenario, error) {
	s := Scenario{Topology: Single}
	switch {
	case p.Nodes > 1 && slices.Contains([]string{Sentinel, Cluster, Ensemble}, e.Needs):
		return s, fmt.Errorf("%s needs servers that know of each other; this lock uses %d independent "+
			"masters", e.Name, p.Nodes)
	case p.Nodes == 1 && e.Needs == Independent:
		return s, fmt.Errorf("%s needs a lock on independent masters, such as redlock", e.Name)
	case p.Nodes > 1:
		s.Topology = Independent
		if e.Needs == Failover {
			s.Replicas = 1
		}
	case e.Needs != "":
		s.Topology = e.Needs
	}
	if s.Topology == Failover {
		s.Replicas = p.Replicas
	}
	if e.Drawn {
		return random(variant, p), nil
	}
	if s.Timeout = e.timeout(variant, p); patience > 0 && e.form(variant).Timeout != "" {
		s.Timeout = patience
	}
	if s.Timeout > 0 {
		p.Timeout = s.Timeout
	}
	a := assembly{Params: p, form: e.form(variant), variant: variant}
	a.on, s.GivesUp = a.where(), a.form.GivesUp
	var err error
	s.Steps, err = a.steps(a.list())
	for _, step := range s.Steps {
		if step.Aimed {
			s.Aimed++
		}
	}
	return s, err
}

// list returns the form's steps for this lock and its servers.
func (a assembly) list() []written {
	switch f := a.form; {
	case len(f.Unseen) > 0 && !a.Capabilities.Has(CommandAwait):
		return f.Unseen
	case a.Nodes == 1 && f.One != nil:
		return f.One
	default:
		return f.Steps
	}
}

// timeout returns the time-out that the fault needs for the clients' Redis connections. It returns
// 0 if the plan's own time-out serves.
func (e Entry) timeout(variant string, p Params) time.Duration {
	d, _ := p.span(e.form(variant).Timeout) // a test reads every one
	return d.D()
}

// where returns the target of the effect.
func (a assembly) where() (on On) {
	servers := map[string]int{"n0": 1, "minority": Minority(a.Nodes), "majority": Majority(a.Nodes)}
	n, some := servers[a.form.On]
	if !some {
		n = a.Nodes
	}
	on = a.Servers(n)
	if on.Copy = "n1"; a.Nodes > 1 {
		on.Copy = Replica(0)
	}
	on.Client, on.Links = owner, owner+">*"
	if client, _, link := strings.Cut(a.form.On, ">"); link {
		on.Client, on.Links = client, a.form.On
	} else if a.form.On != "" && !some {
		on.Client, on.Links = a.form.On, a.form.On+">*"
	}
	return on
}

// owner is the usual name for the client that holds the lock or is about to be granted it.
const owner = "owner"

// steps translates a list. One entry may become several steps.
func (a assembly) steps(list []written) (all []Step, err error) {
	for _, w := range list {
		some, err := a.word(w)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// word translates one entry of a list.
func (a assembly) word(w written) ([]Step, error) {
	if shared, ok := table().Moments[w.Do]; ok {
		return a.steps(shared)
	}
	if len(a.form.Effect) > 0 {
		switch w.Do {
		case "begin", "hit", "end":
			e, err := a.effect()
			if w.Do == "end" {
				return e.End, err
			}
			return e.aimed(w.Do == "hit").Begin, err
		}
	}
	if w.Only == Independent && a.Nodes == 1 {
		return nil, nil
	}
	return a.each(w)
}

// effect returns the effect of the fault on this plan.
func (a assembly) effect() (e Effect, err error) {
	for _, w := range a.form.Effect {
		steps, err := a.each(w)
		if err != nil {
			return e, err
		}
		e.Begin = append(e.Begin, steps...)
	}
	for i := range e.Begin {
		if s := &e.Begin[i]; s.For > 0 {
			s.For = cmp.Or(a.on.For, s.For)
		}
	}
	e.Begin[0].Mode = cmp.Or(a.on.Mode, e.Begin[0].Mode)
	if a.form.Stays {
		return e, nil
	}
	return undone(e.Begin...), nil
}

// undoes matches the commands by which clients give a key back. A tap does not see the commands
// that cannot be sent, so that of a client which reaches one master these alone tell that its try
// is over.
const undoes = "^(del|unlink|getdel|delex|delifeq|eval|evalsha|fcall) "

// each returns one step for each target of an entry.
func (a assembly) each(w written) (all []Step, err error) {
	if w.For == "DURATION" {
		w.For = a.variant
	}
	s, err := w.step(a.Params, nil)
	if err != nil {
		return nil, err
	}
	switch w.Nth {
	case "N":
		s.Await.Nth, _ = strconv.Atoi(a.variant) // Find has checked the number
	case "masters":
		if s.Await.Nth = a.Nodes; a.Tapped {
			*s.Await = Await{As: s.Await.As, Client: s.Await.Client, At: Before, Command: undoes}
		}
	}
	if s.Node == "copy" {
		s.Node = a.on.Copy
	}
	for _, s.Target = range a.targets(w.Target) {
		all = append(all, s)
	}
	return all, nil
}

// targets translates the target of a step in an effect, or in a scenario around it.
func (a assembly) targets(text string) (all []string) {
	switch {
	case len(a.form.Effect) == 0:
		return []string{text}
	case text == "client":
		return []string{a.on.Client}
	case text == "links":
		return []string{a.on.Links}
	case text == "nodes":
		return a.on.Nodes
	case !strings.Contains(text, ">others") && !strings.Contains(text, ">extra"):
		return []string{strings.Replace(text, "copy", a.on.Copy, 1)}
	}
	for i := range a.Nodes {
		for link := range strings.SplitSeq(text, ",") {
			client, masters, _ := strings.Cut(link, ">")
			// a majority can do without the last Minority(n) masters
			if masters == "others" && i > 0 || masters == "extra" && i >= a.Nodes-Minority(a.Nodes) {
				all = append(all, client+">"+node(i))
			}
		}
	}
	return all
}
