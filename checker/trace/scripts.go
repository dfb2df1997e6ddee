package trace

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// scripts tells what the scripts of a run do: as the header declares them, or as their nodes showed
// them.
type scripts struct {
	declarations map[string]*script // by history.ScriptID
	ids          map[string]string  // text -> ID
	learned      map[part]*habits
}

// script is a declared one.
type script struct {
	does                string
	done, refused, kept *regexp.Regexp // nil if no reply says so
}

// newScripts returns the scripts that a header declares. It leaves out a script whose expressions
// cannot be read.
func newScripts(h history.Header) scripts {
	k := scripts{declarations: map[string]*script{}, ids: map[string]string{}}
	for id, s := range h.Scripts {
		done, err := compileWhole(s.Done)
		refused, err2 := compileWhole(s.Refused)
		kept, err3 := compileWhole(s.Kept)
		if err == nil && err2 == nil && err3 == nil {
			k.declarations[strings.ToLower(id)] = &script{s.Does, done, refused, kept}
		}
	}
	return k
}

// compileWhole compiles a regular expression that must match a whole reply.
func compileWhole(pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil
	}
	return regexp.Compile("^(?:" + pattern + ")$")
}

func (s *script) is(does string, reply *regexp.Regexp, m *history.Command) bool {
	return s.does == does && Answered(m) && reply != nil && reply.MatchString(m.Reply)
}

// declared returns what the header says of the script that a command runs, or nil.
func (k *scripts) declared(m *history.Command) *script {
	if len(k.declarations) == 0 || !scripted(m) || len(m.Args) < 2 {
		return nil
	}
	return k.declarations[k.id(m)]
}

// id returns the history.ScriptID of the script that a command runs.
func (k *scripts) id(m *history.Command) string {
	text := m.Args[1]
	if Verb(m) == "EVALSHA" {
		return strings.ToLower(text)
	}
	id, known := k.ids[text]
	if !known {
		id = history.ScriptID(text)
		k.ids[text] = id
	}
	return id
}

// Spares reports whether a deletion is for another value than the one that a command wrote: the
// script of an owner who compares leaves it alone, and so does a command that compares.
func (r *Reader) Spares(m, by *history.Command) bool {
	value := r.effectOf(by).Value
	if e := r.effectOf(m); e.Compares {
		return !r.Declared(by) && e.Is != value
	}
	given := Inputs(m)
	if !r.Declared(m) || len(given) == 0 {
		return false
	}
	if r.Declared(by) {
		return named(by) && !slices.ContainsFunc(owners(by), func(id string) bool {
			return slices.Contains(given, id)
		})
	}
	return !slices.Contains(given, value)
}

// named reports whether a script that took a lock was told who its owner is.
func named(by *history.Command) bool { return len(owners(by)) > 0 }

// Inputs returns the arguments of a script after its keys, and of another command after its value.
func Inputs(m *history.Command) []string {
	return m.Args[min(firstKey+numberOfKeys(m), len(m.Args)):]
}

// owners returns the arguments of a script after its keys, except numbers. The owner's value is
// among them.
func owners(by *history.Command) (ids []string) {
	for _, arg := range Inputs(by) {
		if _, err := strconv.ParseFloat(arg, 64); err != nil {
			ids = append(ids, arg)
		}
	}
	return ids
}
