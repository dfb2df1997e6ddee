package explain

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/record"
)

// TestAStoryTellsHowLongBothLeasesWereValid where one of them ends during the overlap.
func TestAStoryTellsHowLongBothLeasesWereValid(t *testing.T) {
	leased := func(process int, until int64) *record.Hold {
		return &record.Hold{Process: process, From: 1e9, End: 9e9,
			Leases: []record.Lease{{From: 1e9, To: until}}}
	}
	for until, want := range map[int64]string{
		5e9: "Both leases were valid for 1.00 s of that (",
		8e9: "Both leases were valid then (",
	} {
		p := &record.Pair{A: leased(1, until), B: leased(2, 9e9), From: 4e9, To: 7e9}
		if got := bothLeased(p); !strings.Contains(got, want) {
			t.Errorf("a lease until %d: %s", until, got)
		}
	}
}
