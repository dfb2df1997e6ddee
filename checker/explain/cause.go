package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// This file explains the cause of two overlapping holds: the value that was lost, its server, and
// the earlier step that made the loss possible. It reports only observed steps.

// cause returns a sentence or two, or "" if the story in the order of time says it all. If several
// servers know nothing of each other, it begins with the votes of each holder.
func cause(faults []record.Fault, p *record.Pair, v verdict.Property) string {
	words := causeOf(faults, p, v)
	if words != "" {
		words = Say("Cause: %s", words)
	}
	if v.OneValue != "" {
		words = strings.TrimSpace(words + " " + OneToken(v.OneValue))
	}
	return strings.TrimSpace(votes(p) + " " + words)
}

// votes says which of several servers had granted each hold, or "" if there is one server.
func votes(p *record.Pair) string {
	if len(p.VotesA) == 0 || len(p.VotesB) == 0 {
		return ""
	}
	return Say("Votes: client %d had %s, client %d had %s.", p.A.Process, enumerated(p.VotesA),
		p.B.Process, enumerated(p.VotesB))
}

// ByVotes says why two clients had a majority of several servers, and which. It returns "" if there
// is one server.
func ByVotes(faults []record.Fault, p *record.Pair, v verdict.Property) string {
	words, had, both := Because(faults, p, v), votes(p), votedForBoth(p)
	switch {
	case had == "" || words == "" && len(both) == 0:
		return ""
	case words == "" && v.Class == verdict.LostByServer:
		words = Say("%s voted for both, and no longer had the key of client %d.", enumerated(both),
			p.A.Process)
	case words == "":
		words = Say("%s voted for both.", enumerated(both))
	}
	return words + " " + had
}

// votedForBoth returns the servers that granted both holds, of several.
func votedForBoth(p *record.Pair) []string {
	return slices.DeleteFunc(slices.Clone(p.VotesA), func(node string) bool {
		return !slices.Contains(p.VotesB, node)
	})
}

func causeOf(faults []record.Fault, p *record.Pair, v verdict.Property) string {
	switch v.Class {
	case verdict.LostByServer:
		return lostBy(faults, p)
	case verdict.Clock:
		return clockOf(faults, p)
	case verdict.ReleasedByNonOwner, verdict.LateMessage:
		return deletedBy(faults, p, v.Witness.Commands)
	case verdict.CheckThenSet:
		return lookedFirst(v.Witness.Commands)
	case verdict.DoubleGrant:
		return grantedTwice(p, v.Witness.Commands)
	case verdict.Vanished:
		return cmp.Or(emptied(faults, p), vanished(p, v.Witness.Commands))
	case verdict.LeaseOverrun, verdict.LostRenewal:
		return renewed(faults, p, v.Witness.Commands)
	case verdict.PromisedTooLong:
		return shorter(p, v.Witness.Commands)
	case verdict.SessionLost:
		return sessionOf(faults, p)
	}
	return ""
}

// sessionOf says whose session had ended when the other client was granted the lock, and which
// fault had struck that client or its links before.
func sessionOf(faults []record.Fault, p *record.Pair) string {
	why := ""
	for i := range faults {
		f := &faults[i]
		if f.From < p.B.From && f.To > p.A.Call &&
			(f.Hits(p.A.Process) || f.StrikesLinksOf(p.A.Process, true)) {
			why = Say("%s at %s, and ", Fault(f), Stamp(f.From))
		}
	}
	return why + Say("client %d's session had ended when client %d had the lock at %s; client %d "+
		"left at %s.", p.A.Process, p.B.Process, Stamp(p.B.From), p.A.Process, leaseEnd(p.A.End))
}

// OneToken says that a lock cannot tell two clients apart.
func OneToken(token string) string {
	return Say("Both clients have one token, %q, so that the lock takes one for the other.", token)
}

// emptied says which server lost the first holder's key when an operator deleted all keys.
func emptied(faults []record.Fault, p *record.Pair) string {
	for _, f := range faults {
		if f.Action == nemesis.Flush && f.From > p.A.Call && f.From < p.B.From && hadVote(p, &f) {
			return Say("all keys of %s were deleted at %s, and client %d's key with them.", f.Target,
				Stamp(f.From), p.A.Process)
		}
	}
	return ""
}

// hadVote reports whether a fault hit a server that had the first holder's key. It is true if the
// pair has no votes: then one server had the key.
func hadVote(p *record.Pair, f *record.Fault) bool {
	servers := f.Servers()
	return len(p.VotesA) == 0 || len(servers) == 0 || slices.ContainsFunc(servers,
		func(name string) bool { return slices.Contains(p.VotesA, name) })
}

// vanished says when the key was found missing, and until when it should have been there.
func vanished(p *record.Pair, commands []verdict.WitnessCommand) string {
	why := Say("no client of the run had deleted it: it was evicted, flushed or deleted by a third " +
		"party")
	if m := emptier(commands); m != nil {
		why = Say("client %d had sent %s at %s, which may delete any key", m.Process,
			commandName(&m.Command), Stamp(m.Sent))
	}
	for _, m := range commands {
		if m.Process != p.A.Process && (m.Kind == verdict.Write && m.Free || m.Kind == verdict.Grant) {
			return Say("client %d's %s at %s was answered %q, so the key of client %d was gone. "+
				"Its lease lasts until %s, and %s.", m.Process, commandName(&m.Command), Stamp(m.Sent),
				m.Reply, p.A.Process, leaseEnd(p.A.LeaseAt(m.Recv)), why)
		}
	}
	return ""
}

