package tap

import (
	"net"

	"github.com/lockbench/lockbench/internal/base/resp"
)

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
