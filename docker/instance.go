package docker

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// instance is a container from its making to its end.
type instance struct {
	daemon *daemon
	made   chan struct{} // closed when id is set, or will not be
	id     string        // "" if the container could not be made
}

func newInstance(d *daemon) *instance {
	return &instance{daemon: d, made: make(chan struct{})}
}

// run makes the container, starts it, hands over what goes in and out, and removes it when it has
// ended. The error says how it did: it is never nil.
func (b *instance) run(ctx context.Context, image string,
	options []testcontainers.ContainerCustomizer,
	follow func(client.HijackedResponse)) error {
	c, err := makeContainer(ctx, image, options...)
	if c != nil {
		b.id = c.GetContainerID()
	}
	close(b.made)
	defer b.remove()
	if err != nil {
		return err
	}
	end, through, err := b.start(ctx, c)
	if err != nil {
		return err
	}
	defer through.Close()
	follow(through)
	select {
	case r := <-end.Result:
		return exited(r.StatusCode)
	case err := <-end.Error:
		return err
	}
}

// makeContainer works like testcontainers.Run without a start. But if the daemon has no bridge, Run
// makes a network and leaves it there. Every daemon has the network that is named here instead.
func makeContainer(ctx context.Context, image string,
	options ...testcontainers.ContainerCustomizer) (testcontainers.Container, error) {
	r := testcontainers.GenericContainerRequest{
		ContainerRequest: testcontainers.ContainerRequest{Image: image}}
	for _, o := range options {
		if err := o.Customize(&r); err != nil {
			return nil, err
		}
	}
	p, err := testcontainers.NewDockerProvider(testcontainers.WithDefaultBridgeNetwork(Host))
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.CreateContainer(ctx, r.ContainerRequest)
}

// start attaches before it starts, so that no output is lost.
func (b *instance) start(ctx context.Context, c testcontainers.Container) (
	end client.ContainerWaitResult, through client.HijackedResponse, err error) {
	end = b.daemon.ContainerWait(ctx, b.id, client.ContainerWaitOptions{
		Condition: container.WaitConditionNextExit})
	a, err := b.daemon.ContainerAttach(ctx, b.id, client.ContainerAttachOptions{Stream: true,
		Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return end, through, err
	}
	if err := c.Start(ctx); err != nil {
		a.Close()
		return end, through, err
	}
	return end, a.HijackedResponse, nil
}

// exited is the end of a container with its exit code.
type exited int64

// Error is error.
func (e exited) Error() string { return fmt.Sprintf("exit code %d", int64(e)) }

// plain is the output of a container without the daemon's framing.
func plain(framed io.Reader) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := stdcopy.StdCopy(w, w, framed)
		w.CloseWithError(err)
	}()
	return r
}

// name waits until the container has been made and returns its number.
func (b *instance) name() string {
	<-b.made
	return b.id
}

// remove ends the container with SIGKILL, whatever it does, and removes it. It may be gone already.
func (b *instance) remove() {
	if id := b.name(); id != "" {
		_ = b.daemon.remove(context.Background(), id)
	}
}

// freezing is how long Pause tries, and refreeze how long it waits between two tries: runc gives
// up after milliseconds ("unable to freeze") while a process waits for the disk.
const (
	freezing = 20 * time.Second
	refreeze = 20 * time.Millisecond
)

// Pause freezes the container: the kernel lets none of its processes run. A container that is
// gone, dead or frozen is an error at once.
func (b *instance) Pause() error {
	for end := time.Now().Add(freezing); ; time.Sleep(refreeze) {
		_, err := b.daemon.ContainerPause(context.Background(), b.name(),
			client.ContainerPauseOptions{})
		if !errdefs.IsInternal(err) || time.Now().After(end) {
			return err
		}
	}
}

// Stopped reports whether the container is frozen.
func (b *instance) Stopped() bool {
	r, err := b.daemon.ContainerInspect(context.Background(), b.name(),
		client.ContainerInspectOptions{})
	return err == nil && r.Container.State != nil && r.Container.State.Paused
}

// Resume lets the container run again.
func (b *instance) Resume() error {
	_, err := b.daemon.ContainerUnpause(context.Background(), b.name(),
		client.ContainerUnpauseOptions{})
	return err
}
