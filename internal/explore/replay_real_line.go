package explore

import (
	"bytes"
	"net"
	"strconv"

	"github.com/lockbench/lockbench/internal/sim/engine"
)

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

func (l *line) close() {
	l.down.Close()
	l.up.Close()
}

// fromClient reads commands. When the client has closed, what it had sent may still be executed,
// however late.
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
		m := &message{line: l, words: words, wire: bytes.Clone(b[:len(b)-len(rest)]),
			passes: handshake[lower(words[0])]}
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

// replied takes a reply: to the oldest command that has none, or, a message to a subscriber, to
// none.
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

// deliver gives the client the replies on its connection up to this one: the client reads them in
// their order.
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

// settle lets the client see the end of the connection after the last reply: when the player has
// said so, or if it waits for messages, since nobody knows when it saw that.
func (l *line) settle() {
	if l.ended && (l.told || l.subscribed) && (len(l.kept) == 0 || l.kept[0].reply == nil) {
		l.down.Close()
	}
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
