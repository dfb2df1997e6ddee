// Package tap is a RESP proxy in front of a client's links. It reports every command and reply to
// an Observer, for clients in any language and without their help. The Observer's calls may wait;
// this is how a breakpoint holds back a command or withholds a reply. The client keeps its
// addresses while the tap redirects it to another node or to a second way.
//
// The tap holds a command on the wire: the client has sent it, and no later one on the same
// connection passes it.
package tap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// Observer receives the commands of one client, except greetings and keep-alives (see Quiet). Calls
// for different connections are concurrent; calls for one connection come in order. The context
// ends when the client loses the connection by a redirect or by Close.
type Observer interface {
	// BeforeSend is called when a command is about to leave for a node. The tap holds the command back
	// until Before returns, even if the client has given up meanwhile. If the context has ended by
	// then, the command never leaves. If the client was redirected meanwhile, the command may leave
	// for another node.
	BeforeSend(ctx context.Context, node string, args []string)
	// Sent is called right before a command leaves. It returns the numbered and stamped record for the
	// trace. It must not wait.
	Sent(ctx context.Context, node string, args []string) history.Command
	// Replied is called at the end of a command that Sent has recorded. The tap withholds the reply
	// from the client until Replied returns.
	Replied(ctx context.Context, sent history.Command, r Reply)
}

// Reply is the end of a command.
type Reply struct {
	Text string       // the reply in one line, as resp.Text shows it; may be ""
	Err  string       // or the reason why there is no reply
	Why  history.Loss // set if Err is
}

// Settings are the parts of a client's configuration that a tap needs.
type Settings struct {
	// Dial opens a connection from the client to an address in Ways. It sends whatever the other end
	// expects before Redis' own protocol.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// the address to listen on; if empty, any free port of loopback
	Address string
	// the time that the client waits for a reply, or 0 if it is unknown. A client that closes its
	// connection after about this time has timed out.
	Timeout time.Duration
	// reports traffic that a tap cannot pass on, in one line each, unless it is nil
	Log func(line string)
	// receives the text of each script that the client loads by SCRIPT LOAD, unless it is nil
	Script func(text string)
}

// Ways holds the addresses of one Redis and its replicas.
type Ways struct {
	Nodes  map[string]string // node → address
	Spares map[string]string // a second way to the same nodes, or nil
	First  string            // the first node to use; if Nodes lacks it, the first by name
}

// Tap is the proxy of one client. It is safe for concurrent use.
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

	befalls atomic.Pointer[string] // fault for the next command, or nil
}

// New makes a tap that reports to o.
func New(o Observer, s Settings) *Tap {
	t := &Tap{observer: o, settings: s}
	t.life, t.end = context.WithCancel(context.Background())
	return t
}

// Listen listens on an address that leads the client to a Redis, and returns it. Routes are
// numbered in the order of these calls, from 0.
func (t *Tap) Listen(w Ways) (address string, err error) {
	if len(w.Nodes) == 0 {
		return "", errors.New("a tap needs a node to lead to")
	}
	return t.serve(newRoute(t, w))
}

// serve listens on an address that leads to a route, and handles each connection in a goroutine.
// Close waits for these.
func (t *Tap) serve(r *route) (address string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.life.Err() != nil {
		return "", errors.New("the tap is closed")
	}
	l, err := net.Listen("tcp", cmp.Or(t.settings.Address, "127.0.0.1:0"))
	if err != nil {
		return "", fmt.Errorf("no address for the tap before a client: %w", err)
	}
	t.listeners, t.routes = append(t.listeners, l), append(t.routes, r)
	t.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.running.Go(func() { r.serve(c) })
		}
	})
	return l.Addr().String(), nil
}

// Node returns the node that a route uses now.
func (t *Tap) Node(route int) string {
	t.mu.Lock()
	r := t.routes[route]
	t.mu.Unlock()
	return r.current()
}

// Redirect redirects all routes that know the node to it. New connections go there, and connections
// to other nodes end.
func (t *Tap) Redirect(node string) error {
	known := false
	for _, r := range t.allRoutes() {
		known = r.redirect(node) || known
	}
	if !known {
		return fmt.Errorf("no node %q to be directed to", node)
	}
	return nil
}

// Spare directs new connections by the second way to the same nodes. Existing connections stay.
func (t *Tap) Spare() error {
	for _, r := range t.allRoutes() {
		if err := r.spare(); err != nil {
			return err
		}
	}
	return nil
}

// FaultNext strikes the next command that the Observer sees with nemesis.Drop, Strand or Duplicate.
// The client gets only the first reply to a duplicated command.
func (t *Tap) FaultNext(what string) { t.befalls.Store(&what) }

func (t *Tap) allRoutes() []*route {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]*route(nil), t.routes...)
}

// Close ends every connection. Held commands never leave, and the Observer does not learn the end
// of commands that did. Close returns when the Observer's calls have returned. The Observer must
// not call it.
func (t *Tap) Close() {
	t.mu.Lock()
	t.end()
	for _, l := range t.listeners {
		l.Close()
	}
	t.mu.Unlock()
	for _, r := range t.allRoutes() {
		r.close()
	}
	t.running.Wait()
}

func (t *Tap) log(format string, args ...any) {
	if t.settings.Log != nil {
		t.settings.Log(fmt.Sprintf(format, args...))
	}
}
