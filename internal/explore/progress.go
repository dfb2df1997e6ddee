package explore

import (
	"fmt"
	"io"
	"time"

	"github.com/lockbench/lockbench/internal/progress"
)

// Progress is how far a search has come.
type Progress struct {
	Runs int `json:"runs"`
	// distinct: what nodes executed and replied, in order
	States        int           `json:"states"`
	Hits          int           `json:"hits"`           // runs with a violation
	HarnessErrors int           `json:"harness_errors"` // runs that are worth nothing
	Took          time.Duration `json:"took"`
}

// Rate is how many runs were made in a second.
func (p Progress) Rate() float64 { return float64(p.Runs) / max(p.Took.Seconds(), 1e-9) }

// show draws on a terminal how far a search has come, until it is stopped.
func show(screen io.Writer, progressed func() Progress) *progress.Line {
	return progress.Start(screen, func(took time.Duration) string {
		p := progressed()
		return fmt.Sprintf("searching, %.0f s, %d runs (%.0f/s), %d distinct states, %d violations",
			took.Seconds(), p.Runs, p.Rate(), p.States, p.Hits)
	})
}
