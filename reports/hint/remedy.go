package hint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/repair"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// A Remedy says what to do about the worst violation of a run. The zero value has nothing to say.
type Remedy struct {
	Do      string         `json:"do"`               // a sentence without its full stop
	Code    []string       `json:"code,omitempty"`   // lines of it, if there are any
	Why     []string       `json:"why,omitempty"`    // sentences about it
	Shown   string         `json:"shown,omitempty"`  // what the command shows
	Command advice.Command `json:"command,omitzero"` // it shows that the remedy helps
	Rest    []string       `json:"rest,omitempty"`   // sentences about the rest
	Repair  string         `json:"-"`                // the name of the repair that it is, or ""
	Use     Use            `json:"-"`
}

// Use says which lock a remedy uses.
type Use int

// The locks that remedies use.
const (
	SameLock Use = iota
	SameLibrary
	OtherLock
)

// RemedyFor returns the remedy for the worst violation: the lock repaired, or else the locks to use
// instead. It only says what runs have shown. A lock that was measured to be clean under the same
// fault may have the same outage, and may not tell its holder, so that neither has other locks as
// its remedy.
func RemedyFor(v *checker.Verdict, p harness.Plan) (r Remedy, err error) {
	worst, found := v.Worst()
	switch {
	case !found || worst.Property == history.Notice:
		return r, nil
	case worst.Property == history.Outage:
		return outage(p), nil
	}
	r, err = remedyFor(v, p, worst)
	if more := besides(v, p, worst.Class, r.Do); more != "" && r.Do != "" {
		r.Rest = append(r.Rest, more)
	}
	return r, err
}

// outage returns the remedy of an outage while clients were cut off: what they hold must end by
// itself. It has nothing to say of servers that failed.
func outage(p harness.Plan) (r Remedy) {
	switch {
	case !onlyCuts(p.Scenario):
	case nemesis.HoldsByConnection(p.System()):
		r = Remedy{Do: "Have the server end the session of a client that it does not reach: TCP " +
			"keepalives, or a time-out of idle sessions, which also ends that of a slow holder",
			Why: []string{untried}}
	case !p.Declares().Lease && p.System() == "":
		f := repair.AtomicLease()
		r = Remedy{Do: f.Do, Code: f.Code, Repair: f.Name, Why: []string{untried}}
	}
	return r
}

// onlyCuts reports whether the faults of a scenario only cut links of clients.
func onlyCuts(steps []nemesis.Step) bool {
	faults := slices.DeleteFunc(slices.Clone(steps), func(s nemesis.Step) bool {
		a, _ := nemesis.ActionOf(s.Do)
		return a.Kind != nemesis.Momentary && a.Kind != nemesis.Lasting
	})
	return len(faults) > 0 && !slices.ContainsFunc(faults, func(s nemesis.Step) bool {
		return s.Do != nemesis.Cut || strings.HasPrefix(s.Target, "n")
	})
}

// OrphanRemedy returns the remedy of a key that was left behind, if that is only reported and the
// lock can be mended.
func OrphanRemedy(v *checker.Verdict, p harness.Plan) (r Remedy, err error) {
	x := v.Property(history.Orphan)
	if x.Verdict != checker.Violated || !x.Reported {
		return r, nil
	}
	if r, err = remedyFor(v, p, x); r.Use == OtherLock {
		return Remedy{}, err
	}
	return r, err
}

// besides names the repair of a defect of the lock that has another class than the worst violation
// and needs another repair. It returns "" if there is none.
func besides(v *checker.Verdict, p harness.Plan, worst, repaired string) string {
	for _, x := range v.Properties {
		if x.Verdict != checker.Violated || x.Reported || x.Class == worst ||
			!v.IsDefect(x, p.Breaks(nemesis.Durability)) {
			continue
		}
		if y := matrix.RepairOf(p, v, x.Property, x.Class); y != nil && y.Do != repaired {
			return fmt.Sprintf("For %s, the lock's own defect, see the repair %q (docs/locks/repairs.md).",
				x.Property, y.Name)
		}
	}
	return ""
}

