// Package tap is a RESP proxy before a client's links. It tells an Observer of every command and
// reply of any client, in any language, without the client's help: that is the trace, and the
// Observer's calls may wait, which is how a breakpoint holds back a command or withholds a reply.
// The addresses that a client is given stay the same while the tap leads it to another node, or by
// a second way.
//
// A client that is held is held on the wire: it has sent the command, and no later one on the same
// connection passes it.
package tap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// Observer is told of the commands of one client, except those by which clients greet a server and
// keep their connections (see Quiet). Commands of different connections come at the same time,
// those of one connection in their order. The context ends when the connection is taken away from
// the client: by a redirect, or by Close.
type Observer interface {
	// Before is told of a command that is about to leave for a node. While it does not return, the
	// command is held back, and is still to come even when the client has given up. If the context has
	// ended when it returns, the command never leaves. A held command may leave for another node than
	// it is told here, if the client was redirected meanwhile.
	Before(ctx context.Context, node string, args []string)
	// Sent is told of a command right before it leaves, and returns what the trace shall have of it,
	// numbered and stamped. It must not wait.
	Sent(ctx context.Context, node string, args []string) history.Command
	// Replied is told of the end of a command that Sent was told of. While it does not return, the
	// reply is withheld from the client.
	Replied(ctx context.Context, sent history.Command, r Reply)
}

// Reply is how a command ended.
type Reply struct {
	Text string       // the reply in one line, as resp.Text shows it; "" may be a reply, too
	Err  string       // or: why there is none
	Why  history.Loss // wherever Err is
}

// Dial opens a connection from the client to an address out of Ways. It says whatever the other end
// asks for before Redis' own protocol.
type Dial func(ctx context.Context, address string) (net.Conn, error)

// Settings are what a tap needs to know of its client.
type Settings struct {
	Dial Dial
	// how long the client waits for a reply; 0: not known. A client that closes its connection after
	// about so long has timed out.
	Timeout time.Duration
	// is told in one line of what the client does that a tap cannot pass on; nil: it is not said
	Log func(line string)
	// is told the text of each script that the client makes known by SCRIPT LOAD; nil: it is not said
	Script func(text string)
}

// Ways lead a client to one Redis, which may have replicas.
type Ways struct {
	Nodes  map[string]string // node → address
	Spares map[string]string // a second way to the same nodes; nil: there is none
	First  string            // the node to begin with; one that is not in Nodes: the first by name
}

// Tap stands before one client. It is safe for concurrent use.
type Tap struct {
	observer Observer
	settings Settings
	life     context.Context
	end      context.CancelFunc
	running  sync.WaitGroup

	mu        sync.Mutex
	listeners []net.Listener
	routes    []*route
	announced map[string]string // see Announce

	befalls atomic.Pointer[string] // what happens to the next command; nil: nothing
}

// New makes a tap that tells o.
func New(o Observer, s Settings) *Tap {
	t := &Tap{observer: o, settings: s}
	t.life, t.end = context.WithCancel(context.Background())
	return t
}

// Listen makes an address by which the client reaches a Redis. Routes are numbered in the order of
// these calls, from 0.
func (t *Tap) Listen(w Ways) (address string, err error) {
	if len(w.Nodes) == 0 {
		return "", errors.New("a tap needs a node to lead to")
	}
	r := newRoute(t, w)
	t.mu.Lock()
	t.routes = append(t.routes, r)
	t.mu.Unlock()
	return t.serve(r.serve)
}

// serve listens, and gives each connection to a goroutine that Close waits for.
func (t *Tap) serve(one func(net.Conn)) (address string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.life.Err() != nil {
		return "", errors.New("the tap is closed")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("no address for the tap before a client: %w", err)
	}
	t.listeners = append(t.listeners, l)
	t.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.running.Go(func() { one(c) })
		}
	})
	return l.Addr().String(), nil
}

// Node is the node to which a route leads now.
func (t *Tap) Node(route int) string {
	t.mu.Lock()
	r := t.routes[route]
	t.mu.Unlock()
	return r.current()
}

// Redirect leads all routes that know the node to it: further connections go there, and those to
// other nodes end.
func (t *Tap) Redirect(node string) error {
	known := false
	for _, r := range t.all() {
		known = r.redirect(node) || known
	}
	if !known {
		return fmt.Errorf("no node %q to be directed to", node)
	}
	return nil
}

// Spare leads further connections by the second way to the same nodes. What is under way stays
// where it is.
func (t *Tap) Spare() error {
	for _, r := range t.all() {
		if err := r.spare(); err != nil {
			return err
		}
	}
	return nil
}

// Strand takes each connection that is open now away from the client as soon as a command is under
// way on it, or at once if one is: the command still arrives, and the client, who may have no
// time-out of its own, has to connect anew.
func (t *Tap) Strand() {
	for _, r := range t.all() {
		r.strand()
	}
}

// Befall makes something happen to the next command that the Observer is told of: nemesis.Drop,
// Strand or Duplicate. Of a command that arrives twice the client has the first reply only.
func (t *Tap) Befall(what string) { t.befalls.Store(&what) }

func (t *Tap) all() []*route {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]*route(nil), t.routes...)
}

// Close ends every connection: commands that are held never leave, and the Observer is not told of
// an end of those that did. It returns when the Observer's calls have. It must not be called by the
// Observer.
func (t *Tap) Close() {
	t.mu.Lock()
	t.end()
	for _, l := range t.listeners {
		l.Close()
	}
	t.mu.Unlock()
	for _, r := range t.all() {
		r.close()
	}
	t.running.Wait()
}

func (t *Tap) log(format string, args ...any) {
	if t.settings.Log != nil {
		t.settings.Log(fmt.Sprintf(format, args...))
	}
}
