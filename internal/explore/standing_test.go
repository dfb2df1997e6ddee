package explore

import (
	"testing"

	"github.com/lockbench/lockbench/internal/harness"
)

// TestStandingIsNotTheFault: a scenario of a partition lets the holder stand at a breakpoint until
// its lease is over. That is the harness' doing and none of the network's; of a lock that renews
// its lease the network alone keeps the renewals away. A pause is a fault that makes a client late.
func TestStandingIsNotTheFault(t *testing.T) {
	for _, c := range []struct {
		impl, nemesis string
		found         bool
	}{
		{"token-lua", "partition", false},
		{"token-lua", "partition:stay", false},
		{"redisson", "partition:stay", true},
		{"token-lua", "pause", true},
		{"token-lua", "overrun", true},
	} {
		t.Run(c.impl+" under "+c.nemesis, func(t *testing.T) {
			t.Parallel()
			s := Search{Options: harness.RunOptions{Impl: c.impl, Nemesis: c.nemesis},
				Properties: []string{"S"}, Schedule: Random, Moments: Both, Seeds: 60, Jobs: 1}
			hits, p, err := s.Find(t.Context())
			if err != nil || (len(hits) > 0) != c.found || p.HarnessErrors > 0 {
				t.Errorf("%v, %+v, %v", hits, p, err)
			}
		})
	}
}
