package trace

import (
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// This file finds signs that a key is the lock's, and no counter or note.

// Likelier reports whether the key of a command is likelier the lock's than that of another: only
// this one is given back, or only it has the lock's name.
func Likelier(t *Trace, m, other *history.Command) bool {
	mine, others := IsGiven(t, m), IsGiven(t, other)
	return mine && !others || mine == others && IsNamed(t, m) && !IsNamed(t, other)
}

// IsGiven reports whether clients free the key of a command, or count it down, in their releases.
func IsGiven(t *Trace, m *history.Command) bool {
	given, _ := t.returned()
	return given[Key(m)]
}

// IsNamed reports whether the key of a command is the name of a lock, without another word.
func IsNamed(t *Trace, m *history.Command) bool {
	_, known := t.names[strings.Trim(Key(m), "{}")]
	return known
}

// IsCounting reports whether a command counts up a key as locks count a fencing token. A field of a
// hash may be the lock: re-entrant locks count theirs.
func IsCounting(t *Trace, m *history.Command) bool {
	e := t.effectOf(m)
	field := e.Value != ""
	return e.Kind == Count && !(field && (IsNamed(t, m) || IsGiven(t, m)))
}

// returned returns the keys that clients free, or count down, in their releases, and the keys that
// releases may change.
func (t *Trace) returned() (given, touched map[string]bool) {
	if t.given != nil {
		return t.given, t.touched
	}
	t.given, t.touched = map[string]bool{}, map[string]bool{}
	for _, m := range t.Commands {
		down := strings.HasPrefix(Verb(m), "DECR") || CountsDown(m.Args)
		if !t.Releasing(m) || Silent(m) {
			continue
		}
		t.touched[Key(m)] = true
		if t.Frees(m) || down || t.Undeclared(m) {
			t.given[Key(m)] = true
		}
	}
	return t.given, t.touched
}

// everEnds reports whether a command asked for an end of a key.
func (t *Trace) everEnds(key string) bool {
	if ends, known := t.ends[key]; known {
		return ends
	}
	if t.ends == nil {
		t.ends = map[string]bool{}
	}
	t.ends[key] = slices.ContainsFunc(t.OfKey(key), func(m *history.Command) bool {
		return AsksEnd(t, m)
	})
	return t.ends[key]
}
