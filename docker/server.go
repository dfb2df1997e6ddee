package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// patience is how long a server in a container may take to start: 0.1 s is usual.
const patience = 20 * time.Second

// folder is where a server lives in its container: every image has it, and every user may write there.
const folder = "/tmp"

// server is a redis-server in a container.
type server struct {
	*cluster.Life
	daemon    *daemon
	container testcontainers.Container
	created   chan struct{} // closed when container is set, or will not be
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
	s := &server{Life: life, daemon: l.daemon, created: make(chan struct{})}
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
	c.Dir = folder
	if l.network == Bridge {
		c.Host = "0.0.0.0"
	}
	args := c.Arguments()
	options := append(connect, testcontainers.WithNoStart())
	if c.Watches != "" {
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
			m.Entrypoint, m.User = []string{l.image.server}, "0" // not the image's script, which may change user and arguments
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

// live makes the container, starts it and follows it to its end, of which it returns the reason.
func (s *server) live(image string, options []testcontainers.ContainerCustomizer) any {
	c, err := testcontainers.Run(context.Background(), image, options...)
	s.container = c
	close(s.created)
	if err == nil {
		err = s.daemon.run(c, s.Follow)
	}
	if s.Clock != nil && err == exited(127) { // the loader's
		return fmt.Sprintf("%v: the clock shim does not suit the C library of %s; take our image for this fault", err, image)
	}
	return oneLine(err)
}

// run starts a container, hands over its output, and removes it when it has ended. The error says how it did: it is never nil.
func (d *daemon) run(c testcontainers.Container, follow func(io.Reader)) error {
	ctx, id := context.Background(), c.GetContainerID()
	defer func() { _ = d.remove(ctx, id) }()
	end := d.ContainerWait(ctx, id, client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
	out, err := d.ContainerAttach(ctx, id, client.ContainerAttachOptions{Stream: true, Stdout: true, Stderr: true})
	if err != nil {
		return err
	}
	defer out.Close()
	if err := c.Start(ctx); err != nil {
		return err
	}
	follow(plain(out.Reader))
	select {
	case r := <-end.Result:
		return exited(r.StatusCode)
	case err := <-end.Error:
		return err
	}
}

// exited is the end of a container with its exit code.
type exited int64

// Error is error.
func (e exited) Error() string { return fmt.Sprintf("exit code %d", int64(e)) }

// ServerVersion is cluster.Launcher.
func (l *Launcher) ServerVersion() (string, error) {
	c, err := testcontainers.Run(context.Background(), l.image.name, testcontainers.WithNoStart(), testcontainers.WithCmd("--version"),
		testcontainers.WithEntrypoint(l.image.server), testcontainers.WithLabels(l.owner.labels()))
	if err != nil {
		return "", errors.New(oneLine(err))
	}
	var said []byte
	if err := l.daemon.run(c, func(out io.Reader) { said, _ = io.ReadAll(out) }); err != exited(0) {
		return "", fmt.Errorf("`%s --version` in image %s: %s %s", l.image.server, l.image.name, oneLine(err), said)
	}
	return string(said), nil
}

// plain is the output of a container without the daemon's framing.
func plain(framed io.Reader) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := stdcopy.StdCopy(w, w, framed)
		w.CloseWithError(err)
	}()
	return r
}

// id waits until the container has been made; "" if it could not be.
func (s *server) id() string {
	<-s.created
	if s.container == nil {
		return ""
	}
	return s.container.GetContainerID()
}

// Pause is cluster.Server: the kernel freezes the container.
func (s *server) Pause() error {
	_, err := s.daemon.ContainerPause(context.Background(), s.id(), client.ContainerPauseOptions{})
	return err
}

// Resume is cluster.Server.
func (s *server) Resume() error {
	_, err := s.daemon.ContainerUnpause(context.Background(), s.id(), client.ContainerUnpauseOptions{})
	return err
}

// Kill is cluster.Server.
func (s *server) Kill() {
	if id := s.id(); id != "" {
		_ = s.daemon.remove(context.Background(), id) // with SIGKILL, whatever it does; it may be gone already
	}
	<-s.Done()
}
