// Package detection finds out which mutants of the locks the harness detects, and records the
// results.
//
// It starts a program that contains all mutants (mutate.Build) once for each mutant. Each is a
// separate process because a mutant may panic or never end. The process runs the mutant in the
// simulator under every fault, first with the aimed scenarios of the matrix and then with random
// moments. A mutant is detected if it violates a property that the original lock does not violate
// under the same fault.
package detection

import (
	"maps"
	"slices"

	"github.com/lockbench/lockbench/internal/history"
)

// Question is the input of a process that tests one mutant or the original lock.
type Question struct {
	Lock  string `json:"lock"`
	Aimed int    `json:"aimed"` // most runs of each scenario; 0 means none
	Drawn int    `json:"drawn"` // most seeds of each fault; 0 means none
	Seed  uint64 `json:"seed"`  // base of the seeds of all runs
	// violations of the original lock, to be ignored; nil asks for them
	Known Known `json:"known,omitempty"`
	// limits of the CPU time in seconds, for the process and for a single run
	Limit    int `json:"limit"`
	RunLimit int `json:"run_limit"`
}

// Known holds the properties that an original lock violates, by row and fault.
type Known map[string][]string

func knownKey(row, fault string) string { return row + "|" + fault }

// add adds properties under a fault.
func (k Known) add(row, fault string, letters ...string) {
	for _, l := range letters {
		if key := knownKey(row, fault); !slices.Contains(k[key], l) {
			k[key] = append(k[key], l)
			slices.Sort(k[key])
		}
	}
}

// letters returns the properties that are not findings under a fault. Violations without any fault
// are included, because they can happen under each fault. Random faults may be any.
func (k Known) letters(row, fault string) []string {
	if fault == randomFaults {
		return slices.Concat(slices.Collect(maps.Values(k))...)
	}
	return slices.Concat(k[knownKey(row, fault)], k[knownKey(row, noFault)])
}

// newLetters returns the letters that are not known.
func (k Known) newLetters(row, fault string, letters []string) []string {
	known := k.letters(row, fault)
	return slices.DeleteFunc(slices.Clone(letters), func(l string) bool {
		return slices.Contains(known, l)
	})
}

// noFault is the column of the matrix without a fault.
const noFault = "none"

// Line is a line of output of the process, as JSON.
type Line struct {
	// row, fault and scenario of the next run
	Row   string `json:"row,omitempty"`
	Fault string `json:"fault,omitempty"`
	Runs  int    `json:"runs,omitempty"` // number of runs before it
	Drawn bool   `json:"drawn,omitempty"`
	// violations in the announced run; empty in an announcement
	Letters []string `json:"letters,omitempty"`
	// CPU time since the first drawn run, with the letters of a drawn run
	Millis int64 `json:"ms,omitempty"`
	// the reason why a run without any fault had no verdict, or why the environment failed
	Unknown string `json:"unknown,omitempty"`
	Broken  string `json:"broken,omitempty"`
	// the action of the lock that departs from its specification
	Departs string `json:"departs,omitempty"`
	Done    bool   `json:"done,omitempty"`
}

// letters returns all properties.
func letters() []string { return history.Properties() }
