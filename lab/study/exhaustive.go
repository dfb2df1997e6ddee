package study

import (
	"context"
	"slices"
	"strings"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/harness"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/run/batch"
	"github.com/lockbench/lockbench/internal/search/explore"
	"github.com/lockbench/lockbench/workloads"
)

// ExhaustiveReport is the table of expected verdicts as the simulator decides it, order by order:
// the document exhaustive.json.
type ExhaustiveReport struct {
	Format  int              `json:"format"`
	Each    int              `json:"each"` // schedules of a cell at most
	Took    history.Duration `json:"took,omitempty"`
	Partial string           `json:"partial,omitempty"` // why cells were not gone through
	Judged  []string         `json:"judged,omitempty"`  // properties; none: firstJudged
	Cells   []ExhaustiveCell `json:"cells"`
}

// firstJudged are the properties that the first records judged, which do not name them.
var firstJudged = []string{"S", "L", "O", "R", "D", "F", "U"}

// judged are the properties that a comparison with other measurements may speak of.
func (d *ExhaustiveReport) judged() []string {
	if len(d.Judged) == 0 {
		return firstJudged
	}
	return d.Judged
}

// only are those of the properties that were judged.
func (d *ExhaustiveReport) only(properties []string) []string {
	return slices.DeleteFunc(slices.Clone(properties), func(l string) bool {
		return !slices.Contains(d.judged(), l)
	})
}

// ExhaustiveCell is a cell of the table that was gone through in the simulator.
type ExhaustiveCell struct {
	Row        string   `json:"row"`
	Column     string   `json:"column"`
	Impossible string   `json:"impossible,omitempty"`
	Expected   []string `json:"expected"`
	Known      bool     `json:"known"` // something was expected
	Properties []string `json:"properties"`
	// of the letters, those that were found without any fault, so that they need none here
	Inherited []string `json:"inherited,omitempty"`
	Spaces    []Space  `json:"spaces,omitempty"` // what was gone through
}

// Space is what was gone through of a cell within some bounds.
type Space struct {
	explore.Covered
	Found map[string]string `json:"found,omitempty"` // by letter: the first counterexample, in words
	Err   string            `json:"err,omitempty"`   // why it could not be gone through
	// it was interrupted: what was found counts, and it is gone through again
	Cut bool `json:"cut,omitempty"`
}

// Line is a space in the record of a search that can be gone on with.
type Line struct {
	Format int    `json:"format"` // batch.Format
	Row    string `json:"row"`
	Column string `json:"column"`
	Space  Space  `json:"space"`
}

// tries are the attempts of one acquire: two more than in docs/locks/expected.md, so that a client
// is refused for as long as it takes to call it a deadlock.
const tries = 8

// whole are the spaces of docs/locks/expected.md, The two spaces: two clients twice, and three
// clients once.
var whole = []explore.Bounds{{Clients: 2, Rounds: 2, Tries: tries}, {Clients: 3, Rounds: 1,
	Tries: tries}}

// smallest is the first space: two clients once.
var smallest = explore.Bounds{Clients: 2, Rounds: 1, Tries: tries}

// growing is what a cell is gone through within, the small spaces first: what is finished is worth
// more than what is large.
var growing = []explore.Bounds{
	smallest, whole[0], whole[1], preempted(smallest, 1),
	preempted(whole[0], 1), preempted(whole[1], 1), preempted(smallest, 2), preempted(whole[0], 2),
	preempted(whole[1], 2),
}

func preempted(b explore.Bounds, times int) explore.Bounds {
	b.Preemptions = times
	return b
}

// slow are the spaces in which, without a fault, clients and messages may be slow for less than
// half a lease.
var slow = []explore.Bounds{
	{Clients: 2, Rounds: 2, Tries: tries, Expiries: 1}, {Clients: 3, Rounds: 1, Tries: tries,
		Expiries: 1},
	{Clients: 2, Rounds: 2, Tries: tries, Expiries: 1, Preemptions: 1}, {Clients: 3, Rounds: 1,
		Tries: tries, Expiries: 1, Preemptions: 1},
}

// boundsOf are the spaces of a cell, in the order in which they are gone through.
func boundsOf(c matrix.Column) []explore.Bounds {
	if c.Name == "none" {
		return slices.Concat(growing[:4], slow[:3], growing[4:], slow[3:]) // the last of them is large
	}
	return growing
}

