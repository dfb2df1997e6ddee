package checker

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/history"
	"github.com/lockbench/lockbench/nemesis"
)

// maxFaults is how many faults a story tells at most.
const maxFaults = 8

// happening is one thing that is told.
type happening struct {
	t     int64
	about string // the target of a fault; "" for what is no fault
	words string // explain.Say("n0 was killed"), without the time
	tail  string // what comes behind the time
}

// words tells a violation in the order of time: who was granted what by whom and when, what
// happened in between, and how long both were inside.
func (c *check) words(p *pair, v Property) string {
	told := []happening{
		{t: p.a.From, words: explain.Say("client %d was granted lock %d%s", p.a.Process, p.key, by(p.a))},
		{t: p.b.From, words: explain.Say("client %d was granted the same lock%s", p.b.Process, by(p.b))},
	}
	told = append(told, c.struckBetween(p, v)...)
	if end := p.a.LeaseAt(p.b.From); end <= p.b.From {
		told = append(told, happening{t: end, words: explain.Say("client %d's lease ran out",
			p.a.Process), tail: c.whilePaused(p.a.Process, end)})
	}
	for _, m := range v.Witness.Commands {
		if m.Kind.Deletes() {
			told = append(told, happening{t: m.Sent, words: explain.Say("client %d sent %q", m.Process,
				c.commandText(&m.Command)), tail: explain.Say(", which %s of client %d", deletes(m, "deleted"),
				p.a.Process)})
		}
	}
	slices.SortStableFunc(told, func(a, b happening) int { return cmp.Compare(a.t, b.t) })
	story := tell(told) + " " + p.together()
	switch {
	case p.rule == record.WhileLeased:
		story += explain.Say(" Both leases were valid then%s.", leaseNote(p))
	case p.rule == record.AsDeclared:
		story += explain.Say(" By the lock's own word both of them held it.")
	}
	return story + explain.Say(" Class: %s%s.", v.Class, assumed(v.Assumption))
}

// commandText is a command in the words of a story.
func (c *check) commandText(m *history.Command) string {
	return strings.Join(c.history.Header.Readable(m.Args), " ")
}

// tell makes sentences of happenings. Faults that follow each other share one.
func tell(hs []happening) string {
	var out []string
	for len(hs) > 0 {
		n := 1
		for hs[0].about != "" && n < len(hs) && hs[n].about != "" {
			n++
		}
		words := joined(hs[:n])
		if named := hs[0].about != "" && strings.HasPrefix(words, hs[0].about); named {
			out = append(out, words+".") // "n0", not "N0"
		} else {
			out = append(out, sentence(words))
		}
		hs = hs[n:]
	}
	return strings.Join(out, " ")
}

// joined is "at 0.001 s n0 was killed" for one fault, "n0 was killed at 0.001 s, n1 was promoted at
// 0.002 s and clients were directed to it at 0.003 s" for several, and "client 1 sent "DEL k" at
// 0.004 s, which ..." for what is no fault.
func joined(hs []happening) string {
	if h := hs[0]; len(hs) == 1 && h.about != "" {
		return explain.Say("at %s %s", at(h.t), h.words)
	}
	var parts []string
	for i, h := range hs {
		words := h.words
		if i > 0 && h.about == hs[i-1].about {
			words = withIt(words, nemesis.TargetName(h.about))
		}
		parts = append(parts, explain.Say("%s at %s%s", words, at(h.t), h.tail))
	}
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return explain.Say("%s and %s", strings.Join(parts[:last], ", "), parts[last])
}

// withIt puts "it" for a name at the beginning or the end.
func withIt(words, name string) string {
	if rest, ok := strings.CutPrefix(words, name+" "); ok {
		return explain.Say("it ") + rest
	}
	if rest, ok := strings.CutSuffix(words, " "+name); ok {
		return rest + explain.Say(" it")
	}
	return words
}

