package searched

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lockbench/lockbench/internal/campaign/matrix"
	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// Time says what it cost to find the letter of a cell without its aimed scenario.
type Time struct {
	Cell
	Found bool `json:"found"`
	Runs  int  `json:"runs"`
	// processor time, ms; of a letter that was not found, what was spent in vain
	Millis int64 `json:"ms"`
}

// Violated are the cells of a matrix in which a letter that decides a run was found, each with its
// letters. R and A, which only tell how long a lock stays taken, are left out, and so is under a
// fault what is found without any: it is one thing to find, and has nothing to do with the fault.
func Violated(m *matrix.Matrix) (all []Cell) {
	anyway := map[string][]string{}
	for i := range m.Cells {
		if c := &m.Cells[i]; c.Column == none {
			anyway[c.Row] = c.Found()
		}
	}
	reported := history.ReportedProperties()
	for i := range m.Cells {
		c := &m.Cells[i]
		for _, letter := range c.Found() {
			if !slices.Contains(reported, letter) &&
				(c.Column == none || !slices.Contains(anyway[c.Row], letter)) {
				all = append(all, Cell{c.Row, c.Column, letter})
			}
		}
	}
	return all
}

// none is the column without a fault.
const none = "none"

// Clock measures a search with guided moments and all schedules by turns, one run after the other.
// Used is the processor time of this process.
func Clock(ctx context.Context, c Cell, limit time.Duration, used func() time.Duration) (Time,
	error) {
	s, err := c.search(explore.Portfolio, explore.Guided)
	if err != nil {
		return Time{}, err
	}
	s.Jobs = 1
	inner, stop := context.WithCancel(ctx)
	defer stop()
	began := used()
	s.Mine = func(int) bool { // it is asked before each run is planned
		if used()-began > limit {
			stop()
		}
		return true
	}
	hits, done, err := s.Find(inner)
	switch {
	case err != nil:
		return Time{}, fmt.Errorf("%s: %w", c, err)
	case ctx.Err() != nil:
		return Time{}, ctx.Err()
	case done.HarnessErrors > 0:
		return Time{}, fmt.Errorf("%s: %d runs broke: %s", c, done.HarnessErrors, done.Broke)
	}
	return Time{c, len(hits) > 0, done.Runs, (used() - began).Milliseconds()}, nil
}
