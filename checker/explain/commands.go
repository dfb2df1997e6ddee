package explain

import (
	"github.com/lockbench/lockbench/checker/verdict"
)

// This file describes the effects of the commands of a witness. The owner is the client that holds
// the key.

// Grants describes the effect of a command that granted a hold.
func Grants(process int) string { return Say("grants client %d", process) }

// Leaves describes the effect of a release that left its key there.
func Leaves() string { return Say("leaves the key") }

// LeavesUnsure describes the effect of a release that was not answered, and may have left its key.
func LeavesUnsure() string { return Say("is not answered, and may leave the key") }

// LeaseEnds describes the effect of a lease that ran out.
func LeaseEnds(process int) string { return Say("the lease of client %d ends", process) }

// Overwrites describes the effect of a command that wrote a key without a condition.
func Overwrites(process int) string { return Say("overwrites the key for client %d", process) }

// ReadsFree describes the effect of a command that read a free key.
func ReadsFree() string { return Say("finds the key free") }

// Writes describes the effect of a command that wrote a key.
func Writes(process int) string { return Say("writes the key for client %d", process) }

// Renews describes the effect of a command that gave the key of a client another lease.
func Renews(process int, end int64) string {
	return Say("renews the key of client %d to %s", process, leaseEnd(end))
}

// FailsToRenew describes the effect of a renewal that failed.
func FailsToRenew(process int) string {
	return Say("does not renew the key of client %d", process)
}

// Keeps describes the effect of a renewal that kept others out although no client was inside.
func Keeps(process int) string {
	return Say("renews the key for client %d, which is not inside", process)
}

// RenewsOf describes the effect of a renewal of the owner's key by another client.
func RenewsOf(owner int) string { return Say("renews the key of client %d", owner) }

// Empties describes the effect of a command that deletes keys without naming them.
func Empties() string { return Say("may have deleted every key") }

// Denied describes the effect of a command that was refused a free lock.
func Denied() string { return Say("is denied although no client is inside") }

// Deletes describes the effect of a command that deleted the key of its own client.
func Deletes(m verdict.WitnessCommand) string { return deletion(m, "deletes") }

// DeletesOf describes the effect of a command that deleted the owner's key, or may have.
func DeletesOf(m verdict.WitnessCommand, owner int) string {
	return Say("%s of client %d", deletion(m, "deletes"), owner)
}

// DeletedOf describes the effect of one of several possible deleters of the owner's key. If it is
// alone, the effect is certain.
func DeletedOf(owner int, alone, late bool) string {
	effect := "may have deleted the key of client %d"
	if alone {
		effect = "deleted the key of client %d"
	}
	if late {
		effect += Say(": it was sent before the grant and came late")
	}
	return Say(effect, owner)
}

// deletion describes the effect of a deletion. Verb has the wanted tense.
func deletion(m verdict.WitnessCommand, verb string) string {
	what := Say("%s the key", verb)
	switch {
	case m.Recv == 0 || m.Err != "":
		what = Say("was never answered and may have deleted the key")
	case !isCertain(&m):
		what = Say("may have deleted the key")
	}
	if m.Kind == verdict.LateDelete {
		return Say("was sent before the grant and came late; it %s", what)
	}
	return what
}
