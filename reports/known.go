package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/choose"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/lockbench/lockbench/reports/page"
	"github.com/lockbench/lockbench/reports/view"
)

// effect is a paragraph about the costs of a fault.
type effect struct{ Title, Text string }

// clients adds how each client fared, and what the faults cost them.
func (p *runPage) clients(v *view.View) {
	if v.Verdict == nil {
		return
	}
	p.Waits = v.Waits()
	all := len(p.Waits)
	p.Waits = slices.DeleteFunc(p.Waits, func(r view.WaitRow) bool { return r.Rank >= maxRows })
	p.WaitsLeft = all - len(p.Waits)
	p.Faults, p.FaultsLeft = v.FaultRows()
	outage := v.Verdict.Property(checker.Outage)
	switch {
	case outage.Verdict == checker.Violated:
		p.Effects = append(p.Effects, effect{"Outage.", page.Clean(outage.Explanation, 600)})
	case outage.Verdict == checker.Valid && outage.Seconds > 0:
		p.Effects = append(p.Effects, effect{"Outage.", fmt.Sprintf("While a fault was under "+
			"way and no client was inside, the longest time without a grant was %.3f s, which is within "+
			"the bound.", outage.Seconds)})
	}
	if n := v.Verdict.Property(checker.Notice); n.Verdict == checker.Violated {
		p.Effects = append(p.Effects, effect{"Notice.", page.Clean(n.Explanation, 600)})
	}
}

// Remedy returns what to do about the worst violation, or nil.
func Remedy(v *view.View) (*hint.Remedy, error) {
	plan, broken := harness.ReadPlan(bytes.NewReader(v.Plan))
	if broken != nil || v.Verdict == nil {
		return nil, nil
	}
	r, err := hint.RemedyFor(v.Verdict, plan)
	if r.Do == "" || err != nil {
		return nil, err
	}
	r.Command.Line = page.Clean(r.Command.Line, 1000)
	return &r, nil
}

// knownSection has the project's measurements of the run's lock and fault.
type knownSection struct {
	*choose.Known
	Often                          []string
	Drawn                          string // result of a search without an aim
	Where, HelpsTitle, OthersTitle string
	None                           string
}

// maxOthers bounds the locks that are named instead.
const maxOthers = 6

// known looks the lock and the fault of the run up; nil if nothing was measured of them.
func known(v *view.View) (*knownSection, error) {
	plan := v.Planned()
	k, err := choose.Lookup(plan)
	if k == nil || err != nil || v.Verdict == nil {
		return nil, err
	}
	s := &knownSection{Known: k}
	s.Line = units.Upper(k.Line) + "."
	s.Often = often(k, plan)
	s.Where = fmt.Sprintf("Measured with %s under aimed faults, on %s, with %s: how often the "+
		"fault hits in a system of yours, this does not say.", k.Lock, k.Server, k.Lease())
	s.Drawn = drawn(k)
	s.HelpsTitle = "Settings that were measured with this lock"
	if len(k.Helps) > 0 && !k.Helps[0].Same {
		s.HelpsTitle = "Settings that were measured with another lock, " + k.Helps[0].Row +
			": how often they help this one was not counted"
	}
	s.OthersTitle = fmt.Sprintf("Locks that nothing broke under %s, and that show no defect of their "+
		"own under another fault: %d of the %d that were measured", k.FaultNames(), len(k.Others),
		k.Asked)
	if len(k.Others) > maxOthers {
		s.OthersTitle += fmt.Sprintf("; the best %d, in the order of choose", maxOthers)
		k.Others = k.Others[:maxOthers]
	}
	s.None = fmt.Sprintf("Of the %s that were measured, none that keeps clients out stayed clean "+
		"under %s without a defect of its own under another fault.", units.Count(k.Asked, "lock"),
		k.FaultNames())
	return s, nil
}

// often says how often the aimed runs violated something, and which aim this run had.
func often(k *choose.Known, plan harness.Plan) (out []string) {
	for _, r := range k.Rates {
		out = append(out, r.String()+".")
	}
	switch {
	case k.Clean > 0 && len(k.Untold) > 0:
		out = append(out, fmt.Sprintf("Nothing that counts in %s, which could not judge %s.",
			units.Count(k.Clean, "run"), units.List(k.Untold)))
	case k.Clean > 0:
		out = append(out, fmt.Sprintf("Nothing that counts in %s.", units.Count(k.Clean, "run")))
	case !slices.ContainsFunc(k.Rates, func(r choose.Rate) bool {
		return nemesis.SameAim(r.Nemesis, plan.Nemesis)
	}):
		out = append(out, "This run was "+nemesis.FullName(plan.Nemesis)+".")
	}
	return out
}

// drawn says how often a search without an aim meets what the aimed runs show; "" if that was not
// counted.
func drawn(k *choose.Known) string {
	var parts []string
	for _, h := range k.Drawn {
		parts = append(parts, fmt.Sprintf("%s in %d of %s (%s per 1,000)", h.Property, h.Hits,
			units.Count(h.Of, "run"), units.Thousands(h.PerThousand())))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Without an aim, in the simulator, where the moment of the fault and the order of " +
		"messages are drawn: " + strings.Join(parts, ", ") + "."
}
