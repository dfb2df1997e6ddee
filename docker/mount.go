package docker

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// mount gives a container one of this machine's files: by a mount, or where the daemon may not see
// it, a copy.
func (l *Launcher) mount(file, at string) testcontainers.ContainerCustomizer {
	if l.daemon.remote == "" {
		return hostConfig(func(h *container.HostConfig) { h.Binds = append(h.Binds, file+":"+at+":ro") })
	}
	return testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
		PostCreates: []testcontainers.ContainerHook{
			func(ctx context.Context, c testcontainers.Container) error {
				return l.daemon.copyInto(ctx, c.GetContainerID(), file, at)
			}},
	})
}

// copyInto copies a file into a container. testcontainers would compress it first, which takes ten
// times as long for a program.
func (d *daemon) copyInto(ctx context.Context, id, file, at string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r, w := io.Pipe()
	go func() { w.CloseWithError(pack(w, f, at)) }()
	_, err = d.CopyToContainer(ctx, id, client.CopyToContainerOptions{DestinationPath: "/",
		Content: r})
	r.CloseWithError(err) // the writer must not wait for ever
	if err != nil {
		return fmt.Errorf("cannot copy %s into a container: %s", file, oneLine(err))
	}
	return nil
}

// pack writes an archive with one file that every user may read and run. The folder that it is in
// is made.
func pack(w io.Writer, f *os.File, at string) error {
	i, err := f.Stat()
	if err != nil {
		return err
	}
	t := tar.NewWriter(w)
	if err := t.WriteHeader(&tar.Header{Name: strings.TrimPrefix(at, "/"), Mode: 0o755, Size: i.Size(),
		ModTime: i.ModTime()}); err != nil {
		return err
	}
	if _, err := io.Copy(t, f); err != nil {
		return err
	}
	return t.Close()
}

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

func hostConfig(f func(*container.HostConfig)) testcontainers.ContainerCustomizer {
	return testcontainers.WithHostConfigModifier(f)
}

// programEnv names a lockbench for the containers of a daemon that is on another kind of machine
// than this one.
const programEnv = "LOCKBENCH_LINUX"

const (
	// mounted is where this program, or the one that programEnv names, is in a container.
	mounted = "/lockbench"
	// builtIn is where an image may have one of its own.
	builtIn = "/usr/local/lib/lockbench/lockbench"
)

// program makes a container one that runs lockbench: the one that LOCKBENCH_LINUX names, else this
// one if it is for the daemon's machine, else the image's own.
func (l *Launcher) program() ([]testcontainers.ContainerCustomizer, error) {
	file := os.Getenv(programEnv)
	if _, err := os.Stat(file); file != "" && err != nil {
		return nil, fmt.Errorf("%s must name a lockbench for Linux: %w", programEnv, err)
	}
	if file == "" && runtime.GOOS == "linux" && runtime.GOARCH == l.daemon.arch {
		var err error
		if file, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	if file == "" {
		return []testcontainers.ContainerCustomizer{entrypoint(builtIn)}, nil
	}
	return []testcontainers.ContainerCustomizer{l.mount(file, mounted), entrypoint(mounted)}, nil
}

// entrypoint runs a program as root, so that it may use files that others share.
func entrypoint(program string) testcontainers.ContainerCustomizer {
	return testcontainers.WithConfigModifier(func(m *container.Config) {
		m.Entrypoint,
			m.User = []string{program}, "0"
	})
}

// suits says what to do about a program that does not run in an image.
func (l *Launcher) suits(err error) error {
	return fmt.Errorf(
		"the proxies need lockbench, and it does not run in image %s (%s): build one for it by "+
			"`GOOS=linux GOARCH=%s CGO_ENABLED=0 go build -o lockbench-linux ./cmd/lockbench` and set "+
			"%s=lockbench-linux",
		l.image.name, oneLine(err), l.daemon.arch, programEnv)
}
