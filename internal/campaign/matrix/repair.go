package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/repair"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
)

// RepairOf returns the repair that runs have shown for a violation in a plan's run, or nil.
func RepairOf(p harness.Plan, v *checker.Verdict, property, class string) *repair.Found {
	x := repair.Violation{Flags: LockFlags(p), Property: property, Class: class,
		System: p.System(), Masters: p.Masters, Lease: p.Declares().Lease,
		Plain:   plain(v.Property(property)),
		Renewed: v.Property(property).Renewed(), CameLate: v.Property(property).CameLate(),
		OneValue: v.Property(property).OneValue != ""}
	if row, ok := RowFor(p); ok && p.Adapter == nil {
		x.Lock = row.Name
	} else if p.Adapter == nil {
		x.Lock = strings.TrimSpace(p.Impl + " " + p.Variant)
	}
	var found *repair.Found
	for fault := range strings.SplitSeq(p.Nemesis, ",") { // of several, the first with a repair
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
