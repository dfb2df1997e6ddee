package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// judgeRun returns how a run meets its entry's expectation; see Expectation.judge. A counterexample
// that diverged does not show the violation any more, but does not prove that the lock is safe.
func (e *Entry) judgeRun(run Run) checker.Result {
	switch {
	case run.Refused:
		return checker.Unknown
	case run.Diverged != "":
		return sure(e.Expect.Violates && run.HarnessError == "", checker.Violated)
	case e.Found != nil:
		return e.Found.judge(run)
	}
	return e.Expect.judge(run.Finding)
}

// tally sorts the runs of an entry.
type tally struct {
	met, not, open []Run // as expected; not as expected; unknown
	refused, broke []Run
	Counted        []Run // all runs that count; a second try replaces the first
	// properties that were valid in each run that judged them, and that no run judged
	letters, na []string
	violated    map[string]int // properties that runs violated, and how many did
	evidence    checker.Evidence
}

// Count sorts the runs of an entry. If a run was repeated, only the second try counts.
func (e *Entry) Count(runs []Run) (t tally) {
	t.violated = map[string]int{}
	for i, run := range runs {
		if i+1 < len(runs) && runs[i+1].Again && runs[i+1].Seed == run.Seed &&
			runs[i+1].Repeat == run.Repeat {
			continue
		}
		t.Counted = append(t.Counted, run)
		switch met := e.judgeRun(run); {
		case met == checker.Valid:
			t.met = append(t.met, run)
		case met == checker.Violated && (run.Again || !e.doubts(run)):
			t.not = append(t.not, run)
		case run.Refused:
			t.refused = append(t.refused, run)
		case run.HarnessError != "":
			t.broke = append(t.broke, run)
		default:
			t.open = append(t.open, run)
		}
		t.add(run)
	}
	t.settle()
	return t
}

func (t *tally) add(run Run) {
	t.evidence.Acquisitions += run.Evidence.Acquisitions
	t.evidence.Contended += run.Evidence.Contended
	t.evidence.Aimed += run.Evidence.Aimed
	t.evidence.Hits += run.Evidence.Hits
	for l, r := range run.Properties {
		switch r {
		case checker.NA:
			t.na = append(t.na, l)
		case checker.Violated:
			t.violated[l]++
		case checker.Valid:
			t.letters = append(t.letters, l)
		}
	}
}

// settle completes the lists of properties when all runs are added.
func (t *tally) settle() {
	t.letters = slices.DeleteFunc(t.letters, func(l string) bool { return t.violated[l] > 0 })
	t.na = slices.DeleteFunc(t.na, func(l string) bool {
		return slices.Contains(t.letters, l) || t.violated[l] > 0
	})
	for _, list := range []*[]string{&t.letters, &t.na} {
		slices.SortFunc(*list, batch.ByProperty)
		*list = slices.Compact(*list)
	}
}

// judge sets the result of an entry. A violation outranks a broken run, which outranks an unknown
// result. An unknown result never passes.
func (e *Entry) judge(f *EntryResult, allowed bool) {
	t := e.Count(f.Runs)
	f.Result, f.Change, f.Found, f.Claim = Unknown, "", "unknown", ""
	switch {
	case e.Found != nil:
		e.judgeFound(f, t)
	case !e.Expect.Violates && len(t.not) > 0:
		f.failSafe(t)
	case e.search():
		e.judgeSearch(f, t)
	case e.Expect.Violates && len(t.not) > 0:
		e.failViolates(f, t)
	case f.trouble(t):
	case len(t.open) > 0:
		f.Claim = fmt.Sprintf("Nobody can tell in %s: %s.", ofRuns(len(t.open), len(t.Counted)),
			why(t.open[0], e))
		f.show(t.open[0])
	case len(t.Counted) < f.Planned || f.Cut != "":
		f.Claim = fmt.Sprintf("Only %d of %s done: %s.", len(t.Counted), were(f.Planned),
			cmp.Or(f.Cut, "it was interrupted"))
	default:
		e.pass(f, t)
	}
	if f.Result == Unknown && allowed {
		f.Result = Allowed
	}
}

