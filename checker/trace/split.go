package trace

import (
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/internal/history"
)

// someOf is the reply for each key of a deletion that found only some of its keys.
const someOf = "some of its keys"

// onePerKey returns commands in which each deletion of several keys is replaced by one of each key.
// A key that no command can have written was not there. If the reply counts some of the others, it
// is unknown which of them were.
func onePerKey(commands []history.Command) []history.Command {
	several := func(m history.Command) bool {
		return len(m.Args) > 2 && (Verb(&m) == "DEL" || Verb(&m) == "UNLINK")
	}
	if !slices.ContainsFunc(commands, several) {
		return commands
	}
	written := mayBeWritten(commands)
	var out []history.Command
	for _, m := range commands {
		if !several(m) {
			out = append(out, m)
			continue
		}
		name, keys, reply := m.Args[0], m.Args[1:], m.Reply
		there := 0
		for _, key := range keys {
			if written[key] {
				there++
			}
		}
		for _, key := range keys {
			m.Args, m.Reply = []string{name, key}, replyFor(reply, written[key], there)
			out = append(out, m)
		}
	}
	return out
}

// replyFor returns the reply for one key of a deletion, of which so many may have been there.
func replyFor(reply string, written bool, there int) string {
	n, err := strconv.Atoi(reply)
	switch {
	case err != nil || n <= 0:
		return reply
	case !written && n <= there:
		return "0"
	case n >= there:
		return "1"
	}
	return someOf
}

// mayBeWritten returns the keys that commands may have written: those of writes, and all words of
// scripts and of commands that are not known.
func mayBeWritten(commands []history.Command) map[string]bool {
	keys := map[string]bool{}
	for i := range commands {
		m := &commands[i]
		c, known := commandOf(m)
		switch {
		case len(m.Args) < 2:
		case !known || c.kind == Script:
			for _, word := range m.Args[1:] {
				keys[word] = true
			}
		case EffectOf(m.Args).Kind.Writes():
			keys[Key(m)] = true
		}
		for _, effect := range m.Effects {
			for _, word := range effect {
				keys[word] = true
			}
		}
	}
	return keys
}

// commandOf returns what is known of a command.
func commandOf(m *history.Command) (command, bool) {
	c, known := commands[Verb(m)]
	return c, known
}
