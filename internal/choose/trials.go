package choose

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
)

// MitigationCell is the effect of one mitigation in one cell.
type MitigationCell struct {
	Mitigation string `json:"mitigation"`
	Row        string `json:"row"`
	Nemesis    string `json:"nemesis"`
	Line       string `json:"line"`
	Without    Trials `json:"without"`
	With       Trials `json:"with"`
}

// Trials is the result of several runs of the same kind.
type Trials struct {
	Runs     int            `json:"runs"`
	Violated map[string]int `json:"violated"` // number of violating runs by property
	// runs without a violation in which no client was granted the lock after the failover
	Stuck int `json:"stuck,omitempty"`
	// other runs without a violation that leave S unknown
	Unknown int    `json:"unknown,omitempty"`
	Reason  string `json:"reason,omitempty"` // why S is unknown in one of them
	// median acquire time without competition and faults
	Acquire history.Duration `json:"acquire"`
	// the longest time from the fault to the next grant
	Recovery history.Duration `json:"recovery,omitempty"`
}

// String returns the result in the form "SL 5/5, R 4/5".
func (t Trials) String() string {
	var groups []string
	byCount := map[int]string{}
	for _, l := range batch.Properties {
		if n := t.Violated[l]; n > 0 {
			byCount[n] += l
		}
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(byCount))) {
		groups = append(groups, fmt.Sprintf("%s %d/%d", byCount[n], n, t.Runs))
	}
	if t.Stuck > 0 {
		groups = append(groups, fmt.Sprintf("- %d/%d, but no client is granted it afterwards", t.Stuck,
			t.Runs))
	}
	if t.Unknown > 0 {
		groups = append(groups, fmt.Sprintf("? %d/%d (%s)", t.Unknown, t.Runs, t.Reason))
	}
	if len(groups) == 0 {
		return fmt.Sprintf("- %d/%d", t.Runs, t.Runs)
	}
	return strings.Join(groups, ", ")
}
