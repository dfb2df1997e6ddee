package checker

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/lockbench/lockbench/history"
)

// reader knows what the commands of a trace do to locks: Redis' own commands by their names,
// scripts by what the header declares of them. Of a script that nobody declared it knows what its
// replies mostly mean, and where that is not enough it says nothing.
type reader struct {
	scripts map[string]*script // by history.ScriptID
	ids     map[string]string  // text -> ID
}

// script is a declared one.
type script struct {
	does          string
	done, refused *regexp.Regexp // nil: no reply says so
}

func newReader(h history.Header) reader {
	r := reader{scripts: map[string]*script{}, ids: map[string]string{}}
	for id, s := range h.Scripts {
		done, err := whole(s.Done)
		refused, err2 := whole(s.Refused)
		if err == nil && err2 == nil { // else it says nothing that can be read
			r.scripts[strings.ToLower(id)] = &script{s.Does, done, refused}
		}
	}
	return r
}

// whole is a regular expression that fits a reply as a whole.
func whole(pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil
	}
	return regexp.Compile("^(?:" + pattern + ")$")
}

func (s *script) is(does string, reply *regexp.Regexp, m *history.Command) bool {
	return s.does == does && answered(m) && reply != nil && reply.MatchString(m.Reply)
}

// declared returns what the header says of the script that a command runs, or nil.
func (r *reader) declared(m *history.Command) *script {
	if len(r.scripts) == 0 || !scripted(m) || len(m.Args) < 2 {
		return nil
	}
	text := m.Args[1]
	if verb(m) == "EVALSHA" {
		return r.scripts[strings.ToLower(text)]
	}
	id, known := r.ids[text]
	if !known {
		id = history.ScriptID(text)
		r.ids[text] = id
	}
	return r.scripts[id]
}

// undeclared reports whether a command runs a script of which nobody has said what it does.
func (r *reader) undeclared(m *history.Command) bool { return scripted(m) && r.declared(m) == nil }

// takes reports whether a command may have granted a lock: it writes the key and was not refused.
func (r *reader) takes(m *history.Command) bool {
	if s := r.declared(m); s != nil {
		return s.is(history.ScriptTakes, s.done, m)
	}
	switch verb(m) {
	case "SETNX", "MSETNX", "HSETNX":
		return yes(m.Reply)
	case "SET":
		return m.Reply == "OK" || m.Reply == "true"
	case "GETSET", "INCR", "HINCRBY":
		return answered(m)
	case "EVAL", "EVALSHA", "FCALL":
		return answered(m) && m.Reply != "0"
	}
	return false
}

// takesFree reports whether a command took a lock that nobody had: it cannot have been granted
// while the key was set.
func (r *reader) takesFree(m *history.Command) bool {
	switch verb(m) {
	case "SETNX", "MSETNX":
		return yes(m.Reply)
	case "SET":
		return r.takes(m) && hasWord(m, "NX")
	}
	return r.declared(m) != nil && r.takes(m)
}

func hasWord(m *history.Command, word string) bool {
	for _, a := range m.Args[min(3, len(m.Args)):] {
		if strings.EqualFold(a, word) {
			return true
		}
	}
	return false
}

// denied reports whether a command tried to take a lock and was told that it is taken.
func (r *reader) denied(m *history.Command) bool {
	if !answered(m) {
		return false
	}
	if s := r.declared(m); s != nil {
		return s.is(history.ScriptTakes, s.refused, m)
	}
	switch verb(m) {
	case "SETNX":
		return m.Reply == "0" || m.Reply == "false"
	case "SET":
		return m.Reply == "(nil)" || m.Reply == ""
	case "EVAL", "EVALSHA":
		left, _ := strconv.Atoi(m.Reply) // of the holder's time to live; 0 for what is no number
		return left > 1
	}
	return false
}

// frees reports whether a command is meant to delete a lock. A script that nobody declared is, if a
// release call sends it.
func (c *check) frees(m *history.Command) bool {
	switch verb(m) {
	case "DEL", "UNLINK", "GETDEL":
		return true
	}
	if s := c.reader.declared(m); s != nil {
		return s.does == history.ScriptFrees
	}
	return scripted(m) && c.releasing(m)
}

// deleted reports whether a command said that it deleted the key.
func (c *check) deleted(m *history.Command) bool {
	if s := c.reader.declared(m); s != nil {
		return s.is(history.ScriptFrees, s.done, m)
	}
	if scripted(m) {
		return m.Reply == "1" && c.releasing(m)
	}
	return c.frees(m) && yes(m.Reply)
}

// answered reports whether a command was executed, for all that its client knows.
func answered(m *history.Command) bool {
	return m.Recv != 0 && m.Err == "" && !strings.HasPrefix(m.Reply, "(error)")
}

// verb is the name of a command in upper case.
func verb(m *history.Command) string {
	if len(m.Args) == 0 {
		return ""
	}
	return strings.ToUpper(m.Args[0])
}

func scripted(m *history.Command) bool {
	v := verb(m)
	return v == "EVAL" || v == "EVALSHA" || v == "FCALL"
}

// keyOfCommand returns the key that a command is about.
func keyOfCommand(m *history.Command) string {
	at := 1
	if scripted(m) {
		at = 3
	}
	if len(m.Args) <= at {
		return ""
	}
	return m.Args[at]
}

func yes(reply string) bool {
	if reply == "true" || reply == "OK" {
		return true
	}
	n, err := strconv.Atoi(reply)
	return err == nil && n > 0
}
