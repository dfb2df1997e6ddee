package view

import "github.com/lockbench/lockbench/checker"

// causes say what each class of a violation is, as the judge found it.
var causes = map[string]string{
	checker.LeaseOverrun: "the first client's lease ended while it was still inside, so that the " +
		"lock was free to be granted again",
	checker.LostByFailover: "the server that granted the lock the second time did not have, or " +
		"did not have any more, the key of the first grant",
	checker.ReleasedByNonOwner: "a client deleted the key of another client",
	checker.LateMessage: "a command that was sent before took effect late, on the key of another " +
		"grant",
	checker.Clock: "a clock was moved, so that a lease was taken to be over before its time",
	checker.DoubleGrant: "the lock was granted to a second client although the first was inside, " +
		"and nothing that was recorded shows that its lease had ended",
	checker.RefusedThoughGranted: "a client was told that the lock is taken, by a key that it had " +
		"written itself",
	checker.PromisedTooLong: "the lock told a client that its hold was good for longer than its " +
		"lease",
}

// Why is the cause of the violation by its class; "" where it has none.
func (w *Violation) Why() string { return causes[w.Class] }
