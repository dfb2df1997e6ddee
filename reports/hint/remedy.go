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
	Do      string         // a sentence without its full stop
	Code    []string       // lines of it, if there are any
	Why     []string       // sentences about it
	Shown   string         // what the command shows
	Command advice.Command // it shows that the remedy helps
	Rest    []string       // sentences about the rest
}

// RemedyFor returns the remedy for the worst violation: the lock repaired, or else the locks to use
// instead. It only says what runs have shown. For an outage it has nothing to say: a lock that was
// measured to be clean under the same fault may keep its clients out, too.
func RemedyFor(v *checker.Verdict, p harness.Plan) (r Remedy, err error) {
	worst, found := v.Worst()
	if !found || worst.Property == history.Outage {
		return r, nil
	}
	r, err = remedyFor(v, p, worst)
	if more := besides(v, p, worst.Class, r.Do); more != "" && r.Do != "" {
		r.Rest = append(r.Rest, more)
	}
	return r, err
}

// besides names the repair of a defect of the lock that has another class than the worst violation
// and needs another repair. It returns "" if there is none.
func besides(v *checker.Verdict, p harness.Plan, worst, repaired string) string {
	for _, x := range v.Properties {
		if x.Verdict != checker.Violated || x.Reported || x.Class == worst ||
			!v.IsDefect(x, losesWrites(p)) {
			continue
		}
		if y := matrix.RepairOf(p, v, x.Property, x.Class); y != nil && y.Do != repaired {
			return fmt.Sprintf("For %s, the lock's own defect, see the repair %q (docs/locks/repairs.md).",
				x.Property, y.Name)
		}
	}
	return ""
}

