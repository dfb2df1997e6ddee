package trace

import (
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/internal/history"
)

// someOf is the reply for each key of a deletion that found only some of its keys.
const someOf = "some of its keys"

// DeletedSome reports whether a deletion found only some of its keys, so that its own key is away
// after it, and may have been before.
func DeletedSome(m *history.Command) bool { return m.Reply == someOf }

// onePerKey replaces each deletion of several keys by one deletion of each key. It takes a key for
// absent if no command can have written it. If the reply counts only some of the remaining keys,
// each of them gets the reply someOf, because the reply does not tell which of them it counts.
func onePerKey(all []history.Command) []history.Command {
	if !slices.ContainsFunc(all, deletesSeveral) {
		return all
	}
	written := mayBeWritten(all)
	var out []history.Command
	for _, m := range all {
		if !deletesSeveral(m) {
			out = append(out, m)
			continue
		}
		name, keys, reply, present := m.Args[0], m.Args[1:], m.Reply, 0
		for _, key := range keys {
			if written[key] {
				present++
			}
		}
		for _, key := range keys {
			m.Args, m.Reply = []string{name, key}, replyFor(reply, written[key], present)
			out = append(out, m)
		}
	}
	return out
}

// Continues reports whether a command and the one before it were one command with several keys.
func Continues(all []*history.Command, i int) bool {
	return i > 0 && all[i-1].Process == all[i].Process && all[i-1].Seq == all[i].Seq
}

func deletesSeveral(m history.Command) bool {
	return len(m.Args) > 2 && (Verb(&m) == "DEL" || Verb(&m) == "UNLINK")
}

// replyFor divides the reply to a deletion: it returns the part for one key, where at most present
// keys can have existed.
func replyFor(reply string, written bool, present int) string {
	n, err := strconv.Atoi(reply)
	switch {
	case err != nil || n <= 0:
		return reply
	case !written && n <= present:
		return "0"
	case n >= present:
		return "1"
	}
	return someOf
}

// mayBeWritten returns the keys that commands may have written. A script, or a command that the
// package does not know, may write each of its words.
func mayBeWritten(all []history.Command) map[string]bool {
	keys := map[string]bool{}
	note := func(words []string) {
		for _, word := range words {
			keys[word] = true
		}
	}
	for i := range all {
		m := &all[i]
		c, known := commands[Verb(m)]
		switch {
		case !known || c.kind == Script:
			note(m.Args)
		case EffectOf(m.Args).Kind.Writes():
			keys[Key(m)] = true
		}
		for _, effect := range m.Effects {
			note(effect)
		}
	}
	return keys
}
