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

// mitigation is a setting that is recommended against a fault.
type mitigation struct {
	Name         string   // as the user types it
	Line         string   // its effect
	Limit        string   // the fault that runs tried it against, if another one may defeat it
	Topology     string   // the required topology; if empty, the scenario's topology
	Replicas     int      // of the master; 0 means one
	WaitReplicas int      `yaml:"wait_replicas"`
	RedisConfig  []string `yaml:"redis_config"`
	// a longer lease, as a multiple of the default lease of the matrix
	LeaseTimes int `yaml:"lease_times"`
	Scenarios  []scenario
}

// scenario is a lock under a fault, run without and with a mitigation. The fault lasts equally long
// in both.
type scenario struct {
	Row     string
	Nemesis string
	Line    string // describes the fault
	// the fate of the replica's link: "cut" after the first grant, or "missed" by the master before
	// it; empty for none
	Replica string
}

//go:embed mitigations.yaml
var mitigationsYAML string

// mitigations lists all mitigations.
var mitigations = batch.Table[[]mitigation]("mitigations.yaml", mitigationsYAML)

// change maps the fate of the replica to the change of a scenario's plan.
var change = map[string]func(*harness.Plan){"": func(*harness.Plan) {}, "cut": waited,
	"missed": noticed}

// slowReplica is the delay of a replica that WAIT does wait for. The timeout of WAIT is 100 ms.
const slowReplica = 80 * time.Millisecond

// waited lets the first grant take as long as the replicas need. The failover happens even if no
// client got the lock, because a lock that was not granted cannot be lost. The new master must
// still grant it.
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

// noticed lets the master notice before the first grant that its replica has been silent for too
// long.
func noticed(p *harness.Plan) {
	waited(p)
	i := slices.IndexFunc(p.Scenario, func(s nemesis.Step) bool { return s.Do == nemesis.Cut })
	p.Scenario = slices.Insert(p.Scenario, i+1, nemesis.Step{Do: nemesis.Wait,
		For: history.Duration(3 * time.Second)})
	p.For += history.Duration(4 * time.Second)
}

// servers sets the servers and settings that a mitigation needs.
func (m mitigation) servers(w *harness.RunOptions) {
	if m.Topology != "" {
		w.Topology = m.Topology
	}
	w.Replicas, w.WaitReplicas, w.RedisConfig = m.Replicas, m.WaitReplicas, m.RedisConfig
}

// lengthen multiplies the lease of a plan if the mitigation requires it.
func (m mitigation) lengthen(p *harness.Plan) {
	if m.LeaseTimes > 0 {
		p.TTL *= history.Duration(m.LeaseTimes)
	}
}

// settings returns the mitigations as settings of package choose.
func settings() (all []choose.Setting) {
	for _, m := range mitigations() {
		all = append(all, choose.Setting{Name: m.Name, Topology: m.Topology, Replicas: m.Replicas,
			WaitReplicas: m.WaitReplicas, RedisConfig: m.RedisConfig, LeaseTimes: m.LeaseTimes,
			Limit: m.Limit})
	}
	return all
}

// mitigationPlan returns the plan of a trial with or without the mitigation.
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

// mitigationCost returns the plan that measures an acquire without competition, with or without the
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
