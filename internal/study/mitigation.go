package study

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/matrix"
	"github.com/lockbench/lockbench/nemesis"
)

// Mitigation is something that people are told to switch on against a fault, and the cells that it
// is said to mend, or that people think it does.
type Mitigation struct {
	Name   string // as one types it
	Line   string // what it does
	Cells  []Scenario
	change func(*harness.RunOptions)
	longer int // instead: the lease is this many times as long as the one that the faults are made for
}

// Scenario is a lock under a fault, run without and with a mitigation. Faults last as long in both.
type Scenario struct {
	Row     string
	Nemesis string
	Line    string // what happens
	change  func(*harness.Plan)
}

// slow is how late a replica is that WAIT does wait for: its time-out is 100 ms.
const slowReplica = 80 * time.Millisecond

// waited lets the first holder's grant take as long as replicas need, and the failover strike also
// when no client was granted it: a lock that is not given away cannot be lost. The new master must
// grant nevertheless.
func waited(p *harness.Plan) {
	for i := range p.Scenario {
		s := &p.Scenario[i]
		if s.Await != nil && s.For == 0 && s.Await.Phase == nemesis.Granted {
			s.For = history.Duration(time.Second)
		}
		if s.Do == nemesis.Delay {
			s.For = history.Duration(slowReplica)
		}
		s.Aimed = false
	}
	p.Requires.Hits = 0
}

// noticed lets the master see that its replica has been silent for longer than it tolerates, before
// the first grant.
func noticed(p *harness.Plan) {
	waited(p)
	i := slices.IndexFunc(p.Scenario, func(s nemesis.Step) bool { return s.Do == nemesis.Cut })
	p.Scenario = slices.Insert(p.Scenario, i+1, nemesis.Step{Do: nemesis.Wait,
		For: history.Duration(3 * time.Second)})
	p.For += history.Duration(4 * time.Second)
}

// The cells of all that is done about replication.
var (
	cutLink = Scenario{"token-lua", "failover:after",
		"the link to the replica is cut, a client is granted the lock, the master dies", waited}
	cutLink2 = Scenario{"redisson watchdog", "failover:after", "the same", waited}
	longCut  = Scenario{"token-lua", "failover:after", "the same, but the link has been cut for 3 s",
		noticed}
	slowLink  = Scenario{"token-lua", "failover:delayed", "the link is 80 ms late", waited}
	wholeLink = Scenario{"token-lua", "failover:healthy", "the replica has heard everything (control)",
		waited}
	lostRelease = Scenario{"setnx", "failover:release", "the link loses a release", waited}
	disk        = Scenario{"token-lua", "restart:disk",
		"Redis is killed in a hold and comes back with its own files", nil}
	empty      = Scenario{"token-lua", "restart", "the same, but its files are gone", nil}
	pausedLong = Scenario{"token-lua", "pause", "the holder stops for up to 1.1 s", nil}
	worksLong  = Scenario{"token-lua", "overrun", "the work takes up to 1.1 s", nil}
	lateReply  = Scenario{"token-lua", "late:reply", "the grant's reply takes up to 1.2 s", nil}
)

// mitigations is the closed list.
var mitigations = []Mitigation{
	{Name: "--wait-replicas 1",
		Line: "the client asks with WAIT whether a replica has the grant, and gives it back if not; " +
			"here there is one replica, so that none is left after a failover",
		Cells:  []Scenario{cutLink, cutLink2, slowLink, wholeLink, lostRelease, pausedLong},
		change: func(w *harness.RunOptions) { w.WaitReplicas, w.Topology = 1, nemesis.Failover }},
	{Name: "--redis-config min-replicas-to-write=1,min-replicas-max-lag=1",
		Line: "the master refuses to write when its replica has been silent for more than a second; " +
			"after a failover there is none here",
		Cells: []Scenario{cutLink, longCut, slowLink, wholeLink},
		change: func(w *harness.RunOptions) {
			w.RedisConfig, w.Topology = []string{"min-replicas-to-write", "1", "min-replicas-max-lag", "1"},
				nemesis.Failover
		}},
	{Name: "--redis-config appendonly=yes,appendfsync=always",
		Line:  "Redis writes each command to its disk before it answers",
		Cells: []Scenario{disk, empty, cutLink},
		change: func(w *harness.RunOptions) {
			w.RedisConfig = []string{"appendonly", "yes", "appendfsync",
				"always"}
		}},
	{Name: "--redis-config appendonly=yes,appendfsync=everysec",
		Line: "the same, but the disk is asked for certainty once a second only (kill -9 is no loss " +
			"of power)",
		Cells: []Scenario{disk},
		change: func(w *harness.RunOptions) {
			w.RedisConfig = []string{"appendonly", "yes", "appendfsync",
				"everysec"}
		}},
	{Name: "--ttl 5s instead of 500ms",
		Line: "the lease is longer than the work and the pauses that one expects",
		Cells: []Scenario{worksLong, pausedLong, lateReply, empty, {"token-lua", "crash",
			"the holder is killed", nil}}, longer: 10},
}

// Mitigations returns what is measured. The caller may keep and change the slice.
func Mitigations() []Mitigation { return slices.Clone(mitigations) }

// mitigationPlan is a trial without the mitigation, or with it.
func mitigationPlan(o matrix.Options, m Mitigation, t Scenario, with bool,
	seed uint64) (harness.Plan, error) {
	rs, err := matrix.FindRows([]string{t.Row})
	if err != nil {
		return harness.Plan{}, err
	}
	w := o.RunOptions(rs[0], matrix.Aim{Nemesis: t.Nemesis}, seed)
	w.Clients = 3
	if with && m.change != nil {
		m.change(&w)
	}
	p, err := harness.NewPlan(w)
	if err != nil {
		return p, err
	}
	if t.change != nil {
		t.change(&p)
	}
	if with && m.longer > 0 {
		p.TTL *= history.Duration(m.longer)
		p.For += p.TTL
	}
	return p, nil
}

// mitigationCost measures what an acquire without competition takes.
func mitigationCost(o matrix.Options, m Mitigation, with bool) (harness.Plan, error) {
	w := o.RunOptions(matrix.Row{Impl: "token-lua"}, matrix.Aim{Nemesis: "none"}, o.Seed)
	w.Clients, w.Hold, w.For, w.Properties = 1, matrix.CostHold, matrix.CostFor, []string{"S"}
	if m.change != nil {
		m.change(&w)
	}
	if !with {
		w.WaitReplicas, w.RedisConfig = 0, nil // the same servers, without it
	}
	p, err := harness.NewPlan(w)
	if with && m.longer > 0 {
		p.TTL *= history.Duration(m.longer)
	}
	p.Requires.Contended = matrix.CostGrants
	return p, err
}
