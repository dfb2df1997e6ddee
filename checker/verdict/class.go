package verdict

import (
	"cmp"
	"slices"
)

// The classes of a violation: what kind of thing went wrong. Their rows are in Classes.
const (
	LeaseOverrun         = "lease overrun"
	SessionLost          = "session lost"
	AfterNotice          = "inside after being told"
	OverWhenDelivered    = "over when delivered"
	PromisedTooLong      = "promised too long"
	LostRenewal          = "lost renewal"
	NoServer             = "granted by no server"
	ReleasedByNonOwner   = "released by a non-owner"
	RenewedByNonOwner    = "renewed by a non-owner"
	LateMessage          = "late message accepted"
	LostByServer         = "lost by a server"
	Vanished             = "vanished"
	Clock                = "clock"
	CheckThenSet         = "check then set"
	DoubleGrant          = "double grant"
	OldToken             = "old token"
	RefusedThoughGranted = "refused although granted"
	KeptOwn              = "refused to release its own"
	RenewedOn            = "renewed without a holder"
	ForgottenScript      = "forgotten script"
	MissedWake           = "missed wake-up"
	EndlessCall          = "call without an end"
)

// Class is all that is said of one kind of violation outside of the rule that finds it.
type Class struct {
	Name    string
	Letters []string // the properties whose violations can have it
	Needs   string   // the facts without which a violation does not have it
	Summary string   // the reason in the summary of a verdict
	Cause   string   // the reason in a report
	// the client outlived its hold, which no lease prevents
	Overrun bool
	// why no lock of its kind can prevent it, in a clause, or "" if it is a defect of the lock
	Outside   string
	Prevented string // what prevents it, after "by", if it is a defect and runs have shown what
}

