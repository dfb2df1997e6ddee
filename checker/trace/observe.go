package trace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
)

// Observe finds the effects of scripts that the header does not describe: a node shows the commands
// of a script right after the command that ran it. It returns a line of the trace, with its
// Effects, for each command whose effects are certain. Nodes are the streams of MONITOR, in the
// run's time.
//
// The order tells which of several equal commands a node shows. Observe uses it only if no other
// command is possible: a command without a reply may never have arrived, or late. A server may show
// a command, too, whose script it did not know and did not run.
func Observe(h history.Header, commands []history.Command,
	nodes map[string][]history.NodeCommand) (lines []history.Command) {
	r := NewReader(h)
	sent, notRun := map[string][]*history.Command{}, map[string]bool{}
	for i := range commands {
		m := &commands[i]
		switch at := place(m.Node, m.Args); {
		case !r.Undeclared(m):
		case notExecuted(m):
			notRun[at] = true
		default:
			sent[at] = append(sent[at], m)
		}
	}
	if len(sent) == 0 {
		return nil
	}
	runs := map[string][]run{}
	for node, shown := range nodes {
		for _, x := range scriptRuns(shown) {
			at := place(node, x.args)
			if len(x.effects) > 0 || !notRun[at] {
				runs[at] = append(runs[at], x)
			}
		}
	}
	for at, ms := range sent {
		lines = append(lines, match(ms, runs[at])...)
	}
	slices.SortFunc(lines, func(a, b history.Command) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Seq, b.Seq))
	})
	return lines
}

func place(node string, args []string) string { return node + "\x00" + strings.Join(args, "\x00") }

// run is one run of a script, as a node showed it.
type run struct {
	t       int64 // when it had taken place
	args    []string
	effects [][]string
}

// scriptRuns returns the commands that a node showed, with the commands of their scripts.
func scriptRuns(shown []history.NodeCommand) (all []run) {
	for i := range shown {
		said, ok := shown[i].Shown()
		switch {
		case !ok:
		case !said.Script:
			all = append(all, run{t: shown[i].T, args: said.Args})
		case len(all) > 0:
			last := &all[len(all)-1]
			last.effects = append(last.effects, said.Args)
		}
	}
	return all
}

// match assigns the shown effects to equal commands, in the order of sending.
func match(sent []*history.Command, shown []run) (lines []history.Command) {
	var answered []*history.Command
	for _, m := range sent {
		if m.Recv != 0 && m.Err == "" {
			answered = append(answered, m)
		}
	}
	switch {
	case len(shown) == len(sent) && changedTheSame(shown): // all of them came
		return same(sent, shown)
	case len(shown) > len(answered) && changedTheSame(shown):
		return same(answered, shown[:len(answered)])
	case len(shown) != len(answered):
		return nil
	}
	for len(answered) > 0 {
		n := atOnce(answered)
		if changedTheSame(shown[:n]) {
			lines = append(lines, same(answered[:n], shown[:n])...)
		}
		answered, shown = answered[n:], shown[n:]
	}
	return lines
}

// same assigns what all of the shown runs did to each command that was sent before its run was
// shown.
func same(ms []*history.Command, shown []run) (lines []history.Command) {
	effects := common(shown)
	for i, m := range ms {
		if shown[i].t >= m.Sent && len(effects) > 0 {
			lines = append(lines, history.Command{Process: m.Process, Seq: m.Seq, Effects: effects})
		}
	}
	return lines
}

// common returns the effects that all runs had, in the order of the first.
func common(runs []run) (effects [][]string) {
	if len(runs) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(runs[0].effects), func(args []string) bool {
		return slices.ContainsFunc(runs, func(x run) bool {
			return !slices.ContainsFunc(x.effects, func(o []string) bool { return slices.Equal(o, args) })
		})
	})
}

// changedTheSame reports whether all runs changed the same. They may have read different things: a
// script may ask who owns a key only if the key exists.
func changedTheSame(runs []run) bool {
	for _, x := range runs {
		if !slices.EqualFunc(changes(x), changes(runs[0]), slices.Equal) {
			return false
		}
	}
	return true
}

// changes returns the effects of a run without the commands that only read or publish.
func changes(x run) [][]string {
	return slices.DeleteFunc(slices.Clone(x.effects), func(args []string) bool {
		return silent[verb(args)] && EffectOf(args).Kind == None
	})
}

// atOnce returns how many of the answered commands were under way together with the first, directly
// or through others. Their order on the server is unknown.
func atOnce(ms []*history.Command) int {
	var over int64
	for i, m := range ms {
		if i > 0 && m.Sent >= over {
			return i
		}
		over = max(over, m.Recv)
	}
	return len(ms)
}

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
