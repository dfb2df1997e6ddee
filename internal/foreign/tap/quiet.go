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
