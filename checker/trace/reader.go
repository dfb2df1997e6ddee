package trace

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// Reader interprets the effects of a trace's commands on locks: Redis' own commands by their names,
// scripts by their declaration in the header, or else by the commands that their node showed (see
// Observe). A script without either may answer anything, so it is evidence of nothing. The only
// exception: a script of a successful acquire call may have been the grant. It is not safe for
// concurrent use.
type Reader struct{ scripts }

// NewReader returns a reader of the traces of a run with this header.
func NewReader(h history.Header) Reader {
	return Reader{newScripts(h)}
}

// Declared reports whether the header describes the script that a command runs.
func (r *Reader) Declared(m *history.Command) bool { return r.declared(m) != nil }

// Undeclared reports whether a command runs a script with unknown effects: the header does not
// describe it, and its node showed nothing.
func (r *Reader) Undeclared(m *history.Command) bool {
	return scripted(m) && r.declared(m) == nil && len(m.Effects) == 0
}

// Takes reports whether a command may have granted a lock: it writes the key and was not refused.
func (r *Reader) Takes(m *history.Command) bool {
	if s := r.declared(m); s != nil {
		return s.is(history.ScriptTakes, s.done, m)
	}
	if e, ok := r.observed(m); ok {
		return Answered(m) && (e.Kind.Writes() && e.Kind != Take || e.Kind == Take && yes(m.Reply))
	}
	c, kind := commandOf(m.Args), EffectOf(m.Args).Kind
	return kind.Writes() && c.done != nil && Answered(m) && c.done(m.Reply)
}

// Unchanged reports whether a command that compares was told that the key has another value, or
// none. The reply of a SET with GET is what the key was, and says neither.
func (r *Reader) Unchanged(m *history.Command) bool {
	c := commands[Verb(m)]
	return EffectOf(m.Args).Compares && Answered(m) && !has(m.Args, "GET") && !c.done(m.Reply)
}

// TakesFree reports whether a command took a lock that was free: it cannot have been granted while
// the key was set.
func (r *Reader) TakesFree(m *history.Command) bool {
	e, ok := r.observed(m)
	return (r.Declared(m) || EffectOf(m.Args).Kind == Take || ok && e.Kind == Take) && r.Takes(m)
}

// MayTake reports whether a client may have had the key from a command on, like a client that got a
// vote. An undeclared script may have checked the owner before it wrote. If its node did not show
// it either, it may have done anything.
func (r *Reader) MayTake(m *history.Command) bool {
	foreign := scripted(m) && !r.Declared(m)
	return r.TakesFree(m) || foreign && (r.Undeclared(m) || r.Takes(m))
}

// Denied reports whether a command tried to take a lock and was told that it is taken. A SET with
// XX, IFEQ, or GET without NX does not tell that by (nil).
func (r *Reader) Denied(m *history.Command) bool {
	if !Answered(m) || aborted(m) {
		return false
	}
	if s := r.declared(m); s != nil {
		return s.is(history.ScriptTakes, s.refused, m)
	}
	if _, ok := r.observed(m); ok {
		return r.habit(m).takes && r.changedNothing(m)
	}
	c, e := commandOf(m.Args), EffectOf(m.Args)
	tries := e.Kind == Take || e.Kind.Writes() && e.Kind != Rewrite && !e.Compares &&
		!has(m.Args, "GET")
	return tries && c.refused != nil && c.refused(m.Reply)
}

// Frees reports whether the purpose of a command is to delete a lock, as far as known.
func (r *Reader) Frees(m *history.Command) bool {
	if s := r.declared(m); s != nil {
		return s.does == history.ScriptFrees
	}
	if e, ok := r.observed(m); ok {
		return e.Kind == Free
	}
	return commands[Verb(m)].kind == Free || r.habit(m).frees
}

// Deleted reports whether a command said that it deleted the key. The reply of a script that
// compares in its deletion does not say that.
func (r *Reader) Deleted(m *history.Command) bool {
	if s := r.declared(m); s != nil {
		return s.is(history.ScriptFrees, s.done, m)
	}
	if e, ok := r.observed(m); ok {
		return e.Kind == Free && !e.Compares && Answered(m) && yes(m.Reply)
	}
	c := commands[Verb(m)]
	return c.kind == Free && Answered(m) && c.done(m.Reply)
}

// LeavesKey reports whether a command that should free a key counted it down and left it there,
// because its owner holds it more than once. For a declared script its reply says so. For others
// its node showed the count, and the same script deleted the key at another time.
func (r *Reader) LeavesKey(m *history.Command) bool {
	if s := r.declared(m); s != nil {
		return s.is(history.ScriptFrees, s.kept, m)
	}
	_, seen := r.observed(m)
	return seen && Answered(m) && r.habit(m).frees && !r.Frees(m) &&
		slices.ContainsFunc(m.Effects, func(args []string) bool {
			return EffectOf(args).Key == Key(m) && CountsDown(args)
		})
}

// MayHaveDeleted reports whether a command may have deleted the key, according to its reply.
func (r *Reader) MayHaveDeleted(m *history.Command) bool {
	switch {
	case notExecuted(m):
		return false
	case r.Undeclared(m):
		return true
	case len(m.Effects) > 0 && r.declared(m) == nil:
		return r.Frees(m)
	case Answered(m) && m.Reply != someOf:
		return r.Deleted(m)
	}
	return r.Frees(m)
}

// Refused reports whether a command that tried to take a lock certainly changed nothing: it was
// told that the lock is taken, or the server did not execute it.
func (r *Reader) Refused(m *history.Command) bool {
	switch {
	case m.Recv == 0 || m.Err != "" || r.Undeclared(m):
		return false
	case r.Declared(m):
		return r.Denied(m)
	case len(m.Effects) > 0:
		return r.Denied(m)
	case EffectOf(m.Args).Kind != Take:
		return false
	}
	return strings.HasPrefix(m.Reply, "(error)") || r.Denied(m)
}
