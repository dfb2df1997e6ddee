package searched

import (
	"testing"

	"github.com/lockbench/lockbench/internal/dev/testenv"
	"github.com/lockbench/lockbench/internal/search/explore"
)

// TestHitsThatCannotBeLuck: what random latencies do not meet in 200 runs, a walk meets in more
// than one run of twenty. If it were as rare as one in a thousand, 5 of 200 runs would be met once
// in 400,000 times. It is a race without any fault, between
// clients that are never slow.
func TestHitsThatCannotBeLuck(t *testing.T) {
	t.Parallel()
	testenv.SkipRace(t)
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
	testenv.SkipRace(t)
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
	testenv.SkipRace(t)
	h, err := Count(t.Context(), Cell{"redisson watchdog", "reply-loss", "S"}, 60, 2, explore.Random)
	if err != nil || h.Found[explore.Random] < 3 {
		t.Errorf("%v, %v", h, err)
	}
}
