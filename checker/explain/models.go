package explain

import (
	"strconv"

	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
)

// This file tells how an imported history contradicts its model.

var flawWords = [...]string{
	linear.DoubleRelease:  "released twice with success",
	linear.PhantomRelease: "released with success without having acquired",
	linear.LostLock:       "refused a release while it surely held the lock",
	linear.Overlap:        "granted while another one surely held the lock",
	linear.CoveredPoint:   "released with success although another one held the lock all the time",
}

// flawed names the clients of a flaw: that of acquisition a, or of a and then b.
var flawed = [...]string{
	linear.DoubleRelease:  "client %d released one acquisition twice with success",
	linear.PhantomRelease: "client %d released the lock with success and had not acquired it",
	linear.LostLock:       "client %d was refused a release while it surely held the lock",
	linear.Overlap:        "client %[2]d was granted the lock while client %[1]d surely held it",
	linear.CoveredPoint: "client %d released the lock with success although client %d held it all " +
		"the time",
}

// FlawCause says in a clause which client did what no mutex allows, as Flaw describes it.
func FlawCause(f linear.Flaw, a, b linear.Name) string {
	switch {
	case f == linear.Overlap && a.Process == b.Process:
		return Say("client %d was granted the lock again while it held it, which only a re-entrant "+
			"lock allows (--model reentrant)", a.Process)
	case f == linear.Overlap, f == linear.CoveredPoint:
		return Say(flawed[f], a.Process, b.Process)
	}
	return Say(flawed[f], a.Process)
}

// Flaw describes the error in acquisition a, or in a and b together. First is the hold of a.
func Flaw(h *history.Header, key int, f linear.Flaw, a, b linear.Name, first verdict.Hold) string {
	what := Say(flawWords[f])
	switch f {
	case linear.Overlap:
		if a.Process == b.Process {
			what = Say("granted while it surely held the lock by an earlier one")
		}
		ends := Say("not released before %s", Moment(h, first.To))
		if first.To == record.Forever {
			ends = Say("not released since")
		}
		return units.Sentence(Say("lock %d: %s was %s: %s, acquired at %s and %s", key, acquisition(b),
			what, acquisition(a), Moment(h, first.From), ends))
	case linear.CoveredPoint:
		return units.Sentence(Say("lock %d: %s was %s (%s)", key, acquisition(a), what, acquisition(b)))
	}
	if a.N == 0 { // it belongs to none
		return units.Sentence(Say("lock %d: %s", key, FlawCause(f, a, b)))
	}
	return units.Sentence(Say("lock %d: %s was %s", key, acquisition(a), what))
}

func acquisition(n linear.Name) string {
	return Say("client %d's acquisition %d", n.Process, n.N)
}

var unfitWords = [...]string{
	linear.StrayExtensions: "it is not known which hold some extensions extended, or whether they " +
		"did; --model mutex judges the holds without their leases",
	linear.ReleasedUnacquired: "a lock was released with success by a client that had not acquired it",
	linear.UnknownLeases:      "neither the history nor an option says how long a lease is",
	linear.NoGrants:           "no client acquired the lock",
}

// Forgotten says why a stream cannot judge an acquisition that was released late.
func Forgotten(n linear.Name) string {
	return Say("%s was released after many others of its client whose outcome is unknown, too many "+
		"to remember; without --stream the whole history is judged", acquisition(n))
}

// Unfit says why a history cannot be judged by the lease model.
func Unfit(why linear.Unfit) string { return Say(unfitWords[why]) }

// EarlyGrant describes the last grant of a chain, for which the chain leaves no room. If the chain
// is empty, it says that no order exists.
func EarlyGrant(key int, chain []linear.LeaseHold) string {
	if len(chain) == 0 {
		return Say("Lock %d: the grants fit no order in which each lease ends before the next "+
			"grant.", key)
	}
	last := chain[len(chain)-1]
	return Say("Lock %d: %s cannot have been granted by %s, because the %s before it, placed as "+
		"early as possible, leaves no room.",
		key, acquisition(last.Name), Stamp(last.Ret), plural(len(chain)-1, "grant"))
}

// Miscounted describes an answer that contradicts how often its client holds the lock.
func Miscounted(key int, n linear.Name) string {
	if n.N == 0 { // a release that belongs to no acquisition
		return Say("Lock %d: client %d released it with success and did not hold it.", key, n.Process)
	}
	return Say("Lock %d: %s was answered against the count of its holder.", key, acquisition(n))
}

// NoReentrantOrder says that no re-entrant lock can have produced a history.
func NoReentrantOrder(key int) string {
	return Say("Lock %d: the answers fit no order of acquires and releases that a re-entrant lock "+
		"can have.", key)
}

// RegisterCause says in a clause which access no order of the writes explains.
func RegisterCause(h *history.Header, s *linear.Section) string {
	return Say("client %d %s, which no order of the writes explains", s.Process, didTo(h, s))
}

// NoRegisterOrder says that no register can have produced a history, and why, if known.
func NoRegisterOrder(h *history.Header, key int, bad *linear.Misplaced) string {
	return Say("The reads and writes of register %d fit no order in which each read returns what was "+
		"written last.", key) + misplaced(h, bad)
}

// misplaced says why sections fit no order, as a further sentence.
func misplaced(h *history.Header, m *linear.Misplaced) string {
	if m == nil {
		return ""
	}
	if m.Why == linear.Unwritten {
		return Say(" Client %d %s: that value can only be there after it.", m.A.Process, didTo(h, m.A))
	}
	return Say(misfitWords[m.Why], m.A.Process, didTo(h, m.A), m.B.Process, didTo(h, m.B))
}

var misfitWords = [...]string{
	linear.WroteUponOne: " Client %d %s, and client %d %s: the value was not written twice.",
	linear.TwoAtFirst:   " Client %d %s, and client %d %s: neither value was written.",
	linear.Unwritten:    "",
	linear.TooEarly: " By the values, client %d %s before client %d %s, which returned before the " +
		"former was called.",
	linear.Interleaved: " Client %d %s, and client %d %s: by the times, one of the two values stood " +
		"before and after the other, and it was not written twice.",
}

// didTo describes the access of a section, and its time.
func didTo(h *history.Header, s *linear.Section) string {
	when := Say("from %s on, without an answer", Moment(h, s.From))
	if s.To != record.Forever {
		when = Say("from %s to %s", Moment(h, s.From), Moment(h, s.To))
	}
	switch {
	case s.Read == linear.Anything:
		return Say("wrote %s %s", stored(s.Wrote), when)
	case s.Outcome == history.Fail:
		return Say("read %s %s", stored(s.Read), when)
	}
	return Say("read %s and wrote %s %s", stored(s.Read), stored(s.Wrote), when)
}

// stored formats a value of a register.
func stored(v int64) string {
	if v == history.NilValue {
		return "nil"
	}
	return strconv.FormatInt(v, 10)
}
