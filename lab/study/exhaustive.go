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

// ExhaustiveReport is the table of expected verdicts as decided by exhaustive search in the
// simulator. It is stored in exhaustive.json.
type ExhaustiveReport struct {
	Format  int              `json:"format"`
	Each    int              `json:"each"` // most schedules of a cell
	Took    history.Duration `json:"took,omitempty"`
	Partial string           `json:"partial,omitempty"` // why some cells are incomplete
	Judged  []string         `json:"judged,omitempty"`  // properties; if empty, firstJudged
	Cells   []ExhaustiveCell `json:"cells"`
}

// firstJudged lists the properties of the first records, which do not name them.
var firstJudged = []string{"S", "L", "O", "R", "D", "F", "U"}

// judged returns the properties that comparisons with other measurements may include.
func (d *ExhaustiveReport) judged() []string {
	if len(d.Judged) == 0 {
		return firstJudged
	}
	return d.Judged
}

// only returns those properties that were judged.
func (d *ExhaustiveReport) only(properties []string) []string {
	return slices.DeleteFunc(slices.Clone(properties), func(l string) bool {
		return !slices.Contains(d.judged(), l)
	})
}

// ExhaustiveCell is the result of the simulator for one cell of the table.
type ExhaustiveCell struct {
	Row        string   `json:"row"`
	Column     string   `json:"column"`
	Impossible string   `json:"impossible,omitempty"`
	Expected   []string `json:"expected"`
	Known      bool     `json:"known"` // there is an expectation
	Properties []string `json:"properties"`
	// the properties that are also violated without any fault
	Inherited []string `json:"inherited,omitempty"`
	Spaces    []Space  `json:"spaces,omitempty"` // the explored spaces
}

// Space is the exploration of a cell within some bounds.
type Space struct {
	explore.Covered
	// the first counterexample of each property, in words
	Found map[string]string `json:"found,omitempty"`
	Err   string            `json:"err,omitempty"` // the reason why it could not be explored
	// It was interrupted. Its results count, and it will be explored again.
	Cut bool `json:"cut,omitempty"`
}

// Line is a space in the record of a search that can be resumed.
type Line struct {
	Format int    `json:"format"` // batch.Format
	Row    string `json:"row"`
	Column string `json:"column"`
	Space  Space  `json:"space"`
}

// tries is the number of attempts of one acquire. It is two more than in docs/locks/expected.md, so
// that a client is refused for long enough to call it a deadlock.
const tries = 8

// whole lists the two spaces of docs/locks/expected.md: two clients with two rounds, and three
// clients with one.
var whole = []explore.Bounds{{Clients: 2, Rounds: 2, Tries: tries}, {Clients: 3, Rounds: 1,
	Tries: tries}}

// smallest is the first space, two clients with one round.
var smallest = explore.Bounds{Clients: 2, Rounds: 1, Tries: tries}

// growing lists the spaces of a cell, the smaller ones first, because a finished small space is
// worth more than an unfinished large one.
var growing = []explore.Bounds{
	smallest, whole[0], whole[1], preempted(smallest, 1),
	preempted(whole[0], 1), preempted(whole[1], 1), preempted(smallest, 2), preempted(whole[0], 2),
	preempted(whole[1], 2),
}

func preempted(b explore.Bounds, times int) explore.Bounds {
	b.Preemptions = times
	return b
}

// slow lists the spaces of cells without a fault where clients and messages may be slow for less
// than half a lease.
var slow = []explore.Bounds{
	{Clients: 2, Rounds: 2, Tries: tries, Expiries: 1}, {Clients: 3, Rounds: 1, Tries: tries,
		Expiries: 1},
	{Clients: 2, Rounds: 2, Tries: tries, Expiries: 1, Preemptions: 1}, {Clients: 3, Rounds: 1,
		Tries: tries, Expiries: 1, Preemptions: 1},
}

// boundsOf returns the spaces of a cell in the order of the search.
func boundsOf(c matrix.Column) []explore.Bounds {
	if c.Name == "none" {
		return slices.Concat(growing[:4], slow[:3], growing[4:], slow[3:]) // the last of them is large
	}
	return growing
}

// beyond returns the reason why a cell cannot be explored, or "".
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

// newSearch returns the search of a space of a cell.
func newSearch(r matrix.Row, c matrix.Column, b explore.Bounds) explore.Exhaustive {
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
		if r.Has(matrix.Watchdog) && r.Workload == "" { // as its row in docs/locks/expected.md assumes
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

// search explores a space of a cell.
func search(ctx context.Context, r matrix.Row, c matrix.Column, b explore.Bounds, limit int) Space {
	x := newSearch(r, c, b)
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

// Agrees reports whether the result equals the expectation.
func (d *ExhaustiveCell) Agrees() bool { return d.Known && slices.Equal(d.Properties, d.Expected) }

// Schedules returns the number of schedules that were run in the cell, including those that merged
// with others.
func (d *ExhaustiveCell) Schedules() (n int) {
	for _, s := range d.Spaces {
		n += s.Schedules + s.Merged
	}
	return n
}

// Finished returns the largest number of preemptions whose orders were all explored with so many
// clients and rounds. It returns -1 if not even the orders without preemptions were.
func (d *ExhaustiveCell) Finished(clients, rounds int) int {
	most := -1
	for _, s := range d.Spaces {
		if b := s.Bounds; s.Whole && b.Clients == clients && b.Rounds == rounds && b.Expiries == 0 {
			most = max(most, b.Preemptions)
		}
	}
	return most
}

// words returns the counterexample of a property.
func (d *ExhaustiveCell) words(letter string) string {
	for _, s := range d.Spaces {
		if w := s.Found[letter]; w != "" {
			return w
		}
	}
	return ""
}

// shorten keeps one counterexample of each property.
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

// judge sets the properties that some space violated or that are violated without any fault.
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
