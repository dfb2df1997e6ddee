package trace

import (
	"slices"
	"strconv"

	"github.com/lockbench/lockbench/internal/history"
)

// firstKey is where a script has its first key among its arguments.
const firstKey = 3

// onePerKey replaces each script that names several keys by one command for each key that the
// script may have reached. The first key comes last: GrantOf prefers it.
func (k *scripts) onePerKey(all []history.Command) (out []history.Command) {
	if several := slices.ContainsFunc(all, namesSeveral); !several {
		return all
	}
	for _, m := range all {
		for at := firstKey + numberOfKeys(&m) - 1; at > firstKey; at-- {
			if k.mayReach(&m, m.Args[at]) {
				about := m
				about.About = at
				out = append(out, about)
			}
		}
		out = append(out, m)
	}
	return out
}

func namesSeveral(m history.Command) bool { return numberOfKeys(&m) > 1 }

// mayReach reports whether a script may have changed a key that is not the first it names. If its
// node showed commands, these name the key. A script that the header describes takes its first key;
// it may delete or prolong each.
func (k *scripts) mayReach(m *history.Command, key string) bool {
	if s := k.declared(m); s != nil {
		return s.does != history.ScriptTakes
	}
	return len(m.Effects) == 0 || slices.ContainsFunc(m.Effects, func(args []string) bool {
		return slices.Contains(args[1:], key)
	})
}

// numberOfKeys returns how many keys a script names; 0 if a command is no script.
func numberOfKeys(m *history.Command) int {
	if !scripted(m) || len(m.Args) < firstKey {
		return 0
	}
	keys, _ := strconv.Atoi(m.Args[firstKey-1])
	return max(0, min(keys, len(m.Args)-firstKey))
}
