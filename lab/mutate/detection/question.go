// Package detection asks which mutants of the locks the harness finds, and keeps the answers.
//
// A program with all mutants in it (mutate.Build) is started once for each, as a process of its
// own: a mutant may panic or never end. It runs the mutant in the simulator under every fault,
// first with the scenarios of the matrix, which are aimed, then with moments that are drawn. A
// mutant is found if a letter is violated that the lock as it is does not show under the same
// fault.
package detection

import (
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// Question is what a process with one mutant, or none, is asked.
type Question struct {
	Lock  string `json:"lock"`
	Aimed int    `json:"aimed"` // runs of each scenario at most; 0: nothing is aimed
	Drawn int    `json:"drawn"` // seeds of each fault at most; 0: nothing is drawn
	Seed  uint64 `json:"seed"`  // of all runs
	// what the lock shows as it is; it is no finding. Nil: ask for that
	Known Known `json:"known,omitempty"`
	// processor time that the process may use, in seconds, and a single run of it
	Limit    int `json:"limit"`
	RunLimit int `json:"run_limit"`
}

// Known are the letters that a lock shows as it is, by row and fault.
type Known map[string][]string

func knownKey(row, fault string) string { return row + "|" + fault }

// add notes letters under a fault.
func (k Known) add(row, fault string, letters ...string) {
	for _, l := range letters {
		if key := knownKey(row, fault); !slices.Contains(k[key], l) {
			k[key] = append(k[key], l)
			slices.Sort(k[key])
		}
	}
}

// letters are those that are no finding under a fault: what happens without any fault happens under
// each.
func (k Known) letters(row, fault string) []string {
	return slices.Concat(k[knownKey(row, fault)], k[knownKey(row, noFault)])
}

// fresh are the letters that the lock does not show as it is.
func (k Known) fresh(row, fault string, letters []string) []string {
	known := k.letters(row, fault)
	return slices.DeleteFunc(slices.Clone(letters), func(l string) bool {
		return slices.Contains(known, l)
	})
}

// noFault is the column of the matrix without a fault.
const noFault = "none"

// Line is what a process says while it works, one line of JSON each.
type Line struct {
	// the next run is of this row, fault and scenario
	Row   string `json:"row,omitempty"`
	Fault string `json:"fault,omitempty"`
	Runs  int    `json:"runs,omitempty"` // that there were before it
	Drawn bool   `json:"drawn,omitempty"`
	// what the run that was announced found; empty: an announcement
	Letters []string `json:"letters,omitempty"`
	// processor time since the first drawn run, with the letters of one
	Millis int64 `json:"ms,omitempty"`
	// without any fault a verdict could not be had, or the environment broke: why
	Unknown string `json:"unknown,omitempty"`
	Broken  string `json:"broken,omitempty"`
	// what the lock did in that run and does not do by its specification
	Departs string `json:"departs,omitempty"`
	Done    bool   `json:"done,omitempty"`
}

// letters are all properties that there are.
func letters() []string { return history.Properties() }
