package gate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// Found is a snapshot: what the runs of an entry showed when its file was written (docs/ci.md, A
// snapshot). An entry has it instead of an expectation. The entry fails if a run violates a
// property that is neither in Must nor in May, or if no run violates a property of Must any more.
type Found struct {
	Runs int `yaml:"runs" json:"runs"` // runs that could be judged; 0 means not measured yet
	// properties that every run violated
	Must []string `yaml:"must,commas" json:"must,omitempty"`
	// properties that some runs violated, and how many did
	May map[string]int `yaml:"may" json:"may,omitempty"`
	// properties that some runs left unknown, and how many did
	Unknown map[string]int `yaml:"unknown" json:"unknown,omitempty"`
	// properties that each run found valid
	Valid []string `yaml:"valid,commas" json:"valid,omitempty"`
	// for the simulator: a digest of everything that clients and Redis did, for each seed
	Courses []string `yaml:"courses,commas" json:"courses,omitempty"`
}

// absence returns the probability that a property that all n runs violated is violated in none of m
// more runs of an unchanged lock. By the rule of succession it is one divided by the number of ways
// to choose m of n+m+1.
func absence(n, m int) float64 {
	chance := 1.0
	for i := 1; i <= m; i++ {
		chance *= float64(i) / float64(n+1+i)
	}
	return chance
}

// count counts in how many runs each property was violated, unknown, and valid.
type count struct {
	violated, unknown, valid map[string]int
	runs                     int
	courses                  []string
}

func countLetters(runs []Run) count {
	c := count{violated: map[string]int{}, unknown: map[string]int{}, valid: map[string]int{}}
	for _, run := range runs {
		if run.HarnessError != "" || run.Disturbed || run.Refused {
			continue
		}
		c.runs++
		if run.Course != "" && !run.Extra {
			c.courses = append(c.courses, run.Course)
		}
		for l, r := range run.Properties {
			switch {
			case slices.Contains(run.Reported, l) || r == checker.NA:
			case r == checker.Violated:
				c.violated[l]++
			case r == checker.Valid:
				c.valid[l]++
			default:
				c.unknown[l]++
			}
		}
	}
	return c
}

func newFound(runs []Run) *Found {
	c := countLetters(runs)
	f := &Found{Runs: c.runs, May: map[string]int{}, Unknown: c.unknown, Courses: c.courses}
	for _, l := range slices.SortedFunc(maps.Keys(c.violated), batch.ByProperty) {
		if c.violated[l] == c.runs {
			f.Must = append(f.Must, l)
		} else {
			f.May[l] = c.violated[l]
		}
	}
	f.Valid = slices.DeleteFunc(history.Properties(), func(l string) bool {
		return c.runs == 0 || c.valid[l] < c.runs
	})
	return f
}

// check rejects impossible counts and properties.
func (f *Found) check() error {
	for _, l := range slices.Concat(f.Must, f.Valid, slices.Collect(maps.Keys(f.May)),
		slices.Collect(maps.Keys(f.Unknown))) {
		if !slices.Contains(history.Properties(), l) {
			return fmt.Errorf("found names %q, an unknown property", l)
		}
	}
	for _, n := range slices.Concat(slices.Collect(maps.Values(f.May)),
		slices.Collect(maps.Values(f.Unknown))) {
		if n < 1 || n > f.Runs {
			return fmt.Errorf("found counts %d of %d runs", n, f.Runs)
		}
	}
	if len(f.Must) > 0 && f.Runs < 1 {
		return fmt.Errorf("found says that each of %d runs violated %s", f.Runs,
			strings.Join(f.Must, ", "))
	}
	return nil
}

// String describes the snapshot: "S, L 5 of 5; O 2 of 5".
func (f *Found) String() string {
	if f.Runs == 0 {
		return "not measured yet"
	}
	var parts []string
	if len(f.Must) > 0 {
		parts = append(parts, fmt.Sprintf("%s %d of %d", strings.Join(f.Must, ", "), f.Runs, f.Runs))
	}
	for _, l := range slices.SortedFunc(maps.Keys(f.May), batch.ByProperty) {
		parts = append(parts, fmt.Sprintf("%s %d of %d", l, f.May[l], f.Runs))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "; ")
	case len(f.Valid) == 0 && slices.Contains(slices.Collect(maps.Values(f.Unknown)), f.Runs):
		return "nothing known in " + units.Count(f.Runs, "run")
	}
	return "no letter in " + units.Count(f.Runs, "run")
}

