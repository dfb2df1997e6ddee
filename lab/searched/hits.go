package searched

import (
	"context"
	"fmt"
	"math"

	"github.com/lockbench/lockbench/internal/search/explore"
)

// Hits counts by schedule how many seeds show the violation of a cell.
type Hits struct {
	Cell
	Seeds int            `json:"seeds"`
	Found map[string]int `json:"found"`
}

// Count counts the hits of a cell with each kind of schedule.
func Count(ctx context.Context, c Cell, seeds, jobs int, schedules ...string) (Hits, error) {
	h := Hits{Cell: c, Seeds: seeds, Found: map[string]int{}}
	for _, schedule := range schedules {
		s, err := c.search(schedule, explore.Drawn)
		if err != nil {
			return h, err
		}
		s.Seeds, s.Jobs, s.KeepGoing = seeds, jobs, true
		hits, done, err := s.Find(ctx)
		switch {
		case err != nil:
			return h, fmt.Errorf("%s: %w", c, err)
		case ctx.Err() != nil:
			return h, ctx.Err()
		case done.HarnessErrors > 0:
			return h, fmt.Errorf("%s: %d runs broke: %s", c, done.HarnessErrors, done.Broke)
		}
		h.Found[schedule] = len(hits)
	}
	return h, nil
}

// Best returns the best member of the portfolio and its number of hits.
func (h Hits) Best() (schedule string, found int) {
	for _, s := range explore.Schedules() {
		if n := h.Found[s]; s != explore.Portfolio && (schedule == "" || n > found) {
			schedule, found = s, n
		}
	}
	return schedule, found
}

// WorseThanThird reports whether, with 95 % confidence, the portfolio finds less than a third of
// what its best member finds.
func (h Hits) WorseThanThird() bool {
	_, best := h.Best()
	n := float64(h.Seeds)
	found, b := float64(h.Found[explore.Portfolio])/n, float64(best)/n
	third := b / 3
	deviation := math.Sqrt(third*(1-third)/n + b*(1-b)/n/9)
	return third-found > 1.96*deviation
}
