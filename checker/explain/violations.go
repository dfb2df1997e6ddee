package explain

import (
	"strings"

	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// This file tells the violations that are not two overlapping holds (see Story), a function each.

// Abandoned describes a hold without a lease whose client was killed (D).
func Abandoned(h *record.Hold) string {
	return Say("Client %d was granted lock %d%s at %s and killed at %s while it was inside. The key "+
		"has no time to live, and no client deleted it: no client was granted the lock afterwards.",
		h.Process, h.Key, by(h), Stamp(h.From), Stamp(h.End))
}

// AbandonedCause says why a hold was left behind for ever.
func AbandonedCause(h *record.Hold) string {
	return Say("client %d was killed while it was inside, and the lock has no lease that ends.",
		h.Process)
}

// OldToken describes two grants, the later without a larger token (F). The first was answered
// before the second was requested.
func OldToken(h *history.Header, a, b *record.Hold, answered, asked int64,
	class, assumption string) string {
	later := Say("token %d, which is not larger", b.Token)
	if b.Token == 0 {
		later = Say("none")
	}
	return Say("Client %d got fencing token %d for lock %d, granted at %s; client %d, which asked at "+
		"%s, got %s. Class: %s%s.", a.Process, a.Token, a.Key, Moment(h, answered), b.Process,
		Moment(h, asked), later, class, assumed(assumption))
}

// LostCounter says that a server no longer had, or never had, the counter of the tokens (F).
func LostCounter(faults []record.Fault, a, b *record.Hold) string {
	how := Say("a server lost the counter of the tokens")
	for _, f := range faults {
		switch {
		case f.From >= b.From || f.To <= a.Call:
		case f.Promotes():
			how = Say("%s was promoted without the last count of the tokens", f.Target)
		case f.Action == nemesis.KillNode && f.To < b.From:
			how = Say("%s was started again at %s without the counter of the tokens", f.Target, Stamp(f.To))
		}
	}
	return Say("%s: client %d had token %d, and client %d got token %d later.", how, a.Process,
		a.Token, b.Process, b.Token)
}

// OldWrite describes a resource that took a write with an older token than it had seen (F).
func OldWrite(early, late *record.Hold) string {
	return Say("The guarded resource took client %d's write with fencing token %d at %s although it "+
		"had taken token %d of client %d at %s.",
		late.Process, late.Token, Stamp(late.From), early.Token, early.Process, Stamp(early.From))
}

// LeftBehind describes refusals of one attempt while no client held the lock (R). Writer is the
// command that wrote the key, and lost is the latest unanswered command of the same client. Both
// may be nil. Stays says that nothing that was answered gave the key a time to live.
func LeftBehind(header history.Header, key int, refusals []*history.Command, writer,
	lost *history.Command, stays bool) string {
	where, first := "", refusals[0]
	if len(refusals) > 1 {
		where = Say(" by %d independent servers", len(refusals))
	}
	return Say("At %s client %d was told%s that lock %d is taken (%q, reply %q), but no client was "+
		"inside and none was acquiring or releasing it: the key was left behind.",
		Stamp(first.Sent), first.Process, where, key, commandText(header, first), first.Reply) +
		leftBy(header, writer, lost) + forGood(stays)
}

// forGood says that a key has no time to live that is known, or returns "".
func forGood(stays bool) string {
	if !stays {
		return ""
	}
	return Say(" No answer shows that the key has a time to live, so that it may stay for good.")
}

// KeptGranted describes a call that heard that the lock is taken, although its own command had
// taken it, and the command that shows that it was not released (R).
func KeptGranted(header history.Header, key int, wrote, seen *history.Command) string {
	return Say("Client %d took lock %d on %s at %s (%q, reply %q), but its call said that the lock "+
		"is another client's, and nothing that it sent gave it back: at %s client %d found it taken.",
		wrote.Process, key, wrote.Node, Stamp(wrote.Sent), commandText(header, wrote), wrote.Reply,
		Stamp(seen.Sent), seen.Process)
}

// KeptOwn describes a release that heard that the lock is another client's, and the command that
// shows that it was its own (R).
func KeptOwn(header history.Header, key int, wrote, refused, seen *history.Command) string {
	return Say("Client %d wrote the key of lock %d on %s at %s (%q). Its release at %s was told that "+
		"the lock is not its own (%q, reply %q), but the key was still as it had written it: at %s "+
		"client %d found it there.", wrote.Process, key, wrote.Node, Stamp(wrote.Sent),
		commandText(header, wrote), Stamp(refused.Sent), commandText(header, refused), refused.Reply,
		Stamp(seen.Sent), seen.Process)
}

// ToldNotOwn describes the effect of a command of a release that was refused.
func ToldNotOwn() string { return Say("is refused as not its own") }

// StillThere describes the effect of a command that shows that a key is still there.
func StillThere() string { return Say("finds the key still there") }

// leftBy says which client left a key behind, and why it did not delete the key.
func leftBy(header history.Header, writer, lost *history.Command) string {
	switch {
	case writer == nil:
		return ""
	case lost == writer && writer.Again > 0:
		return Say(" Cause: the first answer to this command was lost on its way from %s, and the "+
			"client library sent the command again: it found what it had written itself.", writer.Node)
	case lost == writer:
		return Say(" Cause: client %d had sent %q to %s at %s and never heard that it was granted.",
			writer.Process, commandText(header, writer), writer.Node, Stamp(writer.Sent))
	case lost != nil && lost.Err == "" && errorOf(lost) != "":
		return Say(" Cause: client %d had written the key on %s at %s, and its %q of %s was refused: %s.",
			writer.Process, writer.Node, Stamp(writer.Sent), commandText(header, lost), Stamp(lost.Sent),
			errorOf(lost))
	case lost != nil:
		return Say(" Cause: client %d had written the key on %s at %s, and its %q of %s was never "+
			"answered.", writer.Process, writer.Node, Stamp(writer.Sent), commandText(header, lost),
			Stamp(lost.Sent))
	}
	return Say(" Cause: client %d had written the key on %s at %s and did not take it away.",
		writer.Process, writer.Node, Stamp(writer.Sent))
}

// LeftByRelease describes a release that was answered and left the key there.
func LeftByRelease(m *history.Command) string {
	return Say("Client %d's release at %s was answered %q: that undid one entry of several.",
		m.Process, Stamp(m.Sent), m.Reply)
}

// NeverFreed says that a lock deletes no key, and how it declares that it does so on purpose. Kept
// is the minimum hold that it declares, or 0.
func NeverFreed(kept history.Duration) string {
	why := Say("No client sent a deletion of a key.")
	if kept > 0 {
		return why
	}
	return why + Say(" A lock that keeps its key on purpose says minimum_hold in adapter.yaml, or "+
		"MinimumHold in locktest.")
}

// Changed describes a command whose reply says that it deleted or renewed the key, although another
// client held it (O). Own is the hold that the sender meant, or nil if unknown. Acquiring says that
// the sender had an acquire call open.
func Changed(header history.Header, h *record.Hold, m *history.Command, own *record.Hold,
	acquiring bool, class string) string {
	cause := ""
	switch {
	case acquiring:
		cause = Say(" Cause: client %d was acquiring the lock, and this was a part of its attempt.",
			m.Process)
	case own != nil && own.LeaseEnd() <= m.Sent:
		cause = Say(" Cause: client %d's own lease had ended at %s.", own.Process, Stamp(own.LeaseEnd()))
	}
	did := Say("deleted the key")
	if class == verdict.RenewedByNonOwner {
		did = Say("gave the key a new lease")
	}
	return Say("Client %d was granted lock %d at %s, and its lease was valid until %s. At %s client "+
		"%d sent %q%s, and was told that it %s: client %d's.%s Class: %s.",
		h.Process, h.Key, Stamp(h.From), leaseEnd(h.LeaseAt(m.Sent)), Stamp(m.Sent), m.Process,
		commandText(header, m), toNode(m.Node), did, h.Process, cause, class)
}

func toNode(node string) string {
	if node == "" {
		return ""
	}
	return Say(" to %s", node)
}

// maxDeleters is how many possible deleters a story names at most.
const maxDeleters = 4

// MustBeDeleted describes a hold whose key another client must have deleted, since the lock was
// free for the next one (O). It lists the possible deleters.
func MustBeDeleted(header history.Header, victim, next *record.Hold, grant *history.Command,
	deleters []*history.Command, either bool, class string) string {
	var said []string
	for _, m := range deleters[:min(len(deleters), maxDeleters)] {
		said = append(said, Say("%q by client %d at %s", commandText(header, m), m.Process,
			Stamp(m.Sent)))
	}
	if more := len(deleters) - maxDeleters; more > 0 {
		said = append(said, Say("and %d more", more))
	}
	order := ""
	if either {
		order = Say(" The server may also have granted client %d the lock first; then it was the "+
			"key of client %d that was deleted.", next.Process, next.Process)
	}
	return Say("Client %d was granted lock %d by %q at %s, and its lease was valid until %s. Yet at "+
		"%s the lock was free and granted to client %d, and client %d had not released it. All that "+
		"can have deleted the key was sent for holds that were not its own: %s.%s Class: %s.",
		victim.Process, victim.Key, commandText(header, grant), Stamp(victim.From),
		leaseEnd(victim.LeaseAt(next.From)), Stamp(next.From), next.Process, victim.Process,
		strings.Join(said, "; "), order, class)
}

// SelfRefused describes a holder whose own lock was refused to it (E).
func SelfRefused(h *record.Hold, s record.SelfRefusal) string {
	return Say("Client %d held lock %d since %s; when it acquired it again at %s, it was refused, "+
		"although its lease was valid until %s.",
		h.Process, h.Key, Stamp(h.From), Stamp(s.From), leaseEnd(h.LeaseEnd()))
}

// InnerRelease introduces the story of a lock that an inner release freed (E).
func InnerRelease(h *record.Hold, released int64) string {
	return Say("Client %d released an inner hold at %s, which must not free the lock. ", h.Process,
		Stamp(released))
}

// NoUpdateOrder says that the critical sections fit no order in which each reads what the one
// before it wrote (U), and names the one that does not fit, if known.
func NoUpdateOrder(h *history.Header, key int, bad *linear.Misplaced) string {
	return Say("The reads and writes of resource %d fit no order in which each critical section sees "+
		"what the one before it wrote.", key) + misplaced(h, bad)
}

// LostUpdate describes two sections that read the same value and both wrote (U).
func LostUpdate(key int, a, b *linear.Section) string {
	return Say("Client %d read %d at %s and wrote %d; client %d read %d at %s and wrote %d. One of "+
		"the two updates of resource %d is lost.",
		a.Process, a.Read, Stamp(a.From), a.Wrote, b.Process, b.Read, Stamp(b.From), b.Wrote, key)
}

// ReadBack names the server that was promoted after a write was confirmed, and before another
// section read the value from before that write. It returns "" if there is none.
func ReadBack(faults []record.Fault, a, b *linear.Section) string {
	for i := range faults {
		if f := &faults[i]; f.Promotes() && f.From > a.To && f.From < b.From {
			return Say("%s was promoted at %s, after client %d's write of %d (confirmed at %s), and "+
				"client %d still read %d at %s.", f.Target, Stamp(f.From), a.Process, a.Wrote,
				Stamp(a.To), b.Process, b.Read, Stamp(b.From))
		}
	}
	return ""
}
