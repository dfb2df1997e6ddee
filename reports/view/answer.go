package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/advice"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/nemesis"
	"github.com/lockbench/lockbench/reports/page"
)

// Answer is the question's answer: a word, and a sentence that carries it.
type Answer struct {
	Word, Sentence string
	Result         checker.Result
}

// String returns the word and the sentence.
func (a Answer) String() string { return a.Word + " " + a.Sentence }

// Answer answers in the order of a reader's questions. Were two clients inside at once? If not, was
// anything else wrong? It ends with the letters of the worst violation.
func (v *View) Answer() Answer {
	a := answerOf(v)
	if chosen(v) != nil || modelOf(v) != "" {
		a.Word = chosenWord(a)
	}
	if a.Result == checker.Violated && len(v.Faults) == 0 && v.Verdict.Evidence.AimedFaults() > 0 {
		a.Sentence += " No fault had begun: it happens without one."
	}
	if w := v.First(); a.Result == checker.Violated && w != nil {
		a.Sentence += " Violates " + w.Title() + "."
	}
	return a
}

// chosenWord answers whether the properties hold that the user chose, or the model.
func chosenWord(a Answer) string {
	switch a.Result {
	case checker.Valid:
		return "Yes, in this run."
	case checker.Violated:
		return "No."
	}
	return a.Word
}

// answerOf returns the answer without the letters.
func answerOf(v *View) Answer {
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
		return brokenAnswer(v)
	case checker.Valid:
		if harmless(v) {
			return Answer{"Yes.", harmlessSentence(v), result}
		}
		return Answer{"Not in this run.", validSentence(v) + unstarted(v), result}
	case checker.NA:
		return Answer{"Not asked.", units.Sentence(page.Clean(v.Verdict.Summary, 300)), result}
	}
	return Answer{"Unknown.", unknownSentence(v), checker.Unknown}
}

// unstarted names the clients that a step of the scenario launched and that gave up then.
func unstarted(v *View) (s string) {
	killed := map[int]bool{}
	for _, e := range v.Marks {
		killed[e.Process] = killed[e.Process] || e.Type == history.Kill
		if e.Type == history.Exit && e.Process >= 0 && e.Planned && !killed[e.Process] {
			s += fmt.Sprintf(" Client %d could not start, and so tried nothing.", e.Process)
		}
	}
	return s
}

// harmless reports whether two clients were inside at once in a run that asked only about the
// resource.
func harmless(v *View) bool {
	return v.Verdict.Evidence.Together > 0 &&
		v.Verdict.Property(checker.MutualExclusion).Verdict != checker.Valid
}

func harmlessSentence(v *View) string {
	refused := "the resource had no old write to refuse"
	if n := v.Verdict.Evidence.OldWrites; n > 0 {
		refused = "the resource refused " + units.Count(n, "old write")
	}
	return "Two clients were inside at once and it did no harm: " + refused + ". " + validSentence(v)
}

// brokenAnswer returns the answer for a lock that failed otherwise. It says "not both at once" only
// if that was judged.
func brokenAnswer(v *View) Answer {
	word := "It is broken."
	also := " Whether two clients can be inside at once, this run does not tell."
	w, optimistic := v.Verdict, v.History.Header.Declares.ChecksWrites()
	switch {
	case slices.Contains(w.Violated(false), checker.MutualExclusion):
		word = "Yes."
	case w.Property(checker.Deadlock).Verdict == checker.Violated:
		word = "It stays locked."
	case optimistic && w.Property(checker.LostUpdate).Verdict == checker.Violated:
		word = "Yes."
	case onlyValidity(v):
		word = "No."
	}
	switch {
	case optimistic || chosen(v) != nil || modelOf(v) != "": // Unasked says the rest
		also = ""
	case slices.Contains(w.Violated(false), checker.MutualExclusion):
		also = ""
	case w.Property(checker.MutualExclusion).Verdict == checker.Valid:
		also = " No two clients were inside at once."
	}
	defect := units.Sentence(page.Clean(w.Summary, 300))
	if first := v.First(); first != nil && first.Sentence() != "" {
		defect = first.Sentence()
	}
	return Answer{word, defect + also, w.Verdict}
}

// onlyValidity reports whether V alone decides the run, which says nothing of two clients at once.
func onlyValidity(v *View) bool {
	return v.Verdict != nil && slices.Equal(v.Verdict.Violated(false), []string{checker.Validity})
}

// validSentence says how much a "no" is worth. It names the first judged property that people ask
// for.
func validSentence(v *View) string {
	e := v.Verdict.Evidence
	if name := modelOf(v); name != "" {
		return answered(name, e)
	}
	judged := "No property that was judged was violated"
	switch {
	case chosen(v) != nil:
		judged = "No violation of " + units.List(chosen(v))
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
	if e.Withheld == 0 && e.Aimed > 0 {
		s += fmt.Sprintf("; %d of %s hit a hold while another client waited", e.Hits,
			units.Count(e.AimedFaults(), "planned fault"))
	}
	if e.AfterFailover > 0 {
		s += fmt.Sprintf("; %s granted %s", Successor(v.History.Header),
			units.Count(e.AfterFailover, "time"))
	}
	return s + "." + explainWithheld(e) + explainUnjudged(v) + " The answer says no more than this."
}

// explainWithheld says how many grants no client entered on since too few replicas had them. If
// that was all that a single fault struck, it says what the run does not show.
func explainWithheld(e checker.Evidence) string {
	if e.Withheld == 0 {
		return ""
	}
	s := fmt.Sprintf(" Before the server died, too few replicas had %s, and no client entered on %s.",
		units.Count(e.Withheld, "grant"), units.Plural(e.Withheld, "it", "them"))
	if e.AimedFaults() > 1 {
		return s
	}
	return s + " The fault struck no hold that enough replicas had confirmed and another client " +
		"waited for, so the run does not show whether a failover keeps such a hold."
}

// Successor names the server that took over from a lost one, or the servers that are left of those
// that agree on every write.
func Successor(h history.Header) string {
	switch {
	case h.Topology != nemesis.Ensemble:
		return "the new master"
	case strings.Contains(h.Nemesis, "leader-loss"):
		return "the new leader"
	}
	return "the members that are left"
}

// Judge names porcupine; a test binary does not know its version.
func Judge(version string) string {
	return strings.TrimSpace("porcupine " +
		page.Clean(version, 20))
}

// State returns the answer's class in a style sheet.
func (a Answer) State() string { return page.State(a.Result) }
