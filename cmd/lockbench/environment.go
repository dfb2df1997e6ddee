package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/sim"
	"github.com/lockbench/lockbench/internal/store"
	"github.com/lockbench/lockbench/nemesis"
)

// The environments, as --env names them.
const (
	envAuto     = "auto"
	envProcess  = "process"
	envDocker   = "docker"
	envExternal = "external"
	envSim      = "sim"
)

// environments lists what --env may be.
func environments() []string {
	return []string{envAuto, envProcess, envDocker, envExternal, envSim}
}

// chooseEnvironment makes a name out of auto, and refuses an environment that cannot be had. Auto
// takes real Redis where it is: installed, or in containers. Else it is the simulator. Note says if
// it is not what is installed.
func chooseEnvironment(name string) (environment, note string, err error) {
	_, missing := exec.LookPath("redis-server")
	switch name {
	case "", envAuto:
		if missing == nil {
			return envProcess, "", nil
		}
		if docker.Ready(context.Background(), docker.Options{}) == nil {
			return envDocker, "redis-server is not installed, so this runs it in containers", nil
		}
		return envSim,
			"redis-server is not installed, so this runs in the embedded simulator; `apt-get install redis-server` for the real one", nil
	case envProcess:
		if missing != nil {
			return "", "", cluster.ErrNoRedis
		}
		return name, "", nil
	case envDocker, envExternal, envSim:
		return name, "", nil // what keeps them from being had depends on further flags: reachable
	}
	return "", "", fmt.Errorf("unknown environment %q for --env; there are: %s", name,
		strings.Join(environments(),
			", "))
}

// groundHere is what an environment offers on this machine, with these servers. Whether clocks can
// be moved takes a moment to find out, and is asked for.
func groundHere(ctx context.Context, environment string, place harness.Place,
	clocks bool) nemesis.Capabilities {
	g := nemesis.CapabilitiesOf(environment)
	if !clocks {
		return g
	}
	switch environment {
	case envProcess:
		if err := cluster.ClockMeans(); err != nil {
			g = g.Without(nemesis.NodeClock, err.Error())
		}
	case envDocker:
		o := containers(place)
		o.Clocks = true
		// what else keeps the environment from being had is said when it is to be made
		if err := docker.Ready(ctx, o); err != nil {
			if why, ok := strings.CutPrefix(err.Error(), notPossible); ok {
				g = g.Without(nemesis.NodeClock, why)
			}
		}
	}
	return g
}

// execution is one run of a plan in its environment, recorded in a directory.
type execution struct {
	plan    harness.Plan
	dir     string
	line    string // the command that reproduces it
	started time.Time
	show    *progress
}

// carryOut makes the environment, runs the plan in it, and judges the run from what is on disk
// before the environment is taken down, so that a clean-up that fails costs no verdict. RunErr says
// why a run that was recorded is worth less than planned; err why there is nothing.
func (x execution) carryOut(ctx context.Context) (r *store.Run, runErr, err error) {
	if x.plan.Environment == envSim {
		return x.simulate(ctx)
	}
	w, err := x.start(ctx)
	if err != nil {
		return nil, nil, usage(err)
	}
	defer func() { runErr = errors.Join(runErr, w.Close()) }()
	if runErr, err = x.record(ctx, w); err != nil {
		return nil, nil, usage(err)
	}
	r, err = x.judge()
	return r, runErr, err
}

// simulate is carryOut in the simulator. What keeps the environment from being made is the user's
// to mend; what breaks it later is not.
func (x execution) simulate(ctx context.Context) (r *store.Run, runErr, err error) {
	p, begun := x.plan, false
	var refused error
	err = sim.Run(sim.Config{
		Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas, Clients: p.Clients, Seed: p.Seed,
		Worker: p.Worker(), RedisConfig: p.RedisConfig,
	}, func(w *sim.Environment) error {
		begun, x.started = true, w.Started() // virtual, so that the same plan gives the same record
		runErr, refused = x.record(ctx, w)
		return nil
	})
	switch {
	case err != nil && begun:
		return nil, nil, broken(err)
	case err != nil || refused != nil:
		return nil, nil, usage(errors.Join(err, refused))
	}
	r, err = x.judge()
	return r, runErr, err
}

// start makes an environment of real servers: as processes, in containers, or those that are there
// already.
func (x execution) start(ctx context.Context) (standing, error) {
	p := x.plan
	cfg := cluster.Config{
		Dir: x.dir, Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas, Clients: p.Clients,
		Seed: p.Seed, Scenario: p.Scenario,
		Worker: p.Worker(), RedisConfig: p.RedisConfig,
	}
	var end io.Closer
	switch p.Environment {
	case envDocker:
		l, err := docker.Open(ctx, containers(p.Place))
		if err != nil {
			return nil, err
		}
		cfg.Launcher, cfg.Spawner, end = l, l.Spawner(), l
	case envExternal:
		g, err := cluster.Visit(external(p.Place))
		if err != nil {
			return nil, err
		}
		for i, k := range cfg.Worker.Keys {
			cfg.Worker.Keys[i] = g.Prefix + k
		}
		cfg.Launcher, end = g, g
	default:
		return cluster.Start(cfg)
	}
	w, err := cluster.Start(cfg)
	if err != nil {
		return nil, errors.Join(err, end.Close())
	}
	return launched{w, end}, nil
}

// standing is an environment that has to be taken down.
type standing interface {
	harness.Environment
	io.Closer
}

// launched is an environment with something behind it that has to be taken down, too.
type launched struct {
	*cluster.Environment
	behind io.Closer
}

// Close ends the environment, and then what is behind it.
func (l launched) Close() error { return errors.Join(l.Environment.Close(), l.behind.Close()) }

// record runs the plan with its files open. Err is for what keeps it from beginning.
func (x execution) record(ctx context.Context, w harness.Environment) (runErr, err error) {
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
		History: hist, Trace: trace, Command: x.line, Version: version(),
		Machine: machine(x.plan.Environment),
		Watch:   x.show.watch, Started: x.started,
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
