package view

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/reports/page"
)

func (j judgement) unknownSentence() string {
	why := page.Clean(j.verdict.HarnessError, 300)
	if miss := j.missed(); why == "" && miss != "" {
		return miss
	}
	if why == "" {
		why = j.missing()
	}
	if why == "" {
		why = page.Clean(j.verdict.Summary, 300)
	}
	if why == "" {
		return "The run does not tell."
	}
	return "The run does not tell: " + units.Sentence(strings.TrimSuffix(why, "."))
}

// missed says that an aimed fault missed, or that no other client tried afterwards, and what to run
// instead. Otherwise it returns "".
func (j judgement) missed() string {
	e, q := j.verdict.Evidence, j.header.Requires
	switch {
	case e.Hits < q.Hits && len(e.Missed) > 0:
		return fmt.Sprintf("The fault missed: %d of %s hit a hold while another client waited. Run it "+
			"again with another --seed.", e.Hits, units.Count(q.Hits, "planned fault"))
	case len(e.Untested) > 0:
		return fmt.Sprintf("No other client tried after the fault: none was answered by %s before the "+
			"holder left. Run it again with longer holds: %s.", Successor(j.header), j.longerHolds())
	}
	return ""
}

// longerHolds returns the flags for holds of half a lease, or of half of a longer lease if the run
// had such holds already.
func (j judgement) longerHolds() string {
	half, hold := j.header.TTL.D()/2, planOf(j.plan).Hold.D()
	if hold < half {
		return fmt.Sprintf("--hold %v", half)
	}
	return fmt.Sprintf("--ttl %v --hold %v", 4*hold, 2*hold)
}

// Missing says which evidence the run was to give and did not; "" if it gave all.
func (v *View) Missing() string { return v.judgement().missing() }

func (j judgement) missing() string {
	e, q := j.verdict.Evidence, j.header.Requires
	if s := j.verdict.Property(checker.MutualExclusion); s.Reason != "" &&
		s.Verdict.String() == string(checker.Unknown) {
		return page.Clean(s.Reason, 300)
	}
	var m []string
	if e.Contended < q.Contended {
		m = append(m, fmt.Sprintf("%d of the %s that it needs", e.Contended,
			units.Count(q.Contended, "contended acquisition")))
	}
	if e.Hits < q.Hits {
		m = append(m, fmt.Sprintf("%d of %s that hit a hold with another client waiting", e.Hits,
			units.Count(q.Hits, "fault")))
	}
	if e.Conflicts < q.Conflicts {
		m = append(m, fmt.Sprintf("%d of the %s that it needs", e.Conflicts,
			units.Count(q.Conflicts, "refused write")))
	}
	if q.Failover && e.AfterFailover == 0 {
		m = append(m, "no grant by "+Successor(j.header))
	}
	if len(m) > 0 {
		return "it has " + units.List(m)
	}
	for _, p := range j.verdict.Properties {
		if p.Verdict.String() == string(checker.Unknown) && p.Reason != "" {
			return page.Clean(p.Reason, 300)
		}
	}
	return ""
}
