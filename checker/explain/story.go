package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// maxFaults is how many faults a story tells at most.
const maxFaults = 8

// happening is one step of a story.
type happening struct {
	t     int64
	about string // the target of a fault; "" unless it is a fault
	kind  string // the action of a fault; faults of one kind at one time are told as one
	words string // Say("n0 was killed"), without the time
	tail  string // the words after the time
	rank  int    // a shorter story leaves out the higher ranks
	grant bool
}

// The ranks of happenings: the grants and what ended the right of the first holder, what made that
// possible, and faults beside these and the ends of faults.
const (
	decisive = iota
	enabling
	fault
)

// Story describes two overlapping holds: what happened, the cause, and the class. v is the
// violation with its class and witness.
func Story(header history.Header, faults []record.Fault, p *record.Pair,
	v verdict.Property) string {
	story := Events(header, faults, p, v)[0]
	if why := cause(faults, p, v); why != "" {
		story += " " + why
	}
	return story + Say(" Class: %s%s.", v.Class, assumed(v.Assumption))
}

// Events describes two overlapping holds in the order of time: the grants and their servers, the
// faults in between, and how long both clients were inside. Shorter stories follow the whole one.
// They leave out steps in the middle, the least important ones first.
func Events(header history.Header, faults []record.Fault, p *record.Pair,
	v verdict.Property) (stories []string) {
	told, end := steps(header, faults, p, v), together(p)
	if p.Rule == record.WhileLeased {
		stories = []string{tell(told) + " " + end + bothLeased(p)}
	}
	stories = append(stories, tell(told)+" "+end)
	for rank := fault; rank > decisive; rank-- {
		told = below(told, rank)
		stories = append(stories, tell(told)+" "+end)
	}
	return slices.Compact(stories)
}

// below returns the steps of a lower rank, without the words after a grant.
func below(told []happening, rank int) (out []happening) {
	for _, h := range told {
		if h.grant {
			h.tail = ""
		}
		if h.rank < rank {
			out = append(out, h)
		}
	}
	return out
}

// steps returns what led to two overlapping holds, in the order of time.
func steps(header history.Header, faults []record.Fault, p *record.Pair,
	v verdict.Property) []happening {
	first, second := p.A, p.B
	if second.From < first.From { // it read its reply first
		first, second = second, first
	}
	told := []happening{
		granted(first, Say("lock %d", p.Key)), granted(second, Say("the same lock")),
	}
	if p.A.LeaseAt(p.B.From) <= p.B.From {
		told = append(told, endOfLease(faults, p))
	}
	if t := p.A.Lost; p.B.From <= t && t < p.To {
		told = append(told, happening{t: t, words: Say("client %d was told that its hold was over",
			p.A.Process)})
	}
	told = append(told, looks(v.Witness.Commands)...)
	told = append(told, causeOfDeletion(header, faults, p, v)...)
	told = append(told, deletions(header, p, v.Witness.Commands)...)
	struck := struckBetween(faults, p, v)
	for i := range struck {
		if len(told) > 2 { // another step than the grants
			struck[i].rank = fault
		}
	}
	told = slices.Insert(told, 2, struck...)
	slices.SortStableFunc(told, func(a, b happening) int { return cmp.Compare(a.t, b.t) })
	return told
}

// endOfLease returns the end of the first holder's lease. If only bounds are known, it is the time
// at which the lease was surely over.
func endOfLease(faults []record.Fault, p *record.Pair) happening {
	end := p.A.LatestEnd(p.B.From)
	words := Say("client %d's lease ran out", p.A.Process)
	if end > p.A.LeaseAt(p.B.From) {
		words = Say("client %d's lease had surely ended", p.A.Process)
	}
	return happening{t: end, words: words, tail: whilePaused(faults, p.A.Process, end)}
}

// slow is how late the reply of a grant must be for a story to name the time of its command.
const slow = int64(50 * time.Millisecond)

// granted returns the grant of a lock to a client, at the time when the client learned of it.
func granted(h *record.Hold, lock string) happening {
	told := happening{t: h.From, grant: true,
		words: Say("client %d was granted %s%s", h.Process, lock, by(h))}
	if h.Granting > h.Call && h.From-h.Granting >= slow {
		told.words = Say("client %d heard that it had been granted %s%s", h.Process, lock, by(h))
		told.tail = Say(", having asked at %s", Stamp(h.Granting))
	}
	return told
}

