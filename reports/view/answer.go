package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/page"
)

// Answer is the question's answer: a word, and a sentence that carries it.
type Answer struct {
	Word, Sentence string
	Result         checker.Result
}

// Answer answers in the order of a reader's questions. Were two clients inside at once? If not, was
// anything else wrong?
func (v *View) Answer() Answer {
	if v.Verdict == nil {
		return Answer{"Not judged.", "This run has no verdict yet; " + advice.Verb("check") +
			" makes one.", checker.Unknown}
	}
	result := v.Verdict.Verdict
	switch result {
	case checker.Violated:
		if w := v.First(); w != nil && len(w.Holds) > 1 && w.Together {
			return Answer{"Yes.", w.Sentence(), result}
		}
		return v.brokenAnswer()
	case checker.Valid:
		if v.harmless() {
			return Answer{"Yes.", v.harmlessSentence(), result}
		}
		return Answer{"Not in this run.", v.validSentence(), result}
	case checker.NA:
		return Answer{"Not asked.", units.Sentence(page.Clean(v.Verdict.Summary, 300)), result}
	}
	return Answer{"Unknown.", v.unknownSentence(), checker.Unknown}
}

// harmless reports whether two clients were inside at once in a run that asked only about the
// resource.
func (v *View) harmless() bool {
	return v.Verdict.Evidence.Together > 0 &&
		v.Verdict.Property(checker.MutualExclusion).Verdict != checker.Valid
}

func (v *View) harmlessSentence() string {
	refused := "the resource had no old write to refuse"
	if n := v.Verdict.Evidence.OldWrites; n > 0 {
		refused = "the resource refused " + units.Count(n, "old write")
	}
	return "Two clients were inside at once and it did no harm: " + refused + ". " + v.validSentence()
}

// brokenAnswer returns the answer for a lock that failed otherwise. It says "not both at once" only
// if that was judged.
func (v *View) brokenAnswer() Answer {
	word := "It is broken."
	also := " Whether two clients can be inside at once, this run does not tell."
	w, optimistic := v.Verdict, v.History.Header.Declares.Optimistic
	switch {
	case slices.Contains(w.Violated(false), checker.MutualExclusion):
		word = "Yes."
	case w.Property(checker.Deadlock).Verdict == checker.Violated:
		word = "No client gets in again."
	case optimistic && w.Property(checker.LostUpdate).Verdict == checker.Violated:
		word = "Yes."
	}
	switch {
	case optimistic:
		also = ""
	case slices.Contains(w.Violated(false), checker.MutualExclusion):
		also = ""
	case w.Property(checker.MutualExclusion).Verdict == checker.Valid:
		also = " No two clients were inside at once."
	}
	return Answer{word, units.Sentence(page.Clean(w.Summary, 300)) + also, w.Verdict}
}

// validSentence says how much a "no" is worth. It names the first judged property that people ask
// for.
func (v *View) validSentence() string {
	e := v.Verdict.Evidence
	judged := "No property that was judged was violated"
	switch {
	case v.Verdict.Property(checker.MutualExclusion).Verdict == checker.Valid:
		judged = "No two clients were inside at once"
	case v.Verdict.Property(checker.LostUpdate).Verdict == checker.Valid:
		judged = "No update was lost"
	}
	s := fmt.Sprintf("%s in %s, of which %s contended", judged,
		units.Count(e.Acquisitions, "acquisition"), units.Thousands(e.Contended)+units.Plural(e.Contended,
			" was", " were"))
	if e.Conflicts > 0 {
		s += fmt.Sprintf("; %s refused, since another client was first",
			units.Count(e.Conflicts, "write")+units.Plural(e.Conflicts, " was", " were"))
	}
	if e.Aimed > 0 {
		s += fmt.Sprintf("; %d of %s hit a hold while another client waited", e.Hits,
			units.Count(e.Aimed, "planned fault"))
	}
	if e.AfterFailover > 0 {
		s += fmt.Sprintf("; %s granted %s", v.Successor(), units.Count(e.AfterFailover, "time"))
	}
	return s + ". That is what this answer rests on, and no more."
}

// Successor names the server that took over from a lost one.
func (v *View) Successor() string {
	if v.History.Header.Topology == nemesis.Ensemble {
		return "the new leader"
	}
	return "the new master"
}

func (v *View) unknownSentence() string {
	why := page.Clean(v.Verdict.HarnessError, 300)
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

// Missing says which evidence the run was to give and did not; "" if it gave all.
func (v *View) Missing() string {
	e, q := v.Verdict.Evidence, v.History.Header.Requires
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
		m = append(m, "no grant by "+v.Successor())
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

// Judge names porcupine; a test binary does not know its version.
func Judge(version string) string {
	return strings.TrimSpace("porcupine " +
		page.Clean(version, 20))
}

// State returns the answer's class in a style sheet.
func (a Answer) State() string { return page.State(a.Result) }
