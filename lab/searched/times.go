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

// Time is the cost of finding the violation of a cell without its aimed scenario.
type Time struct {
	Cell
	Found bool `json:"found"`
	Runs  int  `json:"runs"`
	// CPU time in ms; if the violation was not found, the time spent in vain
	Millis int64 `json:"ms"`
}

// Violated returns the cells of a matrix with a violation of a property that decides a run, one for
// each property. It omits R and A, which only say how long a lock stays taken. It also omits
// violations under a fault that also happen without any.
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

// Clock measures a search with guided moments and the portfolio of schedules, one run after the
// other. Used returns the CPU time of this process.
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
	s.Mine = func(int) bool { // called before each run is planned
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
