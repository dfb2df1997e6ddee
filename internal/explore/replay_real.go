package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/nemesis"
)

// Real says where a counterexample is replayed with real servers and clients.
type Real struct {
	Environment string           // its name: process or docker
	Dir         string           // run directory, which exists
	Launcher    cluster.Launcher // starts the servers; nil: as processes
	Spawner     cluster.Spawner  // starts the clients; nil: as processes
	Command     string           // what the user typed
	Version     string           // of lockbench
}

// Attempt is how a replay on real servers ended.
type Attempt struct {
	Result Result
	// where it diverged, from 1; one more than there are: the steps were the same, the verdict is not
	Step     int
	Expected string // in the words of the record
	Got      string
	Late     time.Duration // how far it was behind the record at most
	Redis    string        // version
	Dir      string        // run directory
}

// Result is how a replay ended, in a word.
type Result string

// The results of a replay on real servers.
const (
	// every step was as recorded, and the checker finds the same property violated
	Confirmed Result = "confirmed"
	Diverged  Result = "diverged" // something else happened
	// something else happened, and the machine was so slow that this may be why
	TooSlow Result = "too slow"
)

// attempt does the counterexample again with real servers and clients: the clients act by
// themselves, and every command, reply and fault takes place in the recorded order, no sooner than
// recorded and as soon as possible after that. The run is recorded and judged in the directory as
// any other. The error says why there is no outcome: the counterexample cannot be replayed there,
// the environment broke, or ctx ended.
func (c *Counterexample) attempt(ctx context.Context, r Real) (Attempt, error) {
	out := Attempt{Dir: r.Dir}
	net := &relay{wake: func() {}}
	w, err := cluster.Start(r.config(c, net))
	if err != nil {
		return out, errors.Join(err, net.close())
	}
	if !w.Idles() {
		return out, errors.Join(notYet("clients in containers: nobody can see when they rest"), w.Close(),
			net.close())
	}
	net.tells(w.Wake)
	out.Redis = w.Versions()["redis"]
	err = r.follow(ctx, c, w, net, &out)
	return out, errors.Join(err, w.Close(), net.close())
}

// config is the environment of the counterexample's plan, prepared for what is done in it.
func (r Real) config(c *Counterexample, net *relay) cluster.Config {
	p := c.Plan
	worker := p.Worker()
	if !c.timesOut() { // nobody gives up because gates cost time
		worker.ClientTimeout = max(worker.ClientTimeout, generous)
		if worker.NodeTimeout == 0 && p.Topology == nemesis.Independent || worker.NodeTimeout > 0 {
			worker.NodeTimeout = max(worker.NodeTimeout, generous)
		}
	}
	cfg := cluster.Config{
		Dir: r.Dir, Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas, Clients: p.Clients,
		Seed: p.Seed, Worker: worker, RedisConfig: p.RedisConfig,
		Launcher: r.Launcher, Spawner: r.Spawner, Relay: net, Scenario: p.Scenario,
	}
	for _, s := range c.Steps {
		if s.Fault != nil {
			cfg.Scenario = append(cfg.Scenario[:len(cfg.Scenario):len(cfg.Scenario)], *s.Fault)
		}
	}
	return cfg
}

// generous is a time-out that nothing comes near to.
const generous = 10_000_000_000

// timesOut reports whether a client gave up waiting in the record.
func (c *Counterexample) timesOut() bool {
	for _, s := range c.Steps {
		if isTimeout(s.Err) {
			return true
		}
	}
	return false
}

func isTimeout(err string) bool {
	return strings.Contains(err, "timeout") || strings.Contains(err, "deadline exceeded")
}

// follow keeps the record of a replay, and judges it.
func (r Real) follow(ctx context.Context, c *Counterexample, w *cluster.Environment, net *relay,
	out *Attempt) error {
	p, err := r.play(ctx, c, w, net)
	var d *divergence
	switch {
	case errors.As(err, &d):
		out.Result, out.Step, out.Expected, out.Got, out.Late = Diverged, d.step+1, d.expected, d.got,
			p.clock.late
		if p.clock.slow() {
			out.Result = TooSlow
		}
	case err != nil:
		return err
	}
	v, err := judge(r.Dir)
	if err != nil || d != nil {
		return err
	}
	out.Result, out.Late = Confirmed, p.clock.late
	if got := v.Property(c.Verdict.Property); got.Verdict != checker.Violated {
		out.Result, out.Step = Diverged, len(c.Steps)+1
		out.Expected = fmt.Sprintf("%s violated", c.Verdict.Property)
		out.Got = fmt.Sprintf("%s %s %s", c.Verdict.Property, got.Verdict,
			cmp.Or(got.Reason, got.Explanation))
		if got.Verdict.String() == checker.Unknown.String() && p.clock.stood > 0 ||
			p.clock.late > punctual {
			out.Result = TooSlow
		}
	}
	return nil
}

// punctual is how late a replay may be without that being a reason for another verdict: times in
// which somebody waited are shorter by it, or longer.
const punctual = 20 * time.Millisecond

// play follows the steps with the files of the run open.
func (r Real) play(ctx context.Context, c *Counterexample, w *cluster.Environment,
	net *relay) (p *player,
	err error) {
	epoch, err := c.epoch(ctx)
	if err != nil {
		return nil, err
	}
	plan := c.Plan
	plan.Environment, plan.Expect = r.Environment, c.Verdict.Property
	err = errors.Join(
		store.Write(r.Dir, store.Plan, func(f *os.File) error { return plan.Write(f) }),
		store.Write(r.Dir, kept, func(f *os.File) error { return c.Write(f) }),
	)
	if err != nil {
		return nil, err
	}
	history, err := os.Create(filepath.Join(r.Dir, store.History))
	if err != nil {
		return nil, err
	}
	defer history.Close()
	trace, err := os.Create(filepath.Join(r.Dir, store.Trace))
	if err != nil {
		return nil, err
	}
	defer trace.Close()
	j, err := harness.NewJournal(plan, w, harness.Output{History: history, Trace: trace,
		Command: r.Command, Version: r.Version, Started: time.Now()})
	if err != nil {
		return nil, err
	}
	p = newPlayer(ctx, c, epoch, w, net, j)
	return p, j.End(p.all())
}

// epoch is the simulator's clock when the record began. The file does not have it: the run is done
// again.
func (c *Counterexample) epoch(ctx context.Context) (int64, error) {
	r, err := c.Case().run(ctx)
	if err != nil {
		return 0, fmt.Errorf("the simulator cannot run it: %w", err)
	}
	return r.Epoch, nil
}

// kept is the counterexample in the run directory of its replay.
const kept = "counterexample.yaml"

// judge writes the verdict on what was recorded.
func judge(dir string) (*checker.Verdict, error) {
	run, err := store.Load(dir)
	if run == nil {
		return nil, err
	}
	v := checker.Check(run.History, run.Trace, checker.Options{Partial: err != nil})
	return v, store.Write(dir, store.Verdict, func(f *os.File) error { return v.Write(f) })
}
