package server

import (
	"net"
	"os/exec"
	"strconv"
	"strings"
)

// Kind is a kind of server, as a launcher has to know it, wherever it runs the program.
type Kind interface {
	// Name returns the name of the program, for people. Reports list versions under it.
	Name() string
	// Find is where the program is on this machine. The error is one line, with the command that
	// brings it.
	Find() (path string, err error)
	// Operator is our own way to a server of this kind, around the proxies.
	Operator(c NodeConfig) Operator
	// Command returns the arguments of the program, and the configuration that it wants to find in
	// file and may rewrite there; "" if it needs none.
	Command(c NodeConfig, file string) (args []string, text string)
	// SaysReady reports whether a line of its output says that it can be used: nothing needs to poll.
	SaysReady(c NodeConfig, line string) bool
}

// Packed is a Kind whose servers can run in containers of an image that has its programs. Where
// this process is root's, they run as another user, who owns their folders. Only Redis is not
// Packed: an image may have a compatible server instead of it, and it runs as any user.
type Packed interface {
	Kind
	// Files returns the files that an image must have, as patterns in the form of Tools: the program
	// of the server first, then further programs and their files.
	Files() []string
}

// Preparer is a Kind whose servers need files in their folder before they start.
type Preparer interface {
	// Prepare fills the server's folder, unless it was filled before.
	Prepare(c NodeConfig) error
}

// Gatherer is a Kind whose servers can make an ensemble: they agree on every write, and one of them
// leads. The operator of a member says whether it Leads.
type Gatherer interface {
	Kind
	// PeerPorts returns the distance of each port for other members from the port for clients.
	PeerPorts() []int
	// SeparateViews reports whether each member can have its own addresses of the others.
	SeparateViews() bool
	// WrapConn returns the end of a connection from one member to the k-th port of another. It may
	// wrap the connection to change the bytes that the member writes.
	WrapConn(k int, there net.Conn) net.Conn
	// Member returns the kind of the i-th member. If the first two members start, the first can lead.
	Member(all []Fellow, i int) Kind
	// Leads reports whether a line of a member's output says that it leads from now on.
	Leads(line string) bool
}

// Fellow is a member of an ensemble.
type Fellow struct {
	Name string
	Host string // where it listens
	Port int    // for clients
	// the hosts at which others reach it, by their names, and by its own the one that it may tell; the
	// ports are the same
	Ways map[string]string
}

// Fronted is a Kind whose clients do not connect to a server itself, but to a program before it,
// which lives as long as the environment: whatever befalls the server.
type Fronted interface {
	Kind
	// Front returns the kind of the proxy in front of a server.
	Front(behind NodeConfig) Kind
}

// FrontOf describes the proxy in front of a server, at the next port. If it has none, ok is false.
func FrontOf(c NodeConfig) (front NodeConfig, ok bool) {
	kind, ok := c.Kind.(Fronted)
	if !ok {
		return front, false
	}
	suffix := "-front"
	return NodeConfig{Name: c.Name + suffix, Host: c.Host, Port: c.Port + 1, Dir: c.Dir + suffix,
		Log: strings.TrimSuffix(c.Log, ".log") + suffix + ".log", Kind: kind.Front(c)}, true
}

// Guarded is a Kind whose servers let in clients with a password only.
type Guarded interface {
	Kind
	// Environ returns environment variables that identify a client.
	Environ() []string
}

// ClientEnv is what a client of servers of a kind needs in its environment.
func ClientEnv(k Kind) []string {
	if g, ok := k.(Guarded); ok {
		return g.Environ()
	}
	return nil
}

// Probed is a Kind whose servers answer a question at once without a login, so that a probe sees
// whether they run.
type Probed interface {
	Kind
	// Probe returns the question, or "" if the server speaks first.
	Probe() string
}

// Electing is a Probed whose servers need a leader to answer.
type Electing interface {
	Probed
	// Leaderless reports whether an answer says that the server found no leader.
	Leaderless(answer string) bool
}

// Opener is a Kind whose servers must be told of clients before they let them in.
type Opener interface {
	Kind
	// Open tells a server that is ready. It may be called more than once.
	Open(c NodeConfig) error
}

// Operator is the harness's own connection to a server. It may have further methods, which depend
// on the kind of the server. A caller that needs one declares an interface with that method.
type Operator interface {
	Version() (string, error)
	Close() error
}

// Redis is a redis-server, or a compatible server.
type Redis struct{}

// Name and Find implement Kind.
func (Redis) Name() string { return "redis-server" }

func (Redis) Find() (string, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return "", ErrNoRedis
	}
	return path, nil
}

// Operator implements Kind: an Admin.
func (Redis) Operator(c NodeConfig) Operator { return c.Dial() }

// Command implements Kind: a server that keeps nothing on disk and feeds its replica without the
// delays of docs/running.md, Replication barrier. One that has none wakes up as rarely as Redis
// does.
func (Redis) Command(c NodeConfig, _ string) (args []string, text string) {
	a := []string{
		"--bind", c.Host, "--port", strconv.Itoa(c.Port), "--dir", c.Dir, "--protected-mode", "no",
		"--daemonize", "no",
		"--save", "", "--appendonly", "no", "--repl-timeout", "3600",
		"--repl-diskless-sync", "no", "--repl-diskless-sync-delay", "0",
	}
	if c.Followed {
		a = append(a, "--hz", "100")
	}
	if c.ReplicaOf != "" {
		host, port, _ := net.SplitHostPort(c.ReplicaOf)
		// apart: before version 7 a word with a space in it is one argument
		a = append(a, "--replicaof", host, port)
	}
	for i := 0; i+1 < len(c.Config); i += 2 {
		a = append(a, "--"+c.Config[i], c.Config[i+1])
	}
	return a, ""
}

// SaysReady implements Kind: it accepts connections and, as a replica, has its first copy.
func (Redis) SaysReady(c NodeConfig, line string) bool {
	if c.ReplicaOf != "" {
		return strings.Contains(line, "<-> REPLICA sync: Finished with success")
	}
	// with a capital for a port, without for a socket
	return strings.Contains(line, "eady to accept connections")
}