// remedyFor returns the remedy for a violation.
func remedyFor(v *checker.Verdict, p harness.Plan, worst checker.Property) (r Remedy, err error) {
	bound := worst.Class == checker.SessionLost && nemesis.HoldsByConnection(p.System())
	overrun := worst.Property == history.MutualExclusion && checker.FindClass(worst.Class).Overrun &&
		!bound
	own, lock, err := choose.Sibling(p, overrun)
	if err != nil {
		return r, err
	}
	x := matrix.RepairOf(p, v, worst.Property, worst.Class)
	if x == nil && (worst.Property == history.LostUpdate && mayOverrun(v, p) ||
		worst.Class == checker.LateMessage && worst.Outside() != "") {
		x = matrix.RepairOf(p, v, history.MutualExclusion, checker.LeaseOverrun)
	}
	switch {
	case x != nil && x.Tried:
		return Remedy{Do: x.Do, Shown: "Whether that is in time, this shows", Command: x.Command,
			Rest: []string{"A client that is stopped cannot leave: then only fencing tokens keep it out."},
		}, nil
	case overrun && own != nil && v.Property(history.Fencing).Verdict != checker.Violated:
		f := repair.Fence()
		return Remedy{Do: f.Do, Code: f.Code, Shown: lock + " gives such tokens, and is clean with " +
			"them" + inRuns(own.Runs, own.Runs), Command: advice.Command{Line: own.Command},
			Rest: []string{choose.FencingNote}}, nil
	case x == nil && p.Declares().Optimistic && losesWrites(p):
		return Remedy{Do: "Let a commit wait for the standby that would take over (PostgreSQL: " +
			"synchronous_standby_names). The database lost a write that it had confirmed, and no " +
			"lock restores it. No run of lockbench has tried this"}, nil
	case x == nil && p.System() == "" && losesWrites(p) && (overrun ||
		worst.Property == history.Fencing && worst.Class == checker.LostByServer):
		f := repair.LastingTokens()
		return Remedy{Do: f.Do, Code: f.Code, Why: []string{"Draw the tokens elsewhere: under this " +
			"fault Redis may forget a counter. No run of lockbench has tried this."}}, nil
	case x == nil && worst.Property == history.Orphan && worst.Class == "" && p.Declares().Lease:
		return Remedy{Do: "Let the lease end what was left: the key is gone one lease after " +
			"it was last renewed. A shorter lease keeps others waiting less, and takes the lock from a " +
			"slow holder sooner"}, nil
	case x == nil && own != nil && !overrun && p.System() != "":
		return Remedy{Do: "Use another lock of this library: " + lock,
			Shown: "It stays clean" + inRuns(own.Runs, own.Runs), Command: advice.Command{
				Line: own.Command}}, nil
	case x == nil:
		r, err = instead(p, worst)
		if bound && r.Do == "" {
			r.Do = "Send each write that the lock guards over the connection that holds the lock: " +
				"when that has ended, the database takes no more. No run of lockbench has tried this"
		}
		if worst.Class == checker.Vanished && r.Do != "" {
			r.Why = append(r.Why, "Give locks a Redis of their own that evicts nothing (maxmemory-policy "+
				"noeviction), or use etcd or a row of a database.")
		}
		return r, err
	}
	r = Remedy{Do: x.Do, Code: x.Code, Command: x.Command, Shown: shown(x, p.Nemesis)}
	if own != nil && !overrun {
		r.Command = advice.Command{Line: own.Command}
		r.Shown = lock + " of this library stays clean" + inRuns(own.Runs, own.Runs)
	}
	same := nemesis.SameAim(x.Fault, p.Nemesis)
	if !same && losesWrites(p) && worst.Class != checker.LostByServer {
		r.Rest = append(r.Rest, "The fault of this run can still make a server lose a grant; then two "+
			"clients get in.")
	}
	about, _, _ := nemesis.Find(p.Nemesis)
	switch {
	case overrun && about.Work && !p.Renews():
		r.Rest = append(r.Rest, "A lock that renews its lease while its holder runs outlasts long work, "+
			"but no pause.")
	case !overrun && !x.Tokens && p.Declares().Lease &&
		matrix.RepairOf(p, v, history.MutualExclusion, checker.LeaseOverrun) != nil:
		r.Rest = append(r.Rest, "A holder that is stopped for longer than its lease (S) remains: have "+
			"the resource refuse old holders (fencing tokens).")
	}
	return r, err
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

// losesWrites reports whether a step of a run makes a server lose what it has confirmed.
func losesWrites(p harness.Plan) bool {
	return slices.ContainsFunc(p.Scenario, func(s nemesis.Step) bool {
		a, known := nemesis.ActionOf(s.Do)
		return known && a.Breaks == nemesis.Durability
	})
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

// instead names the locks to use instead.
func instead(p harness.Plan, worst checker.Property) (r Remedy, err error) {
	x, err := choose.InsteadOf(p)
	if x == nil || err != nil {
		return r, err
	}
	names := x.Locks[:min(len(x.Locks), most)]
	if n := len(x.Locks) - len(names); n > 0 {
		names = append(names[:len(names):len(names)], fmt.Sprintf("%d more", n))
	}
	r.Do = "Use another lock: no run has shown a repair of this one under this fault"
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
	known, err := choose.Lookup(p)
	if worst.Class == checker.LostByServer && p.WaitReplicas > 0 {
		r.Rest = append(r.Rest, fmt.Sprintf("The lock waited for %d of %s: one that had not confirmed "+
			"was promoted.", p.WaitReplicas, units.Count(max(p.Replicas, 1), "replica")))
	} else if known != nil && worst.Class == checker.LostByServer {
		r.Rest = append(r.Rest, settings(p.Nemesis, known.Helps)...)
	}
	return r, err
}

// settings says what a setting that was measured with the same lock does instead of helping. It
// returns at most one sentence.
func settings(fault string, helps []choose.Help) []string {
	for _, h := range helps {
		switch {
		case !h.Same || h.Helped() || !strings.HasPrefix(h.Mitigation, "--"):
		case h.Blocks():
			return []string{fmt.Sprintf("Prevents it at a price: %s (%s).", h.Mitigation, h.Verdict)}
		case nemesis.SameAim(h.Nemesis, fault):
			return []string{fmt.Sprintf("Does not help: %s (%s).", h.Mitigation, h.Verdict)}
		}
	}
	return nil
}
