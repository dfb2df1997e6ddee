package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// tools are the programs of the image, for the server of a name. They are server.Tools.
type tools struct {
	launcher *Launcher
	node     string
}

// Edition implements server.Tools.
func (t tools) Edition(program string) (string, error) {
	return strings.ReplaceAll(t.launcher.image.id, ":", "-") + "-" + path.Base(program), nil
}

// Fill implements server.Tools. The folder is filled in a container and comes out as an archive:
// for users whom the image does not know, some programs refuse to work.
func (t tools) Fill(folder, program string, args func(folder string) []string) error {
	const inside, nobody = "/tmp/fresh", "65534:65534"
	script := finds + `mkdir -m 700 ` + inside + ` && p=$(find_ "$0") && "$p" "$@" >&2 && tar -c -C ` +
		inside + ` .`
	var filled, said bytes.Buffer
	err := newInstance(t.launcher.daemon).run(context.Background(), t.launcher.image.name,
		[]testcontainers.ContainerCustomizer{
			t.launcher.owner.labels(""), testcontainers.WithCmd(args(inside)...),
			testcontainers.WithConfigModifier(func(m *container.Config) {
				m.Entrypoint, m.User = shell(script, program), nobody
			}),
			hostConfig(func(h *container.HostConfig) { h.NetworkMode, h.LogConfig.Type = "none", "none" }),
		}, func(a client.HijackedResponse) { _, _ = stdcopy.StdCopy(&filled, &said, a.Reader) })
	if err != exited(0) {
		return server.Failed(program, said.String(), err)
	}
	return unpack(&filled, folder)
}

// unpack puts the files of an archive into a folder.
func unpack(archive io.Reader, folder string) error {
	for t := tar.NewReader(archive); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && !filepath.IsLocal(h.Name) {
			err = fmt.Errorf("an archive has a file %q", h.Name)
		}
		if err != nil {
			return err
		}
		switch name := filepath.Join(folder, h.Name); h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(name, 0o700)
		case tar.TypeReg:
			err = write(name, t)
		}
		if err != nil {
			return err
		}
	}
}

func write(name string, from io.Reader) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

// Ask implements server.Tools: the program runs in the server's container.
func (t tools) Ask(program string, args ...string) (string, error) {
	at, ok := t.launcher.running.Load(t.node)
	if !ok {
		return "", fmt.Errorf("%s does not run", t.node)
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	said, err := at.(*instance).exec(ctx, append(shell(runs, program), args...))
	return said, server.Failed(program, said, err)
}

// exec runs a command in the container and returns its output without surrounding space.
func (b *instance) exec(ctx context.Context, command []string) (string, error) {
	e, err := b.daemon.ExecCreate(ctx, b.name(), client.ExecCreateOptions{Cmd: command,
		AttachStdout: true, AttachStderr: true})
	if err != nil {
		return "", err
	}
	a, err := b.daemon.ExecAttach(ctx, e.ID, client.ExecAttachOptions{})
	if err != nil {
		return "", err
	}
	defer a.Close()
	defer context.AfterFunc(ctx, a.Close)() // else a command that hangs would be waited for
	said, err := io.ReadAll(plain(a.Reader))
	if err != nil {
		return "", err
	}
	r, err := b.daemon.ExecInspect(ctx, e.ID, client.ExecInspectOptions{})
	if err == nil && r.ExitCode != 0 {
		err = exited(r.ExitCode)
	}
	return strings.TrimSpace(string(said)), err
}
