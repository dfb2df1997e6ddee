package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// Evidence counts what the runs of a search exercised.
type Evidence struct {
	Granted    int `json:"granted"`     // runs that granted the lock to a client
	HandedOver int `json:"handed_over"` // runs that granted it to a second client
	// a key of a lock that was granted in some run although no command named it
	Untouched string `json:"untouched,omitempty"`
	// the properties that some run could judge, and why no run could judge the others
	Judged    []string          `json:"judged,omitempty"`
	NotJudged map[string]string `json:"not_judged,omitempty"`
}

// note adds a run of a search for some properties. If Suspects was asked before, note is faster.
func (e *Evidence) note(r *simrun.Record, properties []string) {
	e.judge(r, properties)
	first, granted, over := 0, false, false
	for i := range r.History.Events {
		if x := &r.History.Events[i]; x.Type == history.OK && x.F == history.Acquire {
			over = over || granted && x.Process != first
			first, granted = x.Process, true
		}
	}
	if granted {
		e.Granted++
	}
	if over {
		e.HandedOver++
	}
	if e.Untouched == "" && granted {
		for _, key := range checker.UntracedKeys(&r.History, r.Trace) {
			e.Untouched = key
		}
	}
}

// judge notes which of the properties the run can judge, and why not the others. It skips those
// that do not apply to the run if an earlier run has given the reason.
func (e *Evidence) judge(r *simrun.Record, properties []string) {
	open := slices.DeleteFunc(slices.Clone(properties), func(p string) bool {
		_, known := e.NotJudged[p]
		return slices.Contains(e.Judged, p) || known && r.Inapplicable(p)
	})
	if len(open) == 0 {
		return
	}
	for _, p := range r.Judge(open) {
		switch {
		case p.Verdict == checker.Valid || p.Verdict == checker.Violated:
			e.isJudged(p.Property)
		default:
			e.isNotJudged(p.Property, p.Reason)
		}
	}
}

func (e *Evidence) isJudged(property string) {
	if !slices.Contains(e.Judged, property) {
		e.Judged = append(e.Judged, property)
	}
	delete(e.NotJudged, property)
}

func (e *Evidence) isNotJudged(property, reason string) {
	if slices.Contains(e.Judged, property) {
		return
	}
	if e.NotJudged == nil {
		e.NotJudged = map[string]string{}
	}
	e.NotJudged[property] = cmp.Or(e.NotJudged[property], reason)
}

func (e *Evidence) add(o Evidence) {
	for _, property := range o.Judged {
		e.isJudged(property)
	}
	for property, reason := range o.NotJudged {
		e.isNotJudged(property, reason)
	}
	e.Granted += o.Granted
	e.HandedOver += o.HandedOver
	e.Untouched = cmp.Or(e.Untouched, o.Untouched)
}

// The limits outside which a search shows too little.
const (
	fewBroken     = 0.05 // largest share of failed runs
	leastGranted  = 0.5  // smallest share of runs with a grant, among the others
	leastHandover = 0.1  // smallest share of runs with a hand-over
	// fewest runs: with fewer, one run in ten may show a violation that the search did not see, and
	// the rule of three does not hold
	leastRuns = 30
)

// TooManyBroke reports whether so many runs failed that the others prove little, and why the first
// one failed.
func (p Progress) TooManyBroke() (why string, many bool) {
	if float64(p.HarnessErrors) <= fewBroken*float64(p.Runs) {
		return "", false
	}
	return fmt.Sprintf("%d of %s broke, the first because: %s", p.HarnessErrors,
		units.Count(p.Runs, "run"), p.Broke), true
}

// WhyTooLittle returns the reason why a search that found nothing shows too little, or "". A
// search over a time needs some runs. Each run of a shard counts once for every shard. A search
// that asks for seeds has what it asks for.
func (f Findings) WhyTooLittle() string {
	p := f.Progress
	n := (p.Runs - p.HarnessErrors) * max(f.Shard.Of, 1)
	if why := p.Doubt(); why != "" || f.Covered != nil || f.Asked["seeds"] != "" || n >= leastRuns {
		return why
	}
	return fmt.Sprintf("fewer than %d runs; let it search longer (--for)", leastRuns)
}

// Doubt returns the reason why runs that show no violation show too little, however many they are,
// or "".
func (p Progress) Doubt() string {
	n := p.Runs - p.HarnessErrors
	switch why, many := p.TooManyBroke(); {
	case many:
		return why
	case n == 0:
		return "no run was made"
	case p.Untouched != "":
		return fmt.Sprintf("no command of the clients names the key %q: say how the lock names its key "+
			"(Key of locktest.Lock, key of adapter.yaml)", p.Untouched)
	case float64(p.Granted) < leastGranted*float64(n):
		return fmt.Sprintf("a client was granted the lock in %d of %s", p.Granted, units.Count(n, "run"))
	case float64(p.HandedOver) < leastHandover*float64(n):
		return fmt.Sprintf("two clients were granted the lock in %d of %s", p.HandedOver,
			units.Count(n, "run"))
	}
	return p.nothingJudged()
}

// nothingJudged says why no run could judge any of the properties, or returns "".
func (p Progress) nothingJudged() string {
	if len(p.Judged) > 0 || len(p.NotJudged) == 0 {
		return ""
	}
	return "no run could judge " + units.List(p.notJudged()) + ": " + p.NotJudged[p.notJudged()[0]]
}

// Letters names the properties that some run could judge, and those that none could. It gives the
// reason of a single one; with reasons, of all.
func (e Evidence) Letters(reasons bool) string {
	text, not := cmp.Or(strings.Join(e.judged(), ", "), "none"), e.notJudged()
	if len(not) > 0 {
		text += "; no run could judge " + units.List(not)
	}
	switch {
	case len(not) == 1:
		text += ": " + e.NotJudged[not[0]]
	case reasons && len(not) > 1:
		for i, letter := range not {
			not[i] = letter + ": " + e.NotJudged[letter]
		}
		text += " (" + strings.Join(not, "; ") + ")"
	}
	return text
}

// judged returns the properties that some run could judge, in their usual order.
func (e Evidence) judged() []string {
	return slices.DeleteFunc(history.Properties(), func(p string) bool {
		return !slices.Contains(e.Judged, p)
	})
}

// notJudged returns the properties that no run could judge, in their usual order.
func (e Evidence) notJudged() []string {
	return slices.DeleteFunc(history.Properties(), func(p string) bool {
		_, not := e.NotJudged[p]
		return !not
	})
}
