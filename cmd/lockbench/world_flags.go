package main

import (
	"context"
	"errors"
	"os"

	"github.com/lockbench/lockbench/docker"
	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/spf13/pflag"
)

// worldFlags say more about a world than its name does.
type worldFlags struct {
	image   string
	network string
	workers string
	addrs   []string
	tls     bool
	anyDB   bool
}

func (f *worldFlags) register(s *pflag.FlagSet) {
	s.StringVar(&f.image, "redis-image", docker.DefaultImage, "with --env docker: image that redis-server is started from")
	s.StringVar(&f.network, "docker-network", docker.Auto, "with --env docker: host, or bridge (published on loopback); auto takes host where it can")
	s.StringVar(&f.workers, "workers", docker.OnHost, "with --env docker: clients as processes on the host, or in a container each")
	s.StringSliceVar(&f.addrs, "addr", nil, "with --env external: host:port of Redis, or of each independent master")
	s.BoolVar(&f.tls, "tls", false, "with --env external: speak TLS; LOCKBENCH_REDIS_USER and LOCKBENCH_REDIS_PASSWORD say who we are")
	s.BoolVar(&f.anyDB, "any-database", false, "with --env external: even a database that holds keys of others")
}

// containers are the options for docker.
func (f worldFlags) containers() docker.Options {
	return docker.Options{Image: f.image, Network: f.network, Workers: f.workers}
}

// check refuses a world that cannot be had, before anything is written or started.
func (f worldFlags) check(ctx context.Context, world string) error {
	switch {
	case world == worldDocker:
		return docker.Ready(ctx, f.containers())
	case world == worldExternal:
		g, err := cluster.Visit(f.external())
		if err != nil {
			return err
		}
		return g.Close()
	case len(f.addrs) > 0:
		return errors.New("--addr is for --env external")
	}
	return nil
}

// external is the Redis that is there already.
func (f worldFlags) external() cluster.External {
	return cluster.External{
		Addrs: f.addrs, User: os.Getenv("LOCKBENCH_REDIS_USER"), Password: os.Getenv("LOCKBENCH_REDIS_PASSWORD"), TLS: f.tls, AnyDatabase: f.anyDB,
	}
}