// emptier returns a command of a client that may have emptied the server, or nil.
func emptier(commands []verdict.WitnessCommand) *verdict.WitnessCommand {
	i := slices.IndexFunc(commands, func(m verdict.WitnessCommand) bool {
		return m.Kind == verdict.Emptying
	})
	if i < 0 {
		return nil
	}
	return &commands[i]
}

// renewed says when and by which client the first holder's key was last renewed, and until when, or
// which renewal failed.
func renewed(faults []record.Fault, p *record.Pair, commands []verdict.WitnessCommand) string {
	for i := range commands {
		switch m := &commands[i]; {
		case m.Kind != verdict.Renewal:
		case errorOf(&m.Command) != "":
			return Say("client %d's renewal (%s at %s) failed: %s. It could have tried again until its "+
				"lease ended at %s, and did not.", m.Process, commandName(&m.Command), Stamp(m.Sent),
				errorOf(&m.Command), leaseEnd(m.Until))
		default:
			end := whileApart(faults, p.A, m.Until)
			if at := p.A.LeaseAt(p.B.From); at > p.B.From {
				end += Say(", although client %d was promised the lock until %s", p.A.Process, leaseEnd(at))
			}
			return Say("the key of client %d was last renewed at %s by client %d's %s, to %s",
				p.A.Process, Stamp(m.Sent), m.Process, commandName(&m.Command), leaseEnd(m.Until)) + end + "."
		}
	}
	return ""
}

// shorter describes a command that asked for a shorter lease than its client was promised.
func shorter(p *record.Pair, commands []verdict.WitnessCommand) string {
	var grant *verdict.WitnessCommand
	for i := range commands {
		m := &commands[i]
		switch {
		case m.Kind == verdict.Grant && m.Process == p.A.Process:
			grant = m
		case m.Kind == verdict.LeaseEnd && m.Of == p.A.Process && grant != nil:
			return Say("client %d's %s at %s asked for a lease until %s, and client %d was promised "+
				"the lock until %s.", p.A.Process, commandName(&grant.Command),
				Stamp(grant.Sent), Stamp(m.Sent),
				p.A.Process, leaseEnd(promisedAt(p.A, p.B.From)))
		}
	}
	return ""
}

// promisedAt returns the end of a hold as its client was promised it until a stamp.
func promisedAt(h *record.Hold, t int64) int64 {
	if h.Valid != record.Forever {
		return h.Valid
	}
	return h.LeaseAt(t)
}

// lostBy describes a grant that a server forgot, or that another server never had.
func lostBy(faults []record.Fault, p *record.Pair) string {
	promoted := func(f record.Fault) bool {
		return f.Promotes() && f.From < p.B.From && f.To > p.A.Granting &&
			(f.Target == p.B.Node || slices.Contains(p.VotesB, f.Target))
	}
	i := slices.IndexFunc(faults, promoted)
	switch {
	case p.A.Node == "" || p.B.Node == "":
		if i < 0 {
			return ""
		}
		return Say("%s was promoted without the key of client %d.", faults[i].Target, p.A.Process)
	case p.A.Node == p.B.Node:
		return Say("%s lost the key that it had written for client %d.", p.A.Node, p.A.Process)
	case i >= 0:
		return Say("%s was promoted without the key that %s had written for client %d.",
			p.B.Node, p.A.Node, p.A.Process)
	}
	return Say("%s did not have the key that %s had written for client %d.", p.B.Node,
		p.A.Node, p.A.Process)
}

// clockOf says whose clock was moved last before the second grant.
func clockOf(faults []record.Fault, p *record.Pair) string {
	var last *record.Fault
	both := votedForBoth(p)
	for i := range faults {
		f := &faults[i]
		servers := f.Servers()
		other := len(both) > 0 && len(servers) > 0 && !slices.ContainsFunc(servers,
			func(name string) bool { return slices.Contains(both, name) })
		if f.Skews(firstCall(p)) && f.From < p.B.From && (last == nil || !other) {
			last = f
		}
	}
	if last == nil {
		return ""
	}
	if client, of := last.Client(); of && client == p.A.Process {
		return Say("client %d's clock was wrong %s: by the clocks of others the end of the lease "+
			"that it wrote was over.", client, skewed(last, p.B.From))
	}
	return Say("by the clock of %s, which was wrong %s, the lease of client %d was over "+
		"before its time.", nemesis.TargetName(last.Target), skewed(last, p.B.From), p.A.Process)
}

// firstCall returns when the first client of a pair called. It may have read its clock then.
func firstCall(p *record.Pair) int64 { return min(p.A.Call, p.B.Call) }

