package detection

import (
	"io"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/lab/mutate"
)

// Record is what was asked of the mutants and answered: the document detection.json. It is the same
// for the same source and the same numbers.
type Record struct {
	Format  int              `json:"format"`
	Seed    uint64           `json:"seed"`
	Limit   int              `json:"limit"` // processor time for each mutant, in seconds
	Known   map[string]Known `json:"known"` // by lock: what it shows as it is
	Mutants []Result         `json:"mutants"`
}

// File is the record in a directory of pages.
const File = "detection.json"

// of is what a record says of a mutant, with the line where it is now; nil: nothing.
func (r *Record) of(m mutate.Mutant) *Result {
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

// takeBack takes every finding back that is known by now to be what the lock shows anyway.
func (r *Record) takeBack() {
	for i := range r.Mutants {
		m := &r.Mutants[i]
		m.Aimed = r.Known[m.Lock].confirm(m.Aimed)
		m.Drawn = r.Known[m.Lock].confirm(m.Drawn)
	}
}

// Refresh gives the mutants the lines where they are now, and forgets those that there are no more
// and findings that are none any more.
func (r *Record) Refresh(root string) error {
	mutants, err := Mutants(root)
	if err != nil || r == nil {
		return err
	}
	var kept []Result
	for _, m := range mutants {
		if x := r.of(m); x != nil {
			kept = append(kept, *x)
		}
	}
	r.Mutants = kept
	r.takeBack()
	return nil
}

// Result is what became of a mutant.
type Result struct {
	mutate.Mutant
	Aimed []Finding `json:"aimed,omitempty"` // by scenarios that are aimed
	Drawn []Finding `json:"drawn,omitempty"` // with moments that are drawn
	// processor time that it took to find the latter, from the first drawn run on
	DrawnMillis int64 `json:"drawn_ms,omitempty"`
	// the last letter that was found with moments that are drawn is one that the lock shows, too, and
	// the mutant was not asked again yet
	DrawnOpen bool `json:"drawn_open,omitempty"`
	Runs      int  `json:"runs"`          // that it took, or that were in vain
	End       End  `json:"end,omitempty"` // why the process did not come to its end
	// why the process ended, or no verdict can be had, in the words of the program
	Words string `json:"words,omitempty"`
	// what it first did, in an aimed run, and does not do by its lock's specification (impls/spec)
	Departs string `json:"departs,omitempty"`
}

// Finding is letters that a mutant shows under a fault, and the lock as it is does not.
type Finding struct {
	Row     string   `json:"row"`
	Fault   string   `json:"fault"`
	Letters []string `json:"letters"`
}

// End is how a process ended, other than with its answer.
type End string

// The ends. Idle is a mutant without a letter that hardly ever acquires without any fault: a run
// says unknown, which never passes.
const (
	Panics  End = "panics"
	Hangs   End = "hangs"
	Limit   End = "limit"
	Idle    End = "idle"
	Refused End = "refused" // the simulator would not run it
)

// Found reports whether a letter tells of the mutant.
func (r Result) Found() bool { return len(r.Aimed)+len(r.Drawn) > 0 }

// Noticed reports whether a run of the mutant does not pass, with or without a letter.
func (r Result) Noticed() bool {
	return r.Found() || r.End == Panics || r.End == Hangs || r.End == Idle
}

// Write writes detection.json.
func (r *Record) Write(w io.Writer) error { return history.WriteDocument(w, r) }

// Read reads what Write wrote.
func Read(r io.Reader) (*Record, error) { return batch.ReadDocument[Record](r, File) }

// Locks are the locks of a record, in its order.
func (r *Record) Locks() (names []string) {
	for _, m := range r.Mutants {
		if !slices.Contains(names, m.Lock) {
			names = append(names, m.Lock)
		}
	}
	return names
}

// Of are the mutants of a lock.
func (r *Record) Of(lock string) (some []Result) {
	for _, m := range r.Mutants {
		if m.Lock == lock {
			some = append(some, m)
		}
	}
	return some
}
