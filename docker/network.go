package docker

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"

	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// connect puts a container where its server has the address that the world gave it: on this machine's own network, or on a bridge and
// published there. That address is a loopback one, and the port stays the same when the server is started again; the daemon's own choice
// would be every interface of the machine, and another port each time.
func (l *Launcher) connect(c cluster.NodeConfig) ([]testcontainers.ContainerCustomizer, error) {
	if l.network == Host {
		return []testcontainers.ContainerCustomizer{testcontainers.WithHostConfigModifier(func(h *container.HostConfig) { h.NetworkMode = "host" })}, nil
	}
	host, err := netip.ParseAddr(c.Host)
	if err != nil {
		return nil, err
	}
	number := strconv.Itoa(c.Port)
	port, err := network.ParsePort(number + "/tcp")
	if err != nil {
		return nil, err
	}
	return []testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(port.String()),
		testcontainers.WithHostConfigModifier(func(h *container.HostConfig) {
			h.PortBindings = network.PortMap{port: {{HostIP: host, HostPort: number}}}
		}),
	}, nil
}

// Gateway is cluster.Launcher: containers on the bridge reach this machine by the bridge's own address, which no other machine can use.
func (l *Launcher) Gateway() (string, error) {
	if l.network == Host {
		return "", nil
	}
	if l.daemon.remote != "" {
		return "", fmt.Errorf("servers that talk to each other are not possible: %s, and from there the proxies cannot be reached; one Redis or independent masters are possible", l.daemon.remote)
	}
	n, err := l.daemon.NetworkInspect(context.Background(), network.NetworkBridge, client.NetworkInspectOptions{})
	if err != nil {
		return "", fmt.Errorf("Docker's bridge: %s", oneLine(err))
	}
	for _, c := range n.Network.IPAM.Config {
		if c.Gateway.Is4() {
			return c.Gateway.String(), nil
		}
		if c.Subnet.Addr().Is4() { // a daemon that was not told one takes the first, and does not say so
			return c.Subnet.Addr().Next().String(), nil
		}
	}
	return "", fmt.Errorf("Docker's bridge has no address of its own; take --docker-network host")
}
