package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/checker/record"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/reports/hint"
	"github.com/lockbench/lockbench/reports/page"
)

// Unasked says which property that a reader asks for this run was not asked to judge, because its
// user chose others, and what the record shows of it. The zero value has nothing to say.
type Unasked struct {
	hint.Hint
	overlap checker.Property // S
}

// letters returns the properties that decide the run, or nil if it was judged by a model.
func letters(v *View) (names []string) {
	for _, p := range v.Verdict.Properties {
		if _, ok := history.FindProperty(p.Property); !ok {
			return nil
		}
		if !p.Reported {
			names = append(names, p.Property)
		}
	}
	return names
}

// judges reports whether the run was asked to judge a property.
func judges(v *View, property string) bool {
	return slices.ContainsFunc(v.Verdict.Properties, func(p checker.Property) bool {
		return p.Property == property
	})
}

// chosen returns the properties that the user chose in place of the one that the usual question is
// about. It leaves out those that the lock does not have. If the lock has none, chosen returns all.
// If the run answers the usual question, it returns nil.
func chosen(v *View) []string {
	usual := checker.MutualExclusion
	if v.History.Header.Declares.ChecksWrites() {
		usual = checker.LostUpdate
	}
	if v.Verdict == nil || judges(v, usual) {
		return nil
	}
	asked := letters(v)
	judged := slices.DeleteFunc(slices.Clone(asked), func(letter string) bool {
		return v.Verdict.Property(letter).Verdict == checker.NA
	})
	if len(judged) == 0 {
		return asked
	}
	return judged
}

// NamesLetters reports whether the user named the properties to judge. By default, a run judges
// all.
func NamesLetters(v *View) bool {
	return v.Verdict != nil && len(v.Verdict.Properties) < len(history.DefaultProperties())
}

// explainUnjudged says why properties that the user named were not judged.
func explainUnjudged(v *View) (s string) {
	if !NamesLetters(v) {
		return ""
	}
	for _, letter := range letters(v) {
		if p := v.Verdict.Property(letter); p.Verdict == checker.NA {
			s += fmt.Sprintf(" %s is not judged: %s.", letter, page.Clean(p.Reason, 300))
		}
	}
	return s
}

// findUnasked judges S and U if the run was not asked to, because its user chose other properties.
// It says what the record shows of them. The command asks for them; a run without a directory has
// none.
func findUnasked(v *View) (u Unasked) {
	if v.Verdict == nil || len(letters(v)) == 0 || len(v.History.Events) > maxRedraw {
		return u
	}
	names := slices.DeleteFunc([]string{checker.MutualExclusion, checker.LostUpdate},
		func(letter string) bool { return judges(v, letter) })
	if len(names) == 0 {
		return u
	}
	var parts, open []string
	judged := checker.Check(v.History, v.Trace, checker.Options{Properties: names})
	u.overlap = judged.Property(checker.MutualExclusion)
	for _, p := range judged.Properties {
		if p.Verdict == checker.NA {
			continue
		}
		open = append(open, p.Property)
		parts = append(parts, p.Property+", which "+fate(p))
	}
	if len(open) == 0 {
		return u
	}
	u.Text = "Not asked: " + strings.Join(parts, "; ")
	if v.Dir != "" {
		u.Command = advice.CheckLetters.Fill(strings.Join(open, ","), v.Dir)
	}
	return u
}

// fate says what the record shows of a property.
func fate(p checker.Property) string {
	switch {
	case p.Verdict == checker.Violated && p.Class != "":
		return "was violated (" + p.Class + ")"
	case p.Verdict == checker.Violated:
		return "was violated"
	case p.Verdict == checker.Valid:
		return "was not violated"
	}
	return "the record does not decide"
}

// hold asks whether the chosen properties hold: "Does L hold", "Do L and O hold".
func hold(letters []string) string {
	if len(letters) == 1 {
		return "Does " + letters[0] + " hold"
	}
	return "Do " + units.List(letters) + " hold"
}

// Spared returns the hold that a fault struck in a run without a violation, and the next client's
// hold. Reports show it like a violation, so that a reader sees how the lock withstood the fault.
// It returns nil if no fault struck a hold, or if the run proves nothing.
func (v *View) Spared() *Violation {
	if v.Verdict == nil || v.Verdict.Verdict != checker.Valid {
		return nil
	}
	for i := range v.Faults {
		if h := struck(v.Holds, v.Faults[i].From); h != nil {
			return v.afterwards(h)
		}
	}
	return nil
}

// struck returns the hold that was under way at a stamp, or ended there: a kill ends the hold that
// it strikes.
func struck(holds []record.Hold, at int64) *record.Hold {
	for i := range holds {
		if h := &holds[i]; h.From <= at && at <= h.End {
			return h
		}
	}
	return nil
}

// afterwards returns a hold and the next one of its lock by another client, up to that grant.
func (v *View) afterwards(h *record.Hold) *Violation {
	w := &Violation{Key: h.Key, From: min(h.From, h.Granting), To: v.Clamp(h.End),
		Holds: []checker.Hold{shown(h)}}
	var next *record.Hold
	for i := range v.Holds {
		o := &v.Holds[i]
		if o.Key == h.Key && o.Process != h.Process && o.From > h.From &&
			(next == nil || o.From < next.From) {
			next = o
		}
	}
	if next != nil {
		w.To, w.Holds = max(w.To, next.From), append(w.Holds, shown(next))
	}
	return w
}

func shown(h *record.Hold) checker.Hold {
	return checker.Hold{Process: h.Process, N: h.N, From: h.From, To: h.End}
}
