package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/env/cluster/proxy"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/workloads"
)

// ExternalConfig describes a Redis that is there already.
type ExternalConfig struct {
	Addrs          []string // host:port of each independent master
	User, Password string   // "" where it asks for none
	TLS            bool
	AnyDatabase    bool // even one that holds keys of others
}

// Dial connects to a Redis, by TLS and with a login if the configuration has them.
func (e ExternalConfig) Dial(addr string) (net.Conn, error) { return login{addr, e, nil}.dial(nil) }

// External is a Launcher for one run. It starts no server: an ExternalConfig names running ones.
type External struct {
	ExternalConfig
	// Prefix is what every key of the run must contain, so that Close finds it.
	Prefix string

	tunnels  []*proxy.Tunnel // none where the proxies can speak to Redis themselves
	secret   string          // the first bytes of each connection to a tunnel, if any
	reach    []string        // the address of each Redis for us: its own, or its tunnel's
	versions map[string]string
	pulse    pulse
	trust    *tls.Config // nil: what this machine trusts
}

// Connect inspects a Redis and returns an error if a test must not use it. It writes nothing.
func Connect(e ExternalConfig) (*External, error) { return connect(e, nil) }

// connect is Connect that trusts more certificates than this machine does.
func connect(e ExternalConfig, trust *tls.Config) (*External, error) {
	workloads.Silence()
	if len(e.Addrs) == 0 {
		return nil, errors.New("--env external needs --addr host:port")
	}
	g := &External{ExternalConfig: e, Prefix: runPrefix + rand.Text()[:10] + ":", trust: trust,
		pulse: pulse{end: make(chan struct{})}, versions: map[string]string{
			"address": strings.Join(e.Addrs, ",")}}
	for _, a := range e.Addrs {
		if err := g.reachable(a); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	return g, nil
}

func (g *External) reachable(addr string) error {
	if _, port, err := net.SplitHostPort(addr); err != nil || port == "" {
		return fmt.Errorf("--addr %q is not host:port", addr)
	}
	at := addr
	if g.TLS || g.Password != "" {
		g.secret = cmp.Or(g.secret, rand.Text())
		t, err := proxy.Listen("127.0.0.1:0", g.secret, login{addr, g.ExternalConfig, g.trust}.dial)
		if err != nil {
			return err
		}
		g.tunnels, at = append(g.tunnels, t), t.Addr()
	}
	c := g.dial(at)
	defer c.Close()
	if err := g.inspect(c); err != nil {
		return fmt.Errorf("%s: %w", addr, err)
	}
	g.reach = append(g.reach, at)
	return nil
}

// dial is our own connection to one of reach.
func (g *External) dial(at string) Admin { return dial(at, g.secret) }

// inspect returns the reason why a test must not use a Redis, or nil.
func (g *External) inspect(c Admin) error {
	info, err := c.Info(context.Background()).Result()
	switch {
	case err != nil && (strings.HasPrefix(err.Error(), "NOAUTH") ||
		strings.HasPrefix(err.Error(), "NOPERM")):
		return fmt.Errorf("%w; LOCKBENCH_REDIS_USER and LOCKBENCH_REDIS_PASSWORD say who we are", err)
	case err != nil && len(g.tunnels) > 0:
		return g.tunnels[len(g.tunnels)-1].Reason(err)
	case err != nil:
		return notAnswering(c.Options().Addr, err)
	case Field(info, "role") == "slave":
		return errors.New("it is a replica; --addr must name its master")
	case Field(info, "cluster_enabled") == "1":
		return errors.New("it belongs to a Redis Cluster, which lockbench does not drive")
	case Field(info, "loading") == "1":
		return errors.New("it still loads its data; try again when it has")
	}
	if g.AnyDatabase {
		return nil
	}
	key, err := foreignKey(c)
	if err == nil && key != "" {
		return fmt.Errorf(
			"its database 0 holds keys that are not ours, such as %q: give lockbench a Redis of its own, "+
				"or say --any-database", key)
	}
	return err
}

// notAnswering returns the error for a Redis that does not answer commands. If the Redis sends a
// reason by itself, the error has that reason, otherwise err.
func notAnswering(addr string, err error) error {
	c, dialErr := net.DialTimeout("tcp", addr, AdminTimeout)
	if dialErr == nil {
		if words := resp.Unasked(c, AdminTimeout/10); words != "" {
			return errors.New("Redis refuses to talk: " + words)
		}
	}
	return fmt.Errorf("no Redis answers: %w", err)
}

// runPrefix is in every key of every run.
const runPrefix = "lockbench:"

// foreignKey is a key that lockbench did not write; "" if there is none. What a killed run left
// behind is ours.
func foreignKey(c Admin) (string, error) {
	ctx := context.Background()
	all := c.Scan(ctx, 0, "*", 1000).Iterator()
	for all.Next(ctx) {
		if !strings.Contains(all.Val(), runPrefix) {
			return all.Val(), nil
		}
	}
	return "", all.Err()
}

// Field returns the value of a line of INFO, or "".
func Field(info, name string) string {
	for line := range strings.Lines(info) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+":"); ok {
			return v
		}
	}
	return ""
}