// skewed says from when a clock was wrong, and until when if it was right again before a stamp.
func skewed(f *record.Fault, t int64) string {
	if f.Skews(t) {
		return Say("since %s", Stamp(f.From))
	}
	return Say("from %s to %s", Stamp(f.From), Stamp(f.To))
}

// wrongClock says that the clock of a client was wrong when it sent a command, or returns "".
func wrongClock(faults []record.Fault, process int, sent int64) string {
	for _, f := range faults {
		if f.Hits(process) && f.Skews(sent) && f.From < sent {
			return Say(". Client %d's clock was wrong since %s", process, Stamp(f.From))
		}
	}
	return ""
}

// deletedBy says which client deleted the first holder's key, on which server, and why it believed
// that the key was its own.
func deletedBy(faults []record.Fault, p *record.Pair, commands []verdict.WitnessCommand) string {
	m := likelyDeletion(commands)
	if m == nil {
		return ""
	}
	words := Say("client %d %s the key that client %d had taken", m.Process, deletedVerb(m),
		p.A.Process)
	switch {
	case m.Process == p.A.Process && m.N == 0:
		words = Say("client %d itself %s the key that it had taken", m.Process, deletedVerb(m))
	case m.Process == p.A.Process:
		words = Say("a release of an earlier attempt of client %d %s the key that it had taken since",
			m.Process, deletedVerb(m))
	}
	if m.Node != "" {
		words += Say(", on %s", m.Node)
	}
	words += describeEnabler(m, commands)
	for _, process := range []int{m.Process, p.A.Process} {
		words += wrongClock(faults, process, m.Sent)
	}
	return words + "."
}

// likelyDeletion returns the first command that certainly deleted the key, or else the first that
// may have, or nil.
func likelyDeletion(commands []verdict.WitnessCommand) (likely *verdict.WitnessCommand) {
	for i := range commands {
		m := &commands[i]
		switch {
		case !m.Kind.Deletes():
		case isCertain(m):
			return m
		case likely == nil:
			likely = m
		}
	}
	return likely
}

// describeEnabler describes the step that made a deletion possible: its sender's own lease had
// ended, or it was under way since before the grant.
func describeEnabler(m *verdict.WitnessCommand, commands []verdict.WitnessCommand) (words string) {
	if m.Kind == verdict.LateDelete && !m.Copy {
		return Say(": it was under way since %s, before that key was taken", Stamp(m.Sent))
	}
	for _, c := range commands {
		if c.Kind == verdict.LeaseEnd && c.Of == m.Process && c.Sent <= m.Sent {
			words = Say(": its own lease had ended at %s", Stamp(c.Sent))
		}
	}
	if m.Trying && words == "" {
		words = Say(": it was acquiring the lock, and this was a part of its attempt")
	}
	switch {
	case m.Copy && m.First != 0:
		words += Say(": it was the second copy of what this client had sent at %s", Stamp(m.First))
	case m.Copy:
		words += Say(": it arrived twice")
	case m.First != 0:
		words += Say("%s it had sent this deletion at %s and got no reply, so that it was sent again",
			map[bool]string{true: ":", false: ", and"}[words == ""], Stamp(m.First))
	}
	return words
}

// grantedTwice names the lock's own commands that freed or took over the key.
func grantedTwice(p *record.Pair, commands []verdict.WitnessCommand) string {
	for _, m := range commands {
		switch m.Kind {
		case verdict.Write:
			if m.Free {
				return Say("client %d's %s at %s was answered %q: the key was free then, and nothing "+
					"that was recorded says why.", m.Process, commandName(&m.Command), Stamp(m.Sent), m.Reply)
			}
			if m.Over {
				return Say("client %d's %s at %s was answered %q and wrote over client %d's "+
					"key.", m.Process, commandName(&m.Command), Stamp(m.Sent), m.Reply, p.A.Process)
			}
		case verdict.OwnDelete:
			freed := Say("freed")
			if !isCertain(&m) {
				freed = Say("may have freed")
			}
			return Say("client %d's own %s at %s %s the key while it was inside.", p.A.Process,
				commandName(&m.Command), Stamp(m.Sent), freed)
		}
	}
	return ""
}

// lookedFirst names the commands by which both clients read the key as free.
func lookedFirst(commands []verdict.WitnessCommand) string {
	var looks []string
	for i := range commands {
		if m := &commands[i]; m.Kind == verdict.Look {
			looks = append(looks, Say("client %d (%s at %s)", m.Process, commandName(&m.Command),
				Stamp(m.Sent)))
		}
	}
	if len(looks) < 2 {
		return ""
	}
	return Say("%s both read the key as free before either wrote it, and each wrote whatever was "+
		"there.", enumerated(looks))
}

// errorOf returns the error with which a command was answered, or why it was not, or "".
func errorOf(m *history.Command) string {
	reply, isError := strings.CutPrefix(m.Reply, "(error) ")
	if m.Err == "" && isError {
		return strings.TrimSuffix(reply, ".")
	}
	return m.Err
}

// commandName returns the name of a command, such as DEL or EVAL.
func commandName(m *history.Command) string {
	if len(m.Args) == 0 {
		return ""
	}
	return strings.ToUpper(m.Args[0])
}
