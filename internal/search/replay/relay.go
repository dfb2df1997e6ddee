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

// relay is the network of a replay, between the clients' links and the nodes: it keeps every
// command until it may forward it to the node, and every reply until it may deliver it to the
// client. The commands by which go-redis greets a server pass, and so do messages to subscribers.
// It is cluster.Relay.
type relay struct {
	wake      func() // is called when something has come; set before the first command
	mu        sync.Mutex
	listeners []net.Listener
	conns     []*connection
	sent      []*sentCommand // by clients, not yet seen here
	told      map[int]int    // replies to subscriptions, by client
	over      bool
	free      bool // nothing is kept any more
}

// sentCommand is a command that a client is told to send.
type sentCommand struct {
	client  int
	node    string
	words   []string
	command string // as counterexample.Render has it
	seq     int    // in the client's trace; belongs to the replayer
	late    bool   // a fault is on the link: the command may come late, or never
}

// tells makes the relay call wake whenever something has come.
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

// dialTimeout bounds a connection to a node of this machine that is stopped: the kernel answers for
// it, so this is ample.
const dialTimeout = 2 * time.Second

// serve is the life of a connection. If the node is gone, the client sees the end of its
// connection, as behind a proxy.
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

// sentAs finds the command of a trace that a message is: the first equal one that has not come yet,
// and one that may be late only if there is no other.
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
	for _, l := range r.conns {
		if l.node == node && !l.ended {
			return false
		}
	}
	return true
}

// ends are the connections that a node has ended without their client knowing.
func (r *relay) ends() (found []*connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.conns {
		if l.ended && !l.known {
			found = append(found, l)
		}
	}
	return found
}

// tell lets a client see that a connection has ended.
func (r *relay) tell(l *connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.known = true
	l.settle()
}

// forward gives the node a command.
func (r *relay) forward(m *message) {
	m.forwarded = true
	m.conn.talk.Ask(m.words)
	_, _ = m.conn.up.Write(m.wire) // of a node that is gone the connection ends
}

// expect notes what a client is told to send.
func (r *relay) expect(s *sentCommand) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, s)
}

// forget takes a command back that will not come.
func (r *relay) forget(s *sentCommand) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = slices.DeleteFunc(r.sent, func(x *sentCommand) bool { return x == s })
}

// seen returns the messages of a client to a node that wait for the node, or, replied, for the
// client.
func (r *relay) seen(client int, node string, replied bool) (found []*message) {
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

// execute gives the node a command.
func (r *relay) execute(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forward(m)
}

// answer is the reply to a command that was executed; nil: there is none yet. With lost there will
// be none.
func (r *relay) answer(m *message) (wire []byte, lost bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return m.reply, m.conn.ended
}

// hand gives the client a reply.
func (r *relay) hand(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m.conn.deliver(m)
}

// subscriptions is how many times a node has answered a client's SUBSCRIBE, or its like.
func (r *relay) subscriptions(client int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told[client]
}

// open lets everything pass from now on, in its order.
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

// close ends every connection.
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