// Name and Versions implement Launcher.
func (g *External) Name() string                { return "external" }
func (g *External) Versions() map[string]string { return g.versions }

// ServerVersion implements Launcher. It is not needed: it serves an action that Cannot refuses.
func (g *External) ServerVersion() (string, error) { return "", nil }

// Remote implements Launcher.
func (g *External) Remote() (*proxy.Remote, error) { return nil, nil }

// Cannot implements Launcher. The harness does not kill, stop or reconfigure servers of others.
func (g *External) Cannot(do string) error { return nemesis.CapabilitiesOf(g.Name()).Cannot(do) }

// Launch implements Launcher.
func (g *External) Launch(c NodeConfig) (Server, error) {
	if len(c.Config) > 0 {
		return nil,
			errors.New("this Redis is not ours, so it keeps its own settings: leave --redis-config out")
	}
	i, err := strconv.Atoi(strings.TrimPrefix(c.Name, "n"))
	if err != nil || i >= len(g.reach) || c.ReplicaOf != "" {
		return nil,
			nemesis.ImpossibleError{Reason: fmt.Errorf("the run needs %s besides the %d of --addr",
				c.Name, len(g.reach))}
	}
	if err := g.pulse.begin(g.dial(g.reach[i]), g.Prefix+aliveKey); err != nil {
		return nil, err
	}
	return ExternalServer{g.reach[i], g.secret, make(chan struct{})}, nil
}

// Close removes the keys of the run, and nothing else. It is called after the environment's own
// Close.
func (g *External) Close() (err error) {
	g.pulse.stop()
	for _, a := range g.reach {
		err = errors.Join(err, g.clean(a))
	}
	for _, t := range g.tunnels {
		t.Close()
	}
	return err
}

func (g *External) clean(addr string) error {
	c, ctx := g.dial(addr), context.Background()
	defer c.Close()
	all := c.Scan(ctx, 0, "*"+g.Prefix+"*", 1000).Iterator()
	for all.Next(ctx) {
		if err := c.Del(ctx, all.Val()).Err(); err != nil {
			return fmt.Errorf("cannot remove the key %s: %w", all.Val(), err)
		}
	}
	if err := all.Err(); err != nil {
		return fmt.Errorf("keys that contain %s may be left: %w", g.Prefix, err)
	}
	return nil
}

// ExternalServer is a server that was running before us and stays.
type ExternalServer struct {
	addr, secret string
	done         chan struct{}
}

// errNotOurs is the answer to a caller that did not ask Cannot.
var errNotOurs = errors.New("this Redis is not ours")

// Ready, Done and Err implement Server.
func (p ExternalServer) Ready() error          { return nil }
func (p ExternalServer) Done() <-chan struct{} { return p.done }
func (p ExternalServer) Err() error            { return nil }

// Kill implements Server. It does nothing, since the server is not ours.
func (p ExternalServer) Kill() {}

// Pause, Stopped and Resume implement Server.
func (p ExternalServer) Pause() error  { return errNotOurs }
func (p ExternalServer) Stopped() bool { return false }
func (p ExternalServer) Resume() error { return errNotOurs }

// Settle gives a node the address of the external server, instead of an address of the run, and the
// secret that the server requires.
func (p ExternalServer) Settle(c *NodeConfig) {
	host, port, _ := net.SplitHostPort(p.addr)
	c.Host, c.Secret = host, p.secret
	c.Port, _ = strconv.Atoi(port)
}
