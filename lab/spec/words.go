package spec

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockbench/lockbench/internal/history"
)

// script is a word of a specification that matches the text of a Lua script. Its value is the name
// of the script's file in package impls.
type script string

// The scripts of the documents.
const (
	releaseScript       script = "release.lua"             // D003 §5, D004 line 75
	releasePostedScript script = "release_posted.lua"      // D004 line 75, letter by letter
	takeScript          script = "setnx_expire.lua"        // D004 line 47, without its mistakes
	takePostedScript    script = "setnx_expire_posted.lua" // D004 line 47, letter by letter
	extendScript        script = "extend.lua"              // Redis' own description
	redissonScript      script = "redisson_acquire.lua"    // D001 lines 497 to 511
	fencedScript        script = "redisson_fenced_acquire.lua"
	renewScript         script = "redisson_renew.lua"  // D001 lines 685 to 689
	unlockScript        script = "redisson_unlock.lua" // D001 lines 736 to 748
	spinScript          script = "redisson_spin_unlock.lua"
)

// scripts has the SHA-1 of each script's texts. A changed script has another SHA-1 and does not
// match.
var scripts = map[script][]string{
	releaseScript:       {"e9f69f2beb755be68b5e456ee2ce9aadfbc4ebf4"},
	releasePostedScript: {"06ae145d6643421e92e5e53a35a428719bf4564d"},
	// with EXPIRE, and with PEXPIRE for a lease with a fraction of a second
	takeScript: {"1915ffc0745df33e9eb821fe3a996cab773a575d",
		"1b6513968874da843ab717ae951004690b193e05"},
	takePostedScript: {"f3f68d3d59696570363d43f8dc179443564377f6"},
	extendScript:     {"9136fcf51831e5cf49f109b6e9c97d5b675280d6"},
	redissonScript:   {"dad0f8d619e548e04f21fb48d50be5034df3adae"},
	fencedScript:     {"9817cd851d746099fe1c06dc0f796edfbb191b75"},
	renewScript:      {"8e19a1ddbdee9138df9f32a480c57addab4353d1"},
	unlockScript:     {"3420c671e4f6921b37d8c938ec1cbcb8e283bb70"},
	spinScript:       {"3b54f306edfd068bd6e61cf249ccba1d75bde65f"},
}

// runs reports whether a command executes a script.
func runs(m *history.Command, s script) bool {
	if len(m.Args) < 2 || !strings.EqualFold(m.Args[0], "EVAL") {
		return false
	}
	id := history.ScriptID(m.Args[1])
	for _, known := range scripts[s] {
		if id == known {
			return true
		}
	}
	return false
}

// format returns a command for people. It replaces a script's text by its name, or by a part of its
// SHA-1 if the script is unknown.
func format(m *history.Command) string {
	if len(m.Args) < 2 || !strings.EqualFold(m.Args[0], "EVAL") {
		return m.String()
	}
	short := slices.Clone(m.Args)
	short[1] = "another script, " + history.ScriptID(m.Args[1])[:8] + ","
	for name := range scripts {
		if runs(m, name) {
			short[1] = string(name)
		}
	}
	return strings.Join(short, " ")
}

// like reports whether a command has these words, and sets the words that are a *string.
func like(m *history.Command, words []any) bool {
	if len(m.Args) != len(words) {
		return false
	}
	for i, w := range words {
		switch w := w.(type) {
		case string:
			if m.Args[i] != w && (i > 0 || !strings.EqualFold(m.Args[i], w)) {
				return false
			}
		case script:
			if !runs(m, w) {
				return false
			}
		}
	}
	for i, w := range words {
		if to, ok := w.(*string); ok {
			*to = m.Args[i]
		}
	}
	return true
}

// shown returns words for people.
func shown(words []any) string {
	var out []string
	for _, w := range words {
		switch w := w.(type) {
		case string:
			out = append(out, w)
		case script:
			out = append(out, string(w))
		default:
			out = append(out, "…")
		}
	}
	return strings.Join(out, " ")
}

// reply is the reply to a command. Its Command is nil if no command was read.
type reply struct {
	*history.Command
	acks int // replicas that confirmed it
}

// failed reports whether the command got an error or no reply.
func (r reply) failed() bool {
	return r.Command == nil || r.Recv == 0 || r.Err != "" || strings.HasPrefix(r.Reply, "(error) ")
}

func (r reply) is(text string) bool { return !r.failed() && r.Reply == text }

func (r reply) null() bool { return r.is("(nil)") }

// number returns the number in a reply. It returns false if the reply has no number.
func (r reply) number() (float64, bool) {
	if r.failed() {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.Trim(r.Reply, `"`), 64)
	return v, err == nil
}

// text returns the reply, or "" if there is none.
func (r reply) text() string {
	if r.failed() {
		return ""
	}
	return r.Reply
}

func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}
