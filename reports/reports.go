package reports

import (
	"errors"

	"github.com/lockbench/lockbench/internal/store"
)

// View is a run as it is drawn and told: the files of its directory, the checker's reading of its
// history, and what its verdict shows of violations.
type View struct {
	*store.Run
	*facts
	// those that decide the run first, each once, also where it speaks for several properties
	violations []*witness
}

// errNoHistory is returned for a run of which nothing can be said.
var errNoHistory = errors.New("reports: a run without a history")

// Of reads a run for drawing. Only the history is mandatory: what is missing is left out of the
// report, and the page says so.
func Of(r *store.Run) (*View, error) {
	if r.History == nil {
		return nil, errNoHistory
	}
	v := &View{Run: r, facts: factsOf(r)}
	if r.Verdict != nil {
		v.violations = witnessesOf(r.Verdict)
	}
	return v, nil
}

// first is the violation that decides the run; nil if there is none.
func (v *View) first() *witness {
	if len(v.violations) == 0 {
		return nil
	}
	return v.violations[0]
}