// trouble is a violation, with what is needed to choose its remedy.
type trouble struct {
	verdict *checker.Verdict
	plan    harness.Plan
	worst   checker.Property
	own     *choose.Sibling // in the same library, or nil
	bound   bool            // the lock is held by a connection that ended
	overrun bool            // the client outlived its hold, which no lease prevents
}

func remedyFor(v *checker.Verdict, p harness.Plan, worst checker.Property) (r Remedy, err error) {
	t := trouble{verdict: v, plan: p, worst: worst,
		bound: worst.Class == checker.SessionLost && nemesis.HoldsByConnection(p.System())}
	t.overrun = worst.Property == history.MutualExclusion &&
		checker.FindClass(worst.Class).Overrun && !t.bound
	var kept []string
	x := t.repair()
	if x != nil {
		kept = x.Command.Kept
	}
	if t.own, err = choose.SiblingOf(p, t.overrun, kept); err != nil {
		return r, err
	}
	switch {
	case x != nil && x.Tried:
		return Remedy{Do: x.Do, Repair: x.Name, Shown: "Whether that is in time, this shows",
			Command: x.Command, Rest: []string{"A client that is stopped cannot leave: then only " +
				"fencing tokens keep it out."}}, nil
	case t.overrun && t.own != nil && v.Property(history.Fencing).Verdict != checker.Violated:
		f := repair.Fence()
		return Remedy{Do: f.Do, Code: f.Code, Repair: f.Name, Shown: t.own.Lock + " gives such " +
			"tokens, and is clean with them" + inRuns(t.own.Runs, t.own.Runs),
			Command: advice.Command{Line: t.own.Command},
			Rest:    units.If(p.System() == "", choose.FencingNote)}, nil
	case worst.CountedEarly() && t.own == nil:
		return Remedy{Do: eachTry, Why: []string{untried}}, nil
	case x == nil:
		return t.unrepaired()
	}
	r = t.repaired(x)
	if worst.CountedEarly() { // the variant of the library was shown, and not the repair
		r.Why, r.Rest = nil, append([]string{eachTry + ". " + untried}, r.Rest...)
	}
	return r, nil
}

// repair returns the repair that runs have shown for the violation, or nil. A lost update has the
// repair of an overrun, or of a lost session where a connection holds the lock. A key that may stay
// for good has the repair of the clients that it keeps out.
func (t trouble) repair() *repair.Found {
	x := matrix.RepairOf(t.plan, t.verdict, t.worst.Property, t.worst.Class)
	if x == nil && t.worst.Stays {
		return matrix.RepairOf(t.plan, t.verdict, history.Deadlock, "")
	}
	if x != nil || t.worst.Property != history.LostUpdate || !mayOverrun(t.verdict, t.plan) {
		return x
	}
	class := checker.LeaseOverrun
	if nemesis.HoldsByConnection(t.plan.System()) && t.plan.Renews() {
		class = checker.SessionLost
	}
	return matrix.RepairOf(t.plan, t.verdict, history.MutualExclusion, class)
}