// beyond says why a cell cannot be gone through; "" if it can.
func beyond(r matrix.Row, c matrix.Column) string {
	if why := matrix.Impossible(r, c); why != "" {
		return why
	}
	if c.Name != "none" && c.Name != "longwork" && !slices.Contains(explore.AnywhereFaults(),
		strings.TrimRight(c.Name, "+-")) {
		return "the fault has no form that can be injected at any place"
	}
	return ""
}

// through is the search through a space of a cell.
func through(r matrix.Row, c matrix.Column, b explore.Bounds) explore.Exhaustive {
	w := harness.RunOptions{Impl: r.Impl, Variant: r.Variant, NoWatchdog: r.NoWatchdog,
		Masters:  r.Masters,
		Workload: r.Workload, Nemesis: "none"}
	switch c.Name {
	case "none":
	case "longwork":
		w.Workload = workloads.LongWork
	default:
		w.Nemesis, b.Faults = c.Name, 1
		if sign := c.Name[len(c.Name)-1:]; sign == "+" || sign == "-" {
			w.Nemesis = c.Name[:len(c.Name)-1] + ":" + sign
		}
		if r.Has(matrix.Watchdog) && r.Workload == "" { // what its row in docs/locks/expected.md supposes
			w.Workload = workloads.LongWork
		}
	}
	x := explore.Exhaustive{Options: w, Properties: batch.Properties, Bounds: b, KeepGoing: true,
		Jobs: 1,
		Pace: explore.Ticks}
	if b.Expiries > 0 {
		x.Slowest = explore.Ticks.TTL / 2
	}
	return x
}

// search goes through a space of a cell.
func search(ctx context.Context, r matrix.Row, c matrix.Column, b explore.Bounds, limit int) Space {
	x := through(r, c, b)
	x.Limit = limit
	hits, covered, _, err := x.Find(ctx)
	s := Space{Covered: covered, Cut: ctx.Err() != nil && !covered.Whole}
	if err != nil {
		s.Err, s.Bounds = err.Error(), x.Bounds
	}
	for _, h := range hits {
		if s.Found == nil {
			s.Found = map[string]string{}
		}
		if s.Found[h.Property] == "" {
			s.Found[h.Property] = h.Explanation
		}
	}
	return s
}

// Agrees reports whether exactly what was expected was found.
func (d *ExhaustiveCell) Agrees() bool { return d.Known && slices.Equal(d.Properties, d.Expected) }

// Schedules that were run in the cell, those that merged with others included.
func (d *ExhaustiveCell) Schedules() (n int) {
	for _, s := range d.Spaces {
		n += s.Schedules + s.Merged
	}
	return n
}

// Finished is the largest number of preemptions up to which every order of so many clients and
// rounds was gone through; -1: not even without one.
func (d *ExhaustiveCell) Finished(clients, rounds int) int {
	most := -1
	for _, s := range d.Spaces {
		if b := s.Bounds; s.Whole && b.Clients == clients && b.Rounds == rounds && b.Expiries == 0 {
			most = max(most, b.Preemptions)
		}
	}
	return most
}

// words is the counterexample of a letter.
func (d *ExhaustiveCell) words(letter string) string {
	for _, s := range d.Spaces {
		if w := s.Found[letter]; w != "" {
			return w
		}
	}
	return ""
}

// shorten keeps one counterexample of each letter.
func (d *ExhaustiveCell) shorten() {
	told := map[string]bool{}
	for _, s := range d.Spaces {
		for l, w := range s.Found {
			if s.Found[l] = ""; !told[l] {
				s.Found[l] = cut(w)
			}
			told[l] = told[l] || w != ""
		}
	}
}

// judge takes the letters that some space found, and those that are found without any fault.
func (d *ExhaustiveCell) judge(free *ExhaustiveCell) {
	found := map[string]bool{}
	for _, s := range d.Spaces {
		for l := range s.Found {
			found[l] = true
		}
	}
	d.Properties, d.Inherited = nil, nil
	for _, l := range batch.Properties {
		switch {
		case found[l]:
			d.Properties = append(d.Properties, l)
		case free != nil && len(d.Spaces) > 0 && slices.Contains(free.Properties, l):
			d.Properties, d.Inherited = append(d.Properties, l), append(d.Inherited, l)
		}
	}
}
