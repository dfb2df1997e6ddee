package nemesis

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Ground is what a world offers before it is made: by it a scenario is refused before anything
// starts, and random draws.
type Ground struct {
	World string            // as --env names it
	Line  string            // what it is, in one line
	no    map[string]string // why a step is not possible, by what it is called in plans
	lacks map[string]string // why a topology is not possible
}

// notOurs says why nothing is done to a Redis that was there before us.
const notOurs = "this Redis is not ours: only clients and their links can be struck"

// grounds is the closed list of worlds, with what each can never do. What only this machine lacks
// is added by Without.
var grounds = []Ground{
	{World: "process", Line: "redis-server and clients as processes of this machine"},
	{World: "docker", Line: "redis-server in containers"},
	{World: "external", Line: "a Redis that is there already",
		no: because(notOurs, KillNode, Start, Revive, PauseNode, ResumeNode, NodeClock, Busy, Free, Stall,
			Promote, Barrier),
		lacks: map[string]string{
			Failover: "it has no replica of ours that could take over",
			Sentinel: "its sentinels, if it has any, are not ours",
		}},
	{World: "sim", Line: "the simulator, in virtual time",
		no: map[string]string{Elected: "the simulator has no sentinels",
			Revive: "the simulator's Redis keeps no files"}, lacks: map[string]string{
			Sentinel: "the simulator has no sentinels"}},
}

func because(why string, steps ...string) map[string]string {
	m := map[string]string{}
	for _, s := range steps {
		m[s] = why
	}
	return m
}

// Grounds returns what each world offers, in the order in which people read of them.
func Grounds() []Ground { return slices.Clone(grounds) }

// GroundOf is what the world of this name offers; of a name that nobody knows, everything.
func GroundOf(world string) Ground {
	for _, g := range grounds {
		if g.World == world {
			return g
		}
	}
	return Ground{World: world}
}

// Without is the ground, less a step that cannot be done here and now, and why.
func (g Ground) Without(step, why string) Ground {
	g.no = maps.Clone(g.no)
	if g.no == nil {
		g.no = map[string]string{}
	}
	g.no[step] = why
	return g
}

// Cannot is Limited.
func (g Ground) Cannot(step string) error {
	if why := g.no[step]; why != "" {
		return errors.New(why)
	}
	return nil
}

// Lacks are the steps that cannot be done there, by what they are called in plans, and why.
func (g Ground) Lacks() map[string]string { return maps.Clone(g.no) }

// Has reports whether every one of the steps can be done.
func (g Ground) Has(steps ...string) bool {
	return !slices.ContainsFunc(steps, func(s string) bool { return g.no[s] != "" })
}

// Possible says why a scenario cannot run there; nil if it can.
func (g Ground) Possible(s Scenario) error {
	if why := g.lacks[s.Topology]; why != "" {
		return impossible(why)
	}
	if s.Replicas > 0 && g.lacks[Failover] != "" {
		return impossible(g.lacks[Failover])
	}
	for _, step := range s.Steps {
		if err := g.Cannot(step.Do); err != nil {
			return impossible(fmt.Sprintf("it cannot %s: %v", step.Do, err))
		}
	}
	return nil
}

// impossible is the one way in which a fault says that it cannot be had.
func impossible(why string) error {
	return fmt.Errorf("not possible in this world, because %s", why)
}
