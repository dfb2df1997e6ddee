package docker

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// patience is how long a server in a container may take to start: 0.1 s is usual.
const patience = 20 * time.Second

// folder is where a server lives in its container: every image has it, and every user may write there.
const folder = "/tmp"

// disk is where it lives if its folder is one of this machine's, which outlives the container.
const disk = "/lockbench-disk"

// server is a redis-server in a container.
type server struct {
	*cluster.Life
	*body
}

// Launch is cluster.Launcher. The container is made in the background, so that many come up side by side.
func (l *Launcher) Launch(c cluster.NodeConfig) (cluster.Server, error) {
	life, err := cluster.NewLife(c)
	if err != nil {
		return nil, err
	}
	life.Patience = patience
	options, err := l.describe(c)
	if err != nil {
		return nil, err
	}
	s := &server{Life: life, body: newBody(l.daemon)}
	go func() { s.End(s.live(l.image.name, options)) }()
	return s, nil
}

// describe says how the server's container is made.
func (l *Launcher) describe(c cluster.NodeConfig) ([]testcontainers.ContainerCustomizer, error) {
	binds, env, err := l.clock(c)
	if err != nil {
		return nil, err
	}
	connect, err := l.connect(c)
	if err != nil {
		return nil, err
	}
	if c.Dir, err = l.disk(c, &binds); err != nil {
		return nil, err
	}
	if l.network == Bridge {
		c.Host = "0.0.0.0"
	}
	args := c.Arguments()
	options := connect
	if c.Watches != nil {
		file := path.Join(folder, "sentinel.conf")
		args = []string{file, "--sentinel"}
		options = append(options, testcontainers.WithFiles(testcontainers.ContainerFile{
			Reader: strings.NewReader(c.SentinelFile()), ContainerFilePath: file, FileMode: 0o644,
		}))
	}
	labels := l.owner.labels()
	labels["lockbench.node"] = c.Name
	return append(options, testcontainers.WithCmd(args...), testcontainers.WithEnv(env), testcontainers.WithLabels(labels),
		testcontainers.WithConfigModifier(func(m *container.Config) {
			m.Entrypoint, m.User = []string{l.image.server}, l.user(c.Dir) // not the image's script, which may change user and arguments
		}),
		testcontainers.WithHostConfigModifier(func(h *container.HostConfig) {
			h.Binds, h.LogConfig.Type = binds, "none" // what it says is in our log
		})), nil
}

// clock makes the server read its wall clock through a shim: the image's own, or the one that this machine's compiler makes.
func (l *Launcher) clock(c cluster.NodeConfig) (binds []string, env map[string]string, err error) {
	env = map[string]string{}
	if c.Clock == nil {
		return nil, env, nil
	}
	lib := l.image.shim
	if lib == "" {
		if lib, err = cluster.Shim(); err != nil {
			return nil, nil, fmt.Errorf("%s has no clock shim of its own: %w", l.image.name, err)
		}
		binds = append(binds, lib+":"+lib+":ro")
	}
	for _, e := range c.Clock.Environment(lib) {
		k, v, _ := strings.Cut(e, "=")
		env[k] = v
	}
	return append(binds, c.Clock.Path+":"+c.Clock.Path+":ro"), env, nil
}

// disk gives a server the folder that it has in the plan, so that its files are there when it is started again. A daemon that is elsewhere
// does not see that folder: its servers live in their containers, and so do sentinels, which have a file there.
func (l *Launcher) disk(c cluster.NodeConfig, binds *[]string) (string, error) {
	if l.daemon.remote != "" || c.Dir == "" || c.Watches != nil {
		return folder, nil
	}
	*binds = append(*binds, c.Dir+":"+disk)
	return disk, os.MkdirAll(c.Dir, 0o755)
}

// user is who a server is: whoever has to remove what it writes, or, where that goes away with the container, root.
func (l *Launcher) user(dir string) string {
	if dir != disk {
		return "0"
	}
	return fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
}

// live makes the container, starts it and follows it to its end, of which it returns the reason.
func (s *server) live(image string, options []testcontainers.ContainerCustomizer) any {
	err := s.lead(context.Background(), image, options, func(a client.HijackedResponse) { s.Follow(plain(a.Reader)) })
	if s.Clock != nil && err == exited(127) { // the loader's
		return fmt.Sprintf("%v: the clock shim does not suit the C library of %s; take our image for this fault", err, image)
	}
	return oneLine(err)
}

// Kill is cluster.Server.
func (s *server) Kill() {
	s.remove()
	<-s.Done()
}