// unrepaired returns the remedy of a violation for which no run has shown a repair.
func (t trouble) unrepaired() (r Remedy, err error) {
	loses, redis := t.plan.Breaks(nemesis.Durability), t.plan.System() == ""
	promoted := slices.ContainsFunc(t.plan.Scenario, func(s nemesis.Step) bool {
		return s.Do == nemesis.Promote
	})
	counter := t.worst.Property == history.Fencing && t.worst.Class == checker.LostByServer
	switch {
	case promoted && (t.plan.Declares().ChecksWrites() || t.worst.Class == checker.LostByServer &&
		nemesis.HoldsByConnection(t.plan.System())):
		return Remedy{Do: "Let a commit wait for the standby that would take over (PostgreSQL: " +
			"synchronous_standby_names). The database lost a write that it had confirmed, and no " +
			"lock restores it", Shown: "A database whose commits wait loses no write",
			Command: runWithStandby}, nil
	case redis && loses && (t.overrun || counter):
		f := repair.LastingTokens()
		if t.plan.Workload == "fenced" { // the resource refuses old holders already
			return Remedy{Do: "Draw the tokens elsewhere: under this fault Redis may forget a counter",
				Code: f.Code[:1], Repair: f.Name, Why: []string{untried}}, nil
		}
		return Remedy{Do: f.Do, Code: f.Code, Repair: f.Name, Why: []string{"Draw the " +
			"tokens elsewhere: under this fault Redis may forget a counter. " + untried}}, nil
	case t.worst.Class == checker.LateMessage && t.worst.Assumption != "":
		return Remedy{Do: "Tell the time by a clock that goes on while the machine sleeps " +
			"(CLOCK_BOOTTIME of Linux), and take no grant whose lease is over by it"}, nil
	case t.worst.Class == checker.MissedWake:
		return Remedy{Do: "Subscribe before the try, and ask again after a bounded time even if no " +
			"message came: a holder that dies sends none", Why: []string{unshown}}, nil
	case t.worst.Class == checker.EndlessCall:
		f := repair.EndingCall()
		return Remedy{Do: f.Do, Repair: f.Name, Why: []string{unshown}}, nil
	case redis && t.worst.Class == checker.Vanished:
		return Remedy{Do: "Give locks a Redis of their own that evicts nothing (maxmemory-policy " +
			"noeviction) and that nobody empties, or use etcd or a row of a database"}, nil
	case redis && t.worst.Stays:
		f := repair.AtomicLease()
		return Remedy{Do: f.Do, Code: f.Code, Repair: f.Name, Why: []string{untried}}, nil
	case t.worst.Property == history.Orphan && t.worst.Class == "" && t.plan.Declares().Lease:
		return Remedy{Do: "Let the lease end what was left: the lock is free one lease after " +
			"it was last renewed. A shorter lease keeps others waiting less, and takes the lock from a " +
			"slow holder sooner"}, nil
	case t.own != nil && !t.overrun && !redis:
		return Remedy{Use: SameLibrary, Do: "Use another lock of this library: " + t.own.Lock +
			" (" + t.own.Line + ")",
			Shown: "It stays clean" + inRuns(t.own.Runs, t.own.Runs), Command: advice.Command{
				Line: t.own.Command}}, nil
	}
	return instead(t.plan, t.worst)
}

// eachTry is the remedy of a lock that counts a lease from before an earlier try.
const eachTry = "Take the time anew before each try, and count the lease from there: the servers " +
	"keep the key for a whole lease from the try that was granted"

// untried says of a remedy that no run has shown it, and unshown that none has for this lock.
const (
	untried = "No run of lockbench has tried this."
	unshown = "No run has shown it for this lock and fault."
)

// runWithStandby shows that a database loses no write if its commits wait for the standby.
var runWithStandby = advice.Command{Line: advice.Verb("run") + " --adapter db-version --variant " +
	"synchronous --nemesis failover:release", Promise: advice.Promise{Exits: []int{0},
	Kept: []string{history.LostUpdate}}}

// repaired returns the remedy of a violation whose repair runs have shown.
func (t trouble) repaired(x *repair.Found) Remedy {
	r := Remedy{Do: x.Do, Code: x.Code, Repair: x.Name, Command: x.Command,
		Shown: shown(x, t.plan.Nemesis)}
	if t.own != nil && !t.overrun && !x.Own && !t.bound {
		r.Use, r.Command = SameLibrary, advice.Command{Line: t.own.Command}
		r.Do, r.Code = "With this library, use "+t.own.Lock+": "+t.own.Line, nil
		r.Why = []string{x.Do + "."}
		r.Shown = "It stays clean" + inRuns(t.own.Runs, t.own.Runs)
		if t.own.Kept != nil {
			r.Shown = fmt.Sprintf("It keeps %s%s", units.List(t.own.Kept),
				inRuns(t.own.Runs, t.own.Runs))
		}
	}
	r.Rest = slices.DeleteFunc([]string{t.remains(x), t.outlasts(x), t.freed()}, func(s string) bool {
		return s == ""
	})
	return r
}

