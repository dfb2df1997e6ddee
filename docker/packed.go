package docker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// finds is a shell's function that says where a file is in an image, by a pattern as server.Tools
// have it; nothing if the image does not have it.
const finds = `find_() { ls -d $1 2>/dev/null | sort -V | tail -n 1 | grep . || command -v "${1##*/}"; }; `

// runs is a script that becomes a program, which $0 is the pattern of.
const runs = finds + `p=$(find_ "$0") && exec "$p" "$@"; echo "there is no $0" >&2; exit 127`

// shell are the words that run a program in a container.
func shell(script, program string) []string { return []string{"/bin/sh", "-c", script, program} }

// packedServer is a server of another system than Redis in a container, with its folder at the same
// place as on this machine.
type packedServer struct {
	*redisServer
	tools tools
}

// Settle makes the server's tools run in its container.
func (s packedServer) Settle(c *server.NodeConfig) { c.Tools = s.tools }

// Pid returns the server's process id on this machine, or 0 if the server is gone.
func (s packedServer) Pid() int {
	r, err := s.daemon.ContainerInspect(context.Background(), s.name(),
		client.ContainerInspectOptions{})
	if err != nil || r.Container.State == nil {
		return 0
	}
	return r.Container.State.Pid
}

// launchPacked is Launch for a server of another system than Redis.
func (l *Launcher) launchPacked(c server.NodeConfig, kind server.Packed) (server.Server, error) {
	t := tools{l, c.Name}
	c.Tools = t
	options, err := l.describePacked(c, kind)
	if err != nil {
		return nil, err
	}
	life, err := server.NewLife(c)
	if err != nil {
		return nil, err
	}
	life.Patience = server.PatienceOthers
	s := &redisServer{Life: life, instance: newInstance(l.daemon)}
	l.running.Store(c.Name, s.instance)
	go func() { s.End(s.live(l.image.name, options)) }()
	return packedServer{s, t}, nil
}

// describePacked returns the options of the server's container. It runs as the user who will remove
// the server's files or, if that is root, as a user without rights.
func (l *Launcher) describePacked(c server.NodeConfig, kind server.Packed) (
	[]testcontainers.ContainerCustomizer, error) {
	args, err := server.Furnish(c)
	if err != nil {
		return nil, err
	}
	user, group, err := server.HandOver(c)
	if err != nil {
		return nil, err
	}
	return []testcontainers.ContainerCustomizer{
		l.joinNetwork(), l.owner.labels(c.Name), testcontainers.WithCmd(args...),
		testcontainers.WithConfigModifier(func(m *container.Config) {
			m.Entrypoint, m.User = shell(runs, kind.Files()[0]), fmt.Sprintf("%d:%d", user, group)
		}),
		hostConfig(func(h *container.HostConfig) {
			h.Binds, h.LogConfig.Type = append(h.Binds, c.Dir+":"+c.Dir), "none"
		}),
	}, nil
}

// hasFiles refuses an image without what a system needs, and a network on which its servers cannot
// be.
func (l *Launcher) hasFiles(ctx context.Context) error {
	script := finds + `for f in "$0" "$@"; do find_ "$f" >/dev/null || echo "$f"; done`
	files := l.packed.Files()
	said, err := l.say(ctx, shell(script, files[0]), files[1:])
	switch {
	case err != nil:
		return fmt.Errorf("image %s has no shell that could look for %s (%s): %s", l.image.name,
			l.packed.Name(), oneLine(err), systemsAdvice)
	case said != "":
		return fmt.Errorf("image %s has no %s, which %s needs: %s", l.image.name,
			strings.Join(strings.Fields(said), ", "), l.packed.Name(), systemsAdvice)
	}
	return nil
}

// systemsAdvice is what to do about an image without a system.
const systemsAdvice = "omit --redis-image; `docker/base-image " + SystemsImage + "` builds the image"

// packable refuses a network on which servers of other systems than Redis cannot be.
func (l *Launcher) packable() error {
	if l.packed == nil || l.network == Host {
		return nil
	}
	const only = "systems other than Redis run on Docker's host network only: --docker-network host"
	if l.daemon.remote != "" {
		return fmt.Errorf("%s; it is not possible here: %s", only, l.daemon.remote)
	}
	return errors.New(only)
}
