package tap

import (
	"net"
	"strings"

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
		c.reportReply(a.request, Reply{Text: a.text})
		twin = a.twin
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

// answered is a command with its complete reply.
type answered struct {
	*request
	text string
}

// match finds the commands that a reply ends. A command in a transaction ends with EXEC, which has
// its reply.
func (c *connection) match(wire []byte) []answered {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) == 0 || c.talk.Take(wire) != resp.Whole {
		return nil
	}
	q := c.asked[0]
	c.asked, c.replying = c.asked[1:], true
	text := resp.Text(wire)
	switch verb := strings.ToLower(q.args[0]); {
	case text == "QUEUED" && verb != "echo" && verb != "ping":
		c.tx = append(c.tx, q)
		return nil
	case verb == "exec" || verb == "discard" || verb == "reset":
		return append(c.queued(wire, text), answered{q, text})
	}
	return []answered{{q, text}}
}

// queued ends the commands of a transaction. Each ends with its item of EXEC's reply, or with the
// whole reply if the transaction was not carried out.
func (c *connection) queued(wire []byte, text string) (all []answered) {
	items := resp.Items(wire)
	for i, q := range c.tx {
		if len(items) == len(c.tx) {
			text = resp.Text(items[i])
		}
		all = append(all, answered{q, text})
	}
	c.tx = nil
	return all
}
