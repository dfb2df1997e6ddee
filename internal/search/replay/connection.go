package replay

import (
	"net"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// connection is a client's connection to a node, with both of its ends.
type connection struct {
	relay      *relay
	client     int
	node       string
	down, up   net.Conn // to the client, to the node
	known      bool     // the client may see the end
	subscribed bool     // the client waits for messages there
	talk       resp.Conversation
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
	begun     []byte       // what there is of the reply
	reply     []byte       // the whole reply
	passes    bool         // it is not kept
}

func (l *connection) close() {
	l.down.Close()
	l.up.Close()
}

// fromClient reads commands. A command that the client had sent before it closed may still be
// executed, however late.
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

// take keeps a command, or passes it on.
func (l *connection) take(words []string, wire []byte) {
	l.relay.mu.Lock()
	defer l.relay.mu.Unlock()
	m := &message{conn: l, words: words, wire: wire,
		passes: counterexample.Greets(words[0]) || subscribes(words[0])}
	if !m.passes {
		m.sent = l.relay.sentAs(m)
		defer l.relay.wake()
	}
	l.kept = append(l.kept, m)
	if m.passes || l.relay.free {
		l.relay.forward(m)
	}
}

// subscribes reports whether a client tells with a command which messages it waits for. go-redis
// says that again when it likes, after a connection has ended, and no trace has it.
func subscribes(command string) bool {
	switch strings.ToLower(command) {
	case "subscribe", "unsubscribe":
		return true
	}
	return false
}

// fromNode reads replies.
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

// replied takes what a node says: to the oldest command that has no whole reply, or, a message to a
// subscriber, to none.
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
	if m.passes || m.sent == nil || l.relay.free { // it is in no trace: when it came is not known
		l.deliver(m)
	}
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
	known := l.known || l.relay.free || l.subscribed
	if l.ended && known && (len(l.kept) == 0 || l.kept[0].reply == nil) {
		l.down.Close()
	}
}
