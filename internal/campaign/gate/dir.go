package gate

import (
	"fmt"
	"path"
	"strings"
)

// dir returns the directory of a run relative to the gate's directory.
func (r *execution) dir(t job, again bool) string {
	i := 0
	for i = range r.gate.Entries {
		if &r.gate.Entries[i] == t.entry {
			break
		}
	}
	name := fmt.Sprintf("seed-%d", t.seed)
	if t.entry.Replay != "" {
		name = "replay"
	}
	if t.entry.Repeats > 1 {
		name += fmt.Sprintf("-%d", t.repeat)
	}
	if again {
		name += "-again"
	}
	return path.Join("runs", fmt.Sprintf("%02d-%s", i+1, slug(t.entry.Name)), name)
}

// slug converts a text to a file name.
func slug(text string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(text) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 48 {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
