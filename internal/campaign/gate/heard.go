package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// heard records how much of a gate was run. The forms of the file were counted over the runs of all
// entries, so only the forms of the entries that ran can be compared.
type heard struct {
	whole bool // the whole gate was requested
	// For the entries that ran now: the number of their runs in the file, and the smaller of the
	// numbers of runs then and now.
	then, same int
}

// countHeard counts the runs that were neither disturbed nor broken.
func (g *File) countHeard(found map[string]*EntryResult, whole bool) heard {
	h := heard{whole: whole}
	for _, e := range g.Entries {
		if f := found[e.Name]; f != nil && e.Found != nil {
			if n := f.undisturbed(); n > 0 {
				h.then, h.same = h.then+e.Found.Runs, h.same+min(n, e.Found.Runs)
			}
		}
	}
	return h
}

// undisturbed returns the number of runs of an entry whose messages count.
func (e *EntryResult) undisturbed() (n int) {
	for _, run := range e.Runs {
		n += batch.Truth(!run.Disturbed && !run.Extra && !run.Refused && run.HarnessError == "")
	}
	return n
}

// judge compares the current forms with the forms of the file. A missing form may belong to entries
// that were not run, unless more runs had it. In that case a whole gate is unknown, and a part of a
// gate ignores the form.
func (s Says) judge(now Says, h heard, environment string) EntryResult {
	now = now.like(s)
	news, gone, open := s.compare(now, h)
	e := EntryResult{Name: saysName, Title: saysName, Environment: environment, Result: Passed,
		Expect: Expectation{Snapshot: units.Count(len(s.Forms), "form")}, Found: "as then"}
	switch {
	case len(news)+len(gone) > 0:
		s.fail(&e, now, news, gone)
	case h.whole && len(open) > 0:
		e.open("%s may be gone, or belong to runs that were not made: %d of %s of the file were run. "+
			"The first: %s.", units.Count(len(open), "form"), h.same, units.Count(s.Of, "run"),
			s.describe(now, open[0]))
	case !h.whole:
		e.Found = "no new form"
		e.Claim = fmt.Sprintf("No form is new in %s; they are a part of the gate.",
			units.Count(now.Of, "run"))
		s.suspect(now, h, &e)
	default:
		e.Claim = fmt.Sprintf("Each of the %s was there in %s, and no other.",
			units.Count(len(s.Forms), "form"), units.Count(now.Of, "run"))
		s.unsure(now, &e)
	}
	return e
}

// compare returns the new and the missing forms that are not chance, and the forms that would be
// missing if everything had been run. The shortest come first, because they say most.
func (s Says) compare(now Says, h heard) (news, gone, open []string) {
	for f, k := range now.Forms {
		if s.Forms[f] == 0 && batch.Chance(min(h.then, s.Of), k, now.Of) < batch.NoAccident {
			news = append(news, f)
		}
	}
	same := min(h.same, s.Of)
	for f, k := range s.Forms {
		switch least := k - (s.Of - same); {
		case now.Forms[f] > 0:
		case least > 0 && batch.Chance(now.Of, least, same) < batch.NoAccident:
			gone = append(gone, f)
		case batch.Chance(now.Of, k, s.Of) < batch.NoAccident:
			open = append(open, f)
		}
	}
	for _, forms := range [][]string{news, gone, open} {
		slices.SortFunc(forms, func(a, b string) int {
			return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
		})
	}
	return news, gone, open
}

// describe says in how many runs a form was then and is now.
func (s Says) describe(now Says, form string) string {
	return fmt.Sprintf("%s (then in %d of %d runs, now in %d of %d)", form, s.Forms[form], s.Of,
		now.Forms[form], now.Of)
}

func (s Says) fail(e *EntryResult, now Says, news, gone []string) {
	var parts []string
	tell := func(what string, forms []string) {
		for _, f := range forms[:min(len(forms), 4)] {
			parts = append(parts, what+": "+s.describe(now, f))
		}
		if left := len(forms) - 4; left > 0 {
			parts = append(parts, fmt.Sprintf("%d more are %s", left, what))
		}
	}
	tell("new", news)
	tell("gone", gone)
	e.Result, e.Change, e.Found = Failed, Said, fmt.Sprintf("%d new, %d gone", len(news), len(gone))
	e.Claim = "The lock says something else: " + strings.Join(parts, "; ") +
		". If that was meant, write the file anew."
	if endless(news, gone, now) {
		e.Change, e.Found = Worse, "no lease any more"
		e.Claim = "The key has no expiry any more, so that a client that dies inside locks the others " +
			"out for ever. " + e.Claim
	}
}

