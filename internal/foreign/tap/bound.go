package tap

import "strings"

// greeting are the commands after which a server treats a connection in another way, for good.
var greeting = map[string]bool{"hello": true, "auth": true, "select": true, "client": true,
	"readonly": true}

// bound is what ties a connection to its node, besides greetings.
type bound struct{ multi, watch, topics bool }

func (b bound) tied() bool { return b != bound{} }

// ask takes a command that leaves.
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
