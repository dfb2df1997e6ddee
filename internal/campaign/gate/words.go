package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// safeClaim says what a safe result is based on: the properties, the number of runs, and whether
// the faults struck.
func (e *Entry) safeClaim(t tally) string {
	s := fmt.Sprintf("No violation of %s in %s of %s (%s): %d acquisitions, %d of them contended",
		strings.Join(t.letters, ", "), units.Count(len(t.Counted), "run"), e.Title(), e.tried(t.Counted),
		t.evidence.Acquisitions, t.evidence.Contended)
	if t.evidence.Aimed > 0 {
		s += fmt.Sprintf("; %d of %d aimed faults hit a hold with another client waiting",
			t.evidence.Hits, t.evidence.Aimed)
	}
	for _, l := range slices.SortedFunc(maps.Keys(t.violated), batch.ByProperty) {
		s += fmt.Sprintf("; only reported: %s violated in %s", l, ofRuns(t.violated[l], len(t.Counted)))
	}
	if len(t.na) > 0 {
		s += "; not promised or not exercised: " + strings.Join(t.na, ", ")
	}
	return s + "."
}

// tried lists the settings of the entry except the lock and the fault, and the seeds of its runs. A
// counterexample has its own.
func (e *Entry) tried(runs []Run) string {
	if e.Replay != "" {
		return e.Environment
	}
	s := e.Environment + ", "
	for _, o := range e.Options {
		if o.Name != "impl" && o.Name != "adapter" && o.Name != "nemesis" {
			s += o.Name + " " + strings.Join(o.Values, ",") + ", "
		}
	}
	return s + seeds(runs)
}

// seeds formats the seeds of runs: "seeds 1 to 5".
func seeds(runs []Run) string {
	low, high := runs[0].Seed, runs[0].Seed
	for _, r := range runs {
		low, high = min(low, r.Seed), max(high, r.Seed)
	}
	if low == high {
		return fmt.Sprintf("seed %d", low)
	}
	return fmt.Sprintf("seeds %d to %d", low, high)
}

// classes formats the classes of the violations of a run, the worst first: ": lease overrun".
func classes(run Run) string {
	var out []string
	for _, l := range run.Worst() {
		if c := run.Classes[l]; c != "" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return ": " + strings.Join(out, ", ")
}

// why returns the reason why a run leaves its entry unknown.
func why(run Run, e *Entry) string {
	letters := e.Expect.Properties
	if len(letters) == 0 {
		for l := range run.Properties {
			letters = append(letters, l)
		}
		slices.SortFunc(letters, batch.ByProperty)
	}
	if run.HarnessError != "" {
		return run.HarnessError
	}
	if e.judgeRun(run) == checker.Violated {
		return "it was not as expected, and the time was over before it could be repeated with nothing " +
			"beside it"
	}
	for _, l := range letters {
		if w := run.Reasons[l]; w != "" && (run.Properties[l] == checker.Unknown ||
			run.Properties[l] == "" || run.Properties[l] == checker.NA) {
			return l + ": " + strings.TrimSuffix(w, ".")
		}
	}
	return "the evidence is not enough"
}

// notJudged says how many of the planned runs could not be judged, and why.
func (e *EntryResult) notJudged(t tally) string {
	disturbed, broke, gap := 0, 0, 0
	for _, run := range t.Counted {
		if disturbed += batch.Truth(run.Disturbed); run.Disturbed {
			gap = max(gap, run.Evidence.LongestGapMS)
		}
		broke += batch.Truth(!run.Disturbed && run.HarnessError != "")
	}
	var parts []string
	if disturbed > 0 {
		s := fmt.Sprintf("%s disturbed, also when repeated", were(disturbed))
		if gap > 0 {
			s += fmt.Sprintf(" (the machine stalled for up to %d ms)", gap)
		} else {
			s += " (Redis kept a client waiting for too long)"
		}
		parts = append(parts, s)
	}
	if broke > 0 {
		parts = append(parts, fmt.Sprintf("%d broke", broke))
	}
	if left := e.Planned - len(t.Counted); left > 0 {
		parts = append(parts, fmt.Sprintf("%s not made: %s", were(left),
			cmp.Or(e.Cut, "it was interrupted")))
	}
	return strings.Join(parts, ", ")
}

// describeRun says what a run showed instead of the expected violation.
func describeRun(run Run, e *Entry) string {
	for _, l := range e.Expect.Properties {
		if r := run.Properties[l]; r != checker.Violated {
			s := l + " is " + r.String()
			if w := run.Reasons[l]; w != "" {
				s += " (" + strings.TrimSuffix(w, ".") + ")"
			}
			return s
		}
	}
	for _, l := range run.ViolatedAll() {
		if e.Expect.Exactly && !slices.Contains(e.Expect.Properties, l) {
			return l + " is violated, too"
		}
	}
	return "the run is " + run.Verdict.String()
}

// named returns the expected violation as the start of a sentence.
func named(expect string) string {
	if expect == string(checker.Violated) {
		return "A violation"
	}
	return "A violation of " + strings.Replace(expect, "exactly:", "exactly ", 1)
}

func ofRuns(n, all int) string { return fmt.Sprintf("%d of %s", n, units.Count(all, "run")) }

func were(n int) string {
	if n == 1 {
		return "1 run was"
	}
	return fmt.Sprintf("%d runs were", n)
}
