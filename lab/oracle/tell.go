package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker/verdict"
)

// Tell describes the part of a run that belongs to its differences, or all of it if there are none:
// the verdict, faults, holds, commands and keys.
func (o *Outcome) Tell() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "\n%s\n", o.Plan)
	from, to := int64(never), int64(0)
	for _, p := range o.Verdict.Properties {
		differs := slices.ContainsFunc(slices.Concat(o.Differences, o.Missed),
			func(d Difference) bool { return d.Property == p.Property })
		if p.Verdict == verdict.NA || !differs && len(o.Differences) > 0 {
			continue
		}
		a, z := tellProperty(b, p)
		from, to = min(from, a), max(to, z)
	}
	if from > to { // the differences are about no property
		from, to = 0, never
	}
	o.tellTruth(b, from, to)
	for _, d := range o.Differences {
		fmt.Fprintf(b, "differs %s\n", d)
	}
	for _, d := range o.Missed {
		fmt.Fprintf(b, "missed %s\n", d)
	}
	return b.String()
}

// tellProperty writes a property and returns the period of its witness.
func tellProperty(b *strings.Builder, p verdict.Property) (from, to int64) {
	from = never
	fmt.Fprintf(b, "%s %s %s %s%s\n", p.Property, p.Verdict, p.Class, p.Reason, p.Explanation)
	if p.Witness == nil {
		return 0, never
	}
	for _, h := range p.Witness.Holds {
		fmt.Fprintf(b, "    %+v\n", h)
		from, to = min(from, h.From), max(to, h.From)
	}
	for _, c := range p.Witness.Commands {
		fmt.Fprintf(b, "    %s %d (%d) %d-%d %s %v -> %s %s\n", c.Kind, c.Process, c.N, c.Sent, c.Recv,
			c.Node, c.Args, c.Reply, c.Err)
		from, to = min(from, c.Sent), max(to, c.Sent)
	}
	return from, to
}

// tellTruth writes what the clients and servers did in a period.
func (o *Outcome) tellTruth(b *strings.Builder, from, to int64) {
	for _, f := range o.Truth.record.Faults {
		fmt.Fprintf(b, "fault %s %s %d-%d\n", f.Action, f.Target, f.From, f.To)
	}
	for _, h := range o.Truth.record.Holds {
		if h.From <= to && h.End >= from {
			fmt.Fprintf(b, "hold %d (%d) of %d: call %d from %d to %d, lease to %d, %s\n", h.Process, h.N,
				h.Key, h.Call, h.From, h.End, h.LeaseEnd(), h.Node)
		}
	}
	for _, c := range o.Truth.run.Trace {
		if c.Sent <= to && (c.Recv >= from || c.Recv == 0) {
			fmt.Fprintf(b, "command %d (%d) %d-%d %s %v -> %s %s %s\n", c.Process, c.N, c.Sent, c.Recv,
				c.Node, c.Args, c.Reply, c.Err, c.Why)
		}
	}
	for _, l := range o.Truth.all {
		if l.born <= to && l.end >= from {
			fmt.Fprintf(b, "%s\n", l)
		}
	}
}