// remains says what the fault of the run may still do to the repaired lock.
func (t trouble) remains(x *repair.Found) string {
	switch same := nemesis.SameAim(x.Fault, t.plan.Nemesis); {
	case x.Limit != "":
		return x.Limit
	case t.worst.Class == checker.LostByServer && t.plan.Masters > 1:
		return "Or let a server that was restarted join the others again only when the longest lease " +
			"is over."
	case !same && t.plan.Breaks(nemesis.Durability) && t.worst.Class != checker.LostByServer:
		return "The fault of this run can still make a server lose a grant; then two clients get in."
	case !same && t.plan.Breaks(nemesis.ServerClocks):
		return "The fault of this run can still end a lease early; then two clients get in."
	}
	return ""
}

// outlasts says what a holder may still do that outlasts the lease of the repaired lock.
func (t trouble) outlasts(x *repair.Found) string {
	about, _, _ := nemesis.Find(t.plan.Nemesis)
	leased := t.plan.Declares().Lease
	switch {
	case t.overrun && about.Work && !t.plan.Renews():
		return t.outlasting()
	case t.overrun || x.Harmless:
		return ""
	case t.worst.Stays:
		return "A lock with a lease may leave its key behind, too (R), but only until the lease is over."
	case leased && about.Work && !t.plan.Renews():
		return "A holder that works for longer than its lease (S) remains: renew the lease while it " +
			"runs, or have the resource refuse old holders (fencing tokens)."
	case leased && matrix.RepairOf(t.plan, t.verdict, history.MutualExclusion,
		checker.LeaseOverrun) != nil:
		return "A holder that is stopped for longer than its lease (S) remains: have the resource " +
			"refuse old holders (fencing tokens)."
	case !leased && t.worst.Property == history.Deadlock:
		return "A lease lets the next client in beside a holder that is stopped for longer (S): have " +
			"the resource refuse old holders (fencing tokens)."
	}
	return ""
}

// outlasting says which locks outlast long work, and names the variant of the library that does. A
// lock that a connection holds has no lease to renew.
func (t trouble) outlasting() string {
	how := "A lock that renews its lease while its holder runs outlasts long work, but no pause"
	if nemesis.HoldsByConnection(t.plan.System()) {
		how = "A lock that its client's connection holds outlasts long work, until that connection ends"
	}
	s, err := choose.SiblingOf(t.plan, false, nil)
	if s == nil || err != nil {
		return how + "."
	}
	return how + ": " + s.Lock + " of this library (" + s.Line + ")."
}

// freed says how a lock that hangs is freed, if its key has no lease.
func (t trouble) freed() string {
	if t.worst.Property != history.Deadlock || t.plan.Declares().Lease || t.plan.System() != "" {
		return ""
	}
	return "A lock that hangs now is free when its key is deleted and clients that wait for a " +
		"message start anew; see first that no holder lives."
}

// shown says what the command of a repair shows.
func shown(x *repair.Found, fault string) string {
	words := fmt.Sprintf("With it, %s %s under ", units.List(x.Command.Kept),
		units.Plural(len(x.Command.Kept), "holds", "hold"))
	same := nemesis.SameAim(x.Fault, fault)
	if same {
		words += "the same fault"
	} else {
		words += x.Fault
	}
	if x.Tokens {
		words = "Then the resource refuses the late write"
		if !same {
			words += " under " + x.Fault
		}
	}
	if !x.Own {
		words += " (shown with another lock)"
	}
	return words
}

