package runner

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/env/cluster"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/env/cluster/system"
	"github.com/lockbench/lockbench/internal/harness"
)

// Environment is an environment of real servers. Close ends all its processes and containers, and
// the connection to Docker or to the external Redis.
type Environment struct {
	*cluster.Environment
	servers *Servers
}

// Close ends the environment, and then the connection to the source of its servers.
func (e Environment) Close() error {
	return errors.Join(e.Environment.Close(), e.servers.Close())
}

// Open starts the servers and clients of a plan for Process, Docker or External. Logs and the
// servers' own records go to dir. Workers starts the clients that are processes of this machine. If
// it is nil, the run starts its own.
func Open(ctx context.Context, p harness.Plan, dir string, workers server.Spawner) (*Environment,
	error) {
	c := Choice{Environment: p.Environment, Place: p.Place}
	if p.System() != "" {
		var err error
		if c.System, err = system.Find(p.System()); err != nil {
			return nil, err
		}
	}
	s, err := Connect(ctx, c)
	if err != nil {
		return nil, err
	}
	if s.Spawner == nil {
		s.Spawner = workers
	}
	if s.Spawner, err = Spawner(ctx, p, dir, server.ClientEnv(c.System), s.Spawner); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	worker := p.Worker()
	for i, k := range worker.Keys {
		worker.Keys[i] = s.prefix + k
	}
	e, err := cluster.Start(cluster.Config{
		Dir: dir, Topology: p.Topology, Masters: p.Masters, Replicas: p.Replicas, Clients: p.Clients,
		Seed: p.Seed, Scenario: p.Scenario, Worker: worker, RedisConfig: p.RedisConfig,
		Launcher: s.Launcher, Spawner: s.Spawner, System: c.System,
		Commands: commandsOf(p),
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Environment{e, s}, nil
}

// Try opens the environment of a run and closes it again. It returns an error if that failed.
func Try(ctx context.Context, o harness.RunOptions) error {
	p, err := harness.NewPlan(o)
	if err != nil {
		return err
	}
	p.Place = o.Place
	dir, err := os.MkdirTemp("", "lockbench-try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e, err := Open(ctx, p, dir, nil)
	if err != nil {
		return err
	}
	return e.Close()
}

// commandsOf returns the commands that the plan's servers must have.
func commandsOf(p harness.Plan) map[string]string {
	if p.Adapter == nil {
		return nil
	}
	return p.Adapter.Commands
}

// Servers starts the servers and clients of an environment. It serves one environment at a time.
type Servers struct {
	Launcher server.Launcher // nil if servers are processes of this machine
	Spawner  server.Spawner  // nil if clients are processes of this machine

	prefix string    // of every key
	end    io.Closer // nil if there is nothing to end
}

// Connect connects to the daemon of Docker, or to an External Redis. It starts nothing yet.
func Connect(ctx context.Context, c Choice) (*Servers, error) {
	switch c.Environment {
	case Docker:
		l, err := docker.Open(ctx, containers(c, false))
		if err != nil {
			return nil, err
		}
		return &Servers{Launcher: l, Spawner: l.Spawner(), end: l}, nil
	case External:
		g, err := server.Connect(external(c.Place))
		if err != nil {
			return nil, err
		}
		return &Servers{Launcher: g, prefix: g.Prefix, end: g}, nil
	}
	return &Servers{Launcher: server.Processes{Redis: c.Place.Server}}, nil
}

// Close must be called after the environment's own Close.
func (s *Servers) Close() error {
	if s.end == nil {
		return nil
	}
	return s.end.Close()
}

func containers(c Choice, clocks bool) docker.Options {
	return docker.Options{Image: c.Place.Image, Network: c.Place.Network, Workers: c.Place.Workers,
		Clocks: clocks, System: c.System}
}

// CleanExternal removes the keys of finished runs, and no others, from a foreign Redis. Kept is the
// number of keys that belong to running runs.
func CleanExternal(p harness.Place) (removed, kept int, err error) {
	return server.CleanExternal(external(p))
}

// external returns the configuration of a foreign Redis. A plan never contains its user and
// password.
func external(p harness.Place) server.ExternalConfig {
	return server.ExternalConfig{
		Addrs: p.Addrs, User: os.Getenv("LOCKBENCH_REDIS_USER"),
		Password: os.Getenv("LOCKBENCH_REDIS_PASSWORD"), TLS: p.TLS, AnyDatabase: p.AnyDatabase,
	}
}
