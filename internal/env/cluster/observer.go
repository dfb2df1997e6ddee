package cluster

import (
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/lockbench/lockbench/internal/env/cluster/server"
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

// version asks a server for its version and records it under a name.
func (o *observer) version(n *node, name string) error {
	v, err := n.operator.Version()
	if err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	o.versions[name] = v
	return nil
}

// kill ends a server on purpose.
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

// close ends the streams of commands.
func (o *observer) close() {
	for _, m := range o.monitors {
		m.Close()
	}
}
