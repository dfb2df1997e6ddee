package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/sim"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/nemesis"
)

// The worlds, as --env names them.
const (
	worldAuto    = "auto"
	worldProcess = "process"
	worldSim     = "sim"
)

// worlds lists what --env may be.
func worlds() []string { return []string{worldAuto, worldProcess, worldSim} }

// chooseWorld makes a name out of auto, and refuses a world that cannot be had. With auto and no Redis it is the simulator, and note says so.
func chooseWorld(name string) (world, note string, err error) {
	_, missing := exec.LookPath("redis-server")
	switch name {
	case "", worldAuto:
		if missing != nil {
			return worldSim, "redis-server is not installed, so this runs in the embedded simulator; `apt-get install redis-server` for the real one", nil
		}
		return worldProcess, "", nil
	case worldProcess:
		if missing != nil {
			return "", "", cluster.ErrNoRedis
		}
		return name, "", nil
	case worldSim:
		return name, "", nil
	}
	return "", "", fmt.Errorf("unknown world %q for --env; there are: auto, process, sim", name)
}

// execution is one run of a plan in its world, recorded in a directory.
type execution struct {
	plan    harness.Plan
	dir     string
	line    string // the command that reproduces it
	started time.Time
	show    *progress
}

// carryOut makes the world, runs the plan in it, and judges the run from what is on disk before the world is taken down, so that a
// clean-up that fails costs no verdict. RunErr says why a run that was recorded is worth less than planned; err why there is nothing.
func (x execution) carryOut(ctx context.Context) (r *store.Run, runErr, err error) {
	p := x.plan
	if p.World == worldSim {
		err = sim.Run(sim.Config{
			Topology: p.Topology, Masters: p.Masters, Clients: p.Clients, Seed: p.Seed, Worker: p.Worker(), RedisConfig: p.RedisConfig,
		}, func(w *sim.World) (e error) {
			runErr, e = x.record(ctx, w)
			return e
		})
		if err != nil {
			return nil, nil, usage(err)
		}
		r, err = x.judge()
		return r, runErr, err
	}
	w, err := cluster.Start(cluster.Config{
		Dir: x.dir, Topology: p.Topology, Masters: p.Masters, Clients: p.Clients, Seed: p.Seed, Scenario: p.Scenario,
		Worker: p.Worker(), RedisConfig: p.RedisConfig,
	})
	if err != nil {
		return nil, nil, usage(err)
	}
	defer w.Close()
	if runErr, err = x.record(ctx, w); err != nil {
		return nil, nil, usage(err)
	}
	r, err = x.judge()
	return r, runErr, err
}

// record runs the plan with its files open. Err is for what keeps it from beginning.
func (x execution) record(ctx context.Context, w harness.World) (runErr, err error) {
	defer x.show.stop()
	if err := nemesis.Possible(w, x.plan.Scenario); err != nil {
		return nil, fmt.Errorf("--nemesis %s: %w", x.plan.Nemesis, err)
	}
	hist, err := os.Create(filepath.Join(x.dir, store.History))
	if err != nil {
		return nil, err
	}
	defer hist.Close()
	trace, err := os.Create(filepath.Join(x.dir, store.Trace))
	if err != nil {
		return nil, err
	}
	defer trace.Close()
	return harness.Run(ctx, x.plan, w, harness.Output{
		History: hist, Trace: trace, Command: x.line, Version: version(), Watch: x.show.watch, Started: x.started,
	}), nil
}

// judge writes the verdict on what was recorded.
func (x execution) judge() (*store.Run, error) {
	r, err := store.Load(x.dir)
	if r == nil {
		return nil, broken(err)
	}
	r.Verdict = checker.Check(r.History, r.Trace, checker.Options{Partial: err != nil})
	err = store.Write(x.dir, store.Verdict, func(w *os.File) error { return r.Verdict.Write(w) })
	return r, broken(err)
}
