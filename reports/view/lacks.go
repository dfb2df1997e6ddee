package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/reports/page"
)

func unknownSentence(v *View) string {
	why := page.Clean(v.Verdict.HarnessError, 300)
	grants := v.Verdict.Evidence.Acquisitions
	if miss := missed(v); why == "" && miss != "" && grants > 0 && !endedByLock(v) {
		return miss
	}
	if why == "" {
		why = v.Missing()
	}
	if why == "" {
		why = page.Clean(v.Verdict.Summary, 300)
	}
	if why == "" {
		return "The run does not tell."
	}
	return "The run does not tell: " + units.Sentence(strings.TrimSuffix(why, "."))
}

// missed says that an aimed fault missed, or that no other client tried afterwards, and what to run
// instead. Otherwise it returns "".
func missed(v *View) string {
	e, q, p := v.Verdict.Evidence, v.History.Header.Requires, v.Planned()
	p.TTL = v.History.Header.TTL
	switch {
	case e.Hits < q.Hits && len(e.Missed) > 0:
		return fmt.Sprintf("The fault missed: %d of %s hit a hold while another client waited. Run it "+
			"again with another --seed.", e.Hits, units.Count(q.Hits, "planned fault"))
	case len(e.Untested) > 0:
		s := fmt.Sprintf("No other client tried after the fault: none was answered by %s before the "+
			"holder left.", Successor(v.History.Header))
		if longer := harness.LongerHolds(p); longer != "" {
			s += fmt.Sprintf(" Run it again with longer holds: %s.", longer)
		}
		return s
	}
	return ""
}

// endedByLock reports whether the lock ended the process of a client.
func endedByLock(v *View) bool {
	return slices.ContainsFunc(v.History.Events, func(e history.Event) bool {
		return e.Type == history.Exit && e.Signal != ""
	})
}

// Missing says which evidence the run was to give and did not; "" if it gave all.
func (v *View) Missing() string {
	e, q := v.Verdict.Evidence, v.History.Header.Requires
	if s := v.Verdict.Property(checker.MutualExclusion); s.Reason != "" &&
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
		m = append(m, "no grant by "+Successor(v.History.Header))
	}
	if len(m) > 0 {
		return "it has " + units.List(m)
	}
	for _, p := range v.Verdict.Properties {
		if p.Verdict.String() == string(checker.Unknown) && p.Reason != "" {
			return page.Clean(p.Reason, 300)
		}
	}
	return ""
}

// EvidenceRow is something that was tried, and how much of it the run needed.
type EvidenceRow struct {
	What, Have, Need string
	Short            bool // less than needed
}

// Evidence returns the counts that show how hard the run tested the lock.
func (v *View) Evidence() []EvidenceRow {
	rows := []EvidenceRow{{What: "operations recorded", Have: fmt.Sprintf("%s by %s in %s",
		units.Thousands(v.Operations), units.Count(len(v.Clients), "client"), units.Span(v.End))}}
	if v.Verdict == nil {
		return rows
	}
	e, q := v.Verdict.Evidence, v.History.Header.Requires
	add := func(what string, have, need int, always bool) {
		if have == 0 && need == 0 && !always {
			return
		}
		row := EvidenceRow{What: what, Have: units.Thousands(have), Short: have < need &&
			v.Verdict.Verdict != checker.Violated}
		if need > 0 {
			row.Need = "at least " + units.Thousands(need)
		}
		rows = append(rows, row)
	}
	add("acquisitions granted", e.Acquisitions, 0, true)
	add("of them while another client also wanted the lock", e.Contended, q.Contended, true)
	add("grants to another client than the one before", e.Handovers, q.Handovers, false)
	add("fault steps that were carried out", max(e.Faults, len(v.Faults)), 0, true)
	add("faults that hit a hold while another client waited", e.Hits, max(q.Hits, e.Aimed),
		false)
	add("grants by "+Successor(v.History.Header), e.AfterFailover, batch.Truth(q.Failover), false)
	add("reads and writes of the guarded resource", e.Sections, 0, false)
	add("answers that said what a register held", e.Observed, 0, false)
	add("writes refused, since another client was first", e.Conflicts, q.Conflicts, false)
	add("nested acquisitions", e.NestedAcquires, 0, false)
	add("fenced writes", e.FencedWrites, 0, false)
	add("of them refused as old", e.OldWrites, 0, false)
	add("holds that began while another client was inside", e.Together, 0, false)
	add("operations of unknown outcome", max(e.Unknown, v.Record.Unknown), 0, false)
	if e.TimedOut > 0 {
		rows = append(rows, EvidenceRow{What: "commands that timed out although no fault held them back",
			Have: units.Thousands(e.TimedOut)})
	}
	if e.LongestGapMS > 0 {
		rows = append(rows, EvidenceRow{What: "longest unplanned stall of the machine",
			Have: units.Span(time.Duration(e.LongestGapMS) * time.Millisecond)})
	}
	if e.Interrupted {
		rows = append(rows, EvidenceRow{What: "end of the record",
			Have: "missing: the run was interrupted", Need: "an end", Short: true})
	}
	return rows
}
