package searched

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lockbench/lockbench/internal/explore"
	"github.com/lockbench/lockbench/internal/matrix"
)

// TestHitsThatCannotBeLuck: what random latencies do not meet in 200 runs, a walk meets in more
// than one run of twenty. If it were as rare as one in a thousand, 5 of 200 runs would be met once
// in 400,000 times. It is a race without any fault, between
// clients that are never slow.
func TestHitsThatCannotBeLuck(t *testing.T) {
	t.Parallel()
	least := map[string]int{explore.Random: 0, explore.POS: 3, explore.Walk: 5, explore.Portfolio: 3}
	for schedule, n := range least {
		s, err := Cell{"setnx-del-expired", none, "S"}.search(schedule, explore.Aimed)
		if err != nil {
			t.Fatal(err)
		}
		s.Seeds, s.Jobs, s.KeepGoing = 200, 2, true
		hits, _, err := s.Find(t.Context())
		if err != nil || len(hits) < n || n == 0 && len(hits) > 0 {
			t.Errorf("%s: %d of %d, %v", schedule, len(hits), s.Seeds, err)
		}
	}
}

// TestAFailoverIsOfAMasterAndItsReplica: a vote is lost with it. Seeds of which one in a thousand
// hits would give three of 200 once in 900 times.
func TestAFailoverIsOfAMasterAndItsReplica(t *testing.T) {
	t.Parallel()
	h, err := Count(t.Context(), Cell{"redlock per attempt", "failover", "S"}, 200, 2,
		explore.Portfolio)
	if err != nil || h.Found[explore.Portfolio] < 3 {
		t.Errorf("%v, %v", h, err)
	}
}

// TestALostReplyEndsRenewals: after it the connection is closed, and while replies are lost no new
// one is greeted, so that nothing renews the lease of a client that works on. No scenario of the
// matrix loses more than one reply.
func TestALostReplyEndsRenewals(t *testing.T) {
	t.Parallel()
	h, err := Count(t.Context(), Cell{"redisson watchdog", "reply-loss", "S"}, 60, 2, explore.Random)
	if err != nil || h.Found[explore.Random] < 3 {
		t.Errorf("%v, %v", h, err)
	}
}

// TestRareCellsAreCellsOfTheMatrix that a search can be made for, without an aim.
func TestRareCellsAreCellsOfTheMatrix(t *testing.T) {
	t.Parallel()
	for _, c := range Rare() {
		if _, err := Count(t.Context(), c, 1, 1, explore.Random); err != nil {
			t.Error(err)
		}
		if rows, err := matrix.FindRows([]string{c.Row}); err != nil || rows[0].Name != c.Row {
			t.Errorf("%s: %v, %v", c, rows, err)
		}
	}
	if n := len(Rare()); n < 30 {
		t.Errorf("%d cells", n)
	}
}

// TestWorseThanAThird is said only where it is sure.
func TestWorseThanAThird(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		portfolio, best int
		worse           bool
	}{{10, 30, false}, {8, 30, false}, {1, 60, true}, {0, 5, false}, {0, 300, true}} {
		h := Hits{Seeds: 2000, Found: map[string]int{explore.Portfolio: c.portfolio,
			explore.Random: 1, explore.Walk: c.best}}
		if s, n := h.Best(); s != explore.Walk || n != c.best || h.WorseThanThird() != c.worse {
			t.Errorf("%+v: best %s with %d, worse than a third: %v", c, s, n, h.WorseThanThird())
		}
	}
}

// TestTimesAreTold: the median and the worst of what was found, and a list of what was not.
func TestTimesAreTold(t *testing.T) {
	t.Parallel()
	r := &Record{}
	order := []Cell{{"a", "pause", "S"}, {"b", "late", "L"}, {"c", none, "S"}}
	r.Clocked(Time{order[2], false, 900, 60_000}, order)
	r.Clocked(Time{order[0], true, 3, 400}, order)
	r.Clocked(Time{order[1], true, 9, 9_000}, order)
	r.Clocked(Time{order[1], true, 9, 2_000}, order)
	want := `
Of 3 letters of cells 2 were found. The median took 2000 ms of
processor time, the worst 2.0 s; 1 took more than half a second.
Not found:

| lock | fault | letter | runs | seconds |
|---|---|---|---|---|
| c | none | S | 900 | 60 |

`
	if diff := cmp.Diff(want, r.times()); diff != "" {
		t.Error(diff)
	}
}

// TestClockEndsWithTheProcessorTime of a cell that is safe, and finds one that is not.
func TestClockEndsWithTheProcessorTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cell  Cell
		found bool
	}{{Cell{"getset", "pause", "S"}, true}, {Cell{"token-lua", none, "S"}, false}} {
		used := time.Duration(0)
		got, err := Clock(t.Context(), c.cell, 100*time.Millisecond, func() time.Duration {
			used += time.Millisecond // each run that is planned takes so long
			return used
		})
		if err != nil || got.Found != c.found || got.Runs > 200 {
			t.Errorf("%v: found %v in %d runs, %v", c.cell, got.Found, got.Runs, err)
		}
	}
}