// endless reports whether a lock gave its key an expiry, and now writes it without one. What a
// script does is not known.
func endless(news, gone []string, now Says) bool {
	expires := func(form string) bool {
		return slices.ContainsFunc(strings.Fields(form), func(w string) bool {
			return slices.Contains([]string{"PX", "EX", "PXAT", "EXAT", "EXPIRE", "PEXPIRE", "EXPIREAT",
				"PEXPIREAT", "SETEX", "PSETEX"}, w)
		})
	}
	writes := func(form string) bool {
		return strings.HasPrefix(form, "SET KEY ") || strings.HasPrefix(form, "SETNX KEY ")
	}
	script := func(form string) bool { return strings.Contains(form, "SCRIPT ") }
	return slices.ContainsFunc(gone, expires) && slices.ContainsFunc(news, writes) &&
		!slices.ContainsFunc(news, script) && !slices.ContainsFunc(slices.Collect(maps.Keys(now.Forms)),
		expires)
}

// point names a run that shows the first new form of a failed entry, or lacks the first one that is
// gone.
func (s Says) point(e *EntryResult, now Says, h heard, entries []EntryResult) {
	news, gone, _ := s.compare(now.like(s), h)
	if e.Result != Failed {
		return
	}
	form := slices.Concat(news, gone)[0]
	for _, from := range entries {
		for _, run := range from.Runs {
			var one Says
			one.add(1, run.says)
			if run.heard && (one.like(s).Forms[form] > 0) == (len(news) > 0) {
				e.Shown = &Shown{Seed: run.Seed, Dir: run.Dir}
				e.Claim += fmt.Sprintf(" For example: %s, seed %d.", from.Name, run.Seed)
				return
			}
		}
	}
}

// suspect makes a part of a gate unknown if every run has a form that no run of the same entries
// had before, and there are too few runs to be sure.
func (s Says) suspect(now Says, h heard, e *EntryResult) {
	for _, f := range slices.Sorted(maps.Keys(now.Forms)) {
		if s.Forms[f] == 0 && now.Forms[f] == now.Of &&
			batch.Chance(min(h.then, s.Of), now.Of, now.Of) < unlikely {
			e.open("With so few runs it may be chance: %s (then in none of the %d runs of these entries, "+
				"now in all %d). More entries, or a file measured with more runs (--repeat), would tell.",
				f, min(h.then, s.Of), now.Of)
			return
		}
	}
}

// unlikely is the probability below which chance no longer explains that every run of the file has
// a form and no new run has it, or the reverse. The gate is then unknown instead of passed. It
// fails only below batch.NoAccident.
const unlikely = 0.01

// unsure lists the forms that were only in the file or are only in the new runs, if there are too
// few runs to be sure. The result is unknown instead of passed if every run of the file had such a
// form, or every new run has it, and that is unlikely to be chance.
func (s Says) unsure(now Says, e *EntryResult) {
	var forms []string
	tell := func(f string, then, is int) {
		forms = append(forms, fmt.Sprintf("%s was in %d of %d runs of the file, and is in %d of %d now",
			f, then, s.Of, is, now.Of))
		if (then == s.Of || is == now.Of) && batch.Chance(s.Of, now.Of, now.Of) < unlikely {
			e.Result, e.Found = Unknown, "unknown"
		}
	}
	for f, n := range s.Forms {
		if now.Forms[f] == 0 {
			tell(f, n, 0)
		}
	}
	for f, n := range now.Forms {
		if s.Forms[f] == 0 {
			tell(f, 0, n)
		}
	}
	if len(forms) == 0 {
		return
	}
	e.InDoubt = len(forms)
	if e.Result != Unknown {
		e.Found = "in doubt: " + units.Count(len(forms), "form")
	}
	slices.Sort(forms)
	e.Claim = "With so few runs it may be chance: " +
		strings.Join(forms[:min(len(forms), 4)], "; ") + "."
	if left := len(forms) - 4; left > 0 {
		e.Claim = strings.TrimSuffix(e.Claim, ".") + fmt.Sprintf("; and %d more.", left)
	}
	if e.Result == Unknown {
		e.Claim += " A file measured with more runs (--repeat) would tell."
	}
}
