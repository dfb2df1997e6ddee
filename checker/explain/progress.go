package explain

import (
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// This file describes a lack of progress of clients (D) and during outages (A).

// Wait is a time during which no client was granted a lock.
type Wait struct {
	Key, Process    int
	From, To, Bound int64
	Contention      bool // it lasted longer than clients can take votes from each other
	Votes           []Vote
	Left            *Leftover
	Error           *history.Command // the answer to a command of the lock itself, or nil
	Last            bool             // Error is the last answer of every call of that time
}

// Vote names the client that one of several independent servers granted a lock last.
type Vote struct {
	Node    string
	Process int
}

// Leftover is the command that wrote the key that keeps clients out, and the fate of its client.
type Leftover struct {
	Header  history.Header
	Command *history.Command
	Held    bool          // its client was inside afterwards
	Ended   record.Ending // how its hold, or its client, ended, at this stamp
	At      int64
	Answer  history.Type // of the release, if there was one
	Expiry  int64        // the time to live that the key got, ns; zero if none
	Lease   int64        // the longest one that the lock declares, ns
	// it is not known which time to live the key has: a script may have given it one, or a command
	// that was never answered
	LifeUnknown bool
	Took        bool             // its answer says for certain that it took the key
	Unleased    *history.Command // that would have given it one, and was never answered; or nil
	// the last renewal while clients were kept out and no client was inside; nil if there is none
	Renewal *history.Command
}

// Stuck describes a time during which no client was granted a free lock (D).
func Stuck(w Wait) string {
	said := Say("From %s to %s no client was granted lock %d, although client %d and others tried, "+
		"no client was inside, came or left, and no fault was under way. One should have been granted "+
		"it within %s (the longest lease, two of the longest pauses and a second).",
		Stamp(w.From), Stamp(w.To), w.Key, w.Process, Brief(w.Bound))
	if w.Contention {
		said += Say(" Clients that take votes from each other were given five times as long.")
	}
	if len(w.Votes) > 0 {
		var votes []string
		for _, v := range w.Votes {
			votes = append(votes, Say("%s to client %d", v.Node, v.Process))
		}
		said += Say(" Votes were given: %s.", strings.Join(votes, ", "))
	}
	if w.Error != nil {
		said += Say(" Client %d was answered %q at %s.", w.Error.Process,
			errorOf(w.Error), Stamp(w.Error.Recv))
	}
	return said + leftover(w.Left)
}

// StuckCause says why no client was granted a free lock, or "" if the record does not tell.
func StuckCause(w Wait) string {
	switch {
	case w.Last:
		return Say("a command of the lock itself was answered %q.", errorOf(w.Error))
	case w.Left != nil && w.Left.Renewal != nil:
		return Say("client %d went on renewing the key although it was not inside.",
			w.Left.Renewal.Process)
	case w.Left != nil && w.Left.unheard():
		return Say("client %d took the key by its %s at %s (reply %q), and was not granted the lock.",
			w.Left.Command.Process, commandName(w.Left.Command), Stamp(w.Left.Command.Sent),
			w.Left.Command.Reply)
	case w.Left != nil && w.Left.life() != "":
		return Say("client %d left the key on its server: %s%s.", w.Left.Command.Process, w.Left.fate(),
			w.Left.life())
	}
	return ""
}

// Reentries are the holds that a client had by entering its own leftover lock.
type Reentries struct {
	Process, Times int
	Release        int64            // stamp of the release that may not have freed the key, or zero
	Failed         *history.Command // of that release; nil if it is not known
}

// LockedOut describes a time during which one client alone was granted a lock, by entering its own
// leftover again (D).
func LockedOut(w Wait, r Reentries) string {
	left := Say("Client %d had left its key behind", r.Process)
	switch {
	case r.refused():
		left = Say("Client %d's release at %s was answered %q, and its key stayed", r.Process,
			Stamp(r.Release), errorOf(r.Failed))
	case r.Release != 0:
		left = Say("Client %d's release at %s was not answered, and its key stayed", r.Process,
			Stamp(r.Release))
	}
	return Say("From %s to %s no client but client %d was granted lock %d, although client %d "+
		"tried and no fault was under way. %s. The key let client %d in again %s, and each release "+
		"left the key there. Another client should have been granted the lock "+
		"within %s (the longest lease, two of the longest pauses and a second).", Stamp(w.From),
		Stamp(w.To), r.Process, w.Key, w.Process, left, r.Process, plural(r.Times, "time"),
		Brief(w.Bound))
}

// LockedOutCause says why others are kept out: what left the key there, if that is known, and that
// the lock lets its owner in.
func LockedOutCause(r Reentries, left string) string {
	if left == "" && r.refused() {
		left = Say("client %d's release at %s was answered %q.", r.Process, Stamp(r.Release),
			errorOf(r.Failed))
	}
	again := Say("the lock lets its owner in again: client %d entered its own leftover, and each "+
		"release undid only the latest entry.", r.Process)
	if left == "" {
		return again
	}
	return left + " " + units.Upper(again)
}

// refused reports whether a server answered the release with an error.
func (r Reentries) refused() bool {
	return r.Failed != nil && r.Failed.Err == "" && errorOf(r.Failed) != ""
}

// PromotedWithout says that a server took over that had not heard of a release.
func PromotedWithout(server string, h *record.Hold) string {
	return Say("%s was promoted without client %d's release of %s, so the key is there again.", server,
		h.Process, Stamp(h.End))
}

// StillHeld says that a client may hold a lock although it released it.
func StillHeld(client int) string {
	return Say("no client was granted the lock for too long, but the last release, of client %d, had "+
		"no certain answer, and its session may hold the lock as long as it lives: a caller must try "+
		"the release again, or close the session", client)
}

// OpenCall is a call of a lock that did not return in time.
type OpenCall struct {
	Keys            []int // of all locks that it asked for
	Key, Process, N int
	F               string // history.Acquire or history.Release
	From, To        int64  // stamps of the call, and of its return or the end of its client or record
	Since           int64  // if later than From: no other client was inside then, for too long
	Open            bool   // it had not returned when the record ended
	Limit           int64  // how long it may take by its own time-outs; 0 if all of it was answered
	Bound           int64  // of D; the wait exceeded it as well as Limit
}

// Hanging describes a call that far outlived its time-outs (D).
func Hanging(k *OpenCall) string {
	did := Say("came back only at %s", Stamp(k.To))
	if k.Open {
		did = Say("had not come back at %s", Stamp(k.To))
	}
	due := Say("It should be over within %s by its own time-outs, and %s more were allowed.",
		Brief(k.Limit), Brief(k.Bound))
	switch {
	case k.Limit == 0:
		due = Say("All of its commands were answered; it was allowed %s, and took longer.",
			Brief(k.Bound))
	case k.Since > k.From:
		due = Say("No other client was inside from %s on, for longer than the %s that the call was "+
			"allowed.", Stamp(k.Since), Brief(k.Limit+k.Bound))
	}
	return Say("Client %d called %s of lock %d at %s, and the call %s, although no fault was under "+
		"way and servers answered. %s", k.Process, k.F, k.Key, Stamp(k.From), did, due)
}

// HangingCause says what kept the client of a call out.
func HangingCause(k *OpenCall) string {
	return Say("the lock's own %s of client %d did not end in time.", k.F, k.Process)
}

// Overdue describes a call that was open at the end of the record, too early to say that it hangs.
func Overdue(k *OpenCall) string {
	than := Say("its time-outs of %s", Brief(k.Limit))
	if k.Limit == 0 {
		than = Say("its commands")
	}
	return Say("client %d had called %s of lock %d at %s and had not come back when the run ended at "+
		"%s; it hangs for certain only if it takes %s longer than %s", k.Process, k.F, k.Key,
		Stamp(k.From), Stamp(k.To), Brief(k.Bound), than)
}

// leftover says which client left the key behind, the fate of that client, and the flaw in the
// key's time to live.
func leftover(l *Leftover) string {
	if l == nil {
		return ""
	}
	said := Say(" The last to write the key was client %d, at %s with %q",
		l.Command.Process, Stamp(l.Command.Sent), commandText(l.Header, l.Command))
	if l.Command.Recv == 0 || l.Command.Err != "" {
		said += Say(", which was never answered")
	}
	said += "; " + l.fate()
	if m := l.Renewal; m != nil {
		return said + Say(", and client %d went on renewing the key, last at %s with %q.", m.Process,
			Stamp(m.Sent), commandText(l.Header, m))
	}
	return said + l.life() + "."
}

// unheard reports whether the key was written by a command whose answer its own client did not take
// for a grant.
func (l *Leftover) unheard() bool {
	return !l.Held && l.Ended == record.Open && l.Took
}

func (l *Leftover) fate() string {
	switch {
	case l.Ended == record.Killed:
		return Say("it was killed at %s", Stamp(l.At))
	case l.Ended == record.Vanished:
		return Say("it ended by itself at %s", Stamp(l.At))
	case !l.Held:
		return Say("its acquire was not granted")
	case l.Ended == record.Released && l.Answer == history.OK:
		return Say("it released the lock at %s", Stamp(l.At))
	case l.Ended == record.Released:
		return Say("its release of %s did not succeed", Stamp(l.At))
	}
	return Say("it went on without a release")
}

// Lasting reports whether nothing that was answered gave the key a time to live.
func (l *Leftover) Lasting() bool { return l.Unleased != nil || !l.LifeUnknown && l.Expiry <= 0 }

func (l *Leftover) life() string {
	switch m := l.Unleased; {
	case m != nil:
		return Say(", and its %s at %s, which would have given the key its lease, was never answered",
			commandName(m), Stamp(m.Sent))
	case l.LifeUnknown:
		return ""
	case l.Expiry <= 0:
		return Say(", and the key has no time to live")
	case l.Expiry > l.Lease:
		return Say(", and the key lives for %s, longer than the lease of %s", Brief(l.Expiry),
			Brief(l.Lease))
	}
	return ""
}

// Outage describes a time under a fault during which no client was granted a lock (A). If there was
// no fault, refused is a command that a server refused to serve.
func Outage(key int, from, to, ns, bound int64, faults []*record.Fault,
	refused *history.Command) string {
	why := "under a fault"
	switch {
	case len(faults) > 0:
		why = Say("under a fault (%s)", Faults(faults))
	case refused != nil:
		why = Say("while %s refused to serve (%s)", refused.Node, errorOf(refused))
	}
	return Say("From %s to %s, %s, no client was granted lock %d: for %s in which no "+
		"client held it and some tried. Without a fault one would have been granted it within %s.",
		Stamp(from), Stamp(to), why, key, Brief(ns), Brief(bound))
}

// Fault describes the effect of a fault: "n0 was killed".
func Fault(f *record.Fault) string {
	begin, _ := f.Tell()
	return begin
}

// Faults describes several faults, grouped by kind: "n0 was killed, and likewise n1".
func Faults(faults []*record.Fault) string {
	var kinds []string
	others := map[string][]string{} // by action and mode: the targets after the first
	first := map[string]string{}
	for _, f := range faults {
		kind := f.Action + f.Mode
		if _, seen := first[kind]; !seen {
			kinds, first[kind] = append(kinds, kind), Fault(f)
			continue
		}
		others[kind] = append(others[kind], nemesis.TargetName(f.Target))
	}
	var said []string
	for _, kind := range kinds {
		text := first[kind]
		if names := others[kind]; len(names) > 0 {
			text = Say("%s, and likewise %s", text, enumerated(names))
		}
		said = append(said, text)
	}
	return strings.Join(said, "; ")
}

// enumerated returns "n0", "n0 and n1", "n0, n1 and n2".
func enumerated(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return Say("%s and %s", strings.Join(names[:last], ", "), names[last])
}

// Broken describes the violation of a property: "a client released a lock that was another's".
func Broken(property string) string { return Say(whatBroke(property)) }

// AnsweredLate describes a command that a server answered late, though no fault delayed it.
func AnsweredLate(m *history.Command) string {
	return Say("%s needed %s to answer a command of client %d at %s although no fault held it back, "+
		"which may be why", m.Node, Brief(m.Recv-m.Sent), m.Process, Stamp(m.Sent))
}

// Unanswered describes a command without an answer, though no fault kept the answer back.
func Unanswered(m *history.Command) string {
	return Say("a command of client %d at %s was not answered although no fault held it back, which "+
		"may be why", m.Process, Stamp(m.Sent))
}
