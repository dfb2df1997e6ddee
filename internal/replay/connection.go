package replay

import (
	"bytes"
	"cmp"
	"net"

	"github.com/lockbench/lockbench/internal/explore/counterexample"
	"github.com/lockbench/lockbench/internal/resp"
)

// connection is a client's connection to a node, with both of its ends.
type connection struct {
	relay      *relay
	client     int
	node       string
	down, up   net.Conn   // to the client, to the node
	known      bool       // the client may see the end
	subscribed bool       // the client waits for messages there
	kept       []*message // from the client, in order, until the client has the reply
	ended      bool       // by the node; the client does not know yet
}

// message is a command on its way, and the reply to it.
type message struct {
	conn      *connection
	words     []string
	wire      []byte
	sent      *sentCommand // nil: it is in no trace
	forwarded bool         // the node has it
	reply     []byte
	passes    bool // it is not kept
}

func (l *connection) close() {
	l.down.Close()
	l.up.Close()
}

// fromClient reads commands. A command that the client had sent before it closed may still be
// executed, however late.
func (l *connection) fromClient() {
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
func (l *connection) take(b []byte) []byte {
	l.relay.mu.Lock()
	defer l.relay.mu.Unlock()
	for {
		words, rest, err := resp.Command(b)
		if err != nil || words == nil {
			return b
		}
		m := &message{conn: l, words: words, wire: bytes.Clone(b[:len(b)-len(rest)]),
			passes: counterexample.Greets(words[0])}
		if !m.passes {
			m.sent = l.relay.sentAs(m)
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
func (l *connection) fromNode() {
	var b []byte
	chunk := make([]byte, 4096)
	for {
		n, err := l.up.Read(chunk)
		b = append(b, chunk[:n]...)
		for {
			size, protocol := resp.Size(b)
			if err = cmp.Or(err, protocol); size == 0 {
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
func (l *connection) replied(wire []byte) {
	l.relay.mu.Lock()
	defer l.relay.mu.Unlock()
	if !isMessage(wire) {
		for _, m := range l.kept {
			if m.forwarded && m.reply == nil {
				m.reply = wire
				l.relay.wake()
				l.subscribed = l.subscribed || m.sent == nil && !m.passes
				if m.passes || m.sent == nil { // it is in no trace: when it came is not known
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
func (l *connection) deliver(last *message) {
	for len(l.kept) > 0 {
		m := l.kept[0]
		if m.reply == nil {
			break
		}
		_, _ = l.down.Write(m.reply) // a client that has given up does not read it
		l.kept = l.kept[1:]
		if m == last {
			break
		}
	}
	l.settle()
}

// settle lets the client see the end of the connection after the last reply: when the replayer has
// said so, or at once if the client waits for messages, since the record does not say when it saw
// the end.
func (l *connection) settle() {
	if l.ended && (l.known || l.subscribed) && (len(l.kept) == 0 || l.kept[0].reply == nil) {
		l.down.Close()
	}
}

// isMessage reports whether a reply is a message to a subscriber.
func isMessage(wire []byte) bool {
	return bytes.HasPrefix(wire, []byte("*3\r\n$7\r\nmessage\r\n"))
}
