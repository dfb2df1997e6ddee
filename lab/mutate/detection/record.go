package detection

import (
	"io"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/lab/mutate"
)

// Record is the result of a campaign, stored in detection.json. It depends only on the source and
// the parameters.
type Record struct {
	Format  int              `json:"format"`
	Seed    uint64           `json:"seed"`
	Limit   int              `json:"limit"` // CPU time for each mutant, in seconds
	Known   map[string]Known `json:"known"` // by lock: violations of the original
	Mutants []Result         `json:"mutants"`
}

// File is the name of the record in the directory of results.
const File = "detection.json"

// lookup returns the result of a mutant, with its current line, or nil.
func (r *Record) lookup(m mutate.Mutant) *Result {
	if r == nil {
		return nil
	}
	for _, x := range r.Mutants {
		if x.Key() == m.Key() {
			x.Mutant = m
			return &x
		}
	}
	return nil
}

// takeBack removes every finding that is known to happen with the original lock.
func (r *Record) takeBack() {
	for i := range r.Mutants {
		m := &r.Mutants[i]
		m.Aimed = r.Known[m.Lock].confirm(m.Aimed)
		m.Drawn = r.Known[m.Lock].confirm(m.Drawn)
	}
}

// Refresh updates the lines of the mutants. It removes mutants that no longer exist and findings
// that are known to happen with the original lock.
func (r *Record) Refresh(root string) error {
	mutants, err := Mutants(root)
	if err != nil || r == nil {
		return err
	}
	var kept []Result
	for _, m := range mutants {
		if x := r.lookup(m); x != nil {
			kept = append(kept, *x)
		}
	}
	r.Mutants = kept
	r.takeBack()
	return nil
}

// Result is the result of a mutant.
type Result struct {
	mutate.Mutant
	Aimed []Finding `json:"aimed,omitempty"` // in aimed scenarios
	Drawn []Finding `json:"drawn,omitempty"` // with random moments
	// CPU time until the first drawn finding, from the first drawn run on
	DrawnMillis int64 `json:"drawn_ms,omitempty"`
	// The latest drawn violation also happens with the original lock, and the mutant has not been
	// tested again yet.
	DrawnOpen bool `json:"drawn_open,omitempty"`
	Runs      int  `json:"runs"`          // number of runs
	End       End  `json:"end,omitempty"` // why the process ended early
	// the program's message about the end of the process or a missing verdict
	Words string `json:"words,omitempty"`
	// the first departure from its lock's specification (lab/spec) in an aimed run
	Departs string `json:"departs,omitempty"`
}

// Finding lists properties that a mutant violates under a fault and the original lock does not.
type Finding struct {
	Row     string   `json:"row"`
	Fault   string   `json:"fault"`
	Letters []string `json:"letters"`
}

// End is the reason why a process ended without an answer.
type End string

// The ends. An Idle mutant violates nothing but acquires so rarely without any fault that its runs
// are unknown, which never passes.
const (
	Panics  End = "panics"
	Hangs   End = "hangs"
	Limit   End = "limit"
	Idle    End = "idle"
	Refused End = "refused" // the simulator would not run it
)

// Found reports whether a violation reveals the mutant.
func (r Result) Found() bool { return len(r.Aimed)+len(r.Drawn) > 0 }

// Noticed reports whether some run of the mutant does not pass.
func (r Result) Noticed() bool {
	return r.Found() || r.End == Panics || r.End == Hangs || r.End == Idle
}

// Write writes detection.json.
func (r *Record) Write(w io.Writer) error { return history.WriteDocument(w, r) }

// Read reads the output of Write.
func Read(r io.Reader) (*Record, error) { return batch.ReadDocument[Record](r, File) }

// Locks returns the locks of a record in its order.
func (r *Record) Locks() (names []string) {
	for _, m := range r.Mutants {
		if !slices.Contains(names, m.Lock) {
			names = append(names, m.Lock)
		}
	}
	return names
}

// OfLock returns the mutants of a lock.
func (r *Record) OfLock(lock string) (some []Result) {
	for _, m := range r.Mutants {
		if m.Lock == lock {
			some = append(some, m)
		}
	}
	return some
}