// causeOfDeletion returns what made a client delete the key of the first holder: its own lease had
// ended, or a client had been killed not long before, so that others took its lock over.
func causeOfDeletion(header history.Header, faults []record.Fault, p *record.Pair,
	v verdict.Property) (told []happening) {
	if v.Class != verdict.ReleasedByNonOwner {
		return nil
	}
	for i := range v.Witness.Commands {
		if m := &v.Witness.Commands[i]; m.Kind == verdict.LeaseEnd && m.Of != p.A.Process {
			told = append(told, happening{t: m.Sent, words: Say("client %d's lease ran out", m.Of),
				tail: whilePaused(faults, m.Of, m.Sent), rank: enabling})
		}
	}
	for _, f := range faults {
		process, client := f.Client()
		recent := f.From < p.A.From && f.From+2*int64(header.TTL) >= p.A.From
		if client && f.Action == nemesis.Crash && recent && process != p.A.Process &&
			process != p.B.Process && len(told) == 0 {
			told = append(told, happening{t: f.From, words: Fault(&f), rank: enabling})
		}
	}
	return told
}

// looks returns the reads of a witness that found the key free.
func looks(commands []verdict.WitnessCommand) (told []happening) {
	for i := range commands {
		if m := &commands[i]; m.Kind == verdict.Look {
			told = append(told, happening{t: m.Sent, words: Say("client %d's %s found the key free",
				m.Process, commandName(&m.Command))})
		}
	}
	return told
}

// deletions returns the deletions of a witness. It returns a deletion on several servers once.
func deletions(header history.Header, p *record.Pair, commands []verdict.WitnessCommand,
) (told []happening) {
	nodes := map[string][]string{} // by the words of the step
	for _, m := range commands {
		if !m.Kind.Deletes() {
			continue
		}
		h := happening{t: m.Sent, words: Say("client %d sent %q", m.Process, commandText(header,
			&m.Command)), tail: Say(", which %s of client %d", deletion(m, "deleted"), p.A.Process)}
		same := h.words + h.tail
		if len(nodes[same]) == 0 {
			told = append(told, h)
		}
		if !slices.Contains(nodes[same], m.Node) {
			nodes[same] = append(nodes[same], m.Node)
		}
	}
	for i := range told {
		if to := nodes[told[i].words+told[i].tail]; len(to) > 1 {
			told[i].words += Say(" to %s", enumerated(to))
		}
	}
	return told
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
			out = append(out, units.Sentence(words))
		}
		hs = hs[n:]
	}
	return strings.Join(out, " ")
}

// joined returns "at 0.001 s n0 was killed" for one fault, "n0 was killed at 0.001 s, n1 was
// promoted at 0.002 s and clients were directed to it at 0.003 s" for several, and "client 1 sent
// "DEL k" at 0.004 s, which ..." for anything else.
func joined(hs []happening) string {
	if h := hs[0]; len(hs) == 1 && h.about != "" {
		return Say("at %s %s", Stamp(h.t), h.words)
	}
	var parts []string
	hs = mergeFaults(hs)
	for i, h := range hs {
		words := h.words
		if i > 0 && h.about == hs[i-1].about {
			words = withIt(words, nemesis.TargetName(h.about))
		}
		parts = append(parts, Say("%s at %s%s", words, Stamp(h.t), h.tail))
	}
	return enumerated(parts)
}

// mergeFaults makes one of the faults of a kind that began or ended at once: "n0 was killed, and
// likewise n1".
func mergeFaults(hs []happening) (out []happening) {
	for len(hs) > 0 {
		first, rest := hs[0], []happening{}
		var others []string
		for _, h := range hs[1:] {
			if h.kind != "" && h.kind == first.kind && Stamp(h.t) == Stamp(first.t) {
				others = append(others, nemesis.TargetName(h.about))
			} else {
				rest = append(rest, h)
			}
		}
		if len(others) > 0 {
			first.words, first.about = first.words+Say(", and likewise %s", enumerated(others)), "several"
		}
		out, hs = append(out, first), rest
	}
	return out
}

// withIt puts "it" for a name at the beginning or the end.
func withIt(words, name string) string {
	if rest, ok := strings.CutPrefix(words, name+" "); ok {
		return Say("it ") + rest
	}
	if rest, ok := strings.CutSuffix(words, " "+name); ok {
		return rest + Say(" it")
	}
	return words
}

