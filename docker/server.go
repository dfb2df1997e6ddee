package docker

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// patience is how long a server in a container may take to start: 0.1 s is usual.
const patience = time.Minute

// folder is where a server lives in its container: every image has it, and every user may write
// there.
const folder = "/tmp"

// disk is where it lives if its folder is one of this machine's, which outlives the container.
const disk = "/lockbench-disk"

// redisServer is a redis-server in a container.
type redisServer struct {
	*server.Life
	*instance
}

// Launch implements server.Launcher. The container is made in the background, so that many come up
// side by side.
func (l *Launcher) Launch(c server.NodeConfig) (server.Server, error) {
	if kind, ok := c.Kind.(server.Packed); ok {
		return l.launchPacked(c, kind)
	}
	life, err := server.NewLife(c)
	if err != nil {
		return nil, err
	}
	life.Patience = patience
	options, err := l.describe(c)
	if err != nil {
		return nil, err
	}
	s := &redisServer{Life: life, instance: newInstance(l.daemon)}
	go func() { s.End(s.live(l.image.name, options)) }()
	return s, nil
}

// describe says how the server's container is made.
func (l *Launcher) describe(c server.NodeConfig) ([]testcontainers.ContainerCustomizer, error) {
	options, err := l.clock(c)
	if err != nil {
		return nil, err
	}
	var binds []string
	if l.network == Host {
		if c.Dir, err = l.disk(c, &binds); err != nil {
			return nil, err
		}
	}
	options = append(options, l.joinNetwork())
	file := path.Join(folder, "server.conf")
	args, text := c.Command(file)
	if text != "" { // which belongs to root
		c.Dir = folder
		options = append(options, testcontainers.WithFiles(testcontainers.ContainerFile{
			Reader: strings.NewReader(text), ContainerFilePath: file, FileMode: 0o644,
		}))
	}
	return append(options, testcontainers.WithCmd(args...),
		l.owner.labels(c.Name),
		testcontainers.WithConfigModifier(func(m *container.Config) {
			// the script of the image may change user and arguments
			m.Entrypoint, m.User = []string{l.image.server}, l.user(c.Dir)
		}),
		hostConfig(func(h *container.HostConfig) {
			h.Binds, h.LogConfig.Type = append(h.Binds, binds...), "none" // our log has the output
		})), nil
}

// clock makes the server read its wall clock through a shim: the image's own, or the one that this
// machine's compiler makes. Where the proxies are remote, they have the offset; else a file of
// ours.
func (l *Launcher) clock(c server.NodeConfig) (options []testcontainers.ContainerCustomizer,
	err error) {
	if c.Clock == nil {
		return nil, nil
	}
	lib := l.image.shim
	if lib == "" {
		if lib, err = clock.Shim(); err != nil {
			return nil, fmt.Errorf("image %s has no clock shim, and none can be made here: %w",
				l.image.name, err)
		}
		options = append(options, l.mount(lib, lib))
	}
	if c.Clock.Remote == nil {
		options = append(options, l.mount(c.Clock.Path, c.Clock.Path))
	}
	return append(options, environment(c.Clock.Environment(lib))), nil
}

// environment gives a container these variables, each NAME=VALUE.
func environment(variables []string) testcontainers.ContainerCustomizer {
	env := map[string]string{}
	for _, e := range variables {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	return testcontainers.WithEnv(env)
}

// disk gives a server the folder that it has in the plan, so that its files are there when it is
// started again.
func (l *Launcher) disk(c server.NodeConfig, binds *[]string) (string, error) {
	if c.Dir == "" {
		return folder, nil
	}
	*binds = append(*binds, c.Dir+":"+disk)
	return disk, os.MkdirAll(c.Dir, 0o755)
}

// user returns the user of a server: the user who will remove its files or, if they disappear with
// the container, root.
func (l *Launcher) user(dir string) string {
	if dir != disk {
		return "0"
	}
	return fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
}

// live makes the container, starts it, follows it to its end, and returns the reason of its end.
func (s *redisServer) live(image string, options []testcontainers.ContainerCustomizer) any {
	err := s.run(context.Background(), image, options, func(a client.HijackedResponse) {
		s.Follow(plain(a.Reader))
	})
	if s.Clock != nil && err == exited(127) { // the loader's
		return fmt.Sprintf(
			"%v: the clock shim does not suit the C library of %s; take our image for this fault", err,
			image)
	}
	return oneLine(err)
}

// Kill implements server.Server.
func (s *redisServer) Kill() {
	s.remove()
	<-s.Done()
}
