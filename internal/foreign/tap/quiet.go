package tap

import "strings"

// quiet lists the commands that clients use to greet a server, keep their connections, wait for
// messages and load scripts. They do nothing to a lock. If a second word is listed, only that
// subcommand is quiet.
var quiet = map[string]bool{
	"hello": true, "client": true, "auth": true, "select": true, "quit": true, "reset": true,
	"ping": true, "info": true, "command": true, "readonly": true, "readwrite": true,
	"cluster": true, "config": true, "role": true, "script": true, "function": true,
	"subscribe": true, "unsubscribe": true, "psubscribe": true, "punsubscribe": true,
	"ssubscribe": true, "sunsubscribe": true,
}

// Untraced reports whether a command is neither traced nor stopped.
func Untraced(args []string) bool { return quiet[strings.ToLower(args[0])] }

// refusal returns the reason why a command cannot pass a tap, or "" if it can.
func refusal(args []string) string {
	switch verb := strings.ToLower(args[0]); {
	case verb == "monitor" || verb == "sync" || verb == "psync":
		return strings.ToUpper(verb) + " does not belong to a lock: a tap cannot tell its replies apart"
	case verb == "client" && len(args) > 1 && strings.EqualFold(args[1], "reply"):
		return "CLIENT REPLY suppresses replies, and a tap needs them to see results"
	}
	return ""
}

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
