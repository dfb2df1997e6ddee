package nemesis

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Faults is the value of --nemesis: one fault, or several that a run carries out one after the
// other.
type Faults []Fault

// Fault is a row of the table, or a schedule from a file.
type Fault struct {
	Spec    string
	entry   Entry
	variant string
	written *Schedule
}

// Parse reads "name", "name:variant", a file, or a list of these with commas.
func Parse(spec string) (fs Faults, err error) {
	list := strings.Split(spec, ",")
	if _, err := os.Stat(spec); err == nil && isFile(spec) {
		list = []string{spec} // the name of a file may contain commas
	}
	for _, s := range list {
		f := Fault{Spec: s}
		if isFile(s) {
			f.written, err = ReadSchedule(s)
		} else {
			f.entry, f.variant, err = Find(s)
		}
		if err != nil {
			return nil, err
		}
		fs = append(fs, f)
	}
	return fs, nil
}

// Elects reports whether servers promote a replica by themselves. The run then needs more time.
func (fs Faults) Elects() bool {
	for _, f := range fs {
		needs := f.entry.Needs
		if f.written != nil {
			needs = f.written.Topology
		}
		if needs == Sentinel || needs == Cluster {
			return true
		}
	}
	return false
}

// Lease returns the shortest lease with which the faults show more than their own scenarios.
func (fs Faults) Lease() (longest time.Duration) {
	for _, f := range fs {
		if least, err := (Params{}).span(f.entry.form(f.variant).Lease); err == nil {
			longest = max(longest, least.D())
		}
	}
	return longest
}

// TooShort returns an error if the fault's own scenario would outlive the lease. A run would then
// show only that.
func (fs Faults) TooShort(lease time.Duration) error {
	for _, f := range fs {
		least, err := Params{TTL: lease}.span(f.entry.form(f.variant).Lease)
		if err != nil {
			return err
		}
		if lease < least.D() {
			return fmt.Errorf("with a lease of %v, %s would find only its own scenario, which lasts %s: "+
				"choose --ttl %v or more", lease, f.Spec, f.entry.Lasts, least.D())
		}
	}
	return nil
}

// MustHappen reports whether a run proves nothing unless it plays the scenario of --nemesis to the
// end. A control may remain incomplete, because it is expected to find nothing. A drawn scenario
// has no aim, and only one of its faults must hit.
func MustHappen(spec string) bool {
	for s := range strings.SplitSeq(spec, ",") {
		e, _, err := Find(s)
		if err != nil {
			return true // a file
		}
		if !Control(s) && !e.Drawn && e.Name != "none" {
			return true
		}
	}
	return false
}

// Control reports whether a fault is a control. A run with a control must find nothing beyond the
// findings of a run without a fault.
func Control(spec string) bool {
	e, variant, _ := Find(spec)
	return slices.ContainsFunc(e.Variants, func(v Variant) bool {
		return v.Control && v.is(variant)
	})
}

// Drawn reports whether a fault is drawn from everything that the environment offers.
func (fs Faults) Drawn() bool {
	return slices.ContainsFunc(fs, func(f Fault) bool { return f.entry.Drawn })
}

// Scenario prepares the faults for a plan and joins them. It returns an error if they do not suit
// the lock or each other.
func (fs Faults) Scenario(p Params) (Scenario, error) {
	parts, err := fs.parts(p)
	if err != nil {
		return Scenario{}, err
	}
	all := Scenario{Topology: Single}
	for i, s := range parts {
		if all.Topology, err = join(all.Topology, s.Topology); err != nil {
			return all, fmt.Errorf("%s cannot follow in this list: %w", fs[i].Spec, err)
		}
		all.Replicas, all.Timeout = max(all.Replicas, s.Replicas), max(all.Timeout, s.Timeout)
		all.GivesUp = all.GivesUp || s.GivesUp
		all.Steps, all.Aimed = append(all.Steps, s.Steps...), all.Aimed+s.Aimed
	}
	return all, fs.check(all, parts, p)
}

// parts prepares each fault. If one of them needs patient clients, all get the same time-out.
func (fs Faults) parts(p Params) (parts []Scenario, err error) {
	var patience time.Duration
	for _, f := range fs {
		if len(fs) > 1 {
			patience = max(patience, f.entry.timeout(f.variant, p))
		}
		if p.Topology == "" && !f.entry.Drawn {
			p.Topology = f.topology(p)
		}
	}
	for _, f := range fs {
		p.Seed++ // two faults of a kind draw different values
		s, err := f.scenario(p, patience)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	return parts, nil
}

// topology returns the topology that the fault needs, or "" if any will do.
func (f Fault) topology(p Params) string {
	switch {
	case f.written != nil:
		return f.written.Topology
	case p.Nodes > 1:
		return Independent
	}
	return f.entry.Needs
}

func (f Fault) scenario(p Params, patience time.Duration) (Scenario, error) {
	if f.written != nil {
		return f.written.scenario(p)
	}
	return f.entry.scenario(f.variant, p, patience)
}

// join returns a topology for two scenarios, or an error if there is none.
func join(a, b string) (string, error) {
	switch {
	case a == b || b == Single:
		return a, nil
	case a == Single:
		return b, nil
	}
	return "", fmt.Errorf("it needs the topology %s, and the fault before it %s; run them separately",
		b, a)
}

// check checks whether the scenarios can follow each other. A single scenario needs no check: it is
// ours, or was checked when its file was read.
func (fs Faults) check(all Scenario, parts []Scenario, p Params) error {
	if len(fs) < 2 {
		return nil
	}
	err := Check(all.Steps, all.Layout(p))
	var wrong *StepError
	if !errors.As(err, &wrong) {
		return err
	}
	last := 0
	for i, s := range parts {
		if last += len(s.Steps); wrong.Step < last {
			return fmt.Errorf("%s cannot follow in this list: %w", fs[i].Spec, err)
		}
	}
	return err
}

// Layout returns the layout of the scenario with these parameters.
func (s Scenario) Layout(p Params) Layout {
	return Layout{Topology: s.Topology, Masters: p.Nodes, Replicas: s.Replicas, Clients: p.Clients}
}
