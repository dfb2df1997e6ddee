package explore

import (
	"fmt"
	"io"
	"time"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
)

// Progress is how far a search has come.
type Progress struct {
	Runs int `json:"runs"`
	// distinct: of clients, nodes and fault, without values and times; a search counts to 2^18
	States int `json:"states"`
	// of several shards: States are those of the one that had most, and there may be more
	Joined        bool          `json:"joined,omitempty"`
	Hits          int           `json:"hits"`           // runs with a violation
	HarnessErrors int           `json:"harness_errors"` // runs that are worth nothing
	Took          time.Duration `json:"took"`
	// why the first of the runs that are worth nothing is so
	Broke    string `json:"broke,omitempty"`
	Evidence        // of the other runs
	// a call of the lock that never returned, and where its goroutine is; "": none was seen
	Hung string `json:"hung,omitempty"`
	// faults that the lock or the simulator cannot have, each with the reason, if none was named
	LeftOut []LeftOut `json:"left_out,omitempty"`
}

// LeftOut is a fault that was not searched.
type LeftOut struct {
	Fault  string `json:"fault"`
	Reason string `json:"reason"`
}

// states says how many distinct states there were.
func (p Progress) states() string {
	if p.Joined || p.States >= mostStates {
		return fmt.Sprintf("%d distinct states or more", min(p.States, mostStates))
	}
	return fmt.Sprintf("%d distinct states", p.States)
}

// Rarer says in one line what follows from a search that found nothing: it is no proof.
func (p Progress) Rarer() string {
	n := p.Runs - p.HarnessErrors
	if n <= 0 {
		return "no run is worth anything"
	}
	broke := ""
	if p.HarnessErrors > 0 {
		broke = fmt.Sprintf("; %d more broke, the first because: %s", p.HarnessErrors, p.Broke)
	}
	return fmt.Sprintf("no violation in %s, %s%s%s", units.Count(n, "run"), p.states(), p.rarer(),
		broke)
}

// rarer is the rule of three in words.
func (p Progress) rarer() string {
	n := p.Runs - p.HarnessErrors
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(": with 95 %% confidence rarer than 3 in %s runs", units.Thousands(n))
}

// RarerThan is the rule of three: how likely a violation is in a run at most, with 95 % confidence,
// if n runs had none. 0: there was one, or no run.
func (p Progress) RarerThan() float64 {
	if n := p.Runs - p.HarnessErrors; n > 0 && p.Hits == 0 {
		return min(1, 3/float64(n))
	}
	return 0
}

// Rate is how many runs were made in a second.
func (p Progress) Rate() float64 { return float64(p.Runs) / max(p.Took.Seconds(), 1e-9) }

// show draws on a terminal how far a search has come, until it is stopped. Budget and seeds are
// what it may use up; 0: there is no such limit.
func show(screen io.Writer, progressed func() Progress, budget time.Duration,
	seeds int) *progress.Line {
	within, of := "", ""
	if budget > 0 {
		within = fmt.Sprintf(" of %v", budget)
	}
	if seeds > 0 {
		of = fmt.Sprintf(" of %d", seeds)
	}
	return progress.Start(screen, func(took time.Duration) string {
		p := progressed()
		return fmt.Sprintf("searching, %.0f s%s, %d%s runs (%.0f/s), %s, %d violations",
			took.Seconds(), within, p.Runs, of, p.Rate(), p.states(), p.Hits)
	})
}
