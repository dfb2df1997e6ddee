package nemesis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Redis is the system whose commands lockbench knows.
const Redis = "redis"

// CommandAwait is the name of the capability to stop a client at one of its commands.
const CommandAwait = "await a command"

// system describes the limits of servers other than Redis.
type system struct {
	name  string            // the usual spelling
	no    map[string]string // why a step is not possible, as in Capabilities
	lacks map[string]string // why a topology is not possible
	has   string            // a topology that Redis does not have, or ""
	// a session is a connection: it ends with it, and with it the locks that it holds
	connected bool
}

// The reasons why something is not possible with the servers or clients of another system.
const (
	unseen     = "the commands of its clients are not seen"
	direct     = "its clients choose their connections themselves"
	noReplica  = "its members agree on every write: no replica lags behind"
	noTransfer = "its leader cannot be told to hand over"
	noScript   = "it has no script or command that keeps it busy"
	noConsent  = "its standby takes over without the primary's consent"
	noElection = "its standby is promoted by an operator"
	noPool     = "the pooler leads to one server"
	alone      = "it is started without a standby"
	perSession = "a long statement keeps its own session busy, and no other"
	notRedis   = "it is a fault of Redis"
	notBuilt   = "lockbench does not move the clock of such a server"
	noClock    = "its clock does not go through the C library"
)

// postgres is PostgreSQL, with a standby or without.
var postgres = system{name: "PostgreSQL", connected: true, no: merge(because(noConsent, SwitchOver),
	because(perSession, Busy, Stall, Free), because(notBuilt, NodeClock)),
	lacks: because(noElection, Sentinel, Cluster)}

// systems is the closed list, by name.
var systems = map[string]system{
	"etcd": {name: "etcd", no: merge(because(noReplica, Promote, Barrier),
		because(noScript, Busy, Stall, Free), because(noClock, NodeClock)),
		lacks: because(noReplica, Failover, Sentinel, Cluster), has: Ensemble},
	"zookeeper": {name: "ZooKeeper", no: merge(because(noReplica, Promote, Barrier),
		because(noTransfer, SwitchOver), because(noScript, Busy, Stall, Free),
		because(notBuilt, NodeClock)),
		lacks: because(noReplica, Failover, Sentinel, Cluster), has: Ensemble},
	"postgres":             postgres,
	"postgres-synchronous": postgres, // its commits wait for its standby
	// PostgreSQL behind PgBouncer in transaction mode
	"pgbouncer": {name: "PostgreSQL", connected: true, no: merge(because(noPool, Promote,
		SwitchOver, Barrier), because(perSession, Busy, Stall, Free), because(notBuilt, NodeClock)),
		lacks: because(noPool, Failover, Sentinel, Cluster)},
	"mariadb": {name: "MariaDB", connected: true, no: merge(because(alone, Promote,
		SwitchOver, Barrier), because(perSession, Busy, Stall, Free), because(notBuilt, NodeClock)),
		lacks: because(alone, Failover, Sentinel, Cluster)},
}

func merge(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

// Systems returns the names of all systems, Redis first.
func Systems() []string { return append([]string{Redis}, slices.Sorted(maps.Keys(systems))...) }

// SystemName returns the usual spelling of a system's name. An empty or unknown name is Redis.
func SystemName(system string) string { return cmp.Or(systems[system].name, "Redis") }

// HoldsByConnection reports whether locks of a system are held by a connection of their client, and
// free when it ends.
func HoldsByConnection(system string) bool { return systems[system].connected }

// On returns the capabilities of an environment with the servers of another system. For "" and
// Redis it returns g.
func (g Capabilities) On(name string) Capabilities {
	s, other := systems[name]
	if !other {
		return g
	}
	g.no = merge(g.no)
	delete(g.no, SwitchOver) // an environment's limit concerns Redis servers only
	g.no = merge(g.no, because(unseen, CommandAwait, Drop, Strand, Duplicate),
		because(notRedis, Flush, ForgetScripts, FillMemory, FreeMemory), because(direct, spareWay), s.no)
	g.lacks = merge(g.lacks, s.lacks)
	delete(g.lacks, s.has)
	return g
}

// spareWay is the name of the step that gives clients a second way.
const spareWay = Redirect + " " + Spare

// needs returns the capabilities that a step requires, by their names in Capabilities.
func (s Step) needs() []string {
	switch {
	case s.Await != nil && s.Await.Phase == "":
		return []string{CommandAwait}
	case s.Do == Redirect && s.Node == Spare:
		return []string{s.Do, spareWay}
	case s.Do == StopClock:
		return []string{s.Do, NodeClock}
	}
	return []string{s.Do}
}

// HasSystem returns an error if the environment cannot run servers of the system.
func HasSystem(environment, system string) error {
	if system == "" || system == Redis ||
		slices.Contains([]string{"", "auto", "process", "docker"}, environment) {
		return nil
	}
	return fmt.Errorf("%s runs as processes of this machine, or in containers: take --env process or "+
		"--env docker", system)
}
