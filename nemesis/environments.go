package nemesis

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Capabilities describes an environment before it is opened. The program refuses an impossible
// scenario before anything starts, and random draws only possible steps.
type Capabilities struct {
	Environment string            // as --env names it
	Line        string            // a description in one line
	no          map[string]string // why a step is not possible, by the step's name in plans
	lacks       map[string]string // why a topology is not possible
}

// notOurs is the reason why no step touches a foreign Redis.
const notOurs = "this Redis is not ours: only clients and their links can be hit"

// environments is the closed list of environments, with the permanent limits of each. Minus adds
// the limits of this machine.
var environments = []Capabilities{
	{Environment: "process", Line: "redis-server and clients as processes of this machine",
		no: because(awake, Suspend, Wake), lacks: because(noAgreement, Ensemble)},
	{Environment: "docker", Line: "redis-server in containers",
		no: merge(because(noBus, SwitchOver, MoveSlot), because(noStop, StopClock),
			because(awake, Suspend, Wake)),
		lacks: map[string]string{Cluster: noBus, Ensemble: noAgreement}},
	{Environment: "external", Line: "a Redis that is there already",
		no: merge(because(awake, Suspend, Wake), because(notOurs, KillNode, LoseDisk, Start, Flush,
			ForgetScripts, FillMemory, FreeMemory, PauseNode, ResumeNode, NodeClock, Busy, Free, Stall,
			Promote, SwitchOver, MoveSlot, Barrier)),
		lacks: map[string]string{
			Failover: "it has no replica of ours that could take over",
			Sentinel: "its sentinels, if it has any, are not ours",
			Cluster:  "if it is a cluster, its nodes are not ours",
			Ensemble: noAgreement,
		}},
	{Environment: "sim", Line: "the simulator, in virtual time",
		no: map[string]string{Elected: "the simulator has no sentinels",
			MoveSlot:   "the simulator has no Redis Cluster",
			SwitchOver: "the simulator's replicas take over without their master's consent",
			Launch:     "the simulator's locks ask no server when they start",
			LoseDisk:   "the simulator's Redis keeps no files"}, lacks: map[string]string{
			Sentinel: "the simulator has no sentinels",
			Cluster:  "the simulator has no Redis Cluster",
			Ensemble: noAgreement}},
}

// noAgreement is the reason why a group of servers is not an ensemble.
const noAgreement = "its servers do not agree on writes: take a system whose servers do, " +
	"by --adapter etcd-mutex or go-zookeeper"

// awake is the reason why no client of a real machine is suspended.
const awake = "the monotonic clock of a process stops only while its whole machine is " +
	"suspended: take --env sim"

// noStop is the reason why clocks in containers cannot be stopped.
const noStop = "lockbench stops the clock of a server with processes only"

// noBus is the reason why containers offer no cluster and no step of one.
const noBus = "lockbench builds a Redis Cluster, and switches a master over, with processes only"

func because(why string, steps ...string) map[string]string {
	m := map[string]string{}
	for _, s := range steps {
		m[s] = why
	}
	return m
}

// AllCapabilities returns the capabilities of each environment, in the order of the documents.
func AllCapabilities() []Capabilities { return slices.Clone(environments) }

// CapabilitiesOf returns the capabilities of an environment. An unknown name has all of them.
func CapabilitiesOf(environment string) Capabilities {
	for _, g := range environments {
		if g.Environment == environment {
			return g
		}
	}
	return Capabilities{Environment: environment}
}

// Minus returns the capabilities without a step. The reason why applies here and now.
func (g Capabilities) Minus(step, why string) Capabilities {
	g.no = maps.Clone(g.no)
	if g.no == nil {
		g.no = map[string]string{}
	}
	g.no[step] = why
	return g
}

// Cannot returns the reason why the environment cannot carry out a step, or nil if it can.
func (g Capabilities) Cannot(step string) error {
	if why := g.no[step]; why != "" {
		return errors.New(why)
	}
	return nil
}

// Unsupported returns the steps that the environment cannot carry out, with the reasons.
func (g Capabilities) Unsupported() map[string]string { return maps.Clone(g.no) }

// Has reports whether all the steps are possible.
func (g Capabilities) Has(steps ...string) bool {
	return !slices.ContainsFunc(steps, func(s string) bool { return g.no[s] != "" })
}

// Possible returns the reason why a scenario cannot run there, or nil if it can.
func (g Capabilities) Possible(s Scenario) error {
	if why := g.lacks[s.Topology]; why != "" {
		return impossible(why)
	}
	if s.Replicas > 0 && g.lacks[Failover] != "" {
		return impossible(g.lacks[Failover])
	}
	for _, step := range s.Steps {
		if s.Topology == Ensemble && step.Do == LoseDisk {
			return impossible("a member of an ensemble that has forgotten all has to join it anew")
		}
		for _, do := range step.needs() {
			if err := g.Cannot(do); err != nil {
				return impossible(fmt.Sprintf("it cannot %s: %v", do, err))
			}
		}
	}
	return nil
}

// ImpossibleError reports that an environment cannot have a fault, on this machine or on any.
type ImpossibleError struct{ Reason error }

func (e ImpossibleError) Error() string {
	return "not possible in this environment, because " + e.Reason.Error()
}

func (e ImpossibleError) Unwrap() error { return e.Reason }

func impossible(why string) error { return ImpossibleError{errors.New(why)} }
