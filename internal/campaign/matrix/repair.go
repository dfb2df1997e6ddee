package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/repair"
	"github.com/lockbench/lockbench/checker/verdict"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
)

// RepairOf returns the repair that runs have shown for a violation in a plan's run, or nil.
func RepairOf(p harness.Plan, v *checker.Verdict, property, class string) *repair.Found {
	x := repair.Violation{Flags: LockFlags(p), Property: property, Class: class,
		System: p.System(), Masters: p.Masters, Lease: p.Declares().Lease,
		Renews:   p.Renews(),
		Plain:    plain(v.Property(property)),
		CameLate: v.Property(property).CameLate(),
		OneValue: v.Property(property).OneValue != "", Waits: p.WaitReplicas > 0,
		Resends:  p.ClientRetries > 0,
		Released: granted(v.Property(property))}
	if row, ok := RowFor(p); ok && (p.Adapter == nil || p.Adapter.Dir == "") {
		x.Lock = row.Name
	} else if p.Adapter == nil {
		x.Lock = strings.TrimSpace(p.Impl + " " + p.Variant)
	}
	var found *repair.Found
	about, _, _ := nemesis.Find(p.Nemesis)
	x.Spared = about.Drawn && !Forgets(p)
	for fault := range strings.SplitSeq(struck(p), ",") { // of several, the first with a repair
		x.Fault = fault
		if found = repair.Find(x); found != nil {
			break
		}
	}
	switch {
	case found == nil:
	case found.Tokens && v.Property(history.Fencing).Verdict == checker.Violated:
		return nil // the tokens of this lock do not grow
	case found.Tried && !p.Declares().Loss:
		return nil // it cannot be asked for its notices
	}
	if found != nil {
		found.Command.Line += LeaseFlag(p)
	}
	return found
}

// struck returns the faults for which the repair of a run is looked up. Random faults that took
// data from a server only by restarts are like one restart.
func struck(p harness.Plan) string {
	about, _, _ := nemesis.Find(p.Nemesis)
	if !about.Drawn || !Forgets(p) || slices.ContainsFunc(p.Scenario, worseThanRestart) {
		return p.Nemesis
	}
	return "restart"
}

// Forgets reports whether the faults of a plan may take from a server what it has confirmed. A
// paused master does not, but the election of another one may.
func Forgets(p harness.Plan) bool {
	return p.Breaks(nemesis.Durability) || slices.ContainsFunc(p.Scenario, worseThanRestart)
}

// worseThanRestart reports whether a step takes data from which a disk does not save.
func worseThanRestart(s nemesis.Step) bool {
	a, _ := nemesis.ActionOf(s.Do)
	return s.Do == nemesis.Elected || s.Do != nemesis.KillNode && a.Breaks == nemesis.Durability
}

// LeaseFlag returns the flag of run for the leases of a plan, or "" if run has the same without a
// flag.
func LeaseFlag(p harness.Plan) string {
	if len(p.Leases) > 0 {
		return " --leases " + p.Leases.String()
	}
	o := LockOptions(p)
	o.Nemesis = p.Nemesis
	usual, err := harness.NewPlan(o)
	if err != nil || usual.TTL == p.TTL || p.TTL == 0 {
		return ""
	}
	return fmt.Sprint(" --ttl ", p.TTL.D())
}

// LockOptions returns the options that name the lock of a plan.
func LockOptions(p harness.Plan) harness.RunOptions {
	o := harness.RunOptions{Impl: p.Impl, Variant: p.Variant, NoWatchdog: p.NoWatchdog}
	if p.Adapter != nil {
		o.Impl, o.Adapter = "", cmp.Or(p.Adapter.Dir, p.Adapter.Name)
	}
	return o
}

// plain reports whether the witness of a violation has a plain deletion.
func plain(p checker.Property) bool {
	return p.Witness != nil && slices.ContainsFunc(p.Witness.Commands,
		func(m checker.WitnessCommand) bool {
			return m.Kind.Deletes() && !m.Trying && repair.Plain(m.Args)
		})
}

// granted reports whether the witness of a key that was left behind shows the grant that wrote it.
func granted(p checker.Property) bool {
	return p.Witness != nil && slices.ContainsFunc(p.Witness.Commands,
		func(m checker.WitnessCommand) bool {
			return m.Kind == verdict.Write && m.Recv > 0 && m.Err == ""
		})
}

// LockFlags returns the flags of run that name the lock of a plan.
func LockFlags(p harness.Plan) string {
	line := "--impl " + units.Quoted(p.Impl)
	if p.Adapter != nil {
		line = "--adapter " + units.Quoted(cmp.Or(p.Adapter.Dir, p.Adapter.Name))
	}
	if row, _ := RowFor(p); row.Variant != "" {
		line += " --variant " + units.Quoted(row.Variant)
	}
	if p.NoWatchdog {
		line += " --watchdog=false"
	}
	return line
}
