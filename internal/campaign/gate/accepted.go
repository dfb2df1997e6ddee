package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/checker"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// accept records the defects that a passed entry has and its file expects.
func (e *EntryResult) accept(counted []Run) {
	if e.Result != Passed {
		return
	}
	for _, run := range counted {
		for _, l := range run.ViolatedAll() {
			overrun := l == checker.MutualExclusion && checker.FindClass(run.Classes[l]).Overrun
			if !overrun && !slices.Contains(e.Accepted, l) {
				e.Accepted = append(e.Accepted, l)
			}
		}
	}
	slices.SortFunc(e.Accepted, batch.ByProperty)
}

// Accepts returns the number of entries that passed with an expected defect.
func (r *Result) Accepts() (n int) {
	for _, e := range r.Entries {
		n += batch.Truth(len(e.Accepted) > 0)
	}
	return n
}

// accepted says how many entries passed with a defect, and which ones. It returns "" if none did.
func (r *Result) accepted() string {
	var letters []string
	for _, e := range r.Entries {
		for _, l := range e.Accepted {
			if !slices.Contains(letters, l) {
				letters = append(letters, l)
			}
		}
	}
	if len(letters) == 0 {
		return ""
	}
	slices.SortFunc(letters, batch.ByProperty)
	return fmt.Sprintf("; %d of them with a defect that the file accepts (%s)", r.Accepts(),
		strings.Join(letters, ", "))
}