func (e *Entry) failViolates(f *EntryResult, t tally) {
	run, what := t.not[0], named(e.Expect.Plan())
	switch {
	case run.Diverged != "":
		f.fail(Gone, "diverged", run, fmt.Sprintf("The counterexample does not happen any more: %s. If "+
			"the lock was mended, put an entry with the lock, the fault and `expect: safe` in its place.",
			run.Diverged))
	case len(t.met) == 0:
		f.fail(Gone, run.Found(), run, fmt.Sprintf(
			"%s was expected and did not happen in %s: %s. If the lock was mended, write `expect: safe`.",
			what, ofRuns(len(t.not), len(t.Counted)), describeRun(run, e)))
	default:
		within := e.Expect
		within.Within = history.Duration(30 * time.Second)
		f.fail(Gone, run.Found(), run, fmt.Sprintf(
			"%s was found in %s only, not with seed %d. If that is how it is, write `expect: %s`.", what,
			ofRuns(len(t.met), len(t.Counted)), run.Seed, within))
	}
}

// judgeSearch judges runs that were repeated until one meets the expectation.
func (e *Entry) judgeSearch(f *EntryResult, t tally) {
	switch {
	case len(t.met) > 0:
		e.pass(f, t)
	case f.trouble(t):
	case len(t.not) == 0 || f.Cut != "":
		f.Claim = fmt.Sprintf("%s was not found, and nothing can be said: %s.", named(e.Expect.Plan()),
			e.whyNot(f, t))
		if len(t.open) > 0 {
			f.show(t.open[0])
		}
	default:
		f.fail(Gone, "not found", t.not[0], fmt.Sprintf(
			"%s was expected within %s and not found in %s. If the lock was mended, write `expect: safe`.",
			named(e.Expect.Plan()), brief(e.Expect.Within), units.Count(len(t.Counted), "run")))
	}
}

func (e *Entry) whyNot(f *EntryResult, t tally) string {
	switch {
	case f.Cut != "":
		return f.Cut
	case len(t.open) > 0:
		return fmt.Sprintf("none of %s can be judged; the first: %s", units.Count(len(t.Counted), "run"),
			why(t.open[0], e))
	}
	return fmt.Sprintf("no run ended within %s", brief(e.Expect.Within))
}

func (e *Entry) pass(f *EntryResult, t tally) {
	f.Result = Passed
	if !e.Expect.Violates {
		f.Found, f.Claim = "valid", e.safeClaim(t)
		f.show(t.met[0])
		return
	}
	run := t.met[0]
	f.Found = run.Found()
	in := ofRuns(len(t.met), len(t.Counted))
	if e.search() {
		in = fmt.Sprintf("run %d", len(t.Counted))
	}
	f.Claim = fmt.Sprintf("%s violated in %s of %s (%s), as expected%s.",
		strings.Join(run.ViolatedAll(), ", "), in, e.Title(), e.tried(t.Counted), classes(run))
	f.show(run)
}

// show sets the run that shows the result, with the explanation of its worst violation. A violation
// of the named properties goes before all others.
func (e *EntryResult) show(run Run, first ...string) {
	e.Shown = &Shown{Seed: run.Seed, Dir: run.Dir}
	letters := run.Worst()
	slices.SortStableFunc(letters, func(a, b string) int {
		return batch.Truth(slices.Contains(first, b)) - batch.Truth(slices.Contains(first, a))
	})
	for _, l := range letters {
		if w := run.Explanations[l]; w != "" {
			e.Shown.Explanation = w
			return
		}
	}
}

// trouble handles runs that were refused or broke, and reports whether there are any.
func (e *EntryResult) trouble(t tally) bool {
	switch {
	case len(t.refused) > 0:
		e.Result, e.Found = Refused, "refused"
		e.Claim = "It cannot be run like this: " + t.refused[0].HarnessError + "."
	case len(t.broke) > 0:
		e.Result, e.Found = Broken, "broke"
		e.Claim = fmt.Sprintf("%s broke: %s.", units.Upper(ofRuns(len(t.broke), len(t.Counted))),
			t.broke[0].HarnessError)
		e.show(t.broke[0])
	}
	return e.Result != Unknown
}

// failSafe reports a violation of a lock that is expected to be safe.
func (e *EntryResult) failSafe(t tally) {
	run := t.not[0]
	violated := strings.Join(run.ViolatedAll(), ", ")
	e.fail(Worse, "violates "+strings.ReplaceAll(violated, ", ", ","), run, fmt.Sprintf(
		"%s violated in %s, first with seed %d%s.", violated, ofRuns(len(t.not), len(t.Counted)),
		run.Seed, classes(run)))
}