// mayOverrun reports whether a client outlived its lease, or may have where S was not violated or
// not judged.
func mayOverrun(v *checker.Verdict, p harness.Plan) bool {
	judged := v.Property(history.MutualExclusion).Verdict == checker.Violated
	return p.Declares().Lease && (overran(v) || !judged)
}

// overran reports whether a client outlived its lease.
func overran(v *checker.Verdict) bool {
	return checker.FindClass(v.Property(history.MutualExclusion).Class).Overrun
}

// inRuns says on how many runs a statement rests: " in 1 run", " in 1 to 20 runs each". It
// returns "" for no runs.
func inRuns(least, most int) string {
	switch {
	case most == 0:
		return ""
	case least == most:
		return " in " + units.Count(most, "run")
	}
	return fmt.Sprintf(" in %d to %s each", least, units.Count(most, "run"))
}

// most is the number of locks that a remedy names.
const most = 4

// exclusive are the properties whose violation lets an old holder write.
var exclusive = []string{history.MutualExclusion, history.LeaseExclusion, history.LostUpdate}

func instead(p harness.Plan, worst checker.Property) (r Remedy, err error) {
	x, err := choose.InsteadOf(p)
	if x == nil || err != nil {
		return r, err
	}
	names := x.Locks[:min(len(x.Locks), most)]
	if n := len(x.Locks) - len(names); n > 0 {
		names = append(names[:len(names):len(names)], fmt.Sprintf("%d more", n))
	}
	r.Use, r.Do = OtherLock, "Use another lock: no run has shown a repair of this one under this fault"
	if x.Why != "" {
		r.Why = append(r.Why, units.Sentence(x.Why))
	}
	clean := "Clean"
	if x.Fenced {
		clean = "With such a resource clean"
	}
	r.Shown = fmt.Sprintf("%s under %s%s: %s", clean, x.Fault, inRuns(x.Runs[0], x.Runs[1]),
		units.List(names))
	if note := x.Note(names); note != "" {
		r.Rest = append(r.Rest, note)
	}
	r.Command = x.Command
	if slices.Contains(exclusive, worst.Property) {
		r.Do += "; or let one transaction on the data decide (" + choose.Page + ")"
	}
	r.Rest = append(r.Rest, byOperators(p, worst)...)
	known, err := choose.Lookup(p)
	if worst.Class == checker.LostByServer && p.WaitReplicas > 0 {
		r.Rest = append(r.Rest, fmt.Sprintf("The lock waited for %d of %s: one that had not confirmed "+
			"was promoted. An operator may do that, or a Sentinel that cannot reach the others.",
			p.WaitReplicas, units.Count(max(p.Replicas, 1), "replica")))
	} else if known != nil && worst.Class == checker.LostByServer {
		r.Rest = append(r.Rest, settings(p.Nemesis, known.Helps)...)
	}
	return r, err
}

// byOperators says what those who run the servers can do about a violation, or returns nil.
func byOperators(p harness.Plan, worst checker.Property) []string {
	switch {
	case worst.Class == checker.LostByServer && p.Masters > 1:
		return []string{"Or let a server that lost its data stay away until the longest lease is over. " +
			untried}
	case worst.Class == checker.Clock && p.Breaks(nemesis.ServerClocks):
		return []string{"Or let no clock of a server be set while it runs, and only slewed (chronyd " +
			"without makestep after the start). " + untried}
	}
	return nil
}

// settings says what a setting that was measured with the same lock does instead of helping. It
// returns at most one sentence.
func settings(fault string, helps []choose.Help) []string {
	for _, h := range helps {
		switch {
		case !h.Same || h.Helped() || !strings.HasPrefix(h.Mitigation, "--"):
		case h.Blocks():
			return []string{fmt.Sprintf("Does not help: %s (then no client gets in).", h.Mitigation)}
		case nemesis.SameAim(h.Nemesis, fault):
			return []string{fmt.Sprintf("Does not help: %s (%s).", h.Mitigation, h.Verdict)}
		}
	}
	return nil
}
