package trace

import (
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/internal/history"
)

// onePerKey returns commands in which each deletion of several keys is replaced by one of each key.
// If the reply counts some of the keys, it is unknown which of them were there.
func onePerKey(commands []history.Command) []history.Command {
	several := func(m history.Command) bool {
		return len(m.Args) > 2 && EffectOf(m.Args).Kind == Free && (Verb(&m) == "DEL" ||
			Verb(&m) == "UNLINK")
	}
	if !slices.ContainsFunc(commands, several) {
		return commands
	}
	var out []history.Command
	for _, m := range commands {
		if !several(m) {
			out = append(out, m)
			continue
		}
		name, keys := m.Args[0], m.Args[1:]
		switch m.Reply {
		case "0", "":
		case strconv.Itoa(len(keys)):
			m.Reply = "1"
		default:
			m.Reply, m.Err = "", "some of its keys were there"
		}
		for _, key := range keys {
			m.Args = []string{name, key}
			out = append(out, m)
		}
	}
	return out
}
