package explore

import (
	"fmt"

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
}

// note adds a run.
func (e *Evidence) note(r *simrun.Record) {
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

// add adds the evidence of another part of the search.
func (e *Evidence) add(o Evidence) {
	e.Granted += o.Granted
	e.HandedOver += o.HandedOver
	if e.Untouched == "" {
		e.Untouched = o.Untouched
	}
}

// The limits outside which a search shows too little.
const (
	fewBroken     = 0.05 // largest share of failed runs
	leastGranted  = 0.5  // smallest share of runs with a grant, among the others
	leastHandover = 0.1  // smallest share of runs with a hand-over
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

// Doubt returns the reason why a search that found nothing shows too little, or "".
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
	return ""
}
