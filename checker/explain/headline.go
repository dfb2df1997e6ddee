package explain

import (
	"cmp"
	"slices"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/nemesis"
)

// Headline says in one sentence which defect let two clients in, and for how long both were inside.
func Headline(faults []record.Fault, p *record.Pair, v verdict.Property) string {
	s := defect(faults, p, v) + Say(": both were inside for %s.", Brief(p.To-p.From))
	if verdict.FindClass(v.Class).Overrun && v.Class != verdict.SessionLost {
		s += Say(" A longer lease only makes this rarer.")
	}
	return units.Upper(s)
}

// defect says in a clause what went wrong, by the class of a violation.
func defect(faults []record.Fault, p *record.Pair, v verdict.Property) string {
	a, b := p.A.Process, p.B.Process
	next := Say(", and client %d was granted the lock", b)
	switch v.Class {
	case verdict.LeaseOverrun:
		if held(faults, p.A, p.From) {
			return Say("the scenario held client %d at a breakpoint until its lease was over", a) + next
		}
		return Say("client %d was still inside when its lease ended", a) + next
	case verdict.SessionLost:
		if p.B.From < p.A.From {
			return Say("client %d entered after its session had ended, and client %d had the lock", a, b)
		}
		return Say("client %d was still inside when its session ended", a) + next
	case verdict.AfterNotice:
		return Say("client %d was told that its hold was over and stayed inside", a) + next
	case verdict.PromisedTooLong:
		return Say("client %d was promised the lock for longer than its key lived", a) + next
	case verdict.LostRenewal:
		return Say("client %d's key was not renewed in time", a) + next
	case verdict.ReleasedByNonOwner, verdict.LateMessage:
		return wrongRelease(p, v)
	case verdict.LostByServer:
		return forgotten(faults, p) + next
	case verdict.Vanished:
		if m := emptier(v.Witness.Commands); m != nil {
			return Say("client %d's key vanished, and client %d had sent %s", a, m.Process,
				commandName(&m.Command)) + next
		}
		return Say("client %d's key vanished, and no client deleted it", a) + next
	case verdict.Clock:
		return Say("a wrong clock ended client %d's lease early", a) + next
	case verdict.CheckThenSet:
		return Say("clients %d and %d both read the key as free before either wrote it", a, b)
	case verdict.NoServer:
		return Say("no server granted the lock to one of the clients %d and %d", a, b)
	}
	return Say("client %d was granted the lock although client %d was inside", b, a)
}

// held reports whether the scenario carried out a step after the end of a hold's lease, while the
// holder stood at the breakpoint that an earlier step had stopped it at.
func held(faults []record.Fault, h *record.Hold, at int64) bool {
	return slices.ContainsFunc(faults, func(f record.Fault) bool {
		return f.By != nil && *f.By == h.Process && f.From <= h.End &&
			f.From >= max(h.From, h.LeaseAt(at))
	})
}

// wrongRelease names the client that deleted the first holder's key, and the next holder. A late
// message without a deletion is the reply that granted the lock.
func wrongRelease(p *record.Pair, v verdict.Property) string {
	a, b := p.A.Process, p.B.Process
	i := slices.IndexFunc(v.Witness.Commands, func(m verdict.WitnessCommand) bool {
		return m.Kind.Deletes()
	})
	switch {
	case i < 0 && v.Class == verdict.LateMessage:
		if lateHold(p) == p.B {
			a, b = b, a
		}
		return Say("client %d entered on a grant whose lease was over, and client %d had the lock",
			a, b)
	case i < 0:
		return Say("another client deleted the key of client %d, and client %d was granted the lock",
			a, b)
	}
	m := &v.Witness.Commands[i]
	what := deletedVerb(m)
	switch {
	case m.Process == a:
		return Say("a late release of client %d %s the key of its next hold, and client %d was granted "+
			"the lock", a, what, b)
	case v.Class == verdict.LateMessage:
		return Say("a late command of client %d %s the key of client %d, and client %d was granted the "+
			"lock", m.Process, what, a, b)
	case m.Process == b:
		return Say("client %d %s the key of client %d and was granted the lock", b, what, a)
	}
	return Say("client %d %s the key of client %d, and client %d was granted the lock", m.Process,
		what, a, b)
}

