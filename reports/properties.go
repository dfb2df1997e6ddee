package reports

import (
	"fmt"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/units"
	"github.com/lockbench/lockbench/reports/page"
)

// propertyRow is a property with its verdict. Symbol says in a shape what the colour says.
type propertyRow struct {
	Name, Meaning, Verdict, State, Symbol, Class, Words string
	Story                                               string // where it is told in full
	Reported                                            bool
}

func propertyRows(r *View) []propertyRow {
	if r.Verdict == nil {
		return nil
	}
	told := map[string]string{}
	for i, w := range r.violations {
		for _, p := range w.properties {
			told[p] = fmt.Sprintf("violation-%d", i+1)
		}
	}
	var rows []propertyRow
	for _, p := range r.Verdict.Properties {
		row := propertyRow{Name: page.Clean(p.Property, 24), Meaning: meanings[p.Property],
			Verdict: p.Verdict.String(), State: page.State(p.Verdict),
			Class: page.Clean(p.Class, 80), Words: page.Clean(p.Explanation, 1200), Reported: p.Reported}
		row.Symbol = map[string]string{"violated": "✕", "valid": "✓", "unknown": "?",
			"na": "–"}[row.State]
		if p.Reason != "" {
			row.Words = units.Sentence(page.Clean(p.Reason, 600))
		}
		if row.Story = told[p.Property]; row.Story != "" {
			row.Words = ""
		}
		if p.Assumption != "" {
			row.Class += "; the fault broke an assumption: " + page.Clean(p.Assumption, 80)
		}
		rows = append(rows, row)
	}
	return rows
}

// meanings says what the letters of the properties stand for.
var meanings = map[string]string{
	checker.MutualExclusion: "two clients are never inside at once",
	checker.LeaseExclusion:  "two clients are never inside at once while both leases are valid",
	checker.OwnerRelease:    "only the owner releases",
	checker.Orphan:          "no key stays set that nobody holds",
	checker.Deadlock:        "a live client that tries gets in again",
	checker.Fencing:         "fencing tokens grow",
	checker.LostUpdate:      "no update of the guarded resource is lost",
	checker.Reentry:         "a holder can acquire again, and has to release as often",
	checker.Validity:        "two clients are never inside while the lock tells both that they are",
}

// evidenceRow is something that was tried, and how much of it the run needed.
type evidenceRow struct {
	What, Have, Need string
	Short            bool // less than needed
}

func evidenceRows(r *View) []evidenceRow {
	rows := []evidenceRow{{What: "operations recorded", Have: fmt.Sprintf("%s by %s in %s",
		units.Thousands(r.count), units.Count(len(r.clients), "client"), units.Span(r.end))}}
	if r.Verdict == nil {
		return rows
	}
	e, q := r.Verdict.Evidence, r.History.Header.Requires
	add := func(what string, have, need int, always bool) {
		if have == 0 && need == 0 && !always {
			return
		}
		row := evidenceRow{What: what, Have: units.Thousands(have), Short: have < need &&
			r.Verdict.Verdict != checker.Violated}
		if need > 0 {
			row.Need = "at least " + units.Thousands(need)
		}
		rows = append(rows, row)
	}
	add("acquisitions granted", e.Acquisitions, 0, true)
	add("of them while another client wanted in", e.Contended, q.Contended, true)
	add("faults that began", max(e.Faults, len(r.faults)), 0, true)
	add("faults that struck a hold while another client waited", e.Hits, max(q.Hits, e.Aimed),
		false)
	add("grants by the new master", e.AfterFailover, b2i(q.Failover), false)
	add("reads and writes of the guarded resource", e.Sections, 0, false)
	add("nested acquisitions", e.NestedAcquires, 0, false)
	add("fenced writes", e.FencedWrites, 0, false)
	add("operations whose outcome nobody knows", max(e.Unknown, r.unknown), 0, false)
	if e.TimedOut > 0 {
		rows = append(rows, evidenceRow{What: "commands that timed out although no fault held them back",
			Have: units.Thousands(e.TimedOut)})
	}
	if e.LongestGapMS > 0 {
		rows = append(rows, evidenceRow{What: "longest unplanned stall of the machine",
			Have: units.Span(time.Duration(e.LongestGapMS) * time.Millisecond)})
	}
	if e.Interrupted {
		rows = append(rows, evidenceRow{What: "end of the record",
			Have: "missing: the run was interrupted", Need: "an end", Short: true})
	}
	return rows
}
