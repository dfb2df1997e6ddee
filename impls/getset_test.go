package impls_test

import (
	"strconv"
	"testing"
	"time"
)

// TestTheFirstGetsetWins is the race of D002, where two clients have seen that the lease is over.
// The document lets the second one win, since the first one's time is "larger than what it compares
// with"; in truth the first one reads the expired time.
func TestTheFirstGetsetWins(t *testing.T) {
	c := needRedis(t).connect(1)[0]
	const key = "first-getset"
	now := time.Now().UnixMilli()
	expired := strconv.FormatInt(now-1, 10)
	if err := c.Set(t.Context(), key, expired, 0).Err(); err != nil {
		t.Fatal(err)
	}
	old := func(mine int64) int64 {
		n, err := c.GetSet(t.Context(), key, strconv.FormatInt(mine, 10)).Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	p2, p3 := old(now+1000), old(now+1001)
	if p2 >= now || p3 < now {
		t.Errorf(
			"P2, who came first, saw %d, P3 %d, and it is %d: only who sees an expired time has the lock",
			p2, p3, now)
	}
	c.Del(t.Context(), key)
}
