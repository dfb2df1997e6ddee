package main

import (
	"context"

	"github.com/lockbench/lockbench/docker"
	"github.com/spf13/pflag"
)

// worldFlags say more about a world than its name does.
type worldFlags struct {
	image   string
	network string
}

func (f *worldFlags) register(s *pflag.FlagSet) {
	s.StringVar(&f.image, "redis-image", docker.DefaultImage, "with --env docker: image that redis-server is started from")
	s.StringVar(&f.network, "docker-network", docker.Auto, "with --env docker: host, or bridge (published on loopback); auto takes host where it can")
}

// containers are the options for docker.
func (f worldFlags) containers() docker.Options {
	return docker.Options{Image: f.image, Network: f.network}
}

// check refuses a world that cannot be had, before anything is written or started.
func (f worldFlags) check(ctx context.Context, world string) error {
	if world == worldDocker {
		return docker.Ready(ctx, f.containers())
	}
	return nil
}
