package trace

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// Resent finds the commands that a client library sent again by itself when no reply came: its
// client has sent a command once, and its node shows it more often. It returns a line of the trace
// for each, with Again. Only commands that can write a lock are looked at. Nodes are the streams of
// MONITOR.
func Resent(commands []history.Command, nodes map[string][]history.NodeCommand,
) (lines []history.Command) {
	sent := map[string][]*history.Command{}
	for i := range commands {
		if m := &commands[i]; EffectOf(m.Args).Kind.Writes() {
			sent[place(m.Node, m.Args)] = append(sent[place(m.Node, m.Args)], m)
		}
	}
	for node, shown := range nodes {
		times := map[string]int{}
		for _, x := range scriptRuns(shown) {
			times[place(node, x.args)]++
		}
		for at, n := range times {
			if ms := sent[at]; len(ms) == 1 && n > 1 && ms[0].Again == 0 {
				lines = append(lines, history.Command{Process: ms[0].Process, Seq: ms[0].Seq, Again: n - 1})
			}
		}
	}
	slices.SortFunc(lines, func(a, b history.Command) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Seq, b.Seq))
	})
	return lines
}
