package docker

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// makeNetwork makes a bridge for one environment and returns its number.
func (l *Launcher) makeNetwork(ctx context.Context) (string, error) {
	n, err := l.daemon.NetworkCreate(ctx, "lockbench-"+rand.Text()[:12], client.NetworkCreateOptions{
		Driver: "bridge", Labels: l.owner.labels()})
	switch {
	case err == nil:
		return n.ID, nil
	case strings.Contains(err.Error(), "address pool"): // Docker's words
		return "",
			fmt.Errorf(
				"the Docker daemon has no addresses left for another network (%s): `lockbench doctor "+
					"--clean`, or `docker network prune`", oneLine(err))
	}
	return "",
		fmt.Errorf(
			"cannot make a network for the run (%s); take --docker-network host where the daemon is this "+
				"machine's", oneLine(err))
}

// within puts a container into the environment's own network, or on this machine's. What the
// environment's proxies share with its servers is shared there.
func (l *Launcher) within() testcontainers.ContainerCustomizer {
	if l.network == Host {
		return hostConfig(func(h *container.HostConfig) { h.NetworkMode = "host" })
	}
	s := l.environment
	return unpublished(func(h *container.HostConfig) {
		h.NetworkMode = container.NetworkMode(s.network)
		h.IpcMode = container.IpcMode("container:" + s.name())
	})
}

// hostConfig changes how a container stands to its host.
func hostConfig(f func(*container.HostConfig)) testcontainers.ContainerCustomizer {
	return testcontainers.WithHostConfigModifier(f)
}

// unpublished is hostConfig for a container none of whose ports are published, whatever its image
// says: testcontainers would publish what an image declares on every interface of the machine.
func unpublished(f func(*container.HostConfig)) testcontainers.ContainerCustomizer {
	return testcontainers.CustomizeRequestOption(func(
		r *testcontainers.GenericContainerRequest) error {
		var made *container.HostConfig
		if err := hostConfig(func(h *container.HostConfig) { made = h; f(h) }).Customize(r); err != nil {
			return err
		}
		r.LifecycleHooks = append(r.LifecycleHooks, testcontainers.ContainerLifecycleHooks{
			PreCreates: []testcontainers.ContainerRequestHook{
				func(context.Context, testcontainers.ContainerRequest) error {
					made.PortBindings = nil
					return nil
				}},
		})
		return nil
	})
}
