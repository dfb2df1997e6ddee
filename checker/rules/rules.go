// Package rules decides: one file for each property says when it is violated, beginning with the
// reason why that is certain. Package explain has the words of a violation. Its class and its
// witness, in classify.go and witness.go, are made alike for all properties.
package rules

import (
	"slices"
	"time"

	"github.com/lockbench/lockbench/checker/explain"
	"github.com/lockbench/lockbench/checker/linear"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/checker/trace"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/history"
)

// Case is a history under judgement. Its verdict receives the findings outside of the properties:
// the evidence, the answers of porcupine, a contradiction of the checks. It is not safe for
// concurrent use.
type Case struct {
	Record *record.Record

	history *history.History
	trace   *trace.Trace
	trust   record.Trust
	faults  []record.Fault
	verdict *verdict.Verdict
	limits  Limits

	// results that several rules share, once they are known
	pause, longest *int64 // the longest pause, declared or seen, and lease
	pauses         pauses
	absences       memo[int, []absence]         // by lock, in the order of its commands
	presences      memo[int, []record.Interval] // by lock: when its key surely was there
	ends           []int64
	common         []record.Interval
	gaps           memo[int, []record.Gap]
	wasted         memo[int, []record.Interval] // the time that each client lost
	ruled          map[int]linear.Ruling        // porcupine's on S, by lock
	perLock        []record.Lock
	granted        *trace.Grants
	leases         map[*history.Command]int64 // of holds, by the commands that granted them
	unread         map[trace.Place][]*history.Command
	stays          memo[string, *history.Command]         // see excuses.staying
	takesFree      memo[string, bool]                     // by key: see keyFacts.takenOtherwise
	back           memo[ofLock, bool]                     // see givenBack
	lived          memo[*record.Hold, []*history.Command] // see keyFacts.lives
	unsureReleases memo[int, record.Reach]                // by client
	mayTake        memo[int, record.Reach]                // by lock: the calls that may have taken it
	deleters       memo[trace.Place, deleters]
	foreign        *bool // whether others than the run's clients may delete keys
	emptied        []*history.Command
	values         map[[2]string]int // by key and value: the only client that sent it
	orders         memo[[2]*history.Command, *trace.Orders]
}

// Limits are inputs that the history itself does not have.
type Limits struct {
	TTL     time.Duration // lease of grants that do not name one, for the lease model
	Timeout time.Duration // for porcupine, for each property
}

// Open reads a history and counts its evidence into v. The history must be in order; commands may
// be none.
func Open(h *history.History, commands []history.Command, v *verdict.Verdict, l Limits) *Case {
	h = trace.Prolonged(h, commands)
	r := record.Build(h)
	c := &Case{Record: r, history: h, trace: trace.New(h.Header, r, commands), trust: r.Trust,
		faults: r.Faults, verdict: v, limits: l,
		ruled: map[int]linear.Ruling{}}
	shortenLeases(c)
	v.Evidence = c.excuses().evidence()
	v.Evidence.Untouched = trace.UntracedKeys(h, commands)
	return c
}

// grants returns the commands that granted the holds.
func (c *Case) grants() *trace.Grants {
	if c.granted == nil {
		g := c.trace.Grants()
		c.granted = &g
	}
	return c.granted
}

// Judge judges one property, or one model of an imported history, by its name.
func (c *Case) Judge(name string) property {
	judge, known := judges[name]
	if !known {
		return unknown("the checker cannot judge %q", name)
	}
	if c.Record.Shared && slices.Contains(unshared, name) {
		return Shared(name)
	}
	if d := c.history.Header.Declares; slices.Contains(pessimistic, name) && d.ChecksWrites() {
		why := "the lock is optimistic: it lets all clients in and checks their writes, see U"
		if d.Transaction {
			why = "the write is in the lock's own transaction, which commits it only during the hold, see U"
		}
		return property{Property: name, Verdict: verdict.NA, Reason: explain.Say(why)}
	}
	p := c.excuses().excuseStall(name, judge(c))
	p.Property = name
	return p
}

