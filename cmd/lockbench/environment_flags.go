package main

import (
	"cmp"
	"context"
	"os"
	"slices"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/spf13/pflag"
)

// placeFlags say more about an environment than its name does.
type placeFlags struct{ harness.Place }

func (f *placeFlags) register(s *pflag.FlagSet) {
	s.StringVar(&f.Image, "redis-image", "",
		"with --env docker: image that redis-server is started from (default "+docker.DefaultImage+")")
	s.StringVar(&f.Network, "docker-network", "",
		"with --env docker: host, or bridge (a network of the run's own with the proxies in it); auto, the default, takes host where it can")
	s.StringVar(&f.Workers, "workers", "",
		"with --env docker: clients as processes on the host (the default), or in a container each")
	s.StringSliceVar(&f.Addrs, "addr", nil,
		"with --env external: host:port of Redis, or of each independent master")
	s.BoolVar(&f.TLS, "tls", false,
		"with --env external: speak TLS; LOCKBENCH_REDIS_USER and LOCKBENCH_REDIS_PASSWORD say who we are")
	s.BoolVar(&f.AnyDatabase, "any-database", false,
		"with --env external: even a database that holds keys of others")
}

// in fills in what a plan for this environment has to say, and refuses what is for another. The
// network is the one that is taken here: a plan repeats its run elsewhere, too, or is refused
// there.
func (f placeFlags) in(environment string) (harness.Place, error) {
	p := f.Place
	if err := p.Suits(environment); err != nil || environment != envDocker {
		return p, err
	}
	p.Image, p.Workers = cmp.Or(p.Image, docker.DefaultImage), cmp.Or(p.Workers, docker.OnHost)
	var err error
	p.Network, err = docker.Network(context.Background(), p.Network)
	return p, err
}

// containers are the options for docker.
func containers(p harness.Place) docker.Options {
	return docker.Options{Image: p.Image, Network: p.Network, Workers: p.Workers}
}

// reachable refuses an environment that cannot be had, or cannot be had for this scenario, before
// anything is written or started.
func reachable(ctx context.Context, environment string, p harness.Place,
	scenario ...nemesis.Step) error {
	if err := p.Suits(environment); err != nil {
		return err
	}
	switch environment {
	case envDocker:
		o := containers(p)
		o.Clocks = slices.ContainsFunc(scenario, func(s nemesis.Step) bool {
			return s.Do == nemesis.NodeClock
		})
		return docker.Ready(ctx, o)
	case envExternal:
		g, err := cluster.Visit(external(p))
		if err != nil {
			return err
		}
		return g.Close()
	}
	return nil
}

// external is the Redis that is there already.
func external(p harness.Place) cluster.External {
	return cluster.External{
		Addrs: p.Addrs, User: os.Getenv("LOCKBENCH_REDIS_USER"),
		Password: os.Getenv("LOCKBENCH_REDIS_PASSWORD"), TLS: p.TLS, AnyDatabase: p.AnyDatabase,
	}
}