// together says until when both were inside, for how long, and what ended it.
func (p *pair) together() string {
	still, other, end := p.a, p.b, p.sa.End
	if p.sb.End < p.sa.End {
		still, other, end = p.b, p.a, p.sb.End
	}
	length := brief(p.to - p.from)
	switch {
	case still == p.a && end == still.End:
		return explain.Say("Client %d was still inside until %s%s: both were inside for %s.",
			still.Process, at(end), how(still), length)
	case end == still.End:
		return explain.Say(
			"Client %d was inside until %s%s, and client %d still was then: both were inside for %s.",
			still.Process, at(end), how(still), other.Process, length)
	case p.rule == record.WhileLeased && end == still.LeaseAt(max(p.sa.From, p.sb.From)):
		return explain.Say("Both were inside for %s until client %d's lease ran out at %s.", length,
			still.Process, at(end))
	}
	return explain.Say("Both were inside for %s until %s.", length, at(end))
}

// struckBetween tells the faults that belong to the story of a pair: those that began before the
// second grant, unless they were over when the first hold began and cannot have caused anything,
// and unless they struck a client that has no part in it.
func (c *check) struckBetween(p *pair, v Property) []happening {
	var out []happening
	for _, f := range c.faults {
		if f.From >= p.b.From || over(&f, p, v.Class) || !takesPart(f, p, v.Witness.Commands) {
			continue
		}
		begin, end := nemesis.Tell(f.Action, f.Target)
		out = append(out, happening{t: f.From, about: cmp.Or(f.Target, f.Action), words: begin})
		if end != "" && !f.Lasting && f.To < p.to {
			out = append(out, happening{t: f.To, about: cmp.Or(f.Target, f.Action), words: end})
		}
	}
	slices.SortStableFunc(out, func(a, b happening) int { return cmp.Compare(a.t, b.t) })
	if n := len(out); n > maxFaults {
		half := maxFaults / 2
		more := happening{t: out[half].t, about: "more",
			words: explain.Say("%d more things began or ended", n-maxFaults)}
		out = append(append(slices.Clone(out[:half]), more), out[n-half:]...)
	}
	return out
}

// over reports whether a fault was over before the first hold of a pair began, and cannot have
// caused the violation.
func over(f *record.Fault, p *pair, class string) bool {
	caused := f.Unbearable() || class == LateMessage
	return !f.MovesClock() && (f.To <= p.a.Call || f.To <= p.a.From && !caused)
}

// takesPart reports whether a fault struck a node, all clients, or one of whom the witness
// tells. Where no commands are known, any may.
func takesPart(f record.Fault, p *pair, commands []WitnessCommand) bool {
	who, _, _ := strings.Cut(f.Target, ">")
	process, client := record.ClientOf(who)
	if !client || len(commands) == 0 || f.Unbearable() || process == p.a.Process ||
		process == p.b.Process {
		return true
	}
	return slices.ContainsFunc(commands, func(m WitnessCommand) bool { return m.Process == process })
}

// whilePaused is " while it was paused" if the nemesis had its hands on the client then.
func (c *check) whilePaused(process int, t int64) string {
	for _, f := range c.faults {
		if f.Hits(process) && f.Pauses() && f.From <= t && t <= f.To {
			return explain.Say(" while it was paused")
		}
	}
	return ""
}

// brief writes a length of time for people: "1.24 s", "178 ms", "3.2 ms", "340 µs", "5 ns".
func brief(ns int64) string {
	d := float64(ns)
	switch {
	case ns >= int64(time.Second):
		return explain.Say("%.2f s", d/1e9)
	case ns >= int64(10*time.Millisecond):
		return explain.Say("%.0f ms", d/1e6)
	case ns >= int64(time.Millisecond):
		return explain.Say("%.1f ms", d/1e6)
	case ns >= int64(time.Microsecond):
		return explain.Say("%.0f µs", d/1e3)
	}
	return explain.Say("%d ns", ns)
}

// at writes a stamp for people: "1.204 s".
func at(t int64) string { return explain.Say("%.3f s", float64(t)/float64(time.Second)) }
