package tap

import (
	"context"
	"net"

	"github.com/lockbench/lockbench/internal/base/resp"
)

// connect connects to the route's node, and repeats the client's greeting of the node before, if
// there was one.
func (c *connection) connect() error {
	c.mu.Lock()
	turn, greeted := c.turn, c.greeted
	c.mu.Unlock()
	node, address := c.route.target()
	up, err := c.tap.settings.Dial(c.life, address)
	if err != nil {
		return err
	}
	replies := resp.NewReader(up)
	keep := context.AfterFunc(c.life, func() { up.Close() })
	err = greet(up, replies, greeted)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !keep() && err == nil { // the tap ended the connection meanwhile
		err = c.life.Err()
	}
	if err != nil || c.turn != turn {
		up.Close()
		return err
	}
	c.node, c.up, c.move, c.talk = node, up, false, resp.Conversation{}
	c.servers.Go(func() { c.fromServer(up, replies) })
	return nil
}

// greet repeats to a new node the greeting of an old one. The client already has the replies.
func greet(up net.Conn, replies *resp.Reader, greeted [][]byte) error {
	for _, wire := range greeted {
		_, err := up.Write(wire)
		if err == nil {
			_, err = replies.Reply()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hold waits while the Observer holds a command back. It returns false if the command never leaves.
// Meanwhile the client may have been redirected, or the node may have ended the connection. Then
// the command leaves for the new node, or by a new connection, if nothing ties the old one to its
// node.
func (c *connection) hold(args []string) (leaves bool) {
	c.mu.Lock()
	c.held = true
	node := c.node
	c.mu.Unlock()
	c.tap.observer.BeforeSend(c.life, node, args)
	for c.life.Err() == nil && !c.stays() {
		if c.connect() != nil {
			c.end()
		}
	}
	return c.life.Err() == nil
}

// stays reports whether a held command can leave by the present connection.
func (c *connection) stays() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = c.move
	return !c.move
}

// mayMove reports whether the connection can continue at another node, and prepares that. The
// caller holds the mutex.
func (c *connection) mayMove() bool {
	c.move = c.move || c.held && len(c.asked) == 0 && !c.bound.tied() && c.lost == ""
	return c.move
}

// redirected ends the connection, or moves it to another node. Commands that have left still
// arrive. Only a connection without unanswered commands may continue at the other node, see hold.
func (c *connection) redirected(node string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	if c.mayMove() {
		c.up.Close()
		return
	}
	if c.lost == "" {
		c.lost = "directed from " + c.node + " to " + node
	}
	c.end()
	c.down.Close()
}

// fromServer passes replies on until the node closes, or the tap ends the connection. The client
// does not notice if its connection continues at another node.
func (c *connection) fromServer(up net.Conn, replies *resp.Reader) {
	for {
		wire, err := replies.Reply()
		if err == nil {
			c.reply(wire)
			continue
		}
		if !c.hasLeft(up) {
			c.settle("the connection ended: "+err.Error(), brokenOff)
			c.down.Close()
		}
		return
	}
}

// hasLeft reports whether the connection can do without up, its former connection to a node.
func (c *connection) hasLeft(up net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.up != up || c.mayMove()
}

// reply passes a reply on when the Observer allows it.
func (c *connection) reply(wire []byte) {
	twin := false
	for _, a := range c.match(wire) {
		c.reportReply(a.Command, Reply{Text: a.Text})
		twin = a.Command.twin
	}
	if c.route.sentinel {
		wire = c.tap.translate(wire)
	}
	if !twin {
		_, _ = c.down.Write(wire) // a client that has given up does not read it
	}
	c.mu.Lock()
	c.replying = false
	c.mu.Unlock()
	c.ownAnswers()
}

// match finds the commands that a reply ends.
func (c *connection) match(wire []byte) (all []resp.Ended[*request]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) == 0 || c.talk.Take(wire) != resp.Whole {
		return nil
	}
	q := c.asked[0]
	c.asked, c.replying = c.asked[1:], true
	all, c.tx = resp.Ends(wire, q.args[0], q, c.tx)
	return all
}
