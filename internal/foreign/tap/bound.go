package tap

import "strings"

// greeting lists the commands that permanently change how a server treats a connection.
var greeting = map[string]bool{"hello": true, "auth": true, "select": true, "client": true,
	"readonly": true}

// bound is the state that ties a connection to its node, in addition to greetings.
type bound struct{ multi, watch, topics bool }

func (b bound) tied() bool { return b != bound{} }

// ask updates the state for a command that leaves.
func (b *bound) ask(args []string) {
	switch strings.ToLower(args[0]) {
	case "multi":
		b.multi = true
	case "watch":
		b.watch = true
	case "unwatch":
		b.watch = false
	case "exec", "discard":
		b.multi, b.watch = false, false
	case "subscribe", "psubscribe", "ssubscribe":
		b.topics = true
	case "reset":
		*b = bound{}
	}
}
