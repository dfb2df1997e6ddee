package docker

import (
	"github.com/moby/moby/api/types/container"
	"github.com/testcontainers/testcontainers-go"
)

// joinNetwork puts a container on this machine's network, or on the network of the environment's
// proxies. There it also shares the folders that the proxies share with their servers.
func (l *Launcher) joinNetwork() testcontainers.ContainerCustomizer {
	return hostConfig(func(h *container.HostConfig) {
		if l.network == Host {
			h.NetworkMode = "host"
			return
		}
		proxies := "container:" + l.environment.name()
		h.NetworkMode, h.IpcMode = container.NetworkMode(proxies), container.IpcMode(proxies)
	})
}

// hostConfig changes the host configuration of a container.
func hostConfig(f func(*container.HostConfig)) testcontainers.ContainerCustomizer {
	return testcontainers.WithHostConfigModifier(f)
}
