package study

import (
	_ "embed"
	"github.com/lockbench/lockbench/internal/choose"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/nemesis"
)

// mitigation is something that people are told to switch on against a fault.
type mitigation struct {
	Name         string   // as one types it
	Line         string   // what it does
	Topology     string   // that it needs; else that of the scenario
	Replicas     int      // of the master; 0: one
	WaitReplicas int      `yaml:"wait_replicas"`
	RedisConfig  []string `yaml:"redis_config"`
	// instead: the lease is this many times as long as the one that the faults are made for
	LeaseTimes int `yaml:"lease_times"`
	Scenarios  []scenario
}

// scenario is a lock under a fault, run without and with a mitigation. Faults last as long in both.
type scenario struct {
	Row     string
	Nemesis string
	Line    string // what happens
	// what becomes of the link to the replica: cut or late after the first grant, or missed by the
	// master before it; else nothing
	Replica string
}

//go:embed mitigations.yaml
var mitigationsYAML string

// mitigations is the closed list.
var mitigations = batch.Table[[]mitigation]("mitigations.yaml", mitigationsYAML)

// change is what a scenario does to its plan, by the name of what becomes of the replica.
var change = map[string]func(*harness.Plan){"": func(*harness.Plan) {}, "cut": waited,
	"missed": noticed}

// slowReplica is how late a replica is that WAIT does wait for: its time-out is 100 ms.
const slowReplica = 80 * time.Millisecond

// waited lets the first holder's grant take as long as replicas need, and the failover happen also
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

// servers asks for the servers and settings that a mitigation needs.
func (m mitigation) servers(w *harness.RunOptions) {
	if m.Topology != "" {
		w.Topology = m.Topology
	}
	w.Replicas, w.WaitReplicas, w.RedisConfig = m.Replicas, m.WaitReplicas, m.RedisConfig
}

// lengthen makes the lease of a plan as long as the mitigation wants it.
func (m mitigation) lengthen(p *harness.Plan) {
	if m.LeaseTimes > 0 {
		p.TTL *= history.Duration(m.LeaseTimes)
	}
}

// settings returns the mitigations as choose knows them.
func settings() (all []choose.Setting) {
	for _, m := range mitigations() {
		all = append(all, choose.Setting{Name: m.Name, Topology: m.Topology, Replicas: m.Replicas,
			WaitReplicas: m.WaitReplicas, RedisConfig: m.RedisConfig, LeaseTimes: m.LeaseTimes})
	}
	return all
}

// mitigationPlan is a trial without the mitigation, or with it.
func mitigationPlan(o matrix.Options, m mitigation, t scenario, with bool,
	seed uint64) (harness.Plan, error) {
	rs, err := matrix.FindRows([]string{t.Row})
	if err != nil {
		return harness.Plan{}, err
	}
	w := o.RunOptions(rs[0], matrix.Aim{Nemesis: t.Nemesis}, seed)
	w.Clients = 3
	if with {
		m.servers(&w)
	}
	p, err := harness.NewPlan(w)
	if err != nil {
		return p, err
	}
	change[t.Replica](&p)
	if with && m.LeaseTimes > 0 {
		m.lengthen(&p)
		p.For += p.TTL
	}
	return p, nil
}

// mitigationCost measures what an acquire without competition takes, with and without the
// mitigation on the same servers.
func mitigationCost(o matrix.Options, m mitigation, with bool) (harness.Plan, error) {
	w := o.RunOptions(matrix.Row{Impl: "token-lua"}, matrix.Aim{Nemesis: "none"}, o.Seed)
	w.Clients, w.Hold, w.For, w.Properties = 1, matrix.CostHold, matrix.CostFor, []string{"S"}
	m.servers(&w)
	if !with {
		w.WaitReplicas, w.RedisConfig = 0, nil
	}
	p, err := harness.NewPlan(w)
	if with {
		m.lengthen(&p)
	}
	p.Requires.Contended = matrix.CostGrants
	return p, err
}
