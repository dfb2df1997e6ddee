package gate

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// dir returns the directory of a run relative to the gate's directory.
func (r *execution) dir(t job, again bool) string {
	i := slices.IndexFunc(r.gate.Entries, func(e Entry) bool { return e.Name == t.entry.Name })
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

var notInSlug = regexp.MustCompile("[^a-z0-9]+")

// slug converts a text to a file name.
func slug(text string) string {
	s := notInSlug.ReplaceAllString(strings.ToLower(text), "-")
	return strings.Trim(s[:min(48, len(s))], "-")
}
