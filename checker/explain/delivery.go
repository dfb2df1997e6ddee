package explain

import (
	"strings"

	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/history"
)

// This file describes grants that were wrong when they were delivered (V), and when a holder
// learned that its hold was over (N).

// OverAtDelivery describes a grant whose validity was over when its last reply came.
func OverAtDelivery(h *record.Hold, last int64) string {
	return Say("Client %d was granted lock %d at %s. The lock said that the grant is good until %s, "+
		"but its last reply came only at %s: it was over when it was delivered.",
		h.Process, h.Key, Stamp(h.From), Stamp(h.Promised), Stamp(last))
}

// CountedEarly says that a lock counts a lease from before a try that was refused. What granted the
// lock was sent later.
func CountedEarly(sent, refused int64) string {
	return Say("The lock counted the lease from before a try that was refused at %s. The command "+
		"that granted it was sent only at %s, and the servers keep its key for a whole lease from then "+
		"on.",
		Stamp(refused), Stamp(sent))
}

// PromisedBeyondLease describes a grant whose validity is later than its lease.
func PromisedBeyondLease(h *record.Hold, end int64) string {
	return Say("Client %d was granted lock %d at %s. The lock said that the grant is good until %s, "+
		"but the lease that it had set, counted from the sending of the command, ends at %s: %s earlier.",
		h.Process, h.Key, Stamp(h.From), Stamp(h.Promised), Stamp(end), Brief(h.Promised-end))
}

// LeaseTooShort describes a grant whose key got a shorter lease than was promised. Lease is the
// key's lease, counted from the beginning of the promise.
func LeaseTooShort(h *record.Hold, lease int64) string {
	return Say("Client %d was granted lock %d at %s. The lock promised a lease of %s, but the last "+
		"command that took or prolonged the key gives it %s less, counted from the same moment: another "+
		"client may be granted it that much too early.", h.Process, h.Key, Stamp(h.From),
		Brief(h.Granted), Brief(h.Granted-lease))
}

// Votes is how the servers answered a call, each by its last word.
type Votes struct {
	Granted, Refused, Masters, Quorum int
	Error                             string // the latest error that a server answered
}

// NoServer describes a grant that rests on no server, or on fewer than a quorum.
func NoServer(h *record.Hold, v Votes) string {
	said := Say("Client %d says that it was granted lock %d at %s, but no server granted it: ",
		h.Process, h.Key, Stamp(h.From))
	switch {
	case v.Masters > 1:
		return said + Say("%d of %d servers granted it and %d refused; %d must grant.", v.Granted,
			v.Masters, v.Refused, v.Quorum)
	case v.Error != "":
		return said + Say("the server answered %q.", v.Error)
	case v.Refused > 0:
		return said + Say("the server refused it.")
	}
	return said + Say("no command of its call was answered.")
}

// NotGranted describes the effect of a command that did not take the lock.
func NotGranted(m *history.Command) string {
	if m.Recv == 0 || m.Err != "" {
		return Say("was not answered")
	}
	if strings.HasPrefix(m.Reply, "(error)") {
		return Say("was not executed")
	}
	return Say("is told that the lock is taken")
}

// Teller is the means that informs a holder that its hold is over.
type Teller uint8

// The tellers.
const (
	ByCallback Teller = iota
	ByExtend
	ByRelease
	ByValidity
)

var tellerWords = [...]string{ByCallback: "by the lock itself", ByExtend: "by a refused extension",
	ByRelease:  "by its refused release",
	ByValidity: "by the end of the validity that it had been given"}

// ToldLate describes a holder that lost its hold and learned so at t, when the winner was inside
// already. T is Forever if the holder never learned it. The record ends at end.
func ToldLate(loser, winner *record.Hold, t int64, by Teller, end int64) string {
	both := max(loser.From, winner.From)
	in := Say("Client %d held lock %d since %s, and client %d was inside from %s on. ",
		loser.Process, loser.Key, Stamp(loser.From), winner.Process, Stamp(winner.From))
	if t == record.Forever {
		left, until := Say("it left"), loser.End
		if until >= end {
			left, until = Say("the run ended"), end
		}
		return in + Say("Client %d was not told that its hold was over before %s, %s later.",
			loser.Process, left, Brief(until-both))
	}
	if by == ByValidity && loser.End < t {
		return in + Say("Nothing had told client %d that its hold was over when it left at %s: the "+
			"validity that it had been given lasted until %s.", loser.Process, Stamp(loser.End), Stamp(t))
	}
	return in + Say("Client %d was told that its hold was over only at %s, %s later, %s.",
		loser.Process, Stamp(t), Brief(t-both), Say(tellerWords[by]))
}
