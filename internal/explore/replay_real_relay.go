package explore

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/sim/engine"
)

// relay is the network of a replay: it stands between the clients' links and the nodes, keeps every command until it is told to let the node have it, and
// every reply until it is told to let the client have it. What go-redis sends by itself to greet a server passes, and so do messages to subscribers.
// It is cluster.Relay.
type relay struct {
	wake      func() // somebody waits for what comes; set before the first command
	mu        sync.Mutex
	listeners []net.Listener
	lines     []*line
	sent      []*sentCommand // by clients, not yet seen here
	over      bool
}

// line is a connection of a client to a node.
type line struct {
	relay      *relay
	client     int
	node       string
	down, up   net.Conn   // to the client, to the node
	told       bool       // it does
	subscribed bool       // the client waits for messages there
	kept       []*message // from the client, in order, until the client has the reply
	ended      bool       // by the node; the client does not know yet
}

// message is a command on its way, and the reply to it.
type message struct {
	line      *line
	words     []string
	wire      []byte
	sent      *sentCommand // nil: it is in no trace
	forwarded bool         // the node has it
	reply     []byte
	passes    bool // nobody holds it
}

// sentCommand is a command that a client is told to send.
type sentCommand struct {
	client  int
	node    string
	words   []string
	command string // as Spell has it
	seq     int    // in the client's trace; the player's
	late    bool   // something was done to the way: it may come late, or never
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

// dialTimeout bounds a connection to a node of this machine that is stopped: the kernel answers for it, so this is ample.
const dialTimeout = 2 * time.Second

// serve is the life of a connection. A node that is gone shows by an end of the connection, as behind a proxy.
func (r *relay) serve(down net.Conn, client int, node, upstream string) {
	up, err := net.DialTimeout("tcp", upstream, dialTimeout)
	if err != nil {
		down.Close()
		return
	}
	l := &line{relay: r, client: client, node: node, down: down, up: up}
	r.mu.Lock()
	over := r.over
	r.lines = append(r.lines, l)
	r.mu.Unlock()
	if over {
		l.close()
		return
	}
	go l.fromNode()
	l.fromClient()
}

func (l *line) close() {
	l.down.Close()
	l.up.Close()
}

// fromClient reads commands. When the client has closed, what it had sent may still be executed, however late.
func (l *line) fromClient() {
	var b []byte
	chunk := make([]byte, 4096)
	for {
		n, err := l.down.Read(chunk)
		b = l.take(append(b, chunk[:n]...))
		if err != nil {
			l.relay.mu.Lock()
			defer l.relay.mu.Unlock()
			if len(l.kept) == 0 {
				l.up.Close()
			}
			return
		}
	}
}

// take takes the whole commands off b.
func (l *line) take(b []byte) []byte {
	l.relay.mu.Lock()
	defer l.relay.mu.Unlock()
	for {
		words, rest, err := engine.Parse(b)
		if err != nil || words == nil {
			return b
		}
		m := &message{line: l, words: words, wire: bytes.Clone(b[:len(b)-len(rest)]), passes: handshake[lower(words[0])]}
		if !m.passes {
			m.sent = l.relay.whose(m)
			defer l.relay.wake()
		}
		l.kept = append(l.kept, m)
		if m.passes {
			l.relay.forward(m)
		}
		b = rest
	}
}

// whose finds the command of a trace that this is: the first of its kind that has not come yet, those last that may be late.
func (r *relay) whose(m *message) *sentCommand {
	best := -1
	for i, s := range r.sent {
		if s.client == m.line.client && s.node == m.line.node && s.command == Spell(m.words) && (best < 0 || r.sent[best].late && !s.late) {
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

// fromNode reads replies.
func (l *line) fromNode() {
	var b []byte
	chunk := make([]byte, 4096)
	for {
		n, err := l.up.Read(chunk)
		b = append(b, chunk[:n]...)
		for {
			size := replySize(b)
			if size <= 0 {
				break
			}
			l.replied(bytes.Clone(b[:size]))
			b = b[size:]
		}
		if err != nil {
			l.relay.mu.Lock()
			l.ended = true
			l.settle()
			l.relay.wake()
			l.relay.mu.Unlock()
			return
		}
	}
}

// replied takes a reply: to the oldest command that has none, or, a message to a subscriber, to none.
func (l *line) replied(wire []byte) {
	l.relay.mu.Lock()
	defer l.relay.mu.Unlock()
	if !isMessage(wire) {
		for _, m := range l.kept {
			if m.forwarded && m.reply == nil {
				m.reply = wire
				l.relay.wake()
				l.subscribed = l.subscribed || m.sent == nil && !m.passes
				if m.passes || m.sent == nil { // it is in no trace, so that nobody knows when it came
					l.deliver(m)
				}
				return
			}
		}
	}
	_, _ = l.down.Write(wire)
}

// deliver gives the client the replies on its connection up to this one: the client reads them in their order.
func (l *line) deliver(last *message) {
	for len(l.kept) > 0 {
		m := l.kept[0]
		if m.reply == nil {
			break
		}
		_, _ = l.down.Write(m.reply) // a client that has given up does not want it
		l.kept = l.kept[1:]
		if m == last {
			break
		}
	}
	l.settle()
}

// settle lets the client see the end of the connection after the last reply: when the player has said so, or if it waits for messages, since nobody knows
// when it saw that.
func (l *line) settle() {
	if l.ended && (l.told || l.subscribed) && (len(l.kept) == 0 || l.kept[0].reply == nil) {
		l.down.Close()
	}
}

// ended reports whether every connection to a node has ended.
func (r *relay) ended(node string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lines {
		if l.node == node && !l.ended {
			return false
		}
	}
	return true
}

// ends are the connections of clients whose node has ended them, and that they do not know of.
func (r *relay) ends() (found []*line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lines {
		if l.ended && !l.told {
			found = append(found, l)
		}
	}
	return found
}

// tell lets a client see that a connection has ended.
func (r *relay) tell(l *line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.told = true
	l.settle()
}

// forward gives the node a command.
func (r *relay) forward(m *message) {
	m.forwarded = true
	_, _ = m.line.up.Write(m.wire) // of a node that is gone the connection ends
}

// expect notes what a client is told to send.
func (r *relay) expect(s *sentCommand) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, s)
}

// seen returns the messages of a client to a node that wait for the node, or, replied, for the client.
func (r *relay) seen(client int, node string, replied bool) (found []*message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lines {
		for _, m := range l.kept {
			if l.client == client && l.node == node && !m.passes && (replied && m.reply != nil || !replied && !m.forwarded) {
				found = append(found, m)
			}
		}
	}
	return found
}

// Execute gives the node a command.
func (r *relay) execute(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forward(m)
}

// answer is the reply to a command that was executed; nil: there is none yet. Lost says that there will be none.
func (r *relay) answer(m *message) (wire []byte, lost bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return m.reply, m.line.ended
}

// hand gives the client a reply.
func (r *relay) hand(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m.line.deliver(m)
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
	for _, l := range r.lines {
		l.close()
	}
	return err
}

// isMessage reports whether a reply is a message to a subscriber.
func isMessage(wire []byte) bool {
	return bytes.HasPrefix(wire, []byte("*3\r\n$7\r\nmessage\r\n"))
}

// replySize is the length of the first whole reply in b; 0: it is not whole yet.
func replySize(b []byte) int {
	end := bytes.Index(b, []byte("\r\n"))
	if end < 1 {
		return 0
	}
	size := end + 2
	n, _ := strconv.Atoi(string(b[1:end]))
	switch b[0] {
	case '$':
		if n >= 0 {
			size += n + 2
		}
	case '*':
		for range n {
			item := replySize(b[min(size, len(b)):])
			if item == 0 {
				return 0
			}
			size += item
		}
	}
	if size > len(b) {
		return 0
	}
	return size
}
