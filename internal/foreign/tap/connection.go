package tap

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/lockbench/lockbench/internal/base/resp"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// connection is a connection of the client, with both of its ends.
type connection struct {
	route *route
	tap   *Tap
	down  net.Conn // to the client
	life  context.Context
	end   context.CancelFunc

	servers sync.WaitGroup // the readers of node connections

	mu       sync.Mutex
	node     string
	up       net.Conn // to the node; nil if not connected
	held     bool     // whether the Observer holds a command back
	move     bool     // whether the client was redirected to another node
	turn     int      // counts the redirects
	greeted  [][]byte // the commands of the client's handshake
	bound    bound    // the state that ties it to the node
	talk     resp.Conversation
	asked    []*request // commands without a complete reply, oldest first
	tx       []*request // queued in a transaction
	replying bool       // a reply is on its way to the client
	lost     string     // the reason why the tap answers nothing more, or ""
}

// request is a command of the client without a complete reply.
type request struct {
	args    []string
	quiet   bool            // the Observer does not see it
	twin    bool            // the client did not send it
	strands bool            // the client loses the connection before the reply
	sent    history.Command // the Observer's record of it
	at      time.Time       // when it left
	own     []byte          // the tap's own reply
}

func newConnection(r *route, down net.Conn) *connection {
	c := &connection{route: r, tap: r.tap, down: down}
	c.life, c.end = context.WithCancel(r.tap.life)
	return c
}

// close ends the connection without a report to the Observer.
func (c *connection) close() {
	c.end()
	c.down.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up != nil {
		c.up.Close()
	}
}

// fromClient passes commands on until the client closes, or the tap ends the connection.
func (c *connection) fromClient() {
	commands := resp.NewReader(c.down)
	for {
		args, wire, err := commands.Command()
		if err == nil {
			c.command(args, wire)
			err = c.life.Err()
		}
		if err != nil {
			c.rejectProtocol(err)
			c.clientLeft(err)
			return
		}
	}
}

// rejectProtocol explains to a client its protocol error.
func (c *connection) rejectProtocol(err error) {
	switch {
	case errors.Is(err, resp.ErrTLS):
		c.tap.log("the client speaks TLS, and its address does not: switch TLS off in the client")
		_, _ = io.WriteString(c.down, "-ERR this address does not speak TLS\r\n")
	case errors.Is(err, resp.ErrProtocol):
		c.tap.log("the client does not speak the Redis protocol, or exceeds its bounds")
		_, _ = io.WriteString(c.down, "-ERR Protocol error\r\n")
	}
}

// command passes a command on when the Observer allows it.
func (c *connection) command(args []string, wire []byte) {
	q := &request{args: args, quiet: c.route.sentinel || Untraced(args)}
	if why := refusal(args); why != "" {
		c.refuse(q, why)
		return
	}
	if !q.quiet {
		if !c.hold(args) {
			return
		}
		q.sent = c.tap.observer.Sent(c.life, c.currentNode(), args)
	}
	if c.tap.settings.Script != nil && len(args) == 3 && strings.EqualFold(args[0], "script") &&
		strings.EqualFold(args[1], "load") {
		c.tap.settings.Script(args[2])
	}
	if q = c.applyFault(q, wire); q == nil {
		return
	}
	up := c.ask(q, wire)
	if q.strands {
		c.down.Close() // before the command leaves: its reply may be back at once
	}
	if up != nil {
		_, _ = up.Write(wire) // the reader of replies sees if the connection has ended
	}
}

// applyFault applies the pending fault to a command. It returns the command that is still to be
// sent, or nil.
func (c *connection) applyFault(q *request, wire []byte) *request {
	what := ""
	if !q.quiet {
		if next := c.tap.befalls.Swap(nil); next != nil {
			what = *next
		}
	}
	switch what {
	case nemesis.Drop:
		c.down.Close() // fromClient goes on from there
		c.reportReply(q, Reply{Err: "the connection broke", Why: history.BrokenOff})
		return nil
	case nemesis.Strand:
		q.strands = true
	case nemesis.Duplicate:
		if up := c.ask(q, wire); up != nil {
			_, _ = up.Write(wire)
		}
		return &request{args: q.args, twin: true,
			sent: c.tap.observer.Sent(c.life, c.currentNode(), q.args)}
	}
	return q
}

func (c *connection) currentNode() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.node
}

// ask records a command before it is written. It returns the connection to write to, or nil if
// nothing will answer.
func (c *connection) ask(q *request, wire []byte) net.Conn {
	c.mu.Lock()
	q.at = time.Now()
	if c.lost != "" {
		why := c.lost
		c.mu.Unlock()
		c.reportReply(q, Reply{Err: why, Why: history.BrokenOff})
		return nil
	}
	defer c.mu.Unlock()
	c.asked = append(c.asked, q)
	c.talk.Ask(q.args)
	c.bound.ask(q.args)
	if greeting[strings.ToLower(q.args[0])] {
		c.greeted = append(c.greeted, wire)
	}
	return c.up
}

// reportReply reports the end of a command to the Observer.
func (c *connection) reportReply(q *request, r Reply) {
	if !q.quiet && c.tap.life.Err() == nil {
		c.tap.observer.Replied(c.life, q.sent, r)
	}
}

// refuse sends an error instead of the server's reply, after the replies to all earlier commands.
func (c *connection) refuse(q *request, why string) {
	c.tap.log("%s is refused: %s", q.args[0], why)
	var w resp.Writer
	w.Error("ERR " + why)
	q.own = w.B
	c.mu.Lock()
	c.asked = append(c.asked, q)
	c.mu.Unlock()
	c.ownAnswers()
}

// ownAnswers writes the tap's own replies that are next in order.
func (c *connection) ownAnswers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.replying && len(c.asked) > 0 && c.asked[0].own != nil {
		_, _ = c.down.Write(c.asked[0].own)
		c.asked = c.asked[1:]
	}
}

// clientLeft settles the commands whose client has left. They still arrive if the node reads them:
// the connection to the node ends after them.
func (c *connection) clientLeft(err error) {
	text := "the client closed the connection"
	if !errors.Is(err, io.EOF) {
		text = err.Error()
	}
	c.settle(text, c.waited)
	c.down.Close()
	half, ok := c.up.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		c.up.Close()
	}
}

// waited returns the reason why a client closed its connection: it timed out, or broke off. Its own
// clock started before the tap's, so that a large part of the time is enough.
func (c *connection) waited(q *request) history.Loss {
	if patience := c.tap.settings.Timeout; patience > 0 && time.Since(q.at) >= patience*9/10 {
		return history.TimedOut
	}
	return history.BrokenOff
}

func brokenOff(*request) history.Loss { return history.BrokenOff }

// settle ends all commands without a reply.
func (c *connection) settle(text string, why func(*request) history.Loss) {
	c.mu.Lock()
	if c.lost == "" {
		c.lost = text
	}
	text = c.lost
	all := append(c.tx, c.asked...)
	c.tx, c.asked = nil, nil
	c.mu.Unlock()
	for _, q := range all {
		if q.own == nil {
			c.reportReply(q, Reply{Err: text, Why: why(q)})
		}
	}
}
