package view

import (
	"fmt"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/base/units"
)

// A model is a question about an imported history, and what a history says that it can explain.
type model struct{ ask, fits string }

// models are the questions, by the name of the model. LOCK stands for the name of the lock.
var models = map[string]model{
	"mutex":     {"Is LOCK a mutex", "A mutex can have answered like this"},
	"lease":     {"Does LOCK keep its leases", "A lock with such leases can have answered like this"},
	"reentrant": {"Is LOCK a re-entrant mutex", "A re-entrant mutex can have answered like this"},
	"register":  {"Is this a register", "A register can have answered like this"},
	"fencing":   {"Do the fencing tokens of LOCK grow", "The fencing tokens grew"},
}

// modelOf returns the name of the model that decides a run, or "" if no model was judged: that of
// the worst violation, or the first.
func modelOf(v *View) (name string) {
	switch w := v.First(); {
	case v.Verdict == nil || len(v.Verdict.Properties) == 0:
	case w != nil && v.Verdict.Verdict == checker.Violated:
		name = w.Properties[0]
	default:
		name = v.Verdict.Properties[0].Property
	}
	if models[name].ask == "" {
		return ""
	}
	return name
}

// question returns the question of a model about a lock.
func (m model) question(lock string) string { return strings.Replace(m.ask, "LOCK", lock, 1) }

// answered says how much a model has explained.
func answered(name string, e checker.Evidence) string {
	much := fmt.Sprintf("%s, of which %d were contended", units.Count(e.Acquisitions, "acquisition"),
		e.Contended)
	if name == "register" {
		much = units.Count(e.Observed, "answer") + " that said what it held"
	}
	return models[name].fits + " in " + much + ". The answer says no more than this."
}