// newLetters returns the violated properties of a run that the snapshot does not have.
func (f *Found) newLetters(run Run) []string {
	return slices.DeleteFunc(run.ViolatedAll(), func(l string) bool {
		return f.Runs == 0 || run.Extra || slices.Contains(f.Must, l) || f.May[l] > 0
	})
}

// judge compares a run with the snapshot. It ignores missing violations, which only several runs
// can show.
func (f *Found) judge(run Run) checker.Result {
	switch {
	case run.HarnessError != "" || run.Disturbed:
		return checker.Unknown
	case len(f.newLetters(run)) > 0:
		return checker.Violated
	}
	for l, r := range run.Properties {
		if r != checker.Violated && r != checker.Valid && r != checker.NA && f.Runs > 0 &&
			f.Unknown[l] == 0 && !slices.Contains(run.Reported, l) {
			return checker.Unknown
		}
	}
	return checker.Valid
}

// straying reports whether a run took another course than the snapshot's run with the same seed.
func (e *Entry) straying(run Run) bool {
	if e.Found == nil || run.Extra || run.Course == "" || run.Seed < e.Seed {
		return false
	}
	i := run.Seed - e.Seed
	return i < uint64(len(e.Found.Courses)) && e.Found.Courses[i] != run.Course
}

// missing returns the properties that every run of the snapshot violated and no run violates now,
// and the probability of that by chance.
func (f *Found) missing(c count) (letters []string, chance float64) {
	for _, l := range f.Must {
		if c.violated[l] == 0 {
			letters, chance = append(letters, l), math.Max(chance, absence(f.Runs, c.valid[l]))
		}
	}
	return letters, chance
}

// untold returns the properties that could be judged in the snapshot but are unknown in most runs
// now.
func (f *Found) untold(c count) []string {
	all := slices.SortedFunc(maps.Keys(c.unknown), batch.ByProperty)
	return slices.DeleteFunc(all, func(l string) bool {
		return f.Unknown[l] > 0 || c.violated[l] > 0 || 2*c.unknown[l] <= c.runs
	})
}

// dropped returns the properties that each run of the snapshot found valid, and of which no run now
// says anything: the entry does not ask for them, or they do not apply.
func (f *Found) dropped(c count) []string {
	return slices.DeleteFunc(slices.Clone(f.Valid), func(l string) bool {
		return c.valid[l]+c.violated[l]+c.unknown[l] > 0
	})
}

// whyDropped gives the reason why a run does not judge a property.
func whyDropped(run Run, letter string) string {
	return cmp.Or(strings.TrimSuffix(run.Reasons[letter], "."), "the entry does not ask for it")
}

