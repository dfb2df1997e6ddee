package history

import (
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strings"
)

// What a script does to the lock that is its first key.
const (
	ScriptTakes    = "take"
	ScriptProlongs = "prolong"
	ScriptFrees    = "free"
)

// Script is what a lock declares of one of its Lua scripts, so that a reader of the trace knows a
// grant from a refusal: only the script's author knows what its replies mean. Replies are as
// trace.jsonl has them, and a regular expression stands for the whole of one. A reply that fits
// neither says nothing.
type Script struct {
	Does string `json:"does"` // take, prolong or free
	// the reply that it did: of "free" that the key is deleted
	Done string `json:"done"`
	// the reply that it changed nothing: of "take" because another has the key
	Refused string `json:"refused,omitempty"`
}

// ScriptID names a script as Redis does: the SHA-1 of its text, in hexadecimal digits. EVALSHA has
// it in place of the text.
func ScriptID(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Readable returns a command's arguments as a person reads them: in place of a script's text, or
// its SHA-1, stands what the header declares that it does, or the beginning of its ID. The
// arguments themselves are left alone.
func (h Header) Readable(args []string) []string {
	if len(args) < 2 {
		return args
	}
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
