package explain

import (
	"strings"
	"testing"

	"github.com/lockbench/lockbench/checker/record"
)

// TestToldAfterItHadLeft: a client that has left is told nothing by the end of a validity.
func TestToldAfterItHadLeft(t *testing.T) {
	ms := int64(1e6)
	loser := &record.Hold{Process: 0, From: 10 * ms, End: 185 * ms}
	winner := &record.Hold{Process: 3, From: 60 * ms, End: 200 * ms}
	for _, c := range []struct {
		at   int64
		by   Teller
		want string
	}{
		{1980 * ms, ByValidity, "Nothing had told client 0 that its hold was over when it left at"},
		{150 * ms, ByValidity, "told that its hold was over only at 0.150 s"},
		{190 * ms, ByRelease, "told that its hold was over only at 0.190 s"},
		{record.Forever, ByCallback, "not told that its hold was over before it left, 125 ms later"},
	} {
		if got := ToldLate(loser, winner, c.at, c.by, 450*ms); !strings.Contains(got, c.want) {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
	loser.End = record.Forever
	got := ToldLate(loser, winner, record.Forever, ByCallback, 450*ms)
	if !strings.Contains(got, "before the run ended, 390 ms later") {
		t.Errorf("of a client that never left: %q", got)
	}
}
