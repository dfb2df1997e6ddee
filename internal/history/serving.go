package history

import "strings"

// refusalKind is what an error reply says of the server that gives it instead of carrying out a
// command.
type refusalKind int

const (
	refuses refusalKind = iota // it does not serve now, whatever the command is
	refers                     // another server does
	objects                    // the command is wrong: this is an answer
)

// refusals are the error replies that a server gives instead of carrying out a command. An error
// that is not here is one of the command, and may come after it has changed something.
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

// scriptError is how an old Redis begins an error that a command of a script got.
const scriptError = "ERR Error running script"

// NotServing reports whether an error reply says that the server does not serve, so that it says
// nothing of the lock. The reply may begin with "(error) ", as in a trace.
func NotServing(reply string) bool {
	kind, found := refusalOf(reply)
	return found && kind != objects
}

// Refuses reports whether an error reply says that the server does not serve, nor another one.
func Refuses(reply string) bool {
	kind, found := refusalOf(reply)
	return found && kind == refuses
}

// NotExecuted reports whether an error reply is given instead of carrying out the command. One that
// names a line of a script was given to a command of it.
func NotExecuted(reply string) bool {
	if strings.Contains(reply, " script: ") {
		return ScriptNotExecuted(reply)
	}
	_, found := refusalAt(reply)
	return found
}

// ScriptNotExecuted reports whether a script that was answered by an error has certainly written
// nothing. Redis gives other refusals only to the first write of a script.
func ScriptNotExecuted(reply string) bool {
	reply = strings.TrimPrefix(reply, "(error) ")
	switch code, _, _ := strings.Cut(reply, " "); code {
	case "OOM", "WRONGTYPE", "NOPERM", "CROSSSLOT":
		return false // a command of the script may have got it after others had written
	}
	_, found := refusalAt(reply)
	return found
}

// ErrorAfterWrite reports whether a command that was answered by an error may have changed
// something before: a script whose later commands got it.
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

// refusalOf finds a refusal also in the error of a script.
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