// Shared returns the verdict on a property that lockbench cannot judge because holds may be shared.
func Shared(name string) verdict.Property {
	return property{Property: name, Verdict: verdict.NA, Reason: explain.Say(
		"holds of this lock may be shared, and lockbench has no model of that")}
}

// unshared are the properties that assume one hold at a time: each lock decides which client may
// free a lock that several clients share.
var unshared = []string{verdict.OwnerRelease, verdict.Orphan, verdict.Reentry,
	verdict.LostUpdate, "mutex", "lease", "reentrant"}

// pessimistic are the properties of holds that keep other clients out.
var pessimistic = []string{verdict.MutualExclusion, verdict.LeaseExclusion, verdict.OwnerRelease,
	verdict.Orphan, verdict.Notice, "mutex", "lease"}

// judges are the rules by the name of the property or model.
var judges = map[string]func(*Case) property{
	verdict.MutualExclusion: func(c *Case) property {
		return exclusionRule{c}.exclusion(record.UntilRelease)
	},
	verdict.LeaseExclusion: func(c *Case) property {
		return exclusionRule{c}.exclusion(record.WhileLeased)
	},
	verdict.Validity:     func(c *Case) property { return deliveryRule{c}.delivery() },
	verdict.Notice:       func(c *Case) property { return exclusionRule{c}.notice() },
	verdict.OwnerRelease: func(c *Case) property { return ownerRule{c}.owner() },
	verdict.Orphan:       func(c *Case) property { return orphanRule{c}.orphan() },
	verdict.Deadlock:     func(c *Case) property { return deadlockRule{c}.deadlock() },
	verdict.Outage:       func(c *Case) property { return outageRule{c}.outage() },
	verdict.Fencing:      func(c *Case) property { return fencingRule{c}.fencing() },
	verdict.LostUpdate:   func(c *Case) property { return updateRule{c}.updates() },
	verdict.Reentry:      func(c *Case) property { return exclusionRule{c}.reentry() },
	// models of imported histories
	"fencing":   func(c *Case) property { return fencingRule{c}.fencing() },
	"mutex":     func(c *Case) property { return exclusionRule{c}.mutex() },
	"lease":     func(c *Case) property { return exclusionRule{c}.lease() },
	"reentrant": func(c *Case) property { return exclusionRule{c}.reentrant() },
	"register":  func(c *Case) property { return exclusionRule{c}.register() },
}

// What verdicts are made of.
type (
	property = verdict.Property
	witness  = verdict.Witness
	hold     = verdict.Hold
	command  = verdict.WitnessCommand
)

// valid is a property that nothing contradicts.
var valid = property{Verdict: verdict.Valid}

// notApplicable returns a property that the lock does not promise or the workload did not exercise.
func notApplicable(format string, args ...any) property {
	return property{Verdict: verdict.NA, Reason: explain.Say(format, args...)}
}

// unknown returns a property that the record cannot decide.
func unknown(format string, args ...any) property {
	return property{Reason: explain.Say(format, args...)}
}

// stalled returns a property that is unknown only because the machine stood still.
func stalled(format string, args ...any) property {
	return property{Stalled: true, Reason: explain.Say(format, args...)}
}

// violated returns a violation with its holds. The caller adds its class and commands.
func violated(key int, holds ...hold) property {
	return property{Verdict: verdict.Violated, Witness: &witness{Key: key, Holds: holds}}
}

// wholeHold returns a hold in the form of a witness, from its grant to its end.
func wholeHold(h *record.Hold) hold { return heldAt(h, h.End-1) }

// heldAt returns a whole hold in the form of a witness, with its lease as it was at a stamp.
func heldAt(h *record.Hold, at int64) hold {
	return part(h, record.Span{From: h.From, End: h.End}, at)
}

// part returns a hold in the form of a witness, limited to one of its spans. Its lease is the one
// that ran at the stamp. A later renewal does not belong to the violation.
func part(h *record.Hold, s record.Span, at int64) hold {
	w := hold{Process: h.Process, N: h.N, From: h.From, To: s.End, Token: h.Token}
	if end := h.LeaseAt(at); end != record.Forever {
		w.LeaseEnd = end
	}
	return w
}
