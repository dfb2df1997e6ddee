package docker

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"
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
