package history

import "strings"

// notServing are the errors by which a server refuses to serve, whatever the command is: one row
// for each. An error that is not here is one of the command itself, and an answer to it.
var notServing = []string{
	"READONLY",       // a replica is asked to write
	"LOADING",        // its data set is not read yet
	"MASTERDOWN",     // a replica without its master
	"CLUSTERDOWN",    // slots without a server, or too few masters
	"NOREPLICAS",     // fewer replicas than min-replicas-to-write
	"OOM",            // maxmemory is reached and nothing can be evicted
	"MISCONF",        // it cannot write to its disk
	"BUSY",           // a script has been running for too long
	"NOAUTH",         // no password was given
	"NOPERM",         // the user may not do that
	"MOVED",          // another server has the slot
	"ASK",            // another server is getting the slot
	"TRYAGAIN",       // the slot is being moved
	"ERR max number", // of clients reached
}

// scriptError is how an old Redis begins an error that a command of a script got.
const scriptError = "ERR Error running script"

// NotServing reports whether an error reply says that the server refuses to serve, so that it says
// nothing of the lock. The reply may begin with "(error) ", as in a trace.
func NotServing(reply string) bool {
	reply = strings.TrimPrefix(strings.TrimPrefix(reply, "(error) "), "-")
	for _, code := range notServing {
		rest, is := strings.CutPrefix(reply, code)
		if is && (rest == "" || rest[0] == ' ') {
			return true
		}
		if strings.HasPrefix(reply, scriptError) && strings.Contains(reply, " -"+code+" ") {
			return true
		}
	}
	return false
}
