package replay

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// relay is the network of a replay, between the clients' links and the nodes. It holds every
// command until it may forward it to the node, and every reply until it may deliver it to the
// client. Commands with which go-redis greets a server and messages to subscribers pass
// immediately. It implements cluster.Relay.
type relay struct {
	foreign   bool   // the clients' lock is a library: a command that no trace has passes, too
	wake      func() // called when something has arrived; set before the first command
	mu        sync.Mutex
	listeners []net.Listener
	conns     []*connection
	sent      []*sentCommand // sent by clients, not yet seen here
	told      map[int]int    // replies to subscriptions, by client
	over      bool
	free      bool // nothing is held back any more
}

// sentCommand is a command that a client was allowed to send.
type sentCommand struct {
	client  int
	node    string
	words   []string
	command string // as counterexample.Render formats it
	seq     int    // in the client's trace; set by the replayer
	late    bool   // a fault affects the link, so the command may come late or never
}

// tells makes the relay call wake whenever something has arrived.
func (r *relay) tells(wake func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wake = wake
}

// Relay listens for a link.
func (r *relay) Relay(link, upstream string) (string, error) {
	who, node, _ := strings.Cut(link, ">")
	client, err := strconv.Atoi(strings.Trim(who, "c+"))
	if err != nil {
		return "", fmt.Errorf("link %q does not begin at a client", link)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	r.listeners = append(r.listeners, l)
	r.mu.Unlock()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(c, client, node, upstream)
		}
	}()
	return l.Addr().String(), nil
}

// dialTimeout limits the time to connect to a stopped node on this machine. The kernel answers for
// the node, so this is ample.
const dialTimeout = 2 * time.Second

// serve handles a connection. If the node is gone, the client's connection is closed, as a proxy
// would do.
func (r *relay) serve(down net.Conn, client int, node, upstream string) {
	up, err := net.DialTimeout("tcp", upstream, dialTimeout)
	if err != nil {
		down.Close()
		return
	}
	l := &connection{relay: r, client: client, node: node, down: down, up: up}
	r.mu.Lock()
	over := r.over
	r.conns = append(r.conns, l)
	r.mu.Unlock()
	if over {
		l.close()
		return
	}
	go l.fromNode()
	l.fromClient()
}

// sentAs returns the sent command that a message carries: the first equal one that has not arrived
// yet. It prefers commands that cannot be late.
func (r *relay) sentAs(m *message) *sentCommand {
	best := -1
	for i, s := range r.sent {
		if s.client == m.conn.client && s.node == m.conn.node &&
			s.command == counterexample.Render(m.words) &&
			(best < 0 || r.sent[best].late && !s.late) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	found := r.sent[best]
	r.sent = append(r.sent[:best:best], r.sent[best+1:]...)
	return found
}

// ended reports whether every connection to a node has ended.
func (r *relay) ended(node string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.ContainsFunc(r.conns, func(l *connection) bool {
		return l.node == node && !l.ended
	})
}

// tell lets a client see that its connections to a node have ended.
func (r *relay) tell(client int, node string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.conns {
		if l.client == client && l.node == node && l.ended {
			l.known = true
			l.settle()
		}
	}
}

// forward sends a command to the node.
func (r *relay) forward(m *message) {
	m.forwarded = true
	m.conn.talk.Ask(m.words)
	_, _ = m.conn.up.Write(m.wire) // if the node is gone, the connection ends
}

// expect records a command that a client may send.
func (r *relay) expect(s *sentCommand) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, s)
}

// forget removes a command that will not arrive.
func (r *relay) forget(s *sentCommand) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = slices.DeleteFunc(r.sent, func(x *sentCommand) bool { return x == s })
}

// messages returns the messages between a client and a node that wait for forwarding or, if replied
// is true, for delivery to the client.
func (r *relay) messages(client int, node string, replied bool) (found []*message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.conns {
		for _, m := range l.kept {
			if l.client == client && l.node == node && !m.passes &&
				(replied && m.reply != nil || !replied && !m.forwarded) {
				found = append(found, m)
			}
		}
	}
	return found
}

func (r *relay) execute(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forward(m)
}

// answer returns the reply to an executed command, or nil if there is none yet. If lost is true,
// none will come.
func (r *relay) answer(m *message) (wire []byte, lost bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return m.reply, m.conn.ended
}

func (r *relay) deliver(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m.conn.deliver(m)
}

// subscriptions returns how many subscribing commands of a client a node has answered.
func (r *relay) subscriptions(client int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told[client]
}

// open forwards everything from now on.
func (r *relay) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = true
	for _, l := range r.conns {
		for _, m := range l.kept {
			if !m.forwarded {
				r.forward(m)
			}
		}
		l.deliver(nil)
		l.known = true
		l.settle()
	}
}

func (r *relay) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	var err error
	for _, l := range r.listeners {
		err = errors.Join(err, l.Close())
	}
	for _, l := range r.conns {
		l.close()
	}
	return err
}