// together says until when and for how long both were inside, and how that ended.
func together(p *record.Pair) string {
	still, other, end := p.A, p.B, p.SpanA.End
	if p.SpanB.End < p.SpanA.End {
		still, other, end = p.B, p.A, p.SpanB.End
	}
	length := Brief(p.To - p.From)
	switch {
	case still == p.A && end == still.End:
		return Say("Client %d was still inside until %s%s: both were inside for %s.",
			still.Process, Stamp(end), how(still), length)
	case end == still.End:
		return Say(
			"Client %d was inside until %s%s, and client %d still was then: both were inside for %s.",
			still.Process, Stamp(end), how(still), other.Process, length)
	case p.Rule == record.WhileLeased && end == still.LeaseAt(end-1):
		return Say("Both were inside for %s until client %d's lease ran out at %s.", length,
			still.Process, Stamp(end))
	}
	return Say("Both were inside for %s until %s.", length, Stamp(end))
}

// struckBetween returns the faults that belong to the story of a pair: all that began before the
// second grant. It leaves out a fault that ended before the first hold began and cannot have caused
// anything, and a fault that struck an uninvolved client.
func struckBetween(faults []record.Fault, p *record.Pair, v verdict.Property) []happening {
	var out []happening
	for _, f := range faults {
		if f.From >= p.B.From || endedBefore(&f, p, v.Class) || !takesPart(f, p, v.Witness.Commands) {
			continue
		}
		begin, end := f.Tell()
		about := cmp.Or(f.Target, f.Action)
		out = append(out, happening{t: f.From, about: about, kind: f.Action + f.Mode, words: begin})
		if end != "" && !f.Lasting && f.To < p.To {
			out = append(out, happening{t: f.To, about: about, kind: "end of " + f.Action, words: end,
				rank: fault})
		}
	}
	slices.SortStableFunc(out, func(a, b happening) int { return cmp.Compare(a.t, b.t) })
	if n := len(mergeFaults(out)); n > maxFaults {
		out = mergeFaults(out)
		half := maxFaults / 2
		more := happening{t: out[half].t, about: "more",
			words: Say("%s began or ended", plural(n-maxFaults, "more thing"))}
		out = append(append(slices.Clone(out[:half]), more), out[n-half:]...)
	}
	return out
}

// endedBefore reports whether a fault was over before the first client of a pair sent the command
// that granted the lock, and cannot have caused the violation. If the time of that command is
// unknown, it takes the time of the call.
func endedBefore(f *record.Fault, p *record.Pair, class string) bool {
	caused := f.Unbearable() || class == verdict.LateMessage
	if f.MovesClock() {
		return f.Clock != nil && f.To <= firstCall(p)
	}
	return f.To <= p.A.Call || f.To <= p.A.Granting && !caused
}

// takesPart reports whether a fault struck a node, all clients, or a client that the witness
// mentions. If no commands are known, it assumes so.
func takesPart(f record.Fault, p *record.Pair, commands []verdict.WitnessCommand) bool {
	who, _, _ := strings.Cut(f.Target, ">")
	process, client := record.ClientOf(who)
	if !client || len(commands) == 0 || f.Unbearable() || process == p.A.Process ||
		process == p.B.Process {
		return true
	}
	return slices.ContainsFunc(commands, func(m verdict.WitnessCommand) bool {
		return m.Process == process
	})
}

// whilePaused returns " while it was paused" if the nemesis had paused the client then, and names
// the machine if the nemesis had suspended that.
func whilePaused(faults []record.Fault, process int, t int64) string {
	for _, f := range faults {
		switch {
		case !f.Hits(process) || !f.Pauses() || t < f.From || f.To < t:
		case f.Action == nemesis.Suspend:
			return Say(" while its machine was suspended")
		default:
			return Say(" while it was paused")
		}
	}
	return ""
}

// bothLeased says for how long of the overlap both leases were valid.
func bothLeased(p *record.Pair) string {
	end := min(p.A.LeaseAt(p.To-1), p.B.LeaseAt(p.To-1))
	if end < p.To && end > p.From {
		return Say(" Both leases were valid for %s of that%s.", Brief(end-p.From), leaseNote(p))
	}
	return Say(" Both leases were valid then%s.", leaseNote(p))
}

func leaseNote(p *record.Pair) string {
	a, b := p.A.LeaseAt(p.To-1), p.B.LeaseAt(p.To-1)
	if a == record.Forever && b == record.Forever {
		return Say(", since this lock's never end")
	}
	return Say(" (client %d's until %s, client %d's until %s)", p.A.Process, leaseEnd(a),
		p.B.Process, leaseEnd(b))
}

// how describes the end of a hold.
func how(h *record.Hold) string {
	switch h.Ended {
	case record.Released:
		return Say(", when it released")
	case record.Killed:
		return Say(", when it was killed")
	case record.Vanished:
		return Say(", its last sign of life")
	}
	return ""
}
