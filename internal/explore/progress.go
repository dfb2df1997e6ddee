package explore

import (
	"fmt"
	"io"
	"time"

	"github.com/lockbench/lockbench/internal/progress"
	"github.com/lockbench/lockbench/internal/units"
)

// Progress is how far a search has come.
type Progress struct {
	Runs int `json:"runs"`
	// distinct: what nodes executed and replied, in order; a search counts to 2^18
	States        int           `json:"states"`
	Hits          int           `json:"hits"`           // runs with a violation
	HarnessErrors int           `json:"harness_errors"` // runs that are worth nothing
	Took          time.Duration `json:"took"`
	Broke         string        `json:"-"` // why the first of the runs that are worth nothing is so
}

// states says how many distinct states there were.
func (p Progress) states() string {
	if p.States >= mostStates {
		return fmt.Sprintf("%d distinct states or more", mostStates)
	}
	return fmt.Sprintf("%d distinct states", p.States)
}

// Rarer says in one line what follows from a search that found nothing: it is no proof.
func (p Progress) Rarer() string {
	n := p.Runs - p.HarnessErrors
	if n == 0 {
		return "no run is worth anything"
	}
	return fmt.Sprintf("no violation in %s, %s: with 95 %% confidence rarer than "+
		"3 in %s runs", units.Count(n, "run"), p.states(), units.Thousands(n))
}

// Rate is how many runs were made in a second.
func (p Progress) Rate() float64 { return float64(p.Runs) / max(p.Took.Seconds(), 1e-9) }

// show draws on a terminal how far a search has come, until it is stopped.
func show(screen io.Writer, progressed func() Progress) *progress.Line {
	return progress.Start(screen, func(took time.Duration) string {
		p := progressed()
		return fmt.Sprintf("searching, %.0f s, %d runs (%.0f/s), %s, %d violations",
			took.Seconds(), p.Runs, p.Rate(), p.states(), p.Hits)
	})
}
