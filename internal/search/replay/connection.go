package replay

import (
	"net"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// connection is a client's connection to a node, seen from the relay between them.
type connection struct {
	relay      *relay
	client     int
	node       string
	down, up   net.Conn // to the client, to the node
	known      bool     // the client may see the end
	subscribed bool     // the client waits for pushed messages
	talk       resp.Conversation
	kept       []*message // from the client, in order, until the client has the reply
	ended      bool       // closed by the node; the client may not know yet
}

// message is a command in flight and its reply.
type message struct {
	conn      *connection
	words     []string
	wire      []byte
	sent      *sentCommand // nil if the command is not traced
	forwarded bool         // the node has it
	begun     []byte       // the received part of the reply
	reply     []byte       // the whole reply
	passes    bool         // it is not held back
}

func (l *connection) close() {
	l.down.Close()
	l.up.Close()
}

// fromClient reads commands. A command that the client sent before it closed the connection may
// still be executed, however late.
func (l *connection) fromClient() {
	commands := resp.NewReader(l.down)
	for {
		words, wire, err := commands.Command()
		if err != nil {
			l.relay.mu.Lock()
			defer l.relay.mu.Unlock()
			if len(l.kept) == 0 {
				l.up.Close()
			}
			return
		}
		l.take(words, wire)
	}
}

// take holds a command back or forwards it.
func (l *connection) take(words []string, wire []byte) {
	l.relay.mu.Lock()
	defer l.relay.mu.Unlock()
	m := &message{conn: l, words: words, wire: wire,
		passes: counterexample.Greets(words[0]) || subscribes(words[0])}
	if !m.passes {
		m.sent = l.relay.sentAs(m)
		m.passes = m.sent == nil && l.relay.foreign
		defer l.relay.wake()
	}
	l.kept = append(l.kept, m)
	if m.passes || l.relay.free {
		l.relay.forward(m)
	}
}

// subscribes reports whether a command changes the subscriptions of a client. After a connection
// has ended, go-redis repeats it at any time, and no trace has it.
func subscribes(command string) bool {
	return slices.Contains([]string{"subscribe", "unsubscribe"}, strings.ToLower(command))
}

func (l *connection) fromNode() {
	replies := resp.NewReader(l.up)
	for {
		wire, err := replies.Reply()
		if err != nil {
			l.relay.mu.Lock()
			l.ended = true
			l.settle()
			l.relay.wake()
			l.relay.mu.Unlock()
			return
		}
		l.replied(wire)
	}
}

// replied handles data from a node. It belongs to the oldest command without a complete reply,
// unless it is a message for a subscriber.
func (l *connection) replied(wire []byte) {
	l.relay.mu.Lock()
	defer l.relay.mu.Unlock()
	i := slices.IndexFunc(l.kept, func(m *message) bool { return m.forwarded && m.reply == nil })
	answer := l.talk.Take(wire)
	if answer == resp.Push || i < 0 {
		_, _ = l.down.Write(wire)
		return
	}
	m := l.kept[i]
	m.begun = append(m.begun, wire...)
	if answer == resp.Part {
		return
	}
	m.reply = m.begun
	l.relay.wake()
	if subscribes(m.words[0]) {
		l.subscribed = true
		l.relay.told[l.client]++
	}
	if m.passes || m.sent == nil || l.relay.free { // if it is not traced, its time is unknown
		l.deliver(m)
	}
}

// deliver writes the replies on the connection up to last to the client, because the client reads
// them in order.
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

// settle closes the connection to the client after the last reply. It waits until the replayer
// allows that, unless the client is a subscriber: the record does not say when a subscriber saw the
// end.
func (l *connection) settle() {
	known := l.known || l.relay.free || l.subscribed
	if l.ended && known && (len(l.kept) == 0 || l.kept[0].reply == nil) {
		l.down.Close()
	}
}