// classes have the order of docs/design.md.
var classes = []Class{
	{Name: LeaseOverrun, Letters: []string{MutualExclusion}, Overrun: true,
		Needs:   "the lease that the first holder was promised ended before the second grant",
		Summary: "the lease of one ran out while it was inside",
		Cause: "the first client's lease ended while it was still inside, so that the lock was free " +
			"to be granted again",
		Outside: "any lock with a lease lets the next client in when the lease is over"},
	{Name: SessionLost, Letters: []string{MutualExclusion}, Overrun: true,
		Needs:   "the hold is bound to a session, and the session had ended before both were inside",
		Summary: "the session of one ended while it was inside",
		Cause: "one client's session ended, so that the lock was free, and the client was inside " +
			"all the same",
		Outside: "any lock with a session lets the next client in when the session is over"},
	{Name: AfterNotice, Letters: []string{MutualExclusion}, Overrun: true,
		Needs: "the lock told the first holder that its hold was over before the second " +
			"client was inside",
		Summary: "one stayed inside although the lock had told it that its hold was over",
		Cause:   "the lock told the first client that its hold was over, and the client stayed inside",
		Outside: "the client stayed inside after the lock had told it"},
	{Name: OverWhenDelivered, Letters: []string{Validity},
		Needs:     "the time until which a grant is good was over when its last reply came",
		Summary:   "its time was over",
		Cause:     "the time until which the grant was good had passed before the client heard of it",
		Prevented: "refusing a grant whose lease is over when its reply comes"},
	{Name: PromisedTooLong, Letters: []string{MutualExclusion, LeaseExclusion, Validity},
		Needs:     "the client was told that its hold is good for longer than the key lives",
		Summary:   "the lock said that a hold was good after its lease was over",
		Cause:     "the lock told a client that its hold was good for longer than its lease",
		Prevented: "promising no more than the key's lease"},
	{Name: LostRenewal, Letters: []string{MutualExclusion, LeaseExclusion},
		Needs: "the first holder's key expired, because a renewal was late, failed or shortened " +
			"its lease",
		Summary:   "a renewal did not reach the key in time",
		Cause:     "the key of the first client was not renewed in time and expired on its server",
		Prevented: "renewing in time, and telling the holder when that fails"},
	{Name: NoServer, Letters: []string{MutualExclusion, LeaseExclusion, Fencing, Validity},
		Needs: "no answered command of the call took the key, on a quorum where there " +
			"are several masters",
		Summary:   "a client says that it holds the lock, but no server granted it",
		Cause:     "a client was inside although no server had granted it the lock",
		Prevented: "granting it only on the answer of a server, or of a majority"},
	{Name: ReleasedByNonOwner,
		Letters: []string{MutualExclusion, LeaseExclusion, OwnerRelease, Fencing, Reentry},
		Needs: "a command of another hold deleted the value that the first holder had " +
			"written there",
		Summary:   "another client released it",
		Cause:     "a client deleted the key of another client",
		Prevented: "a new owner value for each try, compared and deleted in one step"},
	{Name: RenewedByNonOwner, Letters: []string{OwnerRelease},
		Needs: "a renewal of another hold gave a new lease to the key that the first holder had " +
			"made with a lease",
		Summary:   "another client renewed it",
		Cause:     "a client renewed the key of another client",
		Prevented: "renewing in one step with a comparison of the owner value"},
	{Name: LateMessage, Letters: []string{MutualExclusion, LeaseExclusion, OwnerRelease, Fencing},
		Needs: "a command that was sent before the first grant deleted its key, or a grant was " +
			"believed after its lease",
		Summary: "a message came late and was accepted",
		Cause:   "a command that was sent before took effect late, on the key of another grant",
		Prevented: "a new owner value for each try, and no entry if the lease is over when the reply " +
			"comes"},
	{Name: LostByServer, Letters: []string{MutualExclusion, LeaseExclusion, Fencing},
		Needs: "the key of the first holder was lost by a restart, or the promoted replica did " +
			"not have it",
		Summary: "the grant was lost by the restart",
		Cause: "a server that granted the lock the second time did not have the key of the first " +
			"grant any more, or never had it",
		Outside: "any lock whose server loses a confirmed write loses a grant so"},
	{Name: Vanished, Letters: []string{MutualExclusion, LeaseExclusion, Fencing},
		Needs: "the key was gone before its lease was over; no client of the run deleted it by " +
			"its name and no fault took it",
		Summary: "the key vanished: evicted, flushed or deleted by a third party",
		Cause:   "the key of the first client vanished: evicted, flushed or deleted by a third party",
		Outside: "no lock keeps a key that is evicted, flushed or deleted by a third party"},
	{Name: Clock, Letters: []string{MutualExclusion, LeaseExclusion, Fencing},
		Needs:     "a clock was moved by a fault, and the lease was over by that clock",
		Summary:   "a clock was wrong",
		Cause:     "a clock was moved, so that a lease was taken to be over before its time",
		Outside:   "any lock whose server ends leases by its clock ends one early so",
		Prevented: "leases that only the server's clock ends"},
	{Name: OldToken, Letters: []string{Fencing},
		Needs: "a token is not larger than one that was given before, or the resource took a write " +
			"with an older token",
		Summary:   "a token was not larger than an earlier one",
		Cause:     "the token of a later grant is not larger than the token of an earlier one",
		Prevented: "counting the token in the step that grants the lock"},
	{Name: CheckThenSet, Letters: []string{MutualExclusion, LeaseExclusion},
		Needs: "both clients read the key as free before either wrote it, and wrote it whatever was " +
			"there",
		Summary:   "both clients saw it free before either took it",
		Cause:     "both clients read the key as free before either wrote it",
		Prevented: "looking at the key and taking it in one command"},
	{Name: DoubleGrant, Letters: []string{MutualExclusion, LeaseExclusion, Reentry},
		Needs:   "none of the other classes explains the second grant",
		Summary: "it was granted twice",
		Cause: "the lock was granted to a second client although the first was inside, and " +
			"nothing that was recorded shows that its lease had ended"},
	{Name: RefusedThoughGranted, Letters: []string{Orphan},
		Needs: "a client's own earlier write, whose reply it did not use, told it that " +
			"the lock is taken",
		Summary:   "its own earlier write told a client that the lock is taken",
		Cause:     "a client was told that the lock is taken, by a key that it had written itself",
		Prevented: "comparing the value of the key that is found with the call's own"},
	{Name: KeptOwn, Letters: []string{Orphan},
		Needs: "a release was told that the lock is not its own, and a later command on " +
			"that node shows that it was",
		Summary: "a release was refused although the lock was its client's own",
		Cause:   "a client was told that the lock is not its own, although its value was still there"},
	{Name: RenewedOn, Letters: []string{Deadlock},
		Needs:     "a client renewed the key while clients were kept out and none was inside",
		Summary:   "a client without a hold went on renewing the key",
		Cause:     "a client went on renewing the key although it was not inside",
		Prevented: "ending the renewals before the release is sent"},
	{Name: ForgottenScript, Letters: []string{Deadlock},
		Needs: "clients were kept out, and the last command of their calls that a server answered " +
			"was answered NOSCRIPT",
		Summary:   "the server did not know the lock's script",
		Cause:     "a server did not know the lock's script, and the lock did not send it again",
		Prevented: "sending a script's text when the server does not know its digest"},
	{Name: MissedWake, Letters: []string{Deadlock},
		Needs: "the key was absent and no client that waited asked for it; or a client waited for a " +
			"message without a time limit while no other was inside",
		Summary:   "clients that waited did not ask again",
		Cause:     "clients that waited for the lock did not ask for it again",
		Prevented: "bounding each wait for a message, and asking again then"},
	{Name: EndlessCall, Letters: []string{Deadlock},
		Needs: "a call outlived its own time-outs and the bound, although no fault was under way " +
			"and servers answered",
		Summary:   "a call of the lock did not end",
		Cause:     "a call of the lock did not end in time",
		Prevented: "a time-out for each command and a bound for each wait"},
}

// formerly has the present name of each class that older records call otherwise.
var formerly = map[string]string{"lost by failover": LostByServer}

// UsePresentNames gives the class of a property from an older record its present name.
func (p *Property) UsePresentNames() {
	if p.Property == Validity && p.Verdict == Violated {
		p.Class = cmp.Or(p.Class, OverWhenDelivered) // it had no name
	}
	p.Class = cmp.Or(formerly[p.Class], p.Class)
}

// FindClass returns the row of a class. The zero Class is returned for a name that is none.
func FindClass(name string) Class {
	i := slices.IndexFunc(classes, func(c Class) bool { return c.Name == name })
	if i < 0 {
		return Class{}
	}
	return classes[i]
}
