// Package docker launches the servers and the workers of a cluster in containers, by
// testcontainers-go. The environment has the topologies, links, proxies and faults of the process
// environment. Only the place where redis-server runs differs.
//
// A run leaves no container behind. Every container carries a label that names its process. A
// janitor removes the containers of a process that was killed, and Sweep removes the rest.
package docker

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
)

// The networks, as --docker-network names them.
const (
	// Auto is the host's network where that is this machine's, else a bridge.
	Auto = "auto"
	// Host puts every server on this machine's own network, where the proxies reach it directly.
	Host = "host"
	// Bridge puts every server on the network of a container that has the proxies: nothing else is
	// published, and that on 127.0.0.1.
	Bridge = "bridge"
)

// Options say how containers are wanted.
type Options struct {
	Image   string // with the servers in it; if empty, DefaultImage or SystemsImage
	Network string // Auto, Host or Bridge; if empty, Auto
	Workers string // OnHost or InContainer; if empty, OnHost
	Clocks  bool   // the clocks of servers will be moved

	System server.Kind // of the servers; if nil, Redis. Another kind must be server.Packed
}

// Launcher starts servers in containers. It is a server.Launcher, for one run, and for one
// environment at a time.
type Launcher struct {
	daemon      *daemon
	image       image
	network     string
	workers     string
	owner       owner
	janitor     *janitor
	environment *remoteProxies // of the environment that there is; nil on the host's network
	packed      server.Packed  // the kind of the servers; if nil, Redis
	running     sync.Map       // the *instance of each packed server, by name
}

// Open finds the daemon and the image, and removes what earlier runs left behind. The error is one
// line that says what to do, and nothing has been started.
func Open(ctx context.Context, o Options) (*Launcher, error) {
	l, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	if _, err = l.daemon.sweep(ctx, false); err == nil {
		l.janitor, err = startJanitor(l.owner)
	}
	if err != nil {
		l.daemon.Close()
		return nil, err
	}
	return l, nil
}

// prepare makes a launcher that has nothing to clean up yet.
func prepare(ctx context.Context, o Options) (*Launcher, error) {
	d, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	l := &Launcher{daemon: d, workers: o.Workers, owner: newOwner()}
	l.packed, _ = o.System.(server.Packed)
	if l.network, err = d.network(o.Network); err == nil {
		err = cmp.Or(l.placeable(o.Workers), l.packable())
	}
	if err == nil {
		l.image, err = d.image(ctx, o.image())
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return l, nil
}

// image returns the name of the image to use. DefaultImage has only Redis in it, so that for
// another system it means that system's usual image: a matrix has rows of several systems.
func (o Options) image() string {
	name := cmp.Or(o.Image, DefaultImage)
	if o.System != nil && name == DefaultImage {
		return SystemsImage
	}
	return name
}

// Ready says why Open would fail, or its servers; nil if they would not. It may pull the image, and
// tries one that is not ours. Nothing that it starts outlives it.
func Ready(ctx context.Context, o Options) error {
	l, err := prepare(ctx, o)
	if err != nil {
		return err
	}
	defer l.daemon.Close()
	return l.probe(ctx, o.Clocks)
}

// Network returns Host or Bridge for the name of a network. It chooses for Auto and for an empty
// name, by what this daemon can do. The error says what to do.
func Network(ctx context.Context, name string) (string, error) {
	d, err := connect(ctx)
	if err != nil {
		return "", err
	}
	defer d.Close()
	return d.network(name)
}

// network chooses one, and refuses what this daemon cannot offer.
func (d *daemon) network(name string) (string, error) {
	switch name {
	case Bridge:
		return name, nil
	case Host:
		if d.remote != "" {
			return "", fmt.Errorf("--docker-network host is not possible: %s; leave it out, or take bridge",
				d.remote)
		}
		return name, nil
	case Auto, "":
		if d.remote != "" {
			return Bridge, nil
		}
		return Host, nil
	}
	return "", fmt.Errorf("unknown network %q for --docker-network; there are: %s, %s, %s", name, Auto,
		Host, Bridge)
}

// Name implements server.Launcher.
func (l *Launcher) Name() string { return "docker" }

// Versions implements server.Launcher: the daemon, the image, the network, and where the proxies
// and the workers are.
func (l *Launcher) Versions() map[string]string {
	proxies := OnHost
	if l.network == Bridge {
		proxies = InContainer
	}
	return map[string]string{
		"docker": l.daemon.version, "image": l.image.name + " " + l.image.id, "network": l.network,
		"proxies": proxies, "workers": cmp.Or(l.workers, OnHost),
	}
}

// Cannot implements server.Launcher.
func (l *Launcher) Cannot(do string) error {
	if do == nemesis.NodeClock {
		return l.noClock()
	}
	return nil
}

// closeTimeout bounds the end of a run.
const closeTimeout = 30 * time.Second

// Close removes every container of the run and waits until all are gone. It is called after the
// environment's own Close.
func (l *Launcher) Close() error {
	defer l.daemon.Close()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := l.daemon.removeAll(ctx, l.owner.run)
	if err == nil {
		l.janitor.stop()
	}
	return err
}
