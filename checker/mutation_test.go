package checker

import (
	"fmt"
	"math/bits"
	"testing"
)

// TestEveryRuleMatters switches the rules of collect off one by one: each time some history of the
// table must be judged wrong.
func TestEveryRuleMatters(t *testing.T) {
	for r := leaveAtInvocation; r <= leaseFromSending; r <<= 1 {
		t.Run(fmt.Sprintf("rule %d", bits.TrailingZeros16(uint16(r))), func(t *testing.T) {
			for _, c := range exclusionCases {
				v := checkWithout(story(t, c.story), nil, Options{Properties: []string{"S", "L"}}, r)
				if show(v) != c.want {
					t.Logf("%s: %s instead of %s", c.name, show(v), c.want)
					return
				}
			}
			t.Error("no history of the table needs it")
		})
	}
}