// lateHold returns the hold of the two that began when the lease of its grant was over, or nil.
func lateHold(p *record.Pair) *record.Hold {
	switch {
	case p.A.CameLate():
		return p.A
	case p.B.CameLate():
		return p.B
	}
	return nil
}

// deletedVerb says whether a command deleted a key for certain.
func deletedVerb(m *verdict.WitnessCommand) string {
	if !isCertain(m) {
		return Say("may have deleted")
	}
	return Say("deleted")
}

// isCertain reports whether a deletion was answered, and can have hit nothing else.
func isCertain(m *verdict.WitnessCommand) bool {
	return m.Recv != 0 && m.Err == "" && m.Kind != verdict.PossibleDelete && !m.Unsure
}

// forgotten says which server did not have the first holder's key any more.
func forgotten(faults []record.Fault, p *record.Pair) string {
	before := func(is func(f record.Fault) bool) bool {
		return slices.ContainsFunc(faults, func(f record.Fault) bool {
			return f.From < p.B.From && is(f)
		})
	}
	switch {
	case before(func(f record.Fault) bool { return f.Action == nemesis.LoseDisk }):
		return Say("client %d's lock was lost with the server's disk", p.A.Process)
	case before(func(f record.Fault) bool { return f.Promotes() && f.Target == p.B.Node }):
		return Say("the new master never received client %d's lock", p.A.Process)
	case before(func(f record.Fault) bool { return f.Action == nemesis.KillNode && f.To < p.B.From }):
		return Say("a server forgot client %d's lock when it was restarted", p.A.Process)
	case before(func(f record.Fault) bool { return f.Promotes() }):
		return Say("a new master never received client %d's lock", p.A.Process)
	}
	return Say("a server no longer had client %d's lock", p.A.Process)
}

// Because says what caused the second of two overlapping holds, in a clause.
func Because(faults []record.Fault, p *record.Pair, v verdict.Property) string {
	if words := causeOf(faults, p, v); words != "" {
		return words
	}
	if h := lateHold(p); v.Class == verdict.LateMessage && h != nil {
		return Say("client %d's lease ended at %s, before it heard of its grant at %s.", h.Process,
			Stamp(h.Leases[0].To), Stamp(h.From))
	}
	end := p.A.LeaseAt(p.B.From)
	if !verdict.FindClass(v.Class).Overrun || end > p.B.From {
		return ""
	}
	if over := p.A.LatestEnd(p.B.From); over > end {
		return Say("client %d's lease had surely ended at %s; it left at %s.", p.A.Process,
			Stamp(over), leaseEnd(p.A.End))
	}
	return Say("client %d's lease ended at %s%s; it left at %s.", p.A.Process, Stamp(end),
		cmp.Or(whilePaused(faults, p.A.Process, end), whileApart(faults, p.A, end)), leaseEnd(p.A.End))
}

// whileApart names the fault that kept a holder and its server apart then. A client that renews its
// lease could not do so.
func whileApart(faults []record.Fault, h *record.Hold, t int64) string {
	for _, f := range faults {
		there := slices.Contains(f.Servers(), h.Node)
		apart := f.Action == nemesis.Cut && f.StrikesLinksOf(h.Process, there) ||
			f.Action == nemesis.PauseNode && f.Target == h.Node
		if apart && f.From <= t && t <= f.To {
			begin, _ := f.Tell()
			return Say(" while %s", begin)
		}
	}
	return ""
}

// Trespass names the client that deleted or renewed a key and the client that held it (O). It
// returns "" if no command did.
func Trespass(v verdict.Property) string {
	for _, m := range v.Witness.Commands {
		did := deletedVerb(&m)
		if v.Class == verdict.RenewedByNonOwner && m.Kind == verdict.Renewal {
			did = Say("renewed")
		} else if !m.Kind.Deletes() {
			continue
		}
		for _, h := range v.Witness.Holds {
			if h.Process != m.Process {
				return units.Upper(Say("client %d %s the key of client %d, which held the lock.",
					m.Process, did, h.Process))
			}
		}
	}
	return ""
}
