package tap

import "strings"

// quiet are the commands by which clients greet a server, keep their connections, wait for messages
// and make scripts known: they do nothing to a lock. With a second word, only that subcommand is.
var quiet = map[string]bool{
	"hello": true, "client": true, "auth": true, "select": true, "quit": true, "reset": true,
	"ping": true, "info": true, "command": true, "readonly": true, "readwrite": true,
	"cluster": true, "config": true, "role": true, "script": true, "function": true,
	"subscribe": true, "unsubscribe": true, "psubscribe": true, "punsubscribe": true,
	"ssubscribe": true, "sunsubscribe": true,
}

// Quiet reports whether a command is neither traced nor stopped.
func Quiet(args []string) bool { return quiet[strings.ToLower(args[0])] }

// refusal says why a command cannot pass a tap; "": it can.
func refusal(args []string) string {
	switch verb := strings.ToLower(args[0]); {
	case verb == "monitor" || verb == "sync" || verb == "psync":
		return strings.ToUpper(verb) + " does not belong to a lock: a tap cannot tell its replies apart"
	case verb == "client" && len(args) > 1 && strings.EqualFold(args[1], "reply"):
		return "CLIENT REPLY suppresses replies, and a tap needs them to see results"
	}
	return ""
}
