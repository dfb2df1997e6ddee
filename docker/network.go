package docker

import (
	"github.com/moby/moby/api/types/container"
	"github.com/testcontainers/testcontainers-go"
)

// within puts a container on this machine's network, or on that of the environment's proxies, and
// then what they share with their servers is shared, too.
func (l *Launcher) within() testcontainers.ContainerCustomizer {
	return hostConfig(func(h *container.HostConfig) {
		if l.network == Host {
			h.NetworkMode = "host"
			return
		}
		proxies := "container:" + l.environment.name()
		h.NetworkMode, h.IpcMode = container.NetworkMode(proxies), container.IpcMode(proxies)
	})
}

// hostConfig changes how a container stands to its host.
func hostConfig(f func(*container.HostConfig)) testcontainers.ContainerCustomizer {
	return testcontainers.WithHostConfigModifier(f)
}
