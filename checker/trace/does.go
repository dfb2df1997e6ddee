package trace

import (
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// deed is what a command did to a key, as its reply says.
type deed uint8

const (
	nothing   deed = iota
	unclear        // it is not known
	takes          // the key was free, and it set it
	refused        // the key was set, and it left it
	writes         // it set the key, whatever was there
	swaps          // it set the key, and its reply is the old value
	counts         // it created the key, or changed its value
	renews         // the key was set, and it gave it another lease
	mayRenew       // it renewed the key if there was one
	frees          // the key was set, and it deleted it
	freesNone      // it deleted nothing
	sees           // the key was set
	seesNone       // the key was free
)

// does returns what a command did.
func (r *Reader) does(m *history.Command) deed {
	e, ok := r.observed(m)
	switch {
	case !Answered(m), r.Undeclared(m), m.Reply == someOf:
		return unclear
	case aborted(m):
		return nothing
	case r.declared(m) != nil:
		return r.scriptDoes(m)
	case ok:
		return r.observedDoes(m, e)
	}
	return plainDoes(m)
}

// scriptDoes returns the effect of a script that the header declares.
func (r *Reader) scriptDoes(m *history.Command) deed {
	switch s := r.declared(m); {
	case r.Takes(m):
		return takes
	case r.Denied(m):
		return refused
	case r.prolongs(m):
		return renews
	case r.Deleted(m):
		return frees
	case s.does == history.ScriptFrees:
		return freesNone
	case s.does == history.ScriptTakes:
		return unclear
	}
	return nothing
}

// observedDoes returns the effect of a script that its node showed.
func (r *Reader) observedDoes(m *history.Command, e Effect) deed {
	switch e.Kind {
	case Take:
		if yes(m.Reply) {
			return takes
		}
		return unclear
	case Write, Swap, Rewrite:
		return writes
	case Count, Field:
		return counts
	case Free:
		return unclear // it does not show whether there was a key
	case Expire:
		return mayRenew // nor does this
	}
	return nothing
}

// plainDoes returns the effect of one of Redis' own commands.
func plainDoes(m *history.Command) deed {
	done := func(yes, no deed) deed {
		if c := commandOf(m.Args); c.done != nil && c.done(m.Reply) {
			return yes
		}
		return no
	}
	none := m.Reply == "(nil)"
	switch e := EffectOf(m.Args); e.Kind {
	case Take:
		if has(m.Args, "GET") && m.Reply == e.Value {
			return sees
		}
		return done(takes, refused)
	case Rewrite:
		if e.Compares || has(m.Args, "GET") {
			return unclear
		}
		return done(counts, seesNone)
	case Write:
		return writes
	case Swap:
		return swaps
	case Count, Field:
		return counts
	case Expire:
		switch {
		case found(m):
			return renews
		case Verb(m) == "GETEX":
			return seesNone
		}
		return nothing
	case Free:
		if Verb(m) == "GETDEL" && none {
			return seesNone
		}
		if Verb(m) == "GETDEL" {
			return frees
		}
		return done(frees, freesNone)
	}
	return reads(m)
}

// reads returns the finding of a command that reads the key.
func reads(m *history.Command) deed {
	none, known := absent[Verb(m)]
	little, knownToo := vague[Verb(m)]
	switch {
	case known && m.Reply == none:
		return seesNone
	case known, knownToo && m.Reply != little:
		return sees
	case silent[Verb(m)], EffectOf(m.Args).Kind == Persist:
		return nothing
	}
	return unclear
}

// absent are the replies of reads to a key that is not there. Any other reply shows the key.
var absent = map[string]string{"GET": "(nil)", "GETEX": "(nil)", "EXISTS": "0", "TYPE": "none",
	"TTL": "-2", "PTTL": "-2", "EXPIRETIME": "-2", "PEXPIRETIME": "-2", "HLEN": "0",
	"HGETALL": "[]", "HKEYS": "[]", "HVALS": "[]"}

// vague are the replies of reads that do not say whether there is a key. Any other shows the key.
var vague = map[string]string{"STRLEN": "0", "HGET": "(nil)", "HEXISTS": "0"}

// ShowsKey reports whether the answer to a command that reads shows that there is a key.
func ShowsKey(r *Reader, m *history.Command) bool { return r.does(m) == sees }

// Renews reports whether an answered command gave a key that was there another lease. A script that
// did not look may have found no key, and says so by 0.
func (t *Trace) Renews(m *history.Command) bool { return givesLease(&t.Reader, m) }

func givesLease(r *Reader, m *history.Command) bool {
	if !Answered(m) {
		return false
	}
	if e, ok := r.observed(m); ok {
		return e.Kind == Expire && (notZero(m.Reply) || compares(r, m))
	}
	return r.prolongs(m) || EffectOf(m.Args).Kind == Expire && found(m)
}

// Empties reports whether a command deletes keys that it does not name.
func Empties(m *history.Command) bool {
	return slices.Contains([]string{"FLUSHALL", "FLUSHDB", "SWAPDB"}, Verb(m))
}
