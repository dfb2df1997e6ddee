package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
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

// Place is where a counterexample is replayed with real servers and clients.
type Place struct {
	Environment string          // its name: process or docker
	Dir         string          // run directory, which exists
	Launcher    server.Launcher // starts the servers; nil: as processes
	Spawner     server.Spawner  // starts the clients; nil: as processes
	Command     string          // what the user typed
	Version     string          // of lockbench
}

// attempt is how one replay on real servers ended.
type attempt struct {
	result result
	// where it diverged, from 1; one more than there are: the steps were the same, the verdict is not
	step     int
	expected string // in the words of the record
	got      string
	late     time.Duration // how far it was behind the record at most
	redis    string        // version
	dir      string        // run directory
}

// result is how an attempt ended, in a word.
type result int

const (
	diverged  result = iota // something else happened
	confirmed               // every step was as recorded, and the same property is violated
	tooSlow                 // something else happened, and a slow machine may be the reason
)

// attempt does the counterexample again with real servers and clients: the clients act by
// themselves, and every command, reply and fault takes place in the recorded order, no sooner than
// recorded and as soon as possible after that. The run is recorded and judged in the directory as
// any other. The error says why there is no outcome: the counterexample cannot be replayed there,
// the environment broke, or ctx ended.
func (p Place) attempt(ctx context.Context, c *counterexample.Counterexample) (attempt, error) {
	out := attempt{dir: p.Dir}
	net := &relay{wake: func() {}, told: map[int]int{}}
	w, err := cluster.Start(p.config(c, net))
	if err != nil {
		return out, errors.Join(err, net.close())
	}
	if !w.Idles() {
		return out, errors.Join(notYet("clients in containers: their rest cannot be seen"), w.Close(),
			net.close())
	}
	net.tells(w.Wake)
	out.redis = w.Versions()["redis"]
	err = p.follow(ctx, c, w, net, &out)
	return out, errors.Join(err, w.Close(), net.close())
}

// config is the environment of the counterexample's plan, prepared for the faults of the record.
func (p Place) config(c *counterexample.Counterexample, net *relay) cluster.Config {
	plan := c.Plan
	worker := patient(c)
	cfg := cluster.Config{
		Dir: p.Dir, Topology: plan.Topology, Masters: plan.Masters, Replicas: plan.Replicas,
		Clients: plan.Clients, Seed: plan.Seed, Worker: worker, RedisConfig: plan.RedisConfig,
		Launcher: p.Launcher, Spawner: p.Spawner, Relay: net, Scenario: plan.Scenario,
	}
	cfg.Scenario = slices.Concat(plan.Scenario, Faults(c))
	return cfg
}

// Faults are the steps of a counterexample that the harness carries out.
func Faults(c *counterexample.Counterexample) (all []nemesis.Step) {
	for _, s := range c.Steps {
		if s.Fault != nil {
			all = append(all, *s.Fault)
		}
	}
	return all
}

// follow keeps the record of a replay, and judges it.
func (p Place) follow(ctx context.Context, c *counterexample.Counterexample,
	w *cluster.Environment, net *relay, out *attempt) error {
	r, err := p.replay(ctx, c, w, net)
	var d *divergence
	switch {
	case errors.As(err, &d):
		out.result, out.step, out.expected, out.got, out.late = diverged, d.step+1, d.expected, d.got,
			r.clock.late
		if r.clock.slow() {
			out.result = tooSlow
		}
	case err != nil:
		return err
	}
	run, err := store.Judge(p.Dir)
	if err != nil || d != nil {
		return err
	}
	out.result, out.late = confirmed, r.clock.late
	if got := run.Verdict.Property(c.Verdict.Property); got.Verdict != checker.Violated {
		out.result, out.step = diverged, len(c.Steps)+1
		out.expected = fmt.Sprintf("%s violated", c.Verdict.Property)
		out.got = fmt.Sprintf("%s %s %s", c.Verdict.Property, got.Verdict,
			cmp.Or(got.Reason, got.Explanation))
		if got.Verdict.String() == checker.Unknown.String() && r.clock.stood > 0 ||
			r.clock.late > punctual {
			out.result = tooSlow
		}
	}
	return nil
}

// punctual is how late a replay may be without that being a reason for another verdict: times of
// waiting are shorter by it, or longer.
const punctual = 20 * time.Millisecond

// replay follows the steps with the files of the run open.
func (p Place) replay(ctx context.Context, c *counterexample.Counterexample,
	w *cluster.Environment, net *relay) (*replayer, error) {
	epoch, err := epochOf(ctx, c)
	if err != nil {
		return nil, err
	}
	plan := c.Plan
	plan.Environment, plan.Expect = p.Environment, c.Verdict.Property
	err = errors.Join(
		store.Write(p.Dir, store.Plan, func(f *os.File) error { return plan.Write(f) }),
		store.Write(p.Dir, store.Counterexample, func(f *os.File) error { return c.Write(f) }),
	)
	if err != nil {
		return nil, err
	}
	files, err := store.Record(p.Dir)
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
	return r, j.End(r.all())
}

// epochOf is the simulator's clock when the record began. The file does not have it: the run is
// done again.
func epochOf(ctx context.Context, c *counterexample.Counterexample) (int64, error) {
	r, err := simrun.Of(c).Run(ctx)
	if err != nil {
		return 0, fmt.Errorf("the simulator cannot run it: %w", err)
	}
	return r.Epoch, nil
}
