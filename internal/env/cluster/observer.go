package cluster

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/proc"
	"github.com/lockbench/lockbench/internal/env/cluster/server"
	"github.com/lockbench/lockbench/internal/history"
)

// observer watches servers without the proxies in between: their versions, their commands and
// their ends.
type observer struct {
	cfg      *Config
	inbox    *inbox
	versions map[string]string // of the servers and of everything else that answered, by name
	monitors []io.Closer
	killed   sync.Map // servers (server.Server) that were killed on purpose
}

// system returns the name under which the version of the nodes is told.
func (o *observer) system() string {
	if o.cfg.System == nil {
		return "redis"
	}
	return o.cfg.System.Name()
}

// observe asks a node for its version and follows its commands.
func (o *observer) observe(n *node) error {
	if err := o.version(n, o.system()); err != nil {
		return err
	}
	if o.cfg.System != nil { // it has no stream of commands
		go o.guard(n.Name, n.Server)
		go o.probe(n)
		return nil
	}
	if _, ok := n.Server.(server.ExternalServer); ok {
		return nil // MONITOR would slow it down for others
	}
	m, err := server.Monitor(n.Addr(), filepath.Join(o.cfg.Dir, "nodes", n.Name+".jsonl"))
	if err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	o.monitors = append(o.monitors, m)
	go o.guard(n.Name, n.Server)
	return nil
}

func (o *observer) version(n *node, name string) error {
	v, err := n.operator.Version()
	if err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	o.versions[name] = v
	return nil
}

func (o *observer) kill(s server.Server) {
	o.killed.Store(s, true)
	s.Kill()
}

// guard reports a server that ended although the harness did not kill it.
func (o *observer) guard(name string, s server.Server) {
	select {
	case <-o.inbox.ended:
	case <-s.Done():
		if _, planned := o.killed.Load(s); !planned {
			o.inbox.broke(name, s.Err().Error())
		}
	}
}

func (o *observer) close() {
	for _, m := range o.monitors {
		m.Close()
	}
}

const (
	probeEvery = 100 * time.Millisecond
	slowProbe  = 100 * time.Millisecond // an answer that takes longer is recorded
	probeLimit = 30 * time.Second
)

// probe asks a node again and again, without a proxy, and reports if it did not answer for a while:
// the commands of its clients are not recorded, so they cannot show it. A node that refuses the
// connection is dead, which a fault or guard reports. Servers without a probe are left alone.
func (o *observer) probe(n *node) {
	kind, ok := n.Kind.(server.Probed)
	if !ok {
		return
	}
	proc.Every(probeEvery, o.inbox.ended, func() bool {
		sent := proc.Monotonic()
		answer, err := ask(n.Addr(), kind.Probe())
		if now := proc.Monotonic(); err == nil && now-sent > int64(slowProbe) {
			o.inbox.gap(n.Name, now, time.Duration(now-sent), reason(kind, answer))
		}
		return true
	})
}

// reason returns the reason that a late answer gives, or "".
func reason(kind server.Probed, answer string) history.Refusal {
	if e, ok := kind.(server.Electing); ok && e.Leaderless(answer) {
		return history.NoLeader
	}
	return ""
}

// ask asks a server, and returns the start of its answer.
func ask(addr, question string) (string, error) {
	c, err := net.DialTimeout("tcp", addr, probeLimit)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(probeLimit)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(c, question); err != nil {
		return "", err
	}
	answer := make([]byte, 64)
	n, err := c.Read(answer)
	return string(answer[:n]), err
}
