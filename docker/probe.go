package docker

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// probe tries what a daemon or an image that is not ours may not have: ports that can be reached,
// the server, and a C library that takes our programs. It is asked before anything of a run exists.
// What it starts is gone when it returns.
func (l *Launcher) probe(ctx context.Context, clocks bool) error {
	if l.packed != nil {
		return l.hasFiles(ctx)
	}
	if err := l.reach(); err != nil {
		return err
	}
	if l.image.shim != "" {
		return nil // ours, or one that was made like it
	}
	if _, err := l.serverVersion(ctx, nil, nil); err != nil {
		return fmt.Errorf(
			"image %s has no server that can be started (%s): take one that has redis-server in its path, "+
				"or leave --redis-image out", l.image.name, oneLine(err))
	}
	if !clocks {
		return nil
	}
	if err := l.noClock(); err != nil {
		return nemesis.ImpossibleError{Reason: err}
	}
	lib, err := clock.Shim()
	if err != nil {
		return nemesis.ImpossibleError{
			Reason: fmt.Errorf("image %s has no clock shim, and none can be made here: %w", l.image.name,
				err)}
	}
	if _, err := l.serverVersion(ctx, l.mount(lib, lib), map[string]string{"LD_PRELOAD": lib}); err !=
		nil {
		return nemesis.ImpossibleError{Reason: fmt.Errorf("the clock of %s cannot be moved: this "+
			"machine's clock shim does not suit its C library (%s); take our image for this fault",
			l.image.name, oneLine(err))}
	}
	return nil
}

// reach makes the place of the proxies, where they need one, and takes it down: whether lockbench
// runs in an image that is not ours, and what a daemon that may be elsewhere publishes on loopback
// is on ours.
func (l *Launcher) reach() error {
	if l.image.shim != "" && l.daemon.remote == "" {
		return nil
	}
	s, err := l.Remote()
	if s == nil || err != nil {
		return err
	}
	return s.End()
}

// noClock returns the reason why a clock cannot be moved, or nil if none is known.
func (l *Launcher) noClock() error {
	if l.image.shim != "" || runtime.GOOS == "linux" && runtime.GOARCH == l.daemon.arch {
		return nil
	}
	return fmt.Errorf(
		"the clock of %s cannot be moved: the image has no clock shim, and none can be made here for "+
			"Linux on %s; take our image for this fault", l.image.name, l.daemon.arch)
}

// ServerVersion implements server.Launcher.
func (l *Launcher) ServerVersion() (string, error) {
	return l.serverVersion(context.Background(), nil, nil)
}

// serverVersion starts a container and asks its server for the version, with the given mount, if
// any. Complaints of the loader are an error, even if the loader goes on without the library.
func (l *Launcher) serverVersion(ctx context.Context, mount testcontainers.ContainerCustomizer,
	env map[string]string) (string, error) {
	more := []testcontainers.ContainerCustomizer{testcontainers.WithEnv(env)}
	if mount != nil {
		more = append(more, mount)
	}
	said, err := l.say(ctx, []string{l.image.server}, []string{"--version"}, more...)
	if err != nil || strings.Contains(said, "LD_PRELOAD") {
		if err == nil {
			err = exited(0)
		}
		return "", fmt.Errorf("`%s --version` in image %s: %s %s", l.image.server, l.image.name,
			oneLine(err), said)
	}
	return said, nil
}

// say runs a command in a new container without a network and returns its output. The error is nil
// if the command succeeded.
func (l *Launcher) say(ctx context.Context, program, args []string,
	more ...testcontainers.ContainerCustomizer) (string, error) {
	options := append([]testcontainers.ContainerCustomizer{
		testcontainers.WithCmd(args...), testcontainers.WithEntrypoint(program...),
		l.owner.labels(""),
		hostConfig(func(h *container.HostConfig) { h.NetworkMode = "none" }),
	}, more...)
	var said []byte
	err := newInstance(l.daemon).run(ctx, l.image.name, options, func(a client.HijackedResponse) {
		said, _ = io.ReadAll(plain(a.Reader))
	})
	if err == exited(0) {
		err = nil
	}
	return string(said), err
}
