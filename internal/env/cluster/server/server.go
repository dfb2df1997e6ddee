// Package server starts redis-servers and sentinels as processes of this machine, or connects to
// running ones, and follows their lives. Package docker starts them in containers.
package server

import (
	"cmp"
	"net"
	"strconv"

	"github.com/lockbench/lockbench/internal/env/cluster/clock"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
)

// Launcher starts the servers of an environment: as processes, or in containers.
type Launcher interface {
	// Name returns the name of the environment that it makes: process or docker.
	Name() string
	// Versions returns the versions of programs between lockbench and Redis, by name. Every report
	// lists them.
	Versions() map[string]string
	// ServerVersion is what `redis-server --version` says: it has to be known before a server is
	// started.
	ServerVersion() (string, error)
	// Remote makes the place of the proxies for one environment. It returns nil if they run in this
	// process.
	Remote() (*proxy.Remote, error)
	// Launch starts a server and returns at once; the server's Ready waits for it.
	Launch(NodeConfig) (Server, error)
	// Cannot returns the reason why an action of a plan cannot be carried out here, or nil.
	Cannot(do string) error
}

// Server is a redis-server or a sentinel that was launched.
type Server interface {
	// Ready waits until the server can be used. The error says why it cannot.
	Ready() error
	// Done is closed when the server is gone; Err then says why.
	Done() <-chan struct{}
	// Err is the reason after Done.
	Err() error
	// Kill ends the server at once, stopped or not, and returns when it is gone.
	Kill()
	// Pause stops the server in whatever it does, until Resume.
	Pause() error
	// Stopped reports whether the server is paused.
	Stopped() bool
	// Resume lets the server run again.
	Resume() error
}

// NodeConfig says how a server is to be started.
type NodeConfig struct {
	Name      string // n0, n1, …; a sentinel's is s0, s1, …
	Host      string // loopback address
	Port      int
	Dir       string            // where it lives; made if missing
	Log       string            // file for its output
	ReplicaOf string            // host:port of its master, or of the proxy before it
	Followed  bool              // it has replicas, or may get some
	Config    []string          // further settings: "min-replicas-to-write", "1", …
	Env       []string          // further environment: "LD_PRELOAD=…"
	Clock     *clock.Server     // source of its wall clock, or nil for the machine's
	Kind      Kind              // nil: Redis
	Route     string            // its address for this process, if not its own
	Secret    string            // first bytes of each connection to it, if any
	Said      func(line string) // told of each line of its output; may be nil
	// told the first line that says that it cannot write to its disk; may be nil
	CannotWrite func(line string)
	Tools       Tools // its tools, or nil for this machine's
}

func (c NodeConfig) kind() Kind {
	if c.Kind == nil {
		return Redis{}
	}
	return c.Kind
}

// Command returns the command of its kind.
func (c NodeConfig) Command(file string) (args []string, text string) {
	return c.kind().Command(c, file)
}

// OwnAddr is host:port in the network of the servers and their proxies.
func (c NodeConfig) OwnAddr() string { return net.JoinHostPort(c.Host, strconv.Itoa(c.Port)) }

// Addr is host:port for this process.
func (c NodeConfig) Addr() string { return cmp.Or(c.Route, c.OwnAddr()) }

// Dial makes our own connection to it when it is first used.
func (c NodeConfig) Dial() Admin { return dial(c.Addr(), c.Secret) }

// PlaceRemote gives a server an empty folder next to remote proxies, and a route to the server.
func (c *NodeConfig) PlaceRemote(r *proxy.Remote) (err error) {
	c.Dir = r.Dir(c.Name)
	if c.Route, err = r.Route(c.OwnAddr()); err == nil {
		err = r.Wipe(c.Name)
	}
	return err
}

// Node is a server of an environment with its configuration.
type Node struct {
	NodeConfig
	Server
}

// Ready waits until the server can be used, and lets clients in.
func (n *Node) Ready() error {
	err := n.Server.Ready()
	if k, ok := n.Kind.(Opener); ok && err == nil {
		err = k.Open(n.NodeConfig)
	}
	return err
}
