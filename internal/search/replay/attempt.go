package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/run/store"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
	"github.com/lockbench/lockbench/nemesis"
)

// Place describes where a counterexample is replayed with real servers and clients.
type Place struct {
	Environment string          // process or docker
	Dir         string          // an existing run directory
	Launcher    server.Launcher // starts the servers; if nil, they run as processes
	Spawner     server.Spawner  // starts the clients; if nil, they run as processes
	Command     string          // command line of the user
	Version     string          // of lockbench
}

// attempt repeats the counterexample with real servers and clients. The clients act on their own.
// Every command, reply and fault takes place in the recorded order, as soon as possible but not
// earlier than recorded. The run is stored and judged in the directory like any other run. It
// returns an error if the counterexample cannot be replayed there, the environment fails, or ctx
// ends.
func (p Place) attempt(ctx context.Context, c *counterexample.Counterexample) (Outcome, error) {
	net := &relay{foreign: c.Plan.Adapter != nil, wake: func() {}, told: map[int]int{}}
	w, err := cluster.Start(p.config(c, net))
	if err != nil {
		return Outcome{}, errors.Join(err, net.close())
	}
	if !w.Idles() {
		return Outcome{}, errors.Join(
			notYet("clients in containers: their rest cannot be seen"), w.Close(), net.close())
	}
	net.tells(w.Wake)
	o, err := p.follow(ctx, c, w, net)
	o.Environment, o.Dir = "Redis "+w.Versions()["redis"], p.Dir
	return o, errors.Join(err, w.Close(), net.close())
}

// config returns the environment of the counterexample's plan, prepared for the recorded faults.
func (p Place) config(c *counterexample.Counterexample, net *relay) cluster.Config {
	plan := c.Plan
	return cluster.Config{
		Dir: p.Dir, Topology: plan.Topology, Masters: plan.Masters, Replicas: plan.Replicas,
		Clients: plan.Clients, Seed: plan.Seed, Worker: patient(c), RedisConfig: plan.RedisConfig,
		Launcher: p.Launcher, Spawner: p.Spawner, Relay: net,
		Scenario: slices.Concat(plan.Scenario, Faults(c)),
	}
}

// Faults returns the steps of a counterexample that the harness carries out.
func Faults(c *counterexample.Counterexample) (all []nemesis.Step) {
	for _, s := range c.Steps {
		if s.Fault != nil {
			all = append(all, *s.Fault)
		}
	}
	return all
}

// follow replays the steps and judges the run.
func (p Place) follow(ctx context.Context, c *counterexample.Counterexample,
	w *cluster.Environment, net *relay) (Outcome, error) {
	r, err := p.replay(ctx, c, w, net)
	d, other := errors.AsType[*divergence](err)
	if err != nil && !other {
		return Outcome{}, err
	}
	run, err := store.Judge(p.Dir)
	if err != nil {
		return Outcome{}, err
	}
	if other {
		return Outcome{Runs: 1, Late: r.clock.late, Step: d.step + 1, Expected: d.expected, Got: d.got,
			TooSlow: r.clock.slow()}, nil
	}
	return r.clock.compared(c, run.Verdict.Property(c.Verdict.Property)), nil
}

// compared returns the outcome of a replay whose steps were all as recorded.
func (c *clock) compared(found *counterexample.Counterexample, got checker.Property) Outcome {
	o := Outcome{Runs: 1, Late: c.late, Step: len(found.Steps) + 1}
	switch {
	case got.Verdict != checker.Violated:
		o.Expected = fmt.Sprintf("%s violated", found.Verdict.Property)
		o.Got = fmt.Sprintf("%s %s %s", found.Verdict.Property, got.Verdict,
			cmp.Or(got.Reason, got.Explanation))
		o.TooSlow = got.Verdict.String() == checker.Unknown.String() && c.stood > 0 || c.late > punctual
	case got.Class != found.Verdict.Class:
		o.Expected = "the class " + counterexample.Quote(found.Verdict.Class)
		o.Got = counterexample.Quote(got.Class)
		o.TooSlow = c.slow() // a lease that ends early is a cause of its own
	default:
		o.Confirmed, o.Same, o.Step = true, 1, 0
	}
	return o
}

// punctual is a delay that does not explain another verdict. Waiting times may differ by this much.
const punctual = 20 * time.Millisecond

// replay follows the steps while the files of the run are open.
func (p Place) replay(ctx context.Context, c *counterexample.Counterexample,
	w *cluster.Environment, net *relay) (*replayer, error) {
	epoch, err := epochOf(ctx, c)
	if err != nil {
		return nil, err
	}
	plan, files, err := p.open(c)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	j, err := harness.NewJournal(plan, w, harness.Output{History: files.History, Trace: files.Trace,
		Command: p.Command, Version: p.Version})
	if err != nil {
		return nil, err
	}
	r := newReplayer(ctx, c, epoch, w, net, j)
	return r, j.End(r.followAll())
}

// epochOf returns the simulator's clock at the start of the record. The file does not contain it,
// so the simulator repeats the run.
func epochOf(ctx context.Context, c *counterexample.Counterexample) (int64, error) {
	r, err := simrun.CaseOf(c).Run(ctx)
	if err != nil {
		return 0, fmt.Errorf("the simulator cannot run it: %w", err)
	}
	return r.Epoch, nil
}
