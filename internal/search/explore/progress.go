package explore

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/lockbench/lockbench/internal/base/progress"
	"github.com/lockbench/lockbench/internal/base/units"
	"github.com/lockbench/lockbench/internal/search/explore/simrun"
)

// Progress reports how far a search has come.
type Progress struct {
	Runs int `json:"runs"`
	// distinct states of clients, nodes and the fault, ignoring values and times; a search counts up
	// to 2^18
	States int `json:"states"`
	// the progress is of several shards; States is then the largest number of one shard, a lower bound
	Joined        bool `json:"joined,omitempty"`
	Hits          int  `json:"hits"`           // runs with a violation
	HarnessErrors int  `json:"harness_errors"` // runs that failed and prove nothing
	// violations of adapters' programs that had run before, and that fresh programs did not show again
	Unrepeated int           `json:"unrepeated,omitempty"`
	Took       time.Duration `json:"took"`
	// why the first failed run failed
	Broke    string `json:"broke,omitempty"`
	Evidence        // from the other runs
	// a call of the lock that never returned and the position of its goroutine, or ""
	Hung string `json:"hung,omitempty"`
	// other violations that no lock of its kind can prevent, if the user named no fault
	Aside []Aside `json:"aside,omitempty"`
	// faults that the lock or the simulator does not support, if the user named none
	LeftOut []LeftOut `json:"left_out,omitempty"`
}

// note counts a run of a search for some properties, with what it shows or why it failed.
func (p *Progress) note(r *simrun.Record, properties []string) {
	p.Runs++
	p.Hung = cmp.Or(p.Hung, r.Hung)
	if r.HarnessError != nil {
		p.HarnessErrors++
		p.Broke = cmp.Or(p.Broke, r.HarnessError.Error())
		return
	}
	p.Evidence.note(r, properties)
}

// Aside is a kind of violation that does not end a search.
type Aside struct {
	Property string `json:"property"`
	Class    string `json:"class"`
	Fault    string `json:"fault"` // the first that showed it
}

func (a Aside) kind() string { return a.Property + " " + a.Class }

// LeftOut is a fault that was not searched.
type LeftOut struct {
	Fault  string `json:"fault"`
	Reason string `json:"reason"`
}

// states says how many distinct states were reached.
func (p Progress) states() string {
	if p.Joined || p.States >= mostStates {
		return fmt.Sprintf("%d distinct states or more", min(p.States, mostStates))
	}
	return fmt.Sprintf("%d distinct states", p.States)
}

// Rarer says in one line what a search that found nothing shows. It is not a proof.
func (p Progress) Rarer() string {
	n := p.Runs - p.HarnessErrors
	if n <= 0 {
		return "no run is worth anything"
	}
	broke := ""
	if p.HarnessErrors > 0 {
		broke = fmt.Sprintf("; %d more runs broke, the first because: %s", p.HarnessErrors, p.Broke)
	}
	return fmt.Sprintf("no violation in %s, %s%s%s", units.Count(n, "run"), p.states(), p.rarer(),
		broke)
}

// rarer states the rule of three in words.
func (p Progress) rarer() string {
	n := p.Runs - p.HarnessErrors
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(": with 95 %% confidence rarer than 3 in %s runs", units.Thousands(n))
}

// RarerThan returns an upper bound with 95 % confidence on the probability of a violation in a run
// (the rule of three). It returns 0 if a violation was found or no run was made.
func (p Progress) RarerThan() float64 {
	if n := p.Runs - p.HarnessErrors; n > 0 && p.Hits == 0 {
		return min(1, 3/float64(n))
	}
	return 0
}

// Rate returns the number of runs per second.
func (p Progress) Rate() float64 { return float64(p.Runs) / max(p.Took.Seconds(), 1e-9) }

// show draws the progress of a search on a terminal until the line is stopped. Budget and seeds are
// its limits, and 0 means no limit.
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
