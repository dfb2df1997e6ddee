package docker

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"

	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// remoteProxies is the container on a bridge that has an environment's proxies. Its servers are on
// its network, by loopback addresses as processes have them: no other container reaches those, a
// server that is killed refuses connections at once, and its address stays. Only one port of the
// container is published, on 127.0.0.1 and where the daemon likes: everything outside goes through
// it.
type remoteProxies struct {
	*instance
	token    string
	messages chan proxy.RemoteMessage
	ended    chan struct{}
	err      error  // why, after ended
	last     string // the last line that did not hold a message
}

// Remote implements server.Launcher.
func (l *Launcher) Remote() (*proxy.Remote, error) {
	if l.network == Host {
		return nil, nil
	}
	program, err := l.program()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s := &remoteProxies{
		instance: newInstance(l.daemon), token: rand.Text(),
		messages: make(chan proxy.RemoteMessage, 16), ended: make(chan struct{}),
	}
	l.environment = s
	go s.live(l.image.name, append(program, l.describeRemote(s)...))
	place, err := l.settle(ctx, s)
	if err != nil {
		return nil, errors.Join(err, s.end())
	}
	return place, nil
}

// settle waits for the proxies and finds out where they can be reached.
func (l *Launcher) settle(ctx context.Context, s *remoteProxies) (*proxy.Remote, error) {
	if err := s.ready(ctx); err != nil {
		return nil, l.suits(err)
	}
	place, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	place.Inside = l.workers == InContainer
	if err := place.Reached(); err != nil {
		return nil, l.unreached(err)
	}
	return place, nil
}

// describeRemote says how the proxies' container is made.
func (l *Launcher) describeRemote(s *remoteProxies) []testcontainers.ContainerCustomizer {
	return []testcontainers.ContainerCustomizer{
		l.owner.labels("proxies"), testcontainers.WithEnv(proxy.RemoteEnv(s.token)),
		testcontainers.WithExposedPorts(published.String()),
		hostConfig(func(h *container.HostConfig) {
			h.NetworkMode, h.IpcMode, h.ShmSize = "bridge", container.IPCModeShareable, remoteMemory
			// the daemon finds a port that is free
			h.PortBindings = network.PortMap{published: {{HostIP: netip.AddrFrom4([4]byte{127, 0, 0, 1})}}}
			h.LogConfig.Type = "none"
		}),
	}
}

// published is the port of the proxies' container that is.
var published, _ = network.PortFrom(proxy.RemotePort, network.TCP)

// remoteMemory is the size of the servers' disks, in bytes. Unused space costs nothing.
const remoteMemory = 256 << 20

// live runs the container and reads its output.
func (s *remoteProxies) live(image string, options []testcontainers.ContainerCustomizer) {
	s.err = s.run(context.Background(), image, options, func(a client.HijackedResponse) {
		s.listen(plain(a.Reader))
	})
	close(s.messages)
	close(s.ended)
}

func (s *remoteProxies) listen(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var w proxy.RemoteMessage
		if json.Unmarshal(lines.Bytes(), &w) == nil {
			s.messages <- w
		} else if strings.TrimSpace(lines.Text()) != "" {
			s.last = lines.Text()
		}
	}
}

// ready waits for the first message and returns an error if it does not follow our protocol.
func (s *remoteProxies) ready(ctx context.Context) error {
	select {
	case w, ok := <-s.messages:
		if ok && w.Ready != proxy.RemoteProtocol {
			return fmt.Errorf("it is of another version: it speaks protocol %d, not %d", w.Ready,
				proxy.RemoteProtocol)
		}
		if ok {
			return nil
		}
	case <-ctx.Done():
		return fmt.Errorf("it said nothing for %v", patience)
	}
	<-s.ended
	if s.last != "" {
		return errors.New(s.last)
	}
	return s.err
}

// look asks the daemon where the container is.
func (s *remoteProxies) look(ctx context.Context) (*proxy.Remote, error) {
	r, err := s.daemon.ContainerInspect(ctx, s.name(), client.ContainerInspectOptions{})
	if err != nil {
		return nil, err
	}
	b := r.Container.NetworkSettings.Ports[published]
	if len(b) == 0 {
		return nil, errors.New("the Docker daemon has not published the port of the proxies")
	}
	return &proxy.Remote{Addr: net.JoinHostPort("127.0.0.1", b[0].HostPort), Token: s.token,
		Messages: s.messages, End: s.end}, nil
}

// unreached says what to do where the daemon's loopback addresses are not this machine's.
func (l *Launcher) unreached(err error) error {
	if l.daemon.remote == "" {
		return fmt.Errorf(
			"the container of the proxies cannot be reached (%s): the daemon must publish ports on "+
				"127.0.0.1; take --docker-network host", oneLine(err))
	}
	return fmt.Errorf(
		"servers in containers cannot be reached: %s, and what it publishes on a loopback address is "+
			"not on this machine's (%s); run lockbench where the daemon is", l.daemon.remote, oneLine(err))
}

func (s *remoteProxies) end() error {
	s.remove()
	go func() { // its reader may be gone
		for range s.messages {
		}
	}()
	<-s.ended
	return nil
}
