package docker

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/env/cluster/worker"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// Where workers run, as --workers names it.
const (
	// OnHost makes each worker a process of this machine.
	OnHost = "host"
	// InContainer gives each worker a container of its own.
	InContainer = "container"
)

// Spawner starts workers in containers; nil if they are wanted on the host.
func (l *Launcher) Spawner() server.Spawner {
	if l.workers != InContainer {
		return nil
	}
	return spawner{l}
}

// placeable refuses what --workers may not be here.
func (l *Launcher) placeable(workers string) error {
	switch {
	case workers == "" || workers == OnHost:
		return nil
	case workers == InContainer && l.daemon.remote != "":
		return fmt.Errorf(
			"--workers %s is not possible: %s, and what workers see there would be stamped by another "+
				"clock; leave it out", workers, l.daemon.remote)
	case workers == InContainer:
		return nil
	}
	return fmt.Errorf("--workers %q is not known; workers run on the %s or in a %s each", workers,
		OnHost, InContainer)
}

type spawner struct{ *Launcher }

// containerWorker is this program in a container.
type containerWorker struct {
	*instance
	io.WriteCloser
	out  io.Reader
	done chan struct{}
	end  error
}

// Spawn implements server.Spawner. It makes the container in the background. Input that is written
// before the container runs waits for it.
func (l spawner) Spawn(name string, log *os.File) (server.Worker, error) {
	options, err := l.describeWorker(name)
	if err != nil {
		return nil, err
	}
	// log itself is closed when Spawn has returned
	stderr, err := os.OpenFile(log.Name(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	orders, in := io.Pipe()
	out, reports := io.Pipe()
	w := &containerWorker{instance: newInstance(l.daemon), WriteCloser: in, out: out,
		done: make(chan struct{})}
	go func() {
		defer stderr.Close()
		w.end = w.run(context.Background(), l.image.name, options, func(a client.HijackedResponse) {
			go func() {
				_, _ = io.Copy(a.Conn, orders)
				_ = a.CloseWrite()
			}()
			_, _ = stdcopy.StdCopy(reports, stderr, a.Reader)
		})
		close(w.done)
		orders.CloseWithError(w.end) // who writes must not wait for ever
		reports.Close()
	}()
	return w, nil
}

func (l spawner) describeWorker(name string) ([]testcontainers.ContainerCustomizer, error) {
	program, err := l.program()
	return append(program, l.joinNetwork(),
		environment(worker.Env()), l.owner.labels(name),
		testcontainers.WithConfigModifier(func(m *container.Config) {
			m.OpenStdin, m.StdinOnce,
				m.AttachStdin = true, true, true
		}),
		hostConfig(func(h *container.HostConfig) { h.LogConfig.Type = "none" }),
	), err
}

// Output, Wait and Kill implement server.Worker.
func (w *containerWorker) Output() io.Reader { return w.out }

func (w *containerWorker) Wait() error {
	<-w.done
	if w.end == exited(0) {
		return nil
	}
	return w.end
}

func (w *containerWorker) Kill() { w.remove() }
