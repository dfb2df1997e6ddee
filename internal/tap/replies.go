package tap

import (
	"strings"

	"github.com/lockbench/lockbench/internal/resp"
)

// fromServer passes replies on until the node closes, or the connection is taken away.
func (c *connection) fromServer() {
	defer c.down.Close()
	replies := resp.NewReader(c.up)
	for {
		wire, err := replies.Reply()
		if err != nil {
			c.settle("the connection ended: "+err.Error(), brokenOff)
			return
		}
		c.reply(wire)
	}
}

// reply passes one on, when the Observer lets it go.
func (c *connection) reply(wire []byte) {
	for _, a := range c.match(wire) {
		c.told(a.request, Reply{Text: a.text})
	}
	_, _ = c.down.Write(wire) // a client that has given up does not read it
	c.mu.Lock()
	c.replying = false
	c.mu.Unlock()
	c.ownAnswers()
}

// answered is a command that has its whole reply.
type answered struct {
	*request
	text string
}

// match finds the commands that a reply ends. One that was queued in a transaction ends with EXEC:
// only then its reply is known.
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

// queued ends the commands of a transaction: each with its item of what EXEC replied, or, of one
// that was not carried out, with all of it.
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
