package docker

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/cluster"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// probe tries what an image that is not ours may not have: the server, and a C library that takes this machine's clock shim. It is asked
// before anything of a run exists. What it starts is gone when it returns.
func (l *Launcher) probe(ctx context.Context, clocks bool) error {
	if err := l.reach(); err != nil {
		return err
	}
	if l.image.shim != "" {
		return nil // ours, or one that was made like it
	}
	if _, err := l.serverVersion(ctx, nil, nil); err != nil {
		return fmt.Errorf("image %s has no server that can be started (%s): take one that has redis-server in its path, or leave --redis-image out", l.image.name, oneLine(err))
	}
	if !clocks {
		return nil
	}
	if l.daemon.remote != "" {
		return l.noClock()
	}
	lib, err := cluster.Shim()
	if err != nil {
		return fmt.Errorf("not possible in this world, because %s has no clock shim of its own: %w", l.image.name, err)
	}
	if _, err := l.serverVersion(ctx, []string{lib + ":" + lib + ":ro"}, map[string]string{"LD_PRELOAD": lib}); err != nil {
		return fmt.Errorf("not possible in this world, because the clock of %s cannot be moved: this machine's clock shim does not suit its C library (%s); take our image for this fault", l.image.name, oneLine(err))
	}
	return nil
}

// reach starts a server of a daemon that may be elsewhere, and looks whether what it publishes on loopback is on ours.
func (l *Launcher) reach() error {
	if l.daemon.remote == "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "lockbench-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := cluster.NodeConfig{Name: "probe", Host: "127.83.254.1", Port: 20000 + rand.IntN(10000), Log: filepath.Join(dir, "log")}
	s, err := l.Launch(c)
	if err != nil {
		return err
	}
	defer s.Kill()
	if err = s.Ready(); err == nil {
		var conn net.Conn
		if conn, err = net.DialTimeout("tcp", c.Addr(), reachTimeout); err == nil {
			return conn.Close()
		}
	}
	return fmt.Errorf("servers in containers cannot be reached: %s, and what it publishes on a loopback address is not on this machine's (%s); run lockbench where the daemon is", l.daemon.remote, oneLine(err))
}

// reachTimeout is how long a connection on loopback may take.
const reachTimeout = 2 * time.Second

// noClock is the reason why a clock cannot be moved where the daemon is elsewhere.
func (l *Launcher) noClock() error {
	return fmt.Errorf("the clock of %s cannot be moved: it has no shim of its own, and %s", l.image.name, l.daemon.remote)
}

// ServerVersion is cluster.Launcher.
func (l *Launcher) ServerVersion() (string, error) {
	return l.serverVersion(context.Background(), nil, nil)
}

// serverVersion has a container of its own say what its server is. The loader's complaints are an error, even where it goes on without
// what it was to load.
func (l *Launcher) serverVersion(ctx context.Context, binds []string, env map[string]string) (string, error) {
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithCmd("--version"), testcontainers.WithEntrypoint(l.image.server), testcontainers.WithLabels(l.owner.labels()),
		testcontainers.WithEnv(env), testcontainers.WithHostConfigModifier(func(h *container.HostConfig) { h.Binds = binds }),
	}
	var said []byte
	err := newBody(l.daemon).lead(ctx, l.image.name, options, func(a client.HijackedResponse) { said, _ = io.ReadAll(plain(a.Reader)) })
	if err != exited(0) || strings.Contains(string(said), "LD_PRELOAD") {
		return "", fmt.Errorf("`%s --version` in image %s: %s %s", l.image.server, l.image.name, oneLine(err), said)
	}
	return string(said), nil
}
