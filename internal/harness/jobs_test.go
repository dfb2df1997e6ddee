package harness

import (
	"math"
	"strings"
	"testing"
)

func TestAMachineBearsSoManyRuns(t *testing.T) {
	for _, c := range []struct {
		processors int
		memory     int64
		most       int64
	}{
		{2, 24 << 30, 64}, {64, 4 << 30, 32}, {2, 0, 64}, {1, 64 << 20, 1},
	} {
		if got := mostJobs(c.processors, c.memory); got != c.most {
			t.Errorf("%d processors with %d MB bear %d, not %d", c.processors, c.memory>>20, got, c.most)
		}
	}
	if err := InBounds("jobs", 1); err != nil {
		t.Error(err)
	}
	if err := InBounds("jobs", math.MaxInt64); err == nil ||
		!strings.Contains(err.Error(), "this machine bears ") {
		t.Error(err)
	}
}
