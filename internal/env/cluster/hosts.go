package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/nemesis"
)

// hosts is the place where servers live: their addresses, folders and clocks, and their processes.
type hosts struct {
	cfg       *Config
	inbox     *inbox
	subnet    string         // "127.77.3": all addresses of this run
	scratch   *server.Folder // with a folder for each node
	remote    *proxy.Remote  // with the proxies, or nil if they are in this process
	processes sync.Map       // local servers, by name
}

// open makes the folders of the run, and the place of the proxies if that is not this process.
func (h *hosts) open() (err error) {
	for _, d := range []string{"logs", "nodes"} {
		if err := os.MkdirAll(filepath.Join(h.cfg.Dir, d), 0o755); err != nil {
			return err
		}
	}
	if h.scratch, err = server.Scratch(); err != nil {
		return err
	}
	if h.remote, err = h.cfg.Launcher.Remote(); err == nil && h.remote != nil {
		go h.listenTo(h.remote)
	}
	return err
}

// close removes the folders of the nodes and the place of the proxies.
func (h *hosts) close() (err error) {
	if h.remote != nil {
		err = h.remote.Close()
	}
	return errors.Join(err, h.scratch.Close())
}

// listenTo passes on the messages of the remote proxies: that they did not run for a while, or
// their end, which no fault asked for.
func (h *hosts) listenTo(s *proxy.Remote) {
	for m := range s.Messages {
		h.inbox.stalled(proc.Monotonic(), m.Late)
	}
	h.inbox.broke("proxies", "the container of the proxies is gone")
}

// folderEvery is how often watchFolder looks.
const folderEvery = 100 * time.Millisecond

// watchFolder reports that another program removed the folder of the nodes: a node that restarts
// would have lost its files, and no fault of the run would be the cause.
func (h *hosts) watchFolder() {
	proc.Every(folderEvery, h.inbox.ended, func() bool {
		err := h.scratch.Vanished()
		if err != nil {
			h.inbox.broke(nodeName(0), err.Error())
		}
		return err == nil
	})
}

func (c *Config) log(name string) string { return filepath.Join(c.Dir, "logs", name+".log") }

// host returns an address in the run's own network on loopback.
func (h *hosts) host(i int) string { return h.subnet + "." + strconv.Itoa(i) }

// nodeName returns the name of the i-th server: n0, n1 and so on.
func nodeName(i int) string { return "n" + strconv.Itoa(i) }

// describe describes the i-th server. Its clock can be moved if the scenario wants that.
func (h *hosts) describe(i int, name, replicaOf string) (server.NodeConfig, error) {
	c := server.NodeConfig{
		Name: name, Host: h.host(1 + i), Port: 20000 + rand.IntN(10000),
		Dir: filepath.Join(h.scratch.Path, name), Log: h.cfg.log(name),
		ReplicaOf: replicaOf, Config: h.cfg.RedisConfig, Kind: h.cfg.System,
		CannotWrite: func(line string) { h.inbox.broke(name, "its disk cannot be written: "+line) },
	}
	switch h.cfg.Topology {
	case nemesis.Failover, nemesis.Sentinel, nemesis.Cluster:
		c.Followed = true
	}
	if h.remote != nil {
		if err := c.PlaceRemote(h.remote); err != nil {
			return c, err
		}
	}
	var err error
	if h.cfg.needs(nemesis.NodeClock, "") || h.cfg.needs(nemesis.StopClock, "") {
		c.Clock, err = h.clock(name)
	}
	return c, err
}

func (h *hosts) clock(name string) (*clock.Server, error) {
	if h.remote != nil {
		return h.remote.Clock(name)
	}
	return clock.New(h.scratch.Path, name)
}

// configurer is a server that completes its own configuration.
type configurer interface{ Settle(*server.NodeConfig) }

func (h *hosts) launch(c server.NodeConfig) (*node, error) {
	s, err := h.cfg.Launcher.Launch(c)
	if err != nil {
		return nil, err
	}
	if own, ok := s.(configurer); ok {
		own.Settle(&c)
	}
	h.started(c.Name, s)
	return &node{Node: server.Node{NodeConfig: c, Server: s}, operator: operate(c)}, nil
}

// relaunch starts a server that was killed again, with the files that it left behind.
func (h *hosts) relaunch(n *node) (err error) {
	if err := h.scratch.Vanished(); err != nil {
		return err
	}
	if n.Server, err = h.cfg.Launcher.Launch(n.NodeConfig); err == nil {
		n.again = true
		h.started(n.Name, n.Server)
	}
	return err
}

// wipe removes the files of a server that was killed.
func (h *hosts) wipe(n *node) error {
	if h.remote != nil {
		return h.remote.Wipe(n.Name)
	}
	return os.RemoveAll(n.Dir)
}

// local is a server that is a process of this machine, maybe in a container. Pid waits until the
// process exists.
type local interface{ Pid() int }

func (h *hosts) started(name string, s server.Server) {
	if p, ok := s.(local); ok {
		h.processes.Store(name, p)
	}
}

// owner returns which of the servers has the local end of a connection at from.
func (h *hosts) owner(from net.Addr, servers []string) (name string, err error) {
	names, pids := map[int]string{}, []int(nil)
	for _, s := range servers {
		if p, known := h.processes.Load(s); known {
			pid := p.(local).Pid()
			names[pid], pids = s, append(pids, pid)
		}
	}
	if tcp, ok := from.(*net.TCPAddr); ok {
		if pid, found := proc.Owner(tcp.AddrPort(), pids); found {
			return names[pid], nil
		}
	}
	return "", fmt.Errorf("this run has no server %s", from)
}

// awaitListener waits until a server listens, but at most a second.
func awaitListener(server netip.AddrPort) {
	proc.Await(time.Second, 10*time.Millisecond, func() bool { return proc.Listening(server) })
}