// judgeFound compares the runs of an entry with its snapshot.
func (e *Entry) judgeFound(f *EntryResult, t tally) {
	now := countLetters(t.Counted)
	gone, chance := e.Found.missing(now)
	changed := slices.DeleteFunc(slices.Clone(t.Counted), func(r Run) bool { return !e.straying(r) })
	untold, dropped := e.Found.untold(now), e.Found.dropped(now)
	is := newFound(t.Counted).String()
	if now.runs == 0 {
		is = f.notJudged(t)
	}
	switch {
	case e.Found.Runs == 0 && !f.trouble(t) && now.runs > 0:
		f.Result, f.Found, f.Claim = Passed, "measured", is
		if not := f.notJudged(t); not != "" {
			f.Claim += "; " + not
		}
		if few := f.warnOfFew(t.Counted); few != "" {
			f.Claim += "; warning: " + few
		}
	case e.Found.Runs == 0:
		if f.Claim == "" && len(t.Counted) > 0 {
			f.Claim = "not measured: " + f.notJudged(t)
		}
	case len(t.not) > 0:
		f.failNew(e.Found, t, is)
	case len(gone) > 0 && chance < batch.NoAccident:
		f.fail(Gone, "without "+strings.Join(gone, ","), t.Counted[0], fmt.Sprintf(
			"%s did not happen any more. Then: %s. Now: %s. If the lock was mended, write the file anew.",
			strings.Join(gone, ", "), e.Found, is))
	case len(changed) > 0:
		f.fail(Different, "another course", changed[0], fmt.Sprintf(
			"The letters are the same, but what happened is not: the simulator repeats a seed step by "+
				"step, and in %s, first with seed %d, a client sent or got something else than then, or at "+
				"another time. A changed lock does that, or another lockbench; it is not worse by itself. "+
				"If the change was meant, write the file anew.", ofRuns(len(changed), len(t.Counted)),
			changed[0].Seed))
	case f.trouble(t):
	case now.runs == 0:
		f.open("None of %s could be judged; %s. Then: %s.", units.Count(f.Planned, "run"), is, e.Found)
	case len(gone) > 0:
		f.open("%s was violated in each run then, and %s cannot tell that it is gone (the chance of "+
			"that is %.2g). Then: %s. Now: %s.", strings.Join(gone, ", "), units.Count(now.runs, "run"),
			chance, e.Found, is)
	case len(untold) > 0:
		f.open("%s could be judged then (%s), and cannot now: %s.", strings.Join(untold, ", "), e.Found,
			why(t.open[0], e))
		f.show(t.open[0])
	case len(dropped) > 0:
		f.open("%s was judged then (%s), and no run judges it now: %s.", strings.Join(dropped, ", "),
			e.Found, whyDropped(t.Counted[0], dropped[0]))
		f.show(t.Counted[0])
	case len(t.Counted) < f.Planned || f.Cut != "" || 2*now.runs < len(t.Counted):
		f.open("Only %d of %s could be judged; %s.", now.runs, units.Count(f.Planned, "run"),
			f.notJudged(t))
	default:
		f.Result, f.Found = Passed, is
		f.Claim = e.foundClaim(f, t, is)
		f.show(t.Counted[0])
	}
}

// warnOfFew warns of a measurement in which fewer than half of the planned runs judged any
// property. It returns "" otherwise.
func (e *EntryResult) warnOfFew(runs []Run) string {
	n := 0
	for _, run := range runs {
		n += batch.Truth(run.HarnessError == "" && !run.Disturbed &&
			slices.ContainsFunc(slices.Collect(maps.Values(run.Properties)), func(r checker.Result) bool {
				return r == checker.Valid || r == checker.Violated
			}))
	}
	if 2*n >= e.Planned {
		return ""
	}
	return fmt.Sprintf("only %d of %s could be judged, so the gate file is weak evidence for it", n,
		units.Count(e.Planned, "run"))
}

// foundClaim says that the runs of an entry match the snapshot.
func (e *Entry) foundClaim(f *EntryResult, t tally, is string) string {
	s := units.Upper(is) + ", as when the file was written"
	if then := e.Found.String(); then != is {
		s += " (" + then + ")"
	}
	if not := f.notJudged(t); not != "" {
		s += "; of " + units.Count(len(t.Counted), "run") + " " + not
	}
	return fmt.Sprintf("%s (%s).", s, e.tried(t.Counted))
}

// failNew reports properties that the snapshot does not have.
func (e *EntryResult) failNew(then *Found, t tally, is string) {
	var fresh []string
	for _, run := range t.not {
		fresh = append(fresh, then.newLetters(run)...)
	}
	slices.SortFunc(fresh, batch.ByProperty)
	fresh = slices.Compact(fresh)
	run := t.not[0]
	e.fail(Worse, "new: "+strings.Join(fresh, ","), run, fmt.Sprintf(
		"%s %s new, in %s, first with seed %d%s. Then: %s. Now: %s.", strings.Join(fresh, ", "),
		units.Plural(len(fresh), "is", "are"), ofRuns(len(t.not), len(t.Counted)), run.Seed,
		classes(run), then, is))
	e.show(run, fresh...)
}

func (e *EntryResult) fail(change Change, found string, run Run, claim string) {
	e.Result, e.Change, e.Found, e.Claim = Failed, change, found, claim
	e.show(run)
}

func (e *EntryResult) open(format string, args ...any) {
	e.Result, e.Found, e.Claim = Unknown, "unknown", fmt.Sprintf(format, args...)
}
