package history

import "strings"

// refusalKind classifies an error reply that a server gives instead of carrying out a command.
type refusalKind int

const (
	refuses refusalKind = iota // the server does not serve any command now
	refers                     // another server serves the command
	objects                    // the command is wrong: this is an answer
)

// refusals lists the error replies that a server gives instead of carrying out a command. Any other
// error comes from the command itself, possibly after it has changed something.
var refusals = map[string]refusalKind{
	"READONLY":       refuses, // a replica is asked to write
	"LOADING":        refuses, // its data set is not read yet
	"MASTERDOWN":     refuses, // a replica without its master
	"CLUSTERDOWN":    refuses, // slots without a server, or too few masters
	"NOREPLICAS":     refuses, // fewer replicas than min-replicas-to-write
	"OOM":            refuses, // maxmemory is reached and nothing can be evicted
	"MISCONF":        refuses, // it cannot write to its disk
	"BUSY":           refuses, // a script has been running for too long
	"NOAUTH":         refuses, // no password was given
	"NOPERM":         refuses, // the user may not do that
	"ERR max number": refuses, // of clients reached
	"MOVED":          refers,  // another server has the slot
	"ASK":            refers,  // another server is getting the slot
	"TRYAGAIN":       refers,  // the slot is being moved
	"NOSCRIPT":       objects, // it does not know the script
	"WRONGTYPE":      objects, // the key is of another type
	"CROSSSLOT":      objects, // the keys are in several slots
}

// scriptError is the start of an old Redis' error for a command of a script.
const scriptError = "ERR Error running script"

// NotServing reports whether an error reply says that the server does not serve. Such a reply says
// nothing about the lock. It may start with "(error) ", as in a trace.
func NotServing(reply string) bool {
	kind, found := refusalOf(reply)
	return found && kind != objects
}

// Refuses reports whether an error reply says that the server does not serve and does not refer the
// client to another one.
func Refuses(reply string) bool {
	kind, found := refusalOf(reply)
	return found && kind == refuses
}

// NotExecuted reports whether the server gave an error reply instead of carrying out the command.
// An error that names a line of a script concerns one of its commands.
func NotExecuted(reply string) bool {
	if strings.Contains(reply, " script: ") {
		return ScriptNotExecuted(reply)
	}
	_, found := refusalAt(reply)
	return found
}

// ScriptNotExecuted reports whether a script that ended with an error has certainly written
// nothing. Of the refusals, it excludes the four that Redis may also give to a command that comes
// after a write. Redis gives the others only before the first write.
func ScriptNotExecuted(reply string) bool {
	reply = strings.TrimPrefix(reply, "(error) ")
	switch code, _, _ := strings.Cut(reply, " "); code {
	case "OOM", "WRONGTYPE", "NOPERM", "CROSSSLOT":
		return false
	}
	_, found := refusalAt(reply)
	return found
}

// ErrorAfterWrite reports whether a command that ended with an error may have changed something
// before. This is possible for a script if a later command of it failed.
func ErrorAfterWrite(args []string, reply string) bool {
	if len(args) == 0 || !strings.HasPrefix(reply, "(error) ") {
		return false
	}
	switch strings.ToUpper(args[0]) {
	case "EVAL", "EVALSHA", "FCALL":
		return !ScriptNotExecuted(reply)
	}
	return false
}

// refusalOf finds a refusal, even in the error of a script.
func refusalOf(reply string) (kind refusalKind, found bool) {
	reply = strings.TrimPrefix(strings.TrimPrefix(reply, "(error) "), "-")
	if _, inner, is := strings.Cut(reply, " -"); is && strings.HasPrefix(reply, scriptError) {
		return refusalAt(inner)
	}
	return refusalAt(reply)
}

func refusalAt(reply string) (kind refusalKind, found bool) {
	for code, kind := range refusals {
		if rest, is := strings.CutPrefix(reply, code); is && (rest == "" || rest[0] == ' ') {
			return kind, true
		}
	}
	return 0, false
}
