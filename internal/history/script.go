package history

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The effects of a script on its first key, the lock.
const (
	ScriptTakes    = "take"
	ScriptProlongs = "prolong"
	ScriptFrees    = "free"
)

// A Script is a lock's declaration of one of its Lua scripts. Only the script's author knows the
// meaning of its replies. With the declaration, a reader of the trace can tell a grant from a
// refusal. Replies are written as in trace.jsonl, and a regular expression must match the whole
// reply. A reply that matches none has no meaning.
type Script struct {
	Does string `json:"does"` // take, prolong or free
	// the reply after success; for "free" the key is then deleted
	Done string `json:"done"`
	// the reply if nothing was changed; for "take" because another client has the key
	Refused string `json:"refused,omitempty"`
	// the reply to "free" if the key stays: the owner holds the lock more than once
	Kept string `json:"kept,omitempty"`
}

// ScriptID returns Redis' name of a script: the SHA-1 of its text, in hexadecimal digits. EVALSHA
// has it in place of the text.
func ScriptID(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Readable returns a command's arguments for people. It replaces a script's text or SHA-1 by the
// declared effect, or by the start of its ID, and adds the stamp of the run to each time of a wall
// clock. It does not change args.
func (h Header) Readable(args []string) []string {
	if len(args) < 2 {
		return args
	}
	return h.timed(h.named(args))
}

// WithTimes returns a command with its reply for people. It adds the stamp of the run to each time
// of a wall clock.
func (h Header) WithTimes(c Command) Command {
	c.Reply = h.timed([]string{c.Reply})[0]
	return c
}

// named replaces the text of a script by its effect.
func (h Header) named(args []string) []string {
	id := strings.ToLower(args[1])
	switch strings.ToLower(args[0]) {
	case "eval", "eval_ro":
		id = ScriptID(args[1])
	case "evalsha", "evalsha_ro":
	default:
		return args
	}
	what := " " + id[:min(6, len(id))]
	for declared, s := range h.Scripts {
		if strings.ToLower(declared) == id {
			what = ": " + s.Does
		}
	}
	out := slices.Clone(args)
	out[1] = "<script" + what + ">"
	return out
}

// timed adds the stamp of the run after each argument that is a time close to the run, in seconds,
// milliseconds, microseconds or nanoseconds since 1970.
func (h Header) timed(args []string) []string {
	began, err := time.Parse(time.RFC3339Nano, h.Started)
	if err != nil {
		return args
	}
	var out []string
	for i, a := range args {
		if at, ok := stampOf(a, began); ok {
			if out == nil {
				out = slices.Clone(args)
			}
			out[i] = fmt.Sprintf("%s <%.3f s>", a, at.Seconds())
		}
	}
	if out == nil {
		return args
	}
	return out
}

// stampOf returns the time between began and the time in a text, if the text is a time close to
// began.
func stampOf(text string, began time.Time) (at time.Duration, ok bool) {
	const fewest, most = len("1000000000"), len("1000000000000000000")
	if len(text) < fewest || len(text) > most || text[0] < '1' || text[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	for unit := time.Second; unit >= time.Nanosecond; unit /= 1000 {
		// from one hour before the run to one day after its start, because clocks under test may be wrong
		whole := n * unit.Seconds()
		if d := whole - float64(began.UnixNano())/1e9; d > -3600 && d < 86400 {
			return time.Duration(d * float64(time.Second)), true
		}
	}
	return 0, false
}
