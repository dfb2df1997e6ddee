package replay

import (
	"fmt"
	"testing"
	"time"

	"github.com/lockbench/lockbench/internal/history"
	"github.com/lockbench/lockbench/internal/search/explore/counterexample"
)

// TestClocksThatAreTooClose: a client reads its clock for a whole attempt, and anew for a release.
func TestClocksThatAreTooClose(t *testing.T) {
	const begin = 946_684_801_000 // ms, of the clock; the lease that is found ends a second later
	for _, x := range []struct {
		name    string
		phase   string
		read    int // ms after the beginning
		get     int // the same, of the command
		refused bool
	}{
		{"long before the end", counterexample.Acquire, 500, 1000, false},
		{"at the end", counterexample.Acquire, 1000, 1400, true},
		{"just after the end", counterexample.Acquire, 1002, 1400, false},
		{"a release reads it anew", counterexample.Release, 500, 1000, true},
		{"a release that is over", counterexample.Release, 1000, 1400, false},
	} {
		mark := at(0, counterexample.Mark, 0, "")
		mark.Phase = x.phase
		found := at(x.get*1000+50, counterexample.Recv, 2, "GET l")
		found.Reply = fmt.Sprint(begin + 1000)
		c := &counterexample.Counterexample{Steps: []counterexample.Step{mark,
			at(x.read*1000, counterexample.Send, 1, fmt.Sprint("SETNX l ", begin+1000+x.read)),
			at(x.get*1000, counterexample.Send, 2, "GET l"), found}}
		c.Plan.TTL = history.Duration(time.Second)
		if got := comparesInAMillisecond(c); got != x.refused {
			t.Errorf("%s: %v", x.name, got)
		}
	}
}
