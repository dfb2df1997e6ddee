package trace

import (
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// Asked returns the lease that a command gave its key, ns, and whether that is known. A script that
// the header declares does not say which of its arguments is the lease.
func (r *Reader) Asked(m *history.Command) (ns int64, known bool) {
	for _, args := range r.did(m) {
		switch e := EffectOf(args); {
		case e.Key != Key(m):
		case e.Kind == Expire, e.Expiry != (Expiry{}):
			ns, known = int64(e.Expiry.Seconds*1e9), !e.Expiry.Absolute
		case e.Kind == Persist:
			known = false
		}
	}
	return ns, known
}

// did returns the commands that reached the key: the command itself, or those inside its script.
func (r *Reader) did(m *history.Command) [][]string {
	switch {
	case !scripted(m):
		return [][]string{m.Args}
	case r.Declared(m):
		return nil
	}
	return m.Effects
}

// MayVote reports whether the answer to a command may mean that its server lets the client in: the
// command took or prolonged a key, or its effect is unknown.
func (r *Reader) MayVote(m *history.Command) bool {
	if !Answered(m) {
		return false
	}
	e, verb := r.effectOf(m), Verb(m)
	switch {
	case r.Takes(m), r.prolongs(m), r.Undeclared(m):
		return true
	case r.Declared(m):
		return false
	case e.Kind == Expire, e.Kind == Persist:
		return scripted(m) || found(m)
	case e.Kind.Writes() && !scripted(m):
		return commands[verb].done == nil || has(m.Args, "GET") && !r.Denied(m)
	}
	return e.Kind == None && !scripted(m) && !silent[verb]
}

// MayGrant reports whether clients take a lock by such a command, regardless of its answer.
func (r *Reader) MayGrant(m *history.Command) bool {
	if s := r.declared(m); s != nil {
		return s.does == history.ScriptTakes
	}
	return !scripted(m) && EffectOf(m.Args).Kind.Writes() || r.habit(m).takes
}

// silent are commands that never let a client in: they read, they tell, or they are about the
// connection.
var silent = setOf("GET", "GETEX", "MGET", "STRLEN", "HGET", "HGETALL", "HEXISTS", "HLEN", "HKEYS",
	"HVALS",
	"EXISTS", "TYPE", "TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME", "TIME", "PING", "ECHO", "WAIT",
	"INFO", "ROLE", "SELECT", "HELLO", "AUTH", "CLIENT", "CONFIG", "COMMAND", "SCRIPT", "FUNCTION",
	"SUBSCRIBE", "UNSUBSCRIBE", "PSUBSCRIBE", "PUNSUBSCRIBE", "SSUBSCRIBE", "SUNSUBSCRIBE",
	"PUBLISH", "SPUBLISH", "WATCH", "UNWATCH", "MULTI", "EXEC", "DISCARD", "READONLY", "READWRITE",
	"ASKING", "CLUSTER", "SENTINEL", "RESET", "QUIT", "SCAN", "HSCAN", "SSCAN", "ZSCAN", "KEYS",
	"PUBSUB")

// Silent reports whether a command neither writes nor frees a key, with any answer.
func Silent(m *history.Command) bool { return silent[Verb(m)] }

func setOf(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// FindsNone reports whether the answer to a command shows that its key is free.
func (r *Reader) FindsNone(m *history.Command) bool {
	if scripted(m) || EffectOf(m.Args).Compares {
		return false
	}
	d := r.does(m)
	return d == seesNone || d == freesNone
}

// Wrote reports whether a command certainly wrote its key for its client. A script that sets a key
// only if it is free may answer anything when it is not.
func (r *Reader) Wrote(m *history.Command) bool {
	if o, ok := r.observed(m); ok {
		return Answered(m) && o.Kind == Write
	}
	return (r.Declared(m) || EffectOf(m.Args).Kind == Take) && r.Takes(m)
}

// notExecuted reports whether a server answered a command by an error before it did anything. A
// script may have done something before its error.
func notExecuted(m *history.Command) bool {
	return aborted(m) || m.Err == "" && strings.HasPrefix(m.Reply, "(error)") &&
		(!scripted(m) || history.ScriptNotExecuted(m.Reply))
}

// aborted reports whether a command was not executed because a key that its client watched had
// changed: EXEC answered nil, which neither a SET without a condition nor a DEL does by itself.
func aborted(m *history.Command) bool {
	if m.Err != "" || m.Reply != "(nil)" || scripted(m) || has(m.Args, "GET") {
		return false
	}
	kind := EffectOf(m.Args).Kind
	return kind == Write || kind == Free && Verb(m) != "GETDEL"
}

// Unsure reports whether a command may have failed to do its work: it was never answered, or its
// script ended with an error.
func Unsure(m *history.Command) bool { return !Answered(m) && !notExecuted(m) }

// MayWrite reports whether a command may have changed the value of its key: it writes, or its
// effect is unknown, and no reply says that it changed nothing.
func (r *Reader) MayWrite(m *history.Command) bool {
	if r.Refused(m) || r.Denied(m) || r.Unchanged(m) || notExecuted(m) {
		return false
	}
	if s := r.declared(m); s != nil {
		return s.does == history.ScriptTakes
	}
	e, verb := EffectOf(m.Args), Verb(m)
	if o, ok := r.observed(m); ok {
		return o.Kind.Writes()
	}
	return e.Kind.Writes() || e.Kind == None && !silent[verb]
}

// KeepsEnd reports whether a command changes a part of its key, and not when the key ends.
func KeepsEnd(m *history.Command) bool {
	kind := EffectOf(m.Args).Kind
	return kind == Count || kind == Field
}
