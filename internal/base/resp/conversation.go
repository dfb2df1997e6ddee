package resp

import (
	"maps"
	"slices"
	"strings"
)

// Answer classifies a value from a server.
type Answer uint8

// The answers.
const (
	Push  Answer = iota // unasked: a message to a subscriber, an invalidation
	Part                // a part of the reply to the oldest command; more will follow
	Whole               // the end of the reply to the oldest command
)

// A Conversation matches the replies on a connection with the commands, in RESP2 and RESP3. Its
// zero value is a new connection. It is not safe for concurrent use.
type Conversation struct {
	asked  []question
	topics map[string]map[string]bool // the subscriptions, by the command that made them
}

// question is a command without all of its replies.
type question struct {
	topic string // of a subscription: the command for it
	off   bool   // it ends subscriptions
	left  int    // replies still to come; if zero, one for each subscription
	begun bool   // it has a reply
}

// confirmations maps the name of a reply about a subscription to the command for that subscription.
var confirmations = map[string]string{
	"subscribe": "subscribe", "unsubscribe": "subscribe",
	"psubscribe": "psubscribe", "punsubscribe": "psubscribe",
	"ssubscribe": "ssubscribe", "sunsubscribe": "ssubscribe",
}

// Ask records the server's next command.
func (c *Conversation) Ask(args []string) {
	q := question{left: 1}
	name := strings.ToLower(args[0])
	if topic, ok := confirmations[name]; ok {
		q.topic, q.off, q.left = topic, topic != name, len(args)-1
	}
	if name == "reset" {
		c.topics = nil
	}
	c.asked = append(c.asked, q)
}

// Take classifies the next value from the server.
func (c *Conversation) Take(wire []byte) Answer {
	name, topic := words(wire)
	if len(c.asked) == 0 {
		return Push
	}
	q := &c.asked[0]
	confirms := q.topic != "" && confirmations[name] == q.topic && (name != q.topic) == q.off
	switch {
	case confirms:
		c.confirm(q, topic)
	case wire[0] == '>', c.subscribed() && wire[0] == '*' && isMessage[name]:
		return Push
	default: // including the refusal of a subscription: one refusal is for all of its channels
		q.left = 0
	}
	if q.left > 0 {
		return Part
	}
	c.asked = c.asked[1:]
	return Whole
}

// Ended is a command with the text of its whole reply.
type Ended[T any] struct {
	Command T
	Text    string
}

// Ends returns the commands that end with the whole reply to the command c with this name, and the
// commands that are queued in a transaction then. A queued command ends with its item of EXEC's
// reply, or with the whole reply if the transaction was not carried out.
func Ends[T any](wire []byte, name string, c T, queued []T) (all []Ended[T], still []T) {
	text := Text(wire)
	switch name = strings.ToLower(name); {
	case text == "QUEUED" && name != "echo" && name != "ping":
		return nil, append(queued, c)
	case name == "exec" || name == "discard" || name == "reset":
		items := Items(wire)
		for i, q := range queued {
			end := Ended[T]{q, text}
			if len(items) == len(queued) {
				end.Text = Text(items[i])
			}
			all = append(all, end)
		}
		queued = nil
	}
	return append(all, Ended[T]{c, text}), queued
}

// Pending returns the number of commands without all of their replies.
func (c *Conversation) Pending() int { return len(c.asked) }

// Subscriptions returns the commands that make the connection's subscriptions anew.
func (c *Conversation) Subscriptions() (commands [][]string) {
	for _, topic := range slices.Sorted(maps.Keys(c.topics)) {
		if all := slices.Sorted(maps.Keys(c.topics[topic])); len(all) > 0 {
			commands = append(commands, append([]string{topic}, all...))
		}
	}
	return commands
}

// confirm counts a channel that was subscribed or unsubscribed.
func (c *Conversation) confirm(q *question, channel string) {
	all := c.topics[q.topic]
	if !q.begun && q.left == 0 { // an UNSUBSCRIBE of all
		q.left = max(1, len(all))
	}
	q.begun = true
	q.left--
	if q.off {
		delete(all, channel)
		return
	}
	if c.topics == nil {
		c.topics = map[string]map[string]bool{}
	}
	if all == nil {
		all = map[string]bool{}
		c.topics[q.topic] = all
	}
	all[channel] = true
}

// subscribed reports whether messages may come.
func (c *Conversation) subscribed() bool {
	for _, all := range c.topics {
		if len(all) > 0 {
			return true
		}
	}
	return false
}

// isMessage lists the names of messages to subscribers in RESP2.
var isMessage = map[string]bool{"message": true, "pmessage": true, "smessage": true}

// words returns the first two strings of an array or a push.
func words(wire []byte) (first, second string) {
	if wire[0] != '*' && wire[0] != '>' {
		return "", ""
	}
	_, _, at := Line(wire)
	first, rest := textOf(wire[at:])
	second, _ = textOf(rest)
	return first, second
}
